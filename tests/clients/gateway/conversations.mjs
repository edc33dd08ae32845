// Conversations that the real SDKs hold: each is run directly with the scripted provider and through the gateway. `script` is what the model says, `hold` what the program
// does, `path` what the session holds afterwards.
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

globalThis.AI_SDK_LOG_WARNINGS = false;

export const clients = {
  openai: ({ base, key, fetch }, more) => new OpenAI({ apiKey: key, baseURL: `${base}/v1`, fetch, maxRetries: 0, ...more }),
  anthropic: ({ base, key, fetch }, more) => new Anthropic({ apiKey: key, baseURL: base, fetch, maxRetries: 0, ...more }),
  aiOpenai: ({ base, key, fetch }) => createOpenAI({ apiKey: key, baseURL: `${base}/v1`, fetch }),
  aiAnthropic: ({ base, key, fetch }) => createAnthropic({ apiKey: key, baseURL: `${base}/v1`, fetch }),
};

const model = "scripted";
const user = (content) => ({ role: "user", content });
const system = { role: "system", content: "Be brief." };

// ---- the weather, asked for by three calls in two turns of the model, then a second prompt ----

const weather = (city) => `It is 21 degrees in ${city}.`;
const asks = (...cities) => cities.map((city) => ({ name: "weather", input: { city } }));
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const description = "The weather of a city";

const loop = (n) => [{ reasoning: "Rome first, then the others.", calls: asks("Rome") }, { text: "Two more.", calls: asks("Oslo", "Bern") }, { text: "All the same." },
  { reasoning: "Nothing to look up.", text: "You are welcome." }][n];

const called = (...cities) => cities.map((city) => `call weather {"city":"${city}"}`).join(" + ");
const loopPath = ({ joined = true } = {}) => [
  "user: How warm is it in three cities?",
  `assistant: (Rome first, then the others.) + ${called("Rome")}`,
  `tool: result ${weather("Rome")}`,
  `assistant: Two more. + ${called("Oslo", "Bern")}`,
  ...(joined ? [`tool: result ${weather("Oslo")} + result ${weather("Bern")}`] : [`tool: result ${weather("Oslo")}`, `tool: result ${weather("Bern")}`]),
  "assistant: All the same.",
  "user: Thank you.",
  "assistant: (Nothing to look up.) + You are welcome.",
];

// ---- two plain turns ----

const greet = (n) => [{ text: "Good morning.\n\nHow are you?" }, { reasoning: "They are fine.", text: "Glad to hear it." }][n];
const greetPath = ["user: Good morning", "assistant: Good morning.\n\nHow are you?", "user: Fine.", "assistant: (They are fine.) + Glad to hear it."];

// ---- openai ----

async function chatPlain(how) {
  const messages = [system, user("Good morning")];
  const client = clients.openai(how);
  for (const next of [user("Fine."), undefined]) {
    const reply = await client.chat.completions.create({ model, messages });
    messages.push(reply.choices[0].message, ...(next ? [next] : []));
  }
  return messages.at(-1).content;
}

// As plain programs read a stream: choices[0] of each chunk.
async function chatStream(how) {
  const messages = [system, user("Good morning")];
  const client = clients.openai(how);
  for (const next of [user("Fine."), undefined]) {
    let content = "";
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) content += chunk.choices[0].delta.content ?? "";
    messages.push({ role: "assistant", content }, ...(next ? [next] : []));
  }
  return messages.at(-1).content;
}

async function chatLoop(how, stream) {
  const tools = [{ type: "function", function: { name: "weather", description, parameters: schema, parse: JSON.parse, function: ({ city }) => weather(city) } }];
  const client = clients.openai(how);
  const first = client.chat.completions.runTools({ model, stream, tools, messages: [user("How warm is it in three cities?")] });
  await first.done();
  const second = client.chat.completions.runTools({ model, stream, tools, messages: [...first.messages, user("Thank you.")] });
  return second.finalContent();
}

async function responsesPlain(how, previous) {
  const client = clients.openai(how);
  const first = await client.responses.create({ model, instructions: "Be brief.", input: "Good morning" });
  const second = await client.responses.create(previous ? { model, previous_response_id: first.id, input: "Fine." }
    : { model, instructions: "Be brief.", input: [user("Good morning"), ...first.output, user("Fine.")] });
  return second.output_text;
}

