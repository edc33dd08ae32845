// The real Claude Code, Codex, opencode and pi, headless, through the gateway: a prompt that needs a tool, then the tool is started again twice to go on. All of it is one
// session; what they ask beside it has sessions of its own.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bin, must, node, tools } from "../tools.mjs";
import { same } from "./sdks.mjs";
import { TOKENS } from "./upstream.mjs";

const FILE = "notes.txt", NOTES = "the plan has seven steps";
const prompts = ["Read my notes, please.", "Read them once more.", "And what did I ask first?"];

const claudeEnv = (w) => ({ ANTHROPIC_BASE_URL: w.url, ANTHROPIC_API_KEY: w.token, DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", IS_SANDBOX: "1" });
const claude = (w, ...args) => w.run(tools["claude-code"].program, ["--print", "--model", "scripted", "--dangerously-skip-permissions", ...args], claudeEnv(w));
const codex = (w, ...args) => w.run(tools.codex.program, ["exec", "--skip-git-repo-check", ...args], { SCRIPTED_KEY: w.token });
const opencode = (w, ...args) => w.run(tools.opencode.program, ["run", "--model", "scripted/scripted", ...args]);
const pi = (w, ...args) => w.run(node, [bin("@earendil-works/pi-coding-agent/dist/cli.js"), "--print", "--offline", "--provider", "scripted", "--model", "scripted", ...args]);

/** How each is called: `first` begins, `next` goes on with its last session; `call` reads the file. */
export const agents = {
  "claude-code": { first: claude, next: (w, prompt) => claude(w, "--continue", prompt), call: { name: "Bash", input: { command: `cat ${FILE}`, description: "Read the notes" } } },
  codex: { first: codex, next: (w, prompt) => codex(w, "resume", "--last", prompt), call: { name: "exec_command", input: { cmd: `cat ${FILE}` } } },
  opencode: { first: opencode, next: (w, prompt) => opencode(w, "--continue", prompt), call: { name: "bash", input: { command: `cat ${FILE}`, description: "Read the notes" } } },
  pi: { first: pi, next: (w, prompt) => pi(w, "--continue", prompt), call: { name: "bash", input: { command: `cat ${FILE}` } } },
};

// The model: it reads the file when it is asked to, and says a title when there is nothing to do it with.
const model = (call) => (body) => {
  const last = JSON.stringify((body.messages ?? body.input).findLast((m) => m.role !== "system"));
  if (!body.tools?.length) return { text: "Seven steps" };
  if (/"tool_result"|"role":"tool"|_output"/.test(last)) return { text: "I have read it." };
  if (last.includes(prompts[2])) return { text: "To read your notes." };
  return { reasoning: "The file.", text: "I look.", calls: [call] };
};

// A line of the path without what tools put around a prompt: reminders, the environment, quotes.
const bare = (line) => line.replace(/<(system-reminder|environment_context)>[^]*?<\/\1>\s*/g, "").replace(/^user:( \+)*/, "user:").replace(/^user: "(.*)"$/, "user: $1")
  .replace(/^tool: result [^]*$/, (all) => (all.includes(NOTES) ? "tool: result" : all));

const said = (call) => {
  const looks = [`assistant: (The file.) + I look. + call ${call.name} ${JSON.stringify(call.input)}`, "tool: result", "assistant: I have read it."];
  return [`user: ${prompts[0]}`, ...looks, `user: ${prompts[1]}`, ...looks, `user: ${prompts[2]}`, "assistant: To read your notes."];
};

async function checkMain(w, main, name, call) {
  const { messages, calls } = await w.whole(main.id);
  const path = await w.path(main.id);
  same("the path", path.filter((line) => !line.startsWith("system:")).map(bare).filter((line) => line.trim() !== "user:"), said(call));
  must(messages.length === path.length, `${messages.length} messages are stored, ${path.length} are on the path`);
  same("the calls", calls.map((c) => `${c.status} ${c.used.input}+${c.used.cacheRead}+${c.used.output}`), Array(5).fill(`ok ${TOKENS}`));
  must(main.provider_path === name, `its tool is ${main.provider_path}`);
  must((await w.ours("ls")).includes(main.slug), "bough ls does not show it");
}

// What it asked beside the conversation: a session below the main one for each purpose.
function checkSides(main, sides) {
  for (const side of sides)
    must(side.kind === "subagent" && side.parent === main.id && side.role_name === "title", `a session of ${side.messages} messages is ${side.kind} ${side.role_name}`);
}

async function prepared(start, name, more) {
  const w = await start();
  writeFileSync(join(w.work, FILE), NOTES);
  tools[name].prepare({ ...w, model: { url: w.url }, key: w.token, ...more });
  w.up.play(name, model(agents[name].call));
  return w;
}

async function goesOn(start, name, more) {
  const { first, next, call } = agents[name];
  const w = await prepared(start, name, more);
  try {
    for (const [i, prompt] of prompts.entries()) await (i ? next : first)(w, prompt);
    const [main, ...sides] = await w.sessions();
    checkSides(main, sides);
    await checkMain(w, main, name, call);
    must(w.up.asked.length === 5 + sides.length, `${w.up.asked.length} requests`);
    return `one session of ${main.messages} messages, 5 calls${sides.length ? `, ${sides.length} beside it` : ""}`;
  } finally {
    await w.close();
  }
}

// Claude Code with an open input: the second prompt comes when the first is answered, in the same process.
function converse(w, args, texts) {
  return new Promise((done, fail) => {
    const left = [...texts];
    const child = execFile(tools["claude-code"].program, args, { cwd: w.work, env: { ...w.env, ...claudeEnv(w) }, timeout: 120000 },
      (error, stdout, stderr) => (error ? fail(new Error(`${error.message}\n${stdout}${stderr}`.slice(0, 4000))) : done()));
    const say = () => {
      if (!left.length) return child.stdin.end();
      return child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: left.shift() } })}\n`);
    };
    createInterface({ input: child.stdout }).on("line", (line) => JSON.parse(line).type === "result" && say());
    say();
  });
}

async function inOneProcess(start) {
  const w = await prepared(start, "claude-code");
  try {
    await converse(w, ["--print", "--verbose", "--model", "scripted", "--dangerously-skip-permissions", "--input-format", "stream-json", "--output-format", "stream-json"], prompts);
    const [main, ...others] = await w.sessions();
    must(!others.length, `${others.length} other sessions`);
    await checkMain(w, main, "claude-code", agents["claude-code"].call);
    return `one session of ${main.messages} messages`;
  } finally {
    await w.close();
  }
}

// --fork-session sends the whole history under a new id: a fork, without a copy of any message.
async function forks(start) {
  const w = await prepared(start, "claude-code");
  try {
    await claude(w, prompts[0]);
    await claude(w, "--continue", "--fork-session", prompts[2]);
    await claude(w, "--continue", prompts[2]);
    const [main, fork, ...others] = await w.sessions();
    must(!others.length && fork.parent === main.id, `${others.length + 2} sessions; the second one's parent is ${fork?.parent}`);
    const path = await w.path(fork.id), own = await w.path(main.id);
    same("what the fork inherits", path.slice(0, own.length), own);
    same("what it has of its own", path.slice(own.length), Array(2).fill([`user: ${prompts[2]}`, "assistant: To read your notes."]).flat());
    return `${own.length} messages inherited, ${path.length - own.length} of its own`;
  } finally {
    await w.close();
  }
}

// pi has no key in chat and one in responses: the session is adopted.
async function changesDialect(start) {
  const { first, next, call } = agents.pi;
  const w = await prepared(start, "pi");
  try {
    await first(w, prompts[0]);
    await next(w, prompts[1]);
    tools.pi.prepare({ ...w, model: { url: w.url }, key: w.token, api: "openai-responses" });
    await next(w, prompts[2]);
    const sessions = await w.sessions();
    must(sessions.length === 1, `${sessions.length} sessions`);
    await checkMain(w, sessions[0], "pi", call);
    return `one session of ${sessions[0].messages} messages`;
  } finally {
    await w.close();
  }
}

// Every tool tries again when the provider is busy: the prompt is stored once, each attempt is a call.
async function triesAgain(start, name) {
  const w = await prepared(start, name);
  try {
    const says = model(agents[name].call);
    let refused = 0;
    w.up.play(name, (body) => (body.tools?.length && !refused++ ? { status: 429, type: "rate_limit_error", message: "too many requests" } : says(body)));
    await agents[name].first(w, prompts[2]);
    const [main, ...sides] = await w.sessions();
    const { messages, calls } = await w.whole(main.id);
    checkSides(main, sides);
    same("the path", (await w.path(main.id)).filter((line) => !line.startsWith("system:")).map(bare).filter((line) => line.trim() !== "user:"),
      [`user: ${prompts[2]}`, "assistant: To read your notes."]);
    must(messages.length === (await w.path(main.id)).length, `${messages.length} messages are stored`);
    same("the calls", calls.map((c) => `${c.status} ${c.error?.error?.message ?? ""}`), ["error too many requests", "ok "]);
    return "the prompt once, two calls";
  } finally {
    await w.close();
  }
}

export async function agentTests(test, start) {
  for (const name of Object.keys(agents)) await test(`gateway: ${name} goes on twice in one session`, () => goesOn(start, name));
  for (const name of Object.keys(agents)) await test(`gateway: ${name} tries again when the provider is busy`, () => triesAgain(start, name));
  await test("gateway: pi goes on twice in one session, with responses", () => goesOn(start, "pi", { api: "openai-responses" }));
  await test("gateway: pi changes its dialect inside a session", () => changesDialect(start));
  await test("gateway: claude-code gets three prompts in one process", () => inOneProcess(start));
  await test("gateway: claude-code forks a session", () => forks(start));
}
