// The real tools on what bough writes: each opens, lists and resumes its own sessions and every session of the corpora that another tool wrote. A model on
// loopback answers, and refuses what providers refuse; what it was asked first is compared with `bough context`; what the tool adds comes back into the session.
// And the same tools and the SDKs, through the recording gateway (gateway.mjs), and with the MCP server (mcp.mjs).
//   run.mjs [word]     only the tests whose name contains the word; "gateway" and "mcp" run that section alone
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cell, importAll, inTwos } from "./matrix.mjs";
import { gatewayTests } from "./gateway.mjs";
import { mcpTests } from "./mcp.mjs";
import { ANSWER } from "./model.mjs";
import { checkStrict } from "./strict-check.mjs";
import { makeWorld, must, node, tools } from "./tools.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const corpora = process.env.BOUGH_CORPORA ?? resolve(here, "../../../shared/corpora");
const bough = resolve(process.env.BOUGH ?? join(here, "../../build/debug/bough"));

const root = mkdtempSync(join(tmpdir(), "bough-clients."));
const world = await makeWorld(join(root, "world"));
let store;
const ours = (...args) => world.run(bough, ["--store", store, ...args]);
const folder = (name) => {
  const path = join(root, name.replace(/\W+/g, "-"));
  mkdirSync(path, { recursive: true });
  return path;
};

// ---- tests of one session of each tool ----

const sessions = {
  pi: "pi-1.5.0/print-multiturn.jsonl",
  "pi-branched": "pi-1.5.0/sdk-branched.jsonl",
  opencode: "opencode-1.18.33/tools.json",
  "claude-code": "claude-code-2.1.325/resumed.jsonl",
  codex: "codex-0.166.0/resumed.jsonl",
};

async function imported(w, file) {
  const report = await w.run(bough, ["--store", store, "import", "--json", "--yes", "--project", w.work, join(corpora, file)]);
  return JSON.parse(report.trim().split("\n")[0]).session;
}

// What the user said last, of which the model must hear whatever was compacted.
async function lastWords(id) {
  const lines = (await ours("show", id, "--json")).trim().split("\n").map((line) => JSON.parse(line));
  const texts = lines.filter((e) => e.role === "user").flatMap((e) => e.parts.map((p) => p.text).filter(Boolean));
  return texts.at(-1).split("\n")[0].slice(0, 60);
}

// A tool goes on with a session of its own: its file is as it was, and just grows.
async function own(from, to) {
  const tool = tools[to];
  const w = await makeWorld(folder(`own ${from} ${to}`));

  tool.prepare(w);
  store = join(root, `${from}-in-${to}.db`);
  const id = await imported(w, sessions[from]);
  const said = await lastWords(id);
  const placed = JSON.parse(await w.run(bough, ["--store", store, "resume", id, "--in", tool.word, "--json"]));
  must(!placed.existed && placed.directory === w.work, `it was not placed: ${JSON.stringify(placed)}`);
  const name = await tool.take(w, placed);
  must(await tool.listed(w, name), "the tool does not list it");
  must((await tool.resume(w, name)).includes(ANSWER), "the tool did not print the answer");
  must(w.model.asked.some((a) => !a.refused && a.text.includes(JSON.stringify(said).slice(1, -1))), `the model was not told "${said}"`);
  const back = JSON.parse((await ours("import", "--json", "--yes", "--project", w.work, await tool.back(w, name))).split("\n")[0]);
  must(back.added > 0 && !back.problems.length && back.status === "grew", `its own session did not just grow: ${JSON.stringify(back)}`);
  must((await ours("fsck")).startsWith("0 errors"), "fsck finds something");
  w.close();
  return `opened, listed, resumed; ${back.added} entries read back, ${back.known} known`;
}

// The AI SDK keeps no files: it opens what we write when it takes the messages and can send them.
async function opens(from) {
  const file = join(root, `${from}.ui.json`);

  store = join(root, `${from}-in-ai.db`);
  await ours("export", await imported(world, sessions[from]), "--format", "ai-sdk", "--output", file);
  const n = parseInt(await world.run(node, [join(here, "ai-check.mjs"), file]), 10);
  must(n > 1, "no messages came of it");
  return `${n} messages for a model`;
}

