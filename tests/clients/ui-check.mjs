// ui-check.mjs SOCKET SESSION: the real AI SDK takes what the server says of a session: its messages, and
// the stream of every message of the assistant, which must give the message that the list has.
import { isDeepStrictEqual } from "node:util";
import { safeValidateUIMessages } from "ai";
import { assembled, ask } from "./ui.mjs";

const [socketPath, session] = process.argv.slice(2);
const get = (path) => ask(socketPath, "GET", path);

/** What the list pairs with a call from a later message is not in the stream of the call's message. */
function withoutLaterResults(list, streamed) {
  return list.map((part, i) => {
    if (!part.toolCallId || streamed[i]?.state !== "input-available") return part;
    const { output, errorText, ...call } = part;

    return { ...call, state: "input-available" };
  });
}

/** Parts as they must agree: a stream says of a text that it is done, a list does not. */
const parts = (message) => message.parts.map(({ state, ...part }) =>
  part.type === "text" || part.type === "reasoning" ? { type: part.type, text: part.text } : { state, ...part });
const { messages } = JSON.parse((await get(`/api/v1/sessions/${session}/ui-messages`)).text);
const valid = await safeValidateUIMessages({ messages });
let streams = 0;

if (!valid.success) throw valid.error;
for (const message of messages.filter((one) => one.role === "assistant")) {
  const answer = await get(`/api/v1/sessions/${session}/ui-stream?message=${encodeURIComponent(message.id)}`);

  if (answer.status !== 200 || answer.headers["x-vercel-ai-ui-message-stream"] !== "v1")
    throw new Error(`${message.id}: ${answer.status} ${answer.text.slice(0, 200)}`);
  const got = await assembled(answer.text);
  if (got.id !== message.id || !isDeepStrictEqual(parts(got), withoutLaterResults(parts(message), parts(got))) || !isDeepStrictEqual(got.metadata, message.metadata))
    throw new Error(`${message.id}: ${JSON.stringify(got)} is not ${JSON.stringify(message)}`);
  streams++;
}
console.log(`${messages.length} ${streams}`);
