// The real SDKs through the gateway: what they get is what the provider sends, and each conversation is one session.
import { must } from "../tools.mjs";
import { clients, conversations } from "./conversations.mjs";
import { errorBody, TOKENS } from "./upstream.mjs";

// A fetch that keeps the bodies of the answers as they came.
function recordingFetch(kept) {
  return async (url, init) => {
    const answer = await fetch(url, init);
    const [mine, theirs] = answer.body ? answer.body.tee() : [null, null];
    kept.push(new Response(mine).text().catch((error) => `cut: ${error.message}`));
    return new Response(theirs, { status: answer.status, headers: answer.headers });
  };
}

async function hold(w, conversation, base) {
  const kept = [];
  w.up.play(conversation.name, (body, n) => conversation.script(n));
  const answer = await conversation.hold({ base, key: w.token, fetch: recordingFetch(kept) });
  must(answer === conversation.answer, `the client got "${answer}"`);
  must(w.up.asked.length === conversation.exchanges, `${w.up.asked.length} requests, not ${conversation.exchanges}`);
  return Promise.all(kept);
}

export const same = (what, got, want) => must(JSON.stringify(got) === JSON.stringify(want), `${what} is\n${JSON.stringify(got, null, 1)}\nnot\n${JSON.stringify(want, null, 1)}`);

/** The session has these messages and no others, in a single line, and its calls their tokens. */
export async function checkSession(w, session, path, exchanges) {
  const { messages, calls } = await w.whole(session.id);
  same("the path", await w.path(session.id), path);
  must(messages.length === path.length, `${messages.length} messages are stored, ${path.length} are on the path`);
  same("the calls", calls.map((c) => `${c.status} ${c.used.input}+${c.used.cacheRead}+${c.used.output} attempt ${c.attempt}`), Array(exchanges).fill(`ok ${TOKENS} attempt 1`));
  must(calls.every((c) => c.firstByte >= 0 && c.duration >= c.firstByte && c.model === "scripted"), `calls without times or model: ${JSON.stringify(calls)}`);
}

async function converse(start, conversation) {
  const w = await start();
  try {
    const direct = await hold(w, conversation, w.up.url);
    const relayed = await hold(w, conversation, w.url);
    same("what the client got", relayed, direct);
    must(w.up.asked.every((a) => !JSON.stringify(a.headers).includes(w.token)), "our token went to the provider");
    const sessions = await w.sessions();
    must(sessions.length === 1, `${sessions.length} sessions`);
    await checkSession(w, sessions[0], conversation.path, conversation.exchanges);
    return `one session, ${conversation.path.length} messages, ${conversation.exchanges} calls, ${relayed.join("").length} bytes as sent`;
  } finally {
    await w.close();
  }
}

// ---- what goes wrong, as each SDK sees it ----

const model = "scripted", messages = [{ role: "user", content: "Good morning" }];
const failure = async (doing) => {
  try {
    await doing;
  } catch (error) {
    return error;
  }
  throw new Error("the client took it for a success");
};

async function read(stream) {
  for await (const piece of stream) void piece;
}

// [name, wire, ask(how, stream)]
const askers = [
  ["openai chat", "chat", async (how, stream) => read(await clients.openai(how).chat.completions.create({ model, messages, stream }))],
  ["openai chat.stream()", "chat", (how) => clients.openai(how).chat.completions.stream({ model, messages }).finalContent()],
  ["openai responses", "responses", async (how, stream) => read(await clients.openai(how).responses.create({ model, input: "Good morning", stream }))],
  ["openai responses.stream()", "responses", (how) => clients.openai(how).responses.stream({ model, input: "Good morning" }).finalResponse()],
  ["anthropic messages", "messages", async (how, stream) => read(await clients.anthropic(how).messages.create({ model, max_tokens: 9, messages, stream }))],
  ["anthropic messages.stream()", "messages", (how) => clients.anthropic(how).messages.stream({ model, max_tokens: 9, messages }).finalMessage()],
  ["ai with openai chat", "chat", (how, stream) => aiAsk(clients.aiOpenai(how).chat(model), stream)],
  ["ai with openai responses", "responses", (how, stream) => aiAsk(clients.aiOpenai(how).responses(model), stream)],
  ["ai with anthropic", "messages", (how, stream) => aiAsk(clients.aiAnthropic(how)(model), stream)],
];

