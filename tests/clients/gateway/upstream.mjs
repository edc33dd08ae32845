// A provider on loopback that answers as a script says, in the three wires: whole and streamed, with reasoning, tool calls, errors and cuts. The same script gives the
// same bytes each time, so that what comes through the gateway can be compared with a direct call.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const chunk = (data) => `data: ${JSON.stringify(data)}\n\n`;
const halves = (text) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

// In each wire 80 tokens of input, 20 read from the cache, 10 of output.
export const TOKENS = "80+20+10";
const usageOf = {
  chat: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, prompt_tokens_details: { cached_tokens: 20 } },
  responses: { input_tokens: 100, input_tokens_details: { cached_tokens: 20 }, output_tokens: 10, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 110 },
  messages: { input_tokens: 80, cache_creation_input_tokens: 0, cache_read_input_tokens: 20, output_tokens: 10 },
};

// ---- chat ----

const chatCalls = (r) => r.calls.map((c, i) => ({ index: i, id: c.id, type: "function", function: { name: c.name, arguments: JSON.stringify(c.input) } }));

const chat = {
  whole(r, model) {
    const message = { role: "assistant", content: r.text || null, refusal: null };
    if (r.reasoning) message.reasoning_content = r.reasoning;
    if (r.calls.length) message.tool_calls = chatCalls(r).map(({ index, ...call }) => call);
    return { id: r.id("chatcmpl-"), object: "chat.completion", created: 1, model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: r.calls.length ? "tool_calls" : "stop" }], usage: usageOf.chat };
  },
  stream(r, model, body) {
    const head = { id: r.id("chatcmpl-"), object: "chat.completion.chunk", created: 1, model };
    const one = (delta, finish_reason = null) => chunk({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    let out = one({ role: "assistant", content: "" });
    if (r.reasoning) for (const reasoning_content of halves(r.reasoning)) out += one({ reasoning_content });
    if (r.text) for (const content of halves(r.text)) out += one({ content });
    for (const call of chatCalls(r)) {
      out += one({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: "" } }] });
      for (const piece of halves(call.function.arguments)) out += one({ tool_calls: [{ index: call.index, function: { arguments: piece } }] });
    }
    out += one({}, r.calls.length ? "tool_calls" : "stop");
    if (body.stream_options?.include_usage) out += chunk({ ...head, choices: [], usage: usageOf.chat });
    return `${out}data: [DONE]\n\n`;
  },
};

// ---- responses ----

function items(r) {
  const out = [];
  if (r.reasoning) out.push({ id: r.id("rs_"), type: "reasoning", summary: [{ type: "summary_text", text: r.reasoning }], encrypted_content: "c2VhbGVk" });
  if (r.text) out.push({ id: r.id("msg_"), type: "message", status: "completed", role: "assistant", content: [{ type: "output_text", text: r.text, annotations: [], logprobs: [] }] });
  for (const c of r.calls) out.push({ id: r.id("fc_"), type: "function_call", status: "completed", call_id: c.id, name: c.name, ...(c.namespace && { namespace: c.namespace }), arguments: JSON.stringify(c.input) });
  return out;
}

const empty = (item) => ({ ...item, ...(item.status && { status: "in_progress" }), ...(item.content && { content: [] }), ...(item.summary && { summary: [] }),
  ...(item.arguments && { arguments: "" }) });

// The events between added and done.
function inside(item, output_index) {
  const at = { item_id: item.id, output_index };
  if (item.type === "function_call") {
    return [...halves(item.arguments).map((delta) => ["response.function_call_arguments.delta", { ...at, delta }]),
      ["response.function_call_arguments.done", { ...at, name: item.name, arguments: item.arguments }]];
  }
  const [name, part, place] = item.type === "message" ? ["output_text", item.content[0], { content_index: 0 }] : ["reasoning_summary_text", item.summary[0], { summary_index: 0 }];
  const border = item.type === "message" ? "response.content_part" : "response.reasoning_summary_part";
  const more = item.type === "message" ? { logprobs: [] } : {};
  return [[`${border}.added`, { ...at, ...place, part: { ...part, text: "" } }],
    ...halves(part.text).map((delta) => [`response.${name}.delta`, { ...at, ...place, delta, ...more }]),
    [`response.${name}.done`, { ...at, ...place, text: part.text, ...more }], [`${border}.done`, { ...at, ...place, part }]];
}

const responses = {
  whole: (r, model) => ({ id: r.id("resp_"), object: "response", created_at: 1, status: "completed", error: null, incomplete_details: null, instructions: null, metadata: {},
    model, output: items(r), parallel_tool_calls: true, temperature: 1, tool_choice: "auto", tools: [], top_p: 1, usage: usageOf.responses }),
  stream(r, model) {
    const response = this.whole(r, model);
    const begun = { ...response, status: "in_progress", output: [], usage: null };
    const events = [["response.created", { response: begun }], ["response.in_progress", { response: begun }]];
    response.output.forEach((item, output_index) => events.push(["response.output_item.added", { output_index, item: empty(item) }], ...inside(item, output_index),
      ["response.output_item.done", { output_index, item }]));
    events.push(["response.completed", { response }]);
    return events.map(([type, data], sequence_number) => event(type, { sequence_number, ...data })).join("");
  },
};

