// What a request says, as a flat list of units, so that a tool's request can be compared with the context that bough gives for the same session. Left out
// is what the tool itself adds: its system prompt, reminders, the environment; and how a wire arranges things: ids, borders of messages, white space.
import { createHash } from "node:crypto";
import { PROMPT } from "./tools.mjs";

const squeeze = (text) => text.replace(/\s+/g, ""); // tools join blocks by nothing, a space or a line end
const digest = (data) => createHash("sha256").update(data).digest("hex").slice(0, 12);

function canonical(value) {
  if (Array.isArray(value)) return value.map(canonical);
  if (value && typeof value === "object")
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, canonical(value[key])]));
  return value;
}

// Texts that a tool puts into the user's messages by itself: each is one element, or one of these sentences.
const wrapped = /^<(system-reminder|environment_context|user_instructions|model_switch|skills_instructions|permissions instructions|collaboration_mode)>[\s\S]*<\/\1>$/;
const added = new Set(["Attached media from tool result:", "Attached image(s) from tool result:", "Attached image from tool result:"]);
// What stands in a result for a file that is elsewhere, or for nothing.
const stands = /\[file[^\]]*\]|\(see attached image\)|\(no content\)|\(no output\)/g;

class Units {
  list = [];

  say(kind, text) {
    const last = this.list.at(-1);
    if (!text) return;
    if (last && last[0] === kind) last[1] += text;
    else this.list.push([kind, text]);
  }

  user(text) {
    const summary = /<summary>\s*([\s\S]*)<\/summary>/.exec(text);
    if (wrapped.test(text.trim()) || added.has(text.trim())) return;
    if (summary) this.list.push(["summary", squeeze(summary[1])]);
    else this.say("user", squeeze(text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "")));
  }

  model(text) {
    const last = this.list.at(-1);
    if (text === "No response requested.") return; // Claude Code says it, behind a message of the user without an answer
    if (last?.[1] === "Whatdidwedosofar?") this.list[this.list.length - 1] = ["summary", squeeze(text)]; // opencode's way to tell one
    else this.say("model", squeeze(text));
  }

  call(name, input) {
    this.list.push(["call", `${name} ${JSON.stringify(canonical(input))}`]);
  }

  result(text) {
    this.list.push(["result", squeeze(text.replace(stands, ""))]);
  }

  file(url) {
    this.list.push(["file", digest(url.replace(/^data:[^,]*,/, ""))]);
  }
}

const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

// ---- the wires ----

function chatUnits(messages) {
  const units = new Units();
  for (const message of messages) {
    const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content ?? [];
    if (message.role === "system" || message.role === "developer") continue;
    if (message.role === "tool") units.result(parts.map((part) => part.text ?? "").join("\n"));
    else if (message.role === "assistant") units.model(parts.map((part) => part.text ?? "").join(" "));
    else
      for (const part of parts) {
        if (part.type === "text") units.user(part.text);
        else units.file(part.image_url?.url ?? part.file?.file_data ?? part.input_audio?.data ?? "");
      }
    for (const call of message.tool_calls ?? []) units.call(call.function.name, parse(call.function.arguments));
  }
  return units.list;
}

function inputParts(units, parts, kind) {
  for (const part of typeof parts === "string" ? [{ text: parts }] : parts) {
    if (part.text !== undefined) units[kind](part.text);
    else units.file(part.image_url ?? part.file_data ?? part.file_url ?? "");
  }
}

function responsesUnits(items) {
  const units = new Units();
  for (const item of items) {
    if (item.role === "system" || item.role === "developer" || item.type === "reasoning") continue;
    if (item.role) inputParts(units, item.content, item.role === "assistant" ? "model" : "user");
    else if (item.type === "function_call") units.call(item.name, parse(item.arguments));
    else if (item.type === "custom_tool_call") units.call(item.name, { input: item.input });
    else if (/_output$/.test(item.type)) {
      const parts = typeof item.output === "string" ? [{ text: item.output }] : item.output;
      units.result(parts.map((part) => part.text ?? "").join("\n"));
      for (const part of parts) if (part.image_url) units.file(part.image_url);
    }
  }
  return units.list;
}

const source = (block) => block.source.data ?? block.source.url ?? "";

function messagesUnits(messages) {
  const units = new Units();
  for (const message of messages) {
    const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    if (message.role === "system") continue;
    for (const block of blocks) {
      if (block.type === "text") units[message.role === "user" ? "user" : "model"](block.text);
      else if (block.type === "tool_use") units.call(block.name, block.input);
      else if (block.type === "image" || block.type === "document") units.file(source(block));
      else if (block.type === "tool_result") {
        const parts = typeof block.content === "string" ? [{ type: "text", text: block.content }] : block.content ?? [];
        units.result(parts.map((part) => part.text ?? "").join("\n"));
        for (const part of parts) if (part.source) units.file(source(part));
      }
    }
  }
  return units.list;
}

// Results and their files right behind each other may come in another order; a call's own order counts.
function settle(list) {
  const out = [];
  for (let i = 0; i < list.length; ) {
    let end = i;
    while (end < list.length && (list[end][0] === "result" || list[end][0] === "file")) end++;
    if (end === i) out.push(list[i++]);
    else {
      const run = list.slice(i, end);
      out.push(...run.filter((unit) => unit[0] === "result"), ...run.filter((unit) => unit[0] === "file"));
      i = end;
    }
  }
  return out;
}

const wires = { "openai-chat": chatUnits, "openai-responses": responsesUnits, anthropic: messagesUnits };

/** What `bough context` gives for a session. */
export const contextUnits = (dialect, messages) => settle(wires[dialect](messages));

/** What a tool asks, without the prompt that it was started with. */
export function requestUnits(dialect, body) {
  const list = settle(wires[dialect](body.messages ?? body.input));
  const last = list.at(-1);
  if (last?.[0] === "user") {
    last[1] = last[1].replace(new RegExp(`"?${squeeze(PROMPT).replace(/[?,]/g, "\\$&")}"?$`), "");
    if (!last[1]) list.pop();
  }
  return list;
}

/** The first difference, or "". */
export function difference(want, got) {
  for (let i = 0; i < Math.max(want.length, got.length); i++) {
    if (JSON.stringify(want[i]) === JSON.stringify(got[i]) || isCut(want[i], got[i])) continue;
    return `unit ${i} of ${want.length}: ${show(got[i])}, not ${show(want[i])}`;
  }
  return "";
}

// Codex cuts long results in the middle.
function isCut(want, got) {
  const cut = want?.[0] === "result" && got?.[0] === "result" && /^([\s\S]*)…\d+(?:tokens|chars)truncated…([\s\S]*)$/.exec(got[1]);
  return cut && want[1].startsWith(cut[1].replace(/^Totaloutputlines:\d+/, "")) && want[1].endsWith(cut[2]);
}

const show = (unit) => (unit ? `${unit[0]} ${JSON.stringify(unit[1].slice(0, 120))}` : "nothing");