async function aiAsk(language, stream) {
  const { generateText, streamText } = await import("ai");
  if (!stream) return generateText({ model: language, messages, maxRetries: 0 });
  for await (const part of streamText({ model: language, messages, maxRetries: 0, onError: () => {} }).fullStream) if (part.type === "error") throw part.error;
  return undefined;
}

// The provider refuses: the client sees its status, its body and its headers, and the call is recorded without a reply. The next try is the same user message.
async function refused(start, [name, wire, ask], status, type, kind) {
  const w = await start(), kept = [];
  const how = { base: w.url, key: w.token, fetch: recordingFetch(kept) };
  try {
    w.up.play(name, (body, n) => (n ? { text: "Good morning." } : { status, type, message: `no, says the ${wire} provider` }));
    const error = await failure(ask(how, true));
    const seen = error.status ?? error.statusCode, header = error.headers?.get?.("x-request-id") ?? error.responseHeaders?.["x-request-id"];
    must(seen === status, `the client sees status ${seen}: ${error}`);
    must(!kind || name.startsWith("ai ") || error.constructor.name === kind, `it is a ${error.constructor.name}, not a ${kind}`);
    must(header === "req-of-the-provider", `the request id is ${header}`);
    same("the body", await Promise.all(kept), [errorBody(wire, type, `no, says the ${wire} provider`)]);
    await ask(how, true);
    const [session, ...others] = await w.sessions();
    must(!others.length, "the second try is in another session");
    same("the path", await w.path(session.id), ["user: Good morning", "assistant: Good morning."]);
    const { messages: stored, calls } = await w.whole(session.id);
    must(stored.length === 2, `${stored.length} messages are stored`);
    same("the calls", calls.map((c) => `${c.status} ${c.requestId ?? ""}`), ["error req-of-the-provider", "ok "]);
    return `${error.constructor.name}, and the next try has its place`;
  } finally {
    await w.close();
  }
}

// A stream that ends in the middle is an error in every client, however the provider ends it.
async function cut(start, [name, , ask], how) {
  const w = await start();
  try {
    w.up.play(name, () => ({ text: "This text ends in the middle, and the client must not take it for the whole. ".repeat(8), ...how }));
    const error = await failure(ask({ base: w.url, key: w.token, fetch }, true));
    must(w.up.asked.length === 1, "it was asked again");
    const [session] = await w.sessions();
    const { messages: stored, calls } = await w.whole(session.id);
    must(stored.length === 2 && stored[0].role === "user" && stored[1].parts.length >= 1, `stored: ${JSON.stringify(stored)}`);
    must(calls.length === 1 && calls[0].status !== "ok" && calls[0].costSource !== "list", `calls: ${JSON.stringify(calls)}`);
    return `${error.constructor.name}, call ${calls[0].status}`;
  } finally {
    await w.close();
  }
}

async function wrongToken(start) {
  const w = await start();
  try {
    for (const [name, , ask] of askers) {
      const error = await failure(ask({ base: w.url, key: "bough_wrong", fetch }, true));
      must((error.status ?? error.statusCode) === 401, `${name}: ${error.status ?? error.statusCode} ${error}`);
    }
    must(!w.up.asked.length, "the provider was asked");
    must(!(await w.sessions()).length, "something was recorded");
    return `401 for ${askers.length} clients`;
  } finally {
    await w.close();
  }
}

export async function sdkTests(test, start) {
  for (const c of conversations) await test(`gateway: ${c.name} is one session, and its bytes are the provider's`, () => converse(start, c));
  for (const asker of askers) {
    await test(`gateway: ${asker[0]} sees the provider's 429`, () => refused(start, asker, 429, "rate_limit_error", "RateLimitError"));
    await test(`gateway: ${asker[0]} sees the provider's 500`, () => refused(start, asker, 500, "api_error", "InternalServerError"));
    await test(`gateway: ${asker[0]} sees that a stream was cut`, () => cut(start, asker, { cut: true }));
    await test(`gateway: ${asker[0]} sees that a stream ended early`, () => cut(start, asker, { short: true }));
  }
  await test("gateway: a wrong token is 401", () => wrongToken(start));
}
