// What providers refuse: each function throws with the reason if a request breaks a rule of its wire. Written from the providers' rules (docs/turns.md says
// which), apart from the validators of tests/lib, which hold what bough itself writes against the same rules.

class Refused extends Error {}

function must(condition, why) {
  if (!condition) throw new Refused(why);
}

// Members that must be there, and members that may be.
function keys(object, where, needed, allowed = []) {
  must(object && typeof object === "object" && !Array.isArray(object), `${where} is no object`);
  for (const key of needed) must(key in object, `${where}.${key} is missing`);
  for (const key of Object.keys(object))
    must(needed.includes(key) || allowed.includes(key), `${where}.${key}: extra inputs are not permitted`);
}

const filled = (text, where) => must(typeof text === "string" && text.trim() !== "", `${where} is empty`);
const list = (value, where) => must(Array.isArray(value) && value.length, `${where} is empty`);

function name(value, where, most) {
  must(typeof value === "string" && new RegExp(`^[a-zA-Z0-9_-]{1,${most}}$`).test(value), `${where}: ${value} is no name of a tool`);
}

function bytes(data, where) {
  must(typeof data === "string" && data.length && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data), `${where} is no base64`);
}

function url(value, where) {
  must(typeof value === "string", `${where} is no URL`);
  if (/^https?:\/\//.test(value)) return;
  const data = /^data:[^;,]+;base64,(.*)$/s.exec(value);
  must(data, `${where} cannot be fetched: ${value.slice(0, 60)}`);
  bytes(data[1], where);
}

function json(text, where) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    must(false, `${where} is no JSON`);
  }
  must(value && typeof value === "object" && !Array.isArray(value), `${where} is no object`);
}

// Half of a surrogate pair cannot be encoded as UTF-8.
function whole(value, where) {
  if (typeof value === "string") must(value.isWellFormed(), `${where}: no low surrogate in string`);
  else if (value && typeof value === "object") for (const [key, inner] of Object.entries(value)) whole(inner, `${where}.${key}`);
}

// ---- chat completions ----

function chatPart(part, where) {
  if (part.type === "text") {
    keys(part, where, ["type", "text"], ["cache_control"]);
    filled(part.text, `${where}.text`);
  } else if (part.type === "image_url") {
    keys(part, where, ["type", "image_url"]);
    url(part.image_url.url, `${where}.image_url.url`);
  } else if (part.type === "file") {
    keys(part, where, ["type", "file"]);
    url(part.file.file_data, `${where}.file.file_data`);
  } else if (part.type === "input_audio") {
    keys(part, where, ["type", "input_audio"]);
    bytes(part.input_audio.data, `${where}.input_audio.data`);
  } else {
    must(false, `${where}: there is no part of type ${part.type}`);
  }
}

function chatContent(content, where, only) {
  if (typeof content === "string") return filled(content, where);
  list(content, where);
  content.forEach((part, i) => {
    must(!only || part.type === only, `${where}.${i}: only ${only} is allowed there`);
    chatPart(part, `${where}.${i}`);
  });
}

function chatCalls(message, where) {
  list(message.tool_calls, `${where}.tool_calls`);
  return message.tool_calls.map((call, i) => {
    keys(call, `${where}.tool_calls.${i}`, ["id", "type", "function"], ["index"]);
    keys(call.function, `${where}.tool_calls.${i}.function`, ["name", "arguments"]);
    must(typeof call.id === "string" && call.id.length && call.id.length <= 40, `${where}.tool_calls.${i}.id: ${call.id} is empty or too long`);
    name(call.function.name, where, 64);
    json(call.function.arguments, `${where}.tool_calls.${i}.function.arguments`);
    return call.id;
  });
}

export function chat(body) {
  let open = []; // calls that wait for their tool message
  list(body.messages, "messages");
  whole(body.messages, "messages");
  body.messages.forEach((message, i) => {
    const where = `messages.${i}`;
    if (message.role === "tool") {
      keys(message, where, ["role", "content", "tool_call_id"]);
      must(open.includes(message.tool_call_id), `${where}: messages with role 'tool' must follow the call ${message.tool_call_id}`);
      open = open.filter((id) => id !== message.tool_call_id);
      must(typeof message.content === "string" || Array.isArray(message.content), `${where}.content is missing`);
      if (typeof message.content !== "string") chatContent(message.content, `${where}.content`, "text");
      return;
    }
    must(!open.length, `${where}: the calls ${open} have no tool message behind them`);
    if (message.role === "assistant") {
      keys(message, where, ["role"], ["content", "tool_calls", "refusal", "name", "reasoning_content"]);
      if (message.tool_calls) open = chatCalls(message, where);
      must(new Set(open).size === open.length, `${where}: two calls have one id`);
      if (!open.length) chatContent(message.content, `${where}.content`, "text");
      else must(message.content === null || message.content === undefined || typeof message.content === "string", `${where}.content`);
      return;
    }
    must(["system", "developer", "user"].includes(message.role), `${where}: there is no role ${message.role}`);
    keys(message, where, ["role", "content"], ["name"]);
    chatContent(message.content, `${where}.content`, message.role === "user" ? undefined : "text");
  });
  must(!open.length, `the calls ${open} have no tool message behind them`);
}

