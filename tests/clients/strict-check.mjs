// The strict model itself: what providers refuse, it refuses, and nothing else.
import { refusal } from "./strict.mjs";
import { must } from "./tools.mjs";

const user = { role: "user", content: "a" };
const called = (id, more = {}) => ({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }], ...more });
const answered = (id) => ({ role: "tool", tool_call_id: id, content: "r" });
const item = (id) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
const output = (id) => ({ type: "function_call_output", call_id: id, output: "r" });
const thought = { type: "reasoning", summary: [], encrypted_content: "e" };
const use = (id) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] });
const result = (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "r" }] });
const said = (...content) => ({ role: "assistant", content });

const rows = [ // wire, what it is refused for ("": it is taken), messages
  ["chat", "", [user, called("1"), answered("1"), user]],
  ["chat", "no tool message", [user, called("1"), user]],
  ["chat", "no tool message", [user, called("1")]],
  ["chat", "must follow", [user, answered("1")]],
  ["chat", "extra inputs", [{ ...user, id: "x" }]],
  ["chat", "is empty", [{ role: "user", content: " " }]],
  ["chat", "is empty", [user, { role: "assistant", content: "" }, user]],
  ["chat", "no role", [{ role: "critic", content: "a" }]],
  ["chat", "no JSON", [user, called("1", { tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{" } }] }), answered("1")]],
  ["chat", "cannot be fetched", [{ role: "user", content: [{ type: "image_url", image_url: { url: "file:///a" } }] }]],
  ["chat", "surrogate", [{ role: "user", content: "\ud800" }]],
  ["responses", "", [user, thought, item("1"), output("1")]],
  ["responses", "no tool output", [user, item("1")]],
  ["responses", "no tool call", [user, output("1")]],
  ["responses", "following item", [thought, user]],
  ["responses", "not found", [{ type: "reasoning", summary: [] }, item("1"), output("1")]],
  ["responses", "is empty", [{ role: "user", content: [{ type: "input_text", text: "" }] }]],
  ["responses", "no part of type", [{ role: "user", content: [{ type: "text", text: "a" }] }]],
  ["messages", "", [user, use("1"), result("1")]],
  ["messages", "first message", [use("1"), result("1")]],
  ["messages", "without tool_result", [user, use("1"), user]],
  ["messages", "unexpected tool_use_id", [user, result("1")]],
  ["messages", "must be unique", [user, use("1"), result("1"), use("1"), result("1")]],
  ["messages", "does not match", [user, use("a b"), result("a b")]],
  ["messages", "extra inputs", [{ role: "user", content: [{ type: "text", text: "a", sessionID: "s" }] }]],
  ["messages", "is empty", [{ role: "user", content: [{ type: "text", text: "" }] }]],
  ["messages", "signature", [user, said({ type: "thinking", thinking: "x" }, { type: "text", text: "b" }), user]],
  ["messages", "cannot be thinking", [user, said({ type: "thinking", thinking: "x", signature: "s" }), user]],
  ["messages", "prefill", [user, said({ type: "text", text: "b" })]],
  ["messages", "results must come first", [user, use("1"), { role: "user", content: [{ type: "text", text: "a" }, ...result("1").content] }]],
];

export function checkStrict() {
  for (const [wire, why, messages] of rows) {
    const path = wire === "chat" ? "/v1/chat/completions" : `/v1/${wire}`;
    const refused = refusal(path, wire === "responses" ? { input: messages, store: false } : { messages });
    must(why ? refused.includes(why) : !refused, `${wire} ${JSON.stringify(messages)} is refused for "${refused}", not "${why}"`);
  }
  return `${rows.length} requests`;
}