async function responsesLoop(how) {
  const tools = [{ type: "function", name: "weather", description, parameters: schema, strict: false }];
  const input = [user("How warm is it in three cities?")];
  const client = clients.openai(how);
  let response;
  for (const next of [undefined, undefined, user("Thank you."), undefined]) {
    const stream = client.responses.stream({ model, input, tools, store: false, include: ["reasoning.encrypted_content"] });
    response = await stream.finalResponse();
    input.push(...response.output.map(({ parsed_arguments, ...item }) => item));
    for (const item of response.output)
      if (item.type === "function_call") input.push({ type: "function_call_output", call_id: item.call_id, output: weather(JSON.parse(item.arguments).city) });
    if (next) input.push(next);
  }
  return response.output_text;
}

// ---- anthropic ----

async function messagesPlain(how, stream) {
  const client = clients.anthropic(how);
  const messages = [user("Good morning")];
  for (const next of [user("Fine."), undefined]) {
    const asked = { model, max_tokens: 1000, system: "Be brief.", messages };
    const reply = stream ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked);
    messages.push({ role: "assistant", content: reply.content }, ...(next ? [next] : []));
  }
  return messages.at(-1).content.at(-1).text;
}

async function messagesLoop(how, stream) {
  const client = clients.anthropic(how);
  const tools = [{ name: "weather", description, input_schema: schema }];
  const messages = [user("How warm is it in three cities?")];
  let reply;
  for (const next of [undefined, undefined, user("Thank you."), undefined]) {
    const counted = await client.messages.countTokens({ model, messages, tools });
    if (counted.input_tokens !== 14) throw new Error(`${counted.input_tokens} tokens counted`);
    const asked = { model, max_tokens: 1000, tools, messages };
    reply = stream ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked);
    messages.push({ role: "assistant", content: reply.content });
    const results = reply.content.filter((b) => b.type === "tool_use").map((b) => ({ type: "tool_result", tool_use_id: b.id, content: weather(b.input.city) }));
    if (results.length) messages.push({ role: "user", content: results });
    if (next) messages.push(next);
  }
  return reply.content.at(-1).text;
}

// ---- ai ----

async function aiLoop(how, language, stream) {
  const tools = { weather: tool({ description, inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => weather(city) }) };
  const messages = [user("How warm is it in three cities?")];
  let text;
  for (const next of [user("Thank you."), undefined]) {
    const asked = { model: language(how), messages, tools, stopWhen: stepCountIs(5), maxRetries: 0, ...(stream && { onError: ({ error }) => { throw error; } }) };
    const result = stream ? streamText(asked) : await generateText(asked);
    text = await result.text;
    messages.push(...(await result.responseMessages), ...(next ? [next] : []));
  }
  return text;
}

const aiChat = (how) => clients.aiOpenai(how).chat(model);
const aiResponses = (how) => clients.aiOpenai(how).responses(model);
const aiMessages = (how) => clients.aiAnthropic(how)(model);

const greeting = (name, hold, path = greetPath) => ({ name, hold, script: greet, path, answer: "Glad to hear it.", exchanges: 2 });
const looping = (name, hold, path) => ({ name, hold, script: loop, path, answer: "You are welcome.", exchanges: 4 });

export const conversations = [
  greeting("openai chat", chatPlain),
  greeting("openai chat, streamed", chatStream),
  looping("openai chat with tools", (how) => chatLoop(how, false), loopPath({ joined: false })),
  looping("openai chat with tools, streamed", (how) => chatLoop(how, true), loopPath({ joined: false })),
  greeting("openai responses", (how) => responsesPlain(how, false)),
  greeting("openai responses with previous_response_id", (how) => responsesPlain(how, true)),
  looping("openai responses with tools, streamed", responsesLoop, loopPath({ joined: false })),
  greeting("anthropic messages", (how) => messagesPlain(how, false)),
  greeting("anthropic messages, streamed", (how) => messagesPlain(how, true)),
  looping("anthropic messages with tools", (how) => messagesLoop(how, false), loopPath()),
  looping("anthropic messages with tools, streamed", (how) => messagesLoop(how, true), loopPath()),
  looping("ai with openai chat", (how) => aiLoop(how, aiChat, false), loopPath({ joined: false })),
  looping("ai with openai chat, streamed", (how) => aiLoop(how, aiChat, true), loopPath({ joined: false })),
  looping("ai with openai responses", (how) => aiLoop(how, aiResponses, false), loopPath({ joined: false })),
  looping("ai with openai responses, streamed", (how) => aiLoop(how, aiResponses, true), loopPath({ joined: false })),
  looping("ai with anthropic", (how) => aiLoop(how, aiMessages, false), loopPath()),
  looping("ai with anthropic, streamed", (how) => aiLoop(how, aiMessages, true), loopPath()),
];