// ---- responses ----

function inputPart(part, where, model) {
  if (part.type === (model ? "output_text" : "input_text")) {
    keys(part, where, ["type", "text"], model ? ["annotations", "logprobs"] : []);
    filled(part.text, `${where}.text`);
  } else if (!model && part.type === "input_image") {
    keys(part, where, ["type", "image_url"], ["detail"]);
    url(part.image_url, `${where}.image_url`);
  } else if (!model && part.type === "input_file") {
    keys(part, where, ["type"], ["filename", "file_data", "file_url"]);
    url(part.file_data ?? part.file_url, where);
  } else if (model && part.type === "refusal") {
    filled(part.refusal, `${where}.refusal`);
  } else {
    must(false, `${where}: there is no part of type ${part.type} there`);
  }
}

const ofItems = ["id", "status", "internal_chat_message_metadata_passthrough"];

function inputMessage(item, where) {
  keys(item, where, ["role", "content"], ["type", "phase", ...ofItems]);
  must(["system", "developer", "user", "assistant"].includes(item.role), `${where}: there is no role ${item.role}`);
  if (typeof item.content === "string") return filled(item.content, `${where}.content`);
  list(item.content, `${where}.content`);
  item.content.forEach((part, i) => inputPart(part, `${where}.content.${i}`, item.role === "assistant"));
}

function inputOutput(item, where, calls) {
  keys(item, where, ["type", "call_id", "output"], ["name", ...ofItems]);
  const kind = item.type.replace("_output", "");
  must(calls.get(item.call_id) === kind, `${where}: no tool call found for the output of ${item.call_id}`);
  calls.set(item.call_id, "answered");
  if (typeof item.output !== "string") item.output.forEach((part, i) => inputPart(part, `${where}.output.${i}`, false));
}

const leads = (item) => item && (item.role === "assistant" || /_call$/.test(item.type));

export function responses(body) {
  const calls = new Map();
  const items = typeof body.input === "string" ? [] : body.input;
  must(items.length || typeof body.input === "string", "input is empty");
  whole(items, "input");
  items.forEach((item, i) => {
    const where = `input.${i}`;
    if (!item.type || item.type === "message") return inputMessage(item, where);
    if (item.type === "function_call" || item.type === "custom_tool_call") {
      const value = item.type === "function_call" ? "arguments" : "input";
      keys(item, where, ["type", "call_id", "name", value], ["namespace", ...ofItems]);
      must(typeof item.call_id === "string" && item.call_id && item.call_id.length <= 64, `${where}.call_id`);
      must(!calls.has(item.call_id), `${where}: the call ${item.call_id} is there twice`);
      name(item.name, where, 64);
      if (value === "arguments") json(item.arguments, `${where}.arguments`);
      else must(typeof item.input === "string", `${where}.input`);
      calls.set(item.call_id, item.type);
    } else if (item.type === "function_call_output" || item.type === "custom_tool_call_output") {
      inputOutput(item, where, calls);
    } else if (item.type === "reasoning") {
      keys(item, where, ["type", "summary"], ["encrypted_content", "content", ...ofItems]);
      must(body.store !== false || item.encrypted_content, `${where}: the reasoning item is not found: items are not kept when store is false`);
      must(leads(items[i + 1]), `${where}: reasoning was provided without its required following item`);
    } else {
      must(/^(web_search|file_search|code_interpreter|image_generation|mcp)_call$/.test(item.type) || item.type === "compaction_trigger",
        `${where}: there is no item of type ${item.type}`);
    }
  });
  for (const [id, state] of calls) must(state === "answered", `no tool output found for function call ${id}`);
}

// ---- messages ----

const cached = ["cache_control"];