// The same over HTTP: the messages, and each one of the assistant as a stream.
async function streams(from) {
  store = join(root, `${from}-served.db`);
  const [n, m] = await served("ui-check.mjs", await imported(world, sessions[from]));
  must(n > 1 && m > 0, "no messages came of it");
  return `${n} messages, ${m} streams`;
}

// A run with tools, by the provider and the tools of the demo.
async function runs() {
  const config = folder("run config");

  store = join(root, "run.db");
  mkdirSync(join(config, "bough"));
  writeFileSync(join(config, "bough/config.ini"), '[provider "demo"]\nkind = demo\n');
  const { id } = JSON.parse(await ours("new", "a run", "--json"));
  const [steps, tools] = await served("ui-run-check.mjs", id, { XDG_CONFIG_HOME: config });
  return `${steps} steps, ${tools} tools`;
}

// The numbers that a check prints about a session on a server.
async function served(check, id, env = {}) {
  const socket = join(root, "served.sock");
  const server = spawn(bough, ["--store", store, "serve", "--quiet", "--socket", socket], { cwd: world.work, env: { ...world.env, ...env } });
  try {
    await new Promise((done) => server.stdout.once("data", done));
    return (await world.run(node, [join(here, check), socket, id])).trim().split(" ").map(Number);
  } finally {
    await new Promise((done) => {
      server.once("exit", done);
      server.kill();
    });
  }
}

// ---- running ----

const word = process.argv[2] ?? "";
let passed = 0, failed = 0;

async function test(title, body) {
  if (!title.includes(word)) return undefined;
  try {
    const result = await body();
    console.log(`ok ${++passed + failed} - ${title}: ${result}`);
    return true;
  } catch (error) {
    console.log(`not ok ${passed + ++failed} - ${title}\n# ${error.message.replaceAll("\n", "\n# ")}`);
    return false;
  }
}

// Each session of the corpora in each tool but its own.
async function matrix() {
  const all = await importAll(world, bough, corpora, folder("stores"));
  const cells = new Map();
  const jobs = all.flatMap((session) => Object.keys(tools).filter((to) => to !== session.format).map((to) => ({ session, to })));

  await inTwos(jobs, async ({ session, to }, i) => {
    const fine = await test(`${to} resumes ${session.name}`, () => cell(bough, session, to, folder(`cell ${i}`)));
    cells.set(`${session.name} ${to}`, fine === undefined ? "-" : fine ? "same" : "FAILS");
  });
  const names = Object.keys(tools), wide = Math.max(...all.map((session) => session.name.length));
  console.log(`# ${"session".padEnd(wide)}  ${names.map((name) => name.padEnd(11)).join("  ")}`);
  for (const session of all)
    console.log(`# ${session.name.padEnd(wide)}  ${names.map((to) => (to === session.format ? "own" : cells.get(`${session.name} ${to}`)).padEnd(11)).join("  ")}`);
}

// What other tools wrote, and what bough writes for them.
async function resuming() {
  await test("the model refuses what providers refuse", checkStrict);
  for (const to of Object.keys(tools))
    for (const from of Object.keys(sessions))
      if (from.startsWith(to)) await test(`${to} goes on with its own session ${from}`, () => own(from, to));
  for (const from of Object.keys(sessions)) await test(`the AI SDK opens a session of ${from}`, () => opens(from));
  for (const from of Object.keys(sessions)) await test(`the AI SDK reads the streams of ${from}`, () => streams(from));
  await test("the AI SDK reads a run as one message", runs);
  await matrix();
}

await gatewayTests(test, bough, folder("gateway"));
await mcpTests(test, bough, folder("mcp"));
if (!existsSync(corpora)) // these tools want sessions of their own making, not those of tests/data
  console.log("# SKIP resuming: the corpora are not here; BOUGH_CORPORA says where they are");
else if (!/^(gateway|mcp)/.test(word)) await resuming();
world.close();
if (!process.env.KEEP) rmSync(root, { recursive: true, force: true });
else console.log(`# kept: ${root}`);
console.log(`# clients: ${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