// ---- messages ----

function blocks(r) {
  const out = [];
  if (r.reasoning) out.push({ type: "thinking", thinking: r.reasoning, signature: "c2lnbmVkIGJ5IHRoZSBtb2RlbA==" });
  if (r.text) out.push({ type: "text", text: r.text });
  for (const c of r.calls) out.push({ type: "tool_use", id: c.id, name: c.name, input: c.input });
  return out;
}

function blockEvents(block, index) {
  const delta = (delta) => event("content_block_delta", { index, delta });
  const begun = { text: { type: "text", text: "" }, thinking: { type: "thinking", thinking: "", signature: "" }, tool_use: { ...block, input: {} } }[block.type];
  const pieces = { text: () => halves(block.text).map((text) => delta({ type: "text_delta", text })),
    thinking: () => [...halves(block.thinking).map((thinking) => delta({ type: "thinking_delta", thinking })), delta({ type: "signature_delta", signature: block.signature })],
    tool_use: () => halves(JSON.stringify(block.input)).map((partial_json) => delta({ type: "input_json_delta", partial_json })) }[block.type]();
  return event("content_block_start", { index, content_block: begun }) + pieces.join("") + event("content_block_stop", { index });
}

const messages = {
  whole: (r, model) => ({ id: r.id("msg_"), type: "message", role: "assistant", model, content: blocks(r), stop_reason: r.calls.length ? "tool_use" : "end_turn", stop_sequence: null,
    usage: usageOf.messages }),
  stream(r, model) {
    const message = this.whole(r, model);
    return event("message_start", { message: { ...message, content: [], stop_reason: null, usage: { ...usageOf.messages, output_tokens: 1 } } }) + event("ping", {}) +
      message.content.map(blockEvents).join("") +
      event("message_delta", { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: usageOf.messages }) + event("message_stop", {});
  },
};

// ---- the server ----

const wires = [["/chat/completions", "chat", chat], ["/responses", "responses", responses], ["/messages", "messages", messages]];

export const errorBody = (wire, type, message) =>
  JSON.stringify(wire === "messages" ? { type: "error", error: { type, message } } : { error: { message, type, param: null, code: null } });

// A reply with its ids, which are strong and the same for the same script and the same number of the request.
function complete(reply, name, n) {
  let made = 0;
  const id = (prefix) => prefix + createHash("sha256").update(`${name} ${n} ${made++}`).digest("hex").slice(0, 24);
  const calls = (reply.calls ?? []).map((c) => ({ ...c, id: id("call_") }));
  return { ...reply, text: reply.text ?? "", calls, id };
}

/** Write in pieces, as models do; `until` bytes of all, then the connection is cut, or ended as if all were said. */
async function write(response, text, reply) {
  const bytes = Buffer.from(text);
  const until = reply.cut || reply.short ? Math.floor(bytes.length * 0.6) : bytes.length;
  for (let i = 0; i < until; i += 997) {
    response.write(bytes.subarray(i, Math.min(i + 997, until)));
    await new Promise((next) => setImmediate(next));
  }
  if (!reply.cut) return response.end();
  await new Promise((sent) => setTimeout(sent, 50)); // or the reset would drop what is on its way
  response.destroy();
}

function answer(response, path, body, reply) {
  const [, wire, render] = wires.find(([end]) => path.endsWith(end)) ?? [];
  const json = (status, text, headers) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(text);
  };
  if (path.endsWith("/models")) return json(200, JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model", created: 1, owned_by: "test" }] }));
  if (path.endsWith("/count_tokens")) return json(200, JSON.stringify({ input_tokens: 14 }));
  if (!render) return json(404, errorBody("chat", "not_found_error", `no ${path} here`));
  if (reply.status) return json(reply.status, errorBody(wire, reply.type, reply.message), { "retry-after": "0", "x-request-id": "req-of-the-provider" });
  if (!body.stream) return json(200, JSON.stringify(render.whole(reply, body.model)));
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  return write(response, render.stream(reply, body.model, body), reply);
}

/** { url, asked: [{path, headers, body}], play(name, script), close() }. script(body, n, path) gives the reply to the n-th request from 0. */
export async function startUpstream() {
  const asked = [];
  let name = "", script = () => ({ text: "nothing was scripted" }), n = 0;
  const server = createServer((request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const path = request.url.split("?")[0], text = Buffer.concat(pieces).toString();
      const body = text ? JSON.parse(text) : {};
      const counted = wires.some(([end]) => path.endsWith(end));
      if (counted) asked.push({ path, headers: request.headers, body, text });
      void answer(response, path, body, counted ? complete(script(body, n, path), name, n++) : undefined);
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    play(of, what) {
      [name, script, n] = [of, what, 0];
      asked.length = 0;
    },
    close: () => (server.closeAllConnections(), server.close()),
  };
}
