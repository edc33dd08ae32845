// A model that always gives the same answer, in the three dialects the tools speak, and keeps what
// it was asked. It refuses what providers refuse (strict.mjs). On loopback only, on a port the system chooses.
import { createServer } from "node:http";
import { refusal } from "./strict.mjs";

export const ANSWER = "The scripted model has read all of it.";

const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const chunk = (data) => `data: ${JSON.stringify(data)}\n\n`;

function chat(model) {
  const one = (delta, finish, usage) =>
    chunk({
      id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model,
      choices: [{ index: 0, delta, finish_reason: finish }], ...(usage && { usage }),
    });
  return one({ role: "assistant", content: "" }, null) + one({ content: ANSWER }, null) +
    one({}, "stop", { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109 }) + "data: [DONE]\n\n";
}

function responses(model) {
  const part = { type: "output_text", text: ANSWER, annotations: [] };
  const item = { id: "msg_1", type: "message", status: "completed", role: "assistant", content: [part] };
  const response = {
    id: "resp_1", object: "response", created_at: 1, status: "completed", model, output: [item],
    usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 0 }, output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 109 },
  };
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const events = [
    ["response.created", { response: { ...response, status: "in_progress", output: [], usage: null } }],
    ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } }],
    ["response.content_part.added", { ...at, part: { ...part, text: "" } }],
    ["response.output_text.delta", { ...at, delta: ANSWER }],
    ["response.output_text.done", { ...at, text: ANSWER }],
    ["response.content_part.done", { ...at, part }],
    ["response.output_item.done", { output_index: 0, item }],
    ["response.completed", { response }],
  ];
  return events.map(([type, data], i) => event(type, { type, sequence_number: i, ...data })).join("");
}

function messages(model) {
  const usage = { input_tokens: 100, output_tokens: 9 };
  const events = [
    ["message_start", { message: { id: "msg_1", type: "message", role: "assistant", model, content: [],
      stop_reason: null, stop_sequence: null, usage } }],
    ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
    ["content_block_delta", { index: 0, delta: { type: "text_delta", text: ANSWER } }],
    ["content_block_stop", { index: 0 }],
    ["message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage }],
    ["message_stop", {}],
  ];
  return events.map(([type, data]) => event(type, { type, ...data })).join("");
}

// What is answered without streaming, for the tools' small questions (titles, token counts).
function whole(path, model) {
  if (path.endsWith("/count_tokens")) return { input_tokens: 100 };
  if (path.endsWith("/messages"))
    return { id: "msg_1", type: "message", role: "assistant", model, stop_reason: "end_turn",
      content: [{ type: "text", text: ANSWER }], usage: { input_tokens: 100, output_tokens: 9 } };
  if (path.endsWith("/chat/completions"))
    return { id: "chatcmpl-1", object: "chat.completion", created: 1, model,
      choices: [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }],
      usage: { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109 } };
  return { object: "list", data: [{ id: "scripted", object: "model", created: 1, owned_by: "bough" }] };
}

const streams = [["/chat/completions", chat], ["/responses", responses], ["/messages", messages]];

// The answer to a request that a provider would refuse.
function refuse(path, why) {
  if (path.includes("/messages")) return { type: "error", error: { type: "invalid_request_error", message: why } };
  return { error: { message: why, type: "invalid_request_error", param: null, code: null } };
}

/** { url, asked: [{path, body, text, refused}], close() }; refused: why a provider would, or "". */
export async function startModel() {
  const asked = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => (text += piece));
    request.on("end", () => {
      const path = request.url.split("?")[0];
      const body = text ? JSON.parse(text) : {};
      const stream = streams.find(([end]) => path.endsWith(end));
      const refused = refusal(path, body);
      asked.push({ path, body, text, refused });
      if (refused) {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify(refuse(path, refused)));
      } else if (stream && body.stream) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(stream[1](body.model));
      } else {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(whole(path, body.model)));
      }
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    close: () => server.close(),
  };
}