function plainBlock(block, where) {
  if (block.type === "text") {
    keys(block, where, ["type", "text"], [...cached, "citations"]);
    filled(block.text, `${where}.text`);
  } else if (block.type === "image" || block.type === "document") {
    keys(block, where, ["type", "source"], [...cached, "title", "context", "citations"]);
    if (block.source.type === "base64") {
      keys(block.source, `${where}.source`, ["type", "media_type", "data"]);
      must((block.type === "image" ? /^image\/(png|jpeg|gif|webp)$/ : /^application\/pdf$/).test(block.source.media_type), `${where}: ${block.source.media_type} is not taken`);
      bytes(block.source.data, `${where}.source.data`);
    } else if (block.source.type === "url") {
      url(block.source.url, `${where}.source.url`);
    } else {
      must(block.type === "document" && ["text", "content"].includes(block.source.type), `${where}.source.type`);
    }
  } else {
    return false;
  }
  return true;
}

function resultBlock(block, where, open) {
  keys(block, where, ["type", "tool_use_id"], ["content", "is_error", ...cached]);
  must(open.includes(block.tool_use_id), `${where}: unexpected tool_use_id ${block.tool_use_id}: each tool_result must have its tool_use in the previous message`);
  open.splice(open.indexOf(block.tool_use_id), 1);
  if (block.content === undefined || typeof block.content === "string") return;
  must(Array.isArray(block.content), `${where}.content`);
  block.content.forEach((inner, i) => must(plainBlock(inner, `${where}.content.${i}`), `${where}.content.${i}: there is no ${inner.type} in a result`));
}

function userContent(content, where, open) {
  let said = false;
  content.forEach((block, i) => {
    if (block.type === "tool_result") {
      must(!said, `${where}.${i}: results must come first`);
      return resultBlock(block, `${where}.${i}`, open);
    }
    said = true;
    must(plainBlock(block, `${where}.${i}`), `${where}.${i}: a user does not send ${block.type}`);
  });
}

function modelContent(content, where, seen) {
  const calls = [];
  content.forEach((block, i) => {
    const at = `${where}.${i}`;
    if (block.type === "tool_use") {
      keys(block, at, ["type", "id", "name", "input"], cached);
      must(/^[a-zA-Z0-9_-]+$/.test(block.id), `${at}.id: ${block.id} does not match ^[a-zA-Z0-9_-]+$`);
      must(!seen.has(block.id), `${at}: tool_use ids must be unique`);
      name(block.name, at, 128);
      must(block.input && typeof block.input === "object" && !Array.isArray(block.input), `${at}.input is no object`);
      seen.add(block.id);
      calls.push(block.id);
    } else if (block.type === "thinking") {
      keys(block, at, ["type", "thinking", "signature"]);
      filled(block.signature, `${at}.signature`);
    } else if (block.type === "redacted_thinking") {
      keys(block, at, ["type", "data"]);
    } else if (block.type === "text") {
      plainBlock(block, at);
    } else {
      must(/^server_tool_use$|_tool_result$|^mcp_tool_use$/.test(block.type), `${at}: a model does not send ${block.type}`);
    }
  });
  must(!/thinking$/.test(content.at(-1).type), `${where}: the final block in an assistant message cannot be thinking`);
  return calls;
}

export function messages(body) {
  const seen = new Set();
  let open = [], before = "assistant";
  list(body.messages, "messages");
  whole(body.messages, "messages");
  body.messages.forEach((message, i) => {
    const where = `messages.${i}`;
    keys(message, where, ["role", "content"]);
    if (message.role === "system") { // newer models take it anywhere but first
      must(i, "the first message must use the user role");
      if (typeof message.content !== "string") message.content.forEach((block, k) => must(plainBlock(block, `${where}.content.${k}`), where));
      return;
    }
    must(["user", "assistant"].includes(message.role), `${where}: there is no role ${message.role}`);
    must(i || message.role === "user", "the first message must use the user role");
    must(message.role !== before || message.role === "user", `${where}: roles must alternate`);
    before = message.role;
    const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    list(content, `${where}.content`);
    if (message.role === "assistant") {
      must(!open.length, `${where}: tool_use ids ${open} were found without tool_result blocks`);
      open = modelContent(content, `${where}.content`, seen);
    } else {
      userContent(content, `${where}.content`, open);
      must(!open.length, `${where}: tool_use ids ${open} were found without tool_result blocks immediately after`);
    }
  });
  must(!open.length, `tool_use ids ${open} were found without tool_result blocks`);
  must(before === "user", "this model does not support assistant message prefill: the conversation must end with a user message");
}

// ---- by path ----

const wires = [["/chat/completions", chat], ["/responses", responses], ["/messages", messages], ["/messages/count_tokens", messages]];

/** Why a provider would refuse the request, or "". */
export function refusal(path, body) {
  const wire = wires.find(([end]) => path.endsWith(end));
  if (!wire) return "";
  try {
    wire[1](body);
    return "";
  } catch (error) {
    if (error instanceof Refused) return error.message;
    return `the request is malformed: ${error.message}`;
  }
}
