// ui-run-check.mjs SOCKET SESSION: the real AI SDK makes one message of a run with tools, as it comes and once it is over.
// The server has the demo provider and its tools; the approval that is asked for is given.
import { isDeepStrictEqual } from "node:util";
import { assembled, ask } from "./ui.mjs";

const [socketPath, session] = process.argv.slice(2);
let approved;

function approve(text) {
  const [, id] = /"approvalId":"([^"]+)"/.exec(text) ?? [];

  if (id) approved ??= ask(socketPath, "POST", `/api/v1/approvals/${id}/resolve`, { body: { decision: "approve" } });
}

const live = await ask(socketPath, "POST", `/api/v1/sessions/${session}/turns`, {
  body: { content: "edit the file, weather in Oslo", provider: "demo", model: "demo-small", servers: ["demo"] },
  accept: "text/event-stream",
  hears: approve,
});
if (live.status !== 200) throw new Error(`${live.status} ${live.text}`);
if ((await approved)?.status !== 200) throw new Error("no approval was asked for and given");
const message = await assembled(live.text);
const tools = message.parts.filter((part) => part.toolCallId);
const steps = message.parts.filter((part) => part.type === "step-start");

if (steps.length < 2) throw new Error(`${steps.length} steps`);
if (!tools.length || tools.some((part) => part.state !== "output-available")) throw new Error(JSON.stringify(tools));
if (!tools.some((part) => part.approval?.approved === true)) throw new Error("no tool shows its approval");
if (!message.parts.at(-1).text) throw new Error("the answer is not its last part");

const run = JSON.parse((await ask(socketPath, "GET", `/api/v1/sessions/${session}/runs`)).text).items[0].id;
const later = await assembled((await ask(socketPath, "GET", `/api/v1/runs/${run}/ui-stream`)).text);
const plain = ({ id, parts }) => ({ id, parts: parts.map(({ approval, ...part }) => part) });

if (!isDeepStrictEqual(plain(later), plain(message))) throw new Error(`${JSON.stringify(later)} is not ${JSON.stringify(message)}`);
console.log(`${steps.length} ${tools.length}`);
