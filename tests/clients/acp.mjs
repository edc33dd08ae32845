// Real agents over ACP, started by `bough run --agent`, against the scripted provider of gateway/upstream.mjs: tools, reject, cancel in a tool and while a permission is asked, resume in a new process, model error.
// Agents that are not installed in tests/clients/acp are skipped, and said so.
//   acp.mjs [word]     only tests whose name contains the word
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startUpstream } from "./gateway/upstream.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const bough = resolve(process.env.BOUGH ?? join(here, "../../build/debug/bough"));
const modules = join(here, "acp/node_modules");
const root = mkdtempSync(join(tmpdir(), "bough-acp."));
const up = await startUpstream();
let script = () => ({ text: "" });
const play = (name, what) => up.play(name, (script = what));
const only = process.argv[2] ?? "";

const must = (yes, why) => {
  if (!yes) throw new Error(why);
};
const byNode = (path) => `${process.execPath} ${join(modules, path)}`;
const main = (name, bin) => join(name, JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).bin[bin]);

const codexHome = (policy) => (home) => {
  mkdirSync(join(home, "codex"), { recursive: true });
  writeFileSync(join(home, "codex/config.toml"),
    `model = "scripted"\nmodel_provider = "scripted"\napproval_policy = "${policy}"\nsandbox_mode = "read-only"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${up.url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`);
  return [`CODEX_HOME=${join(home, "codex")}`, "OPENAI_API_KEY=scripted-key"];
};

// ---- the wire of Gemini, which the provider of the gateway's tests does not speak ----

const asMessages = (body) => ({
  tools: (body.tools ?? []).flatMap((t) => t.functionDeclarations ?? []),
  messages: (body.contents ?? []).map((c) => ({ role: c.role, content: c.parts.map((p) => (p.functionResponse ? { type: "tool_result" } : p)) })),
});
const google = createServer((asked, response) => {
  const pieces = [];
  asked.on("data", (piece) => pieces.push(piece));
  asked.on("end", () => {
    const text = Buffer.concat(pieces).toString(), body = text ? JSON.parse(text) : {};
    const json = (status, value) => (response.writeHead(status, { "content-type": "application/json" }), response.end(JSON.stringify(value)));
    if (asked.url.includes(":countTokens")) return json(200, { totalTokens: 10 });
    if (!asked.url.includes("enerateContent")) return json(404, { error: { code: 404, message: "not here", status: "NOT_FOUND" } });
    up.asked.push({ text });
    const r = script(asMessages(body));
    if (r.status) return json(r.status, { error: { code: r.status, message: r.message, status: "INVALID_ARGUMENT" } });
    const parts = [{ text: r.text }, ...(r.calls ?? []).map((c) => ({ functionCall: { name: c.name, args: c.input } }))];
    const whole = { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 80, candidatesTokenCount: 10, totalTokenCount: 90 } };
    if (!asked.url.includes(":stream")) return json(200, whole);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(whole)}\r\n\r\n`);
  });
});
await new Promise((ready) => google.listen(0, "127.0.0.1", ready));

/** How each is started, and the tool call that runs a shell command in it. */
const agents = {
  opencode: {
    installed: () => existsSync(join(modules, "opencode-linux-x64/bin/opencode")),
    command: () => `${join(modules, "opencode-linux-x64/bin/opencode")} acp`,
    set(home) {
      writeFileSync(join(home, "opencode.json"), JSON.stringify({
        model: "scripted/scripted", permission: { bash: "ask", edit: "ask" }, autoupdate: false, share: "disabled",
        provider: { scripted: { npm: "@ai-sdk/openai-compatible", options: { baseURL: `${up.url}/v1`, apiKey: "scripted-key" }, models: { scripted: { name: "scripted" } } } },
      }));
      return [`OPENCODE_CONFIG=${join(home, "opencode.json")}`, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"];
    },
    call: (command) => ({ name: "bash", input: { command, description: "Run it" } }),
  },
  claude: {
    installed: () => existsSync(join(modules, "@agentclientprotocol/claude-agent-acp/package.json")),
    command: () => byNode(main("@agentclientprotocol/claude-agent-acp", "claude-agent-acp")),
    set: (home) => [`ANTHROPIC_BASE_URL=${up.url}`, "ANTHROPIC_API_KEY=scripted-key", "ANTHROPIC_MODEL=scripted", `CLAUDE_CONFIG_DIR=${join(home, "claude")}`,
      "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1"],
    call: (command) => ({ name: "Bash", input: { command, description: "Run it" } }),
  },
  "codex-zed": {
    installed: () => existsSync(join(modules, "@zed-industries/codex-acp-linux-x64/bin/codex-acp")),
    command: () => join(modules, "@zed-industries/codex-acp-linux-x64/bin/codex-acp"),
    set: codexHome("untrusted"),
    call: (cmd) => ({ name: "exec_command", input: { cmd } }),
  },
  codex: {
    installed: () => existsSync(join(modules, "@agentclientprotocol/codex-acp/package.json")),
    command: () => byNode(main("@agentclientprotocol/codex-acp", "codex-acp")),
    set: codexHome("on-request"),
    call: (cmd) => ({ name: "exec_command", input: { cmd } }),
    asks: false, // its mode decides
  },
  gemini: {
    installed: () => existsSync(join(modules, "@google/gemini-cli/package.json")),
    command: () => `${byNode(main("@google/gemini-cli", "gemini"))} --experimental-acp`,
    set(home) {
      mkdirSync(join(home, ".gemini"), { recursive: true });
      writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false }, privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false }, model: { name: "gemini-2.5-flash" } }));
      return ["GEMINI_API_KEY=scripted-key", `GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:${google.address().port}`];
    },
    call: (command) => ({ name: "run_shell_command", input: { command, description: "Run it" } }),
    forgets: true, // its session may not be saved yet: then a new one gets the transcript
  },
};

// ---- one world a test ----

function makeWorld(name, agent) {
  const home = join(root, name.replace(/\W+/g, "-")), work = join(home, "work");
  mkdirSync(join(home, ".config/bough"), { recursive: true });
  mkdirSync(work);
  const lines = [`[agent "real"]`, `command = ${agent.command()}`, ...agent.set(home).map((s) => `set = ${s}`)];
  writeFileSync(join(home, ".config/bough/config.ini"), lines.join("\n") + "\n");
  const env = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", BOUGH_STORE: join(home, "a.db"), TMPDIR: home };
  const start = (...args) => {
    const child = spawn(bough, args, { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] });
    const said = { out: "", err: "" };
    child.stdout.on("data", (b) => (said.out += b));
    child.stderr.on("data", (b) => (said.err += b));
    const timer = setTimeout(() => child.kill("SIGKILL"), 180_000);
    const ended = new Promise((done) => child.on("exit", (code, signal) => (clearTimeout(timer), done({ code: code ?? signal, ...said }))));
    return { child, said, ended };
  };
  return { home, work, start, run: (...args) => start(...args).ended };
}

const last = (body) => JSON.stringify((body.messages ?? body.input ?? []).findLast((m) => m.role !== "system") ?? "");
const hasResult = (body) => /"tool_result"|"role":"tool"|_output"/.test(last(body));
const model = (call) => (body) => {
  if (!body.tools?.length) return { text: "A title" };
  return hasResult(body) ? { text: "It is done." } : { text: "I run it.", calls: [call] };
};
const latest = async (w) => JSON.parse((await w.run("task", "ls", "--json", "--limit", "1")).out.trim().split("\n")[0]);

// A request to a server on its socket; a refusal is thrown.
const ask = (socketPath, method, path, body) => new Promise((done, fail) => {
  const text = body ? JSON.stringify(body) : "";
  const to = request({ socketPath, method, path, headers: { host: "localhost", ...(body ? { "content-type": "application/json", "content-length": Buffer.byteLength(text) } : {}) } }, (from) => {
    const pieces = [];
    from.on("data", (piece) => pieces.push(piece));
    from.on("end", () => {
      const got = Buffer.concat(pieces).toString();
      if (from.statusCode >= 300) fail(new Error(`${method} ${path}: ${from.statusCode} ${got.slice(0, 300)}`));
      else done(got ? JSON.parse(got) : null);
    });
  });
  to.on("error", fail);
  to.end(text);
});

// ---- the six cases ----

const cases = {
  async tools(name, agent) {
    const w = makeWorld(`${name} tools`, agent);
    play("tools", model(agent.call("echo made > made.txt; echo ok")));
    const r = await w.run("run", "--agent", "real", "--approve", "allow", "Make a file.");
    const run = await latest(w);
    must(run.status === "completed", `${run.status} ${run.error_code} ${run.error} ${r.err.slice(-500)}`);
    must(/It is done\./.test(r.out), `it said ${r.out.slice(-300)}`);
    const show = (await w.run("show", ".", "--json")).out;
    must(/"type":"tool"/.test(show) && /"status":"completed"/.test(show), "no tool call was kept");
    if (agent.asks !== false) must(existsSync(join(w.work, "made.txt")), "the tool did not run");
    must((await w.run("fsck")).code === 0, "fsck");
  },
  async reject(name, agent) {
    const w = makeWorld(`${name} reject`, agent);
    play("reject", model(agent.call("echo made > made.txt")));
    await w.run("run", "--agent", "real", "--approve", "deny", "Make a file.");
    const run = await latest(w);
    must(["completed", "failed"].includes(run.status), run.status);
    if (run.status === "failed") must(run.error_code === "rejected", `${run.error_code} ${run.error}`);
    if (agent.asks !== false) must(!existsSync(join(w.work, "made.txt")), "the tool ran");
  },
  async cancel(name, agent) {
    const w = makeWorld(`${name} cancel`, agent);
    play("cancel", model(agent.call("tail -f -s 98765 /dev/null")));
    const going = w.start("run", "--agent", "real", "--approve", "allow", "Wait.");
    for (let i = 0; i < 600 && !/I run it/.test(going.said.out); i++) await new Promise((next) => setTimeout(next, 100));
    await new Promise((next) => setTimeout(next, 1500));
    const began = Date.now();
    going.child.kill("SIGINT");
    const r = await going.ended;
    must(r.code === 130, `exit ${r.code}: ${r.err.slice(-300)}`);
    must(Date.now() - began < 30_000, "it took too long");
    must((await latest(w)).status === "cancelled", "it is not cancelled");
    const ps = spawn("pgrep", ["-f", "tail -f -s 98765"], { stdio: ["ignore", "pipe", "ignore"] });
    let left = "";
    ps.stdout.on("data", (b) => (left += b));
    await new Promise((done) => ps.on("exit", done));
    must(!left.trim(), `processes are left: ${left}`);
  },
  async "cancel while a permission is asked"(name, agent) {
    if (agent.asks === false) return; // its mode decides, nobody is asked
    const w = makeWorld(`${name} asked`, agent);
    writeFileSync(join(w.home, ".config/bough/config.ini"), `[workspaces]\nroot = ${w.work}\n`, { flag: "a" });
    play("asked", model(agent.call("echo made > made.txt")));
    const socket = join(w.home, "s"), server = w.start("serve", "--quiet", "--socket", socket);
    const until = async (what, look) => {
      for (let i = 0; i < 1200; i++) {
        const found = await look().catch(() => null);
        if (found) return found;
        await new Promise((next) => setTimeout(next, 100));
      }
      throw new Error(`${what} did not come: ${server.said.err.slice(-300)}`);
    };
    try {
      const { id } = await until("the server", () => ask(socket, "POST", "/api/v1/sessions", {}));
      const { run } = await ask(socket, "POST", `/api/v1/sessions/${id}/turns`, { content: "Make a file.", adapter: "real", workspace: w.work });
      const of = () => ask(socket, "GET", `/api/v1/runs/${run.id}`);
      const asked = await until("the question", async () => (await ask(socket, "GET", `/api/v1/approvals?status=pending&run=${run.id}`)).items[0]);
      must((await of()).status === "awaiting_approval", `the run is ${(await of()).status}`);
      await ask(socket, "POST", `/api/v1/runs/${run.id}/cancel`, {});
      const ended = await until("the end", async () => ((await of()).ended ? of() : null));
      must(ended.status === "cancelled", `${ended.status} ${ended.error_code} ${ended.error}`);
      const settled = await ask(socket, "GET", `/api/v1/approvals/${asked.id}`);
      must(settled.status === "cancelled", `the approval is ${settled.status}`);
      must(!existsSync(join(w.work, "made.txt")), "the tool ran");
    } finally {
      server.child.kill("SIGTERM");
      await server.ended;
    }
    must((await w.run("fsck")).code === 0, "fsck");
  },
  async resume(name, agent) {
    const w = makeWorld(`${name} resume`, agent);
    play("resume", () => ({ text: "Hello." }));
    await w.run("run", "--agent", "real", "My name is Quentin.");
    const first = await latest(w);
    must(first.status === "completed", `${first.status} ${first.error}`);
    await w.run("run", "--agent", "real", "--session", first.session, "What is my name?");
    const second = await latest(w);
    must(second.status === "completed" && second.id !== first.id, `${second.status} ${second.error}`);
    if (!agent.forgets) must(second.native_id === first.native_id, "another session of the agent was begun");
    must(up.asked.some((a) => a.text.includes("What is my name?") && a.text.includes("Quentin")), "the model did not hear of the first prompt");
  },
  async error(name, agent) {
    const w = makeWorld(`${name} error`, agent);
    play("error", () => ({ status: 400, type: "invalid_request_error", message: "the model says no" }));
    const r = await w.run("run", "--agent", "real", "Fail.");
    const run = await latest(w);
    must(run.status === "failed" || run.status === "completed", run.status);
    must(/the model says no/.test(`${run.error} ${r.out} ${(await w.run("show", ".", "--json")).out}`), `the reason is lost: ${run.error}`);
  },
};

// ---- all of them ----

let passed = 0, failed = 0, skipped = 0;
for (const [name, agent] of Object.entries(agents)) {
  for (const [what, check] of Object.entries(cases)) {
    const title = `${name} ${what}`;
    if (!title.includes(only) && !only.startsWith("agents")) continue;
    if (!agent.installed()) {
      console.log(`ok ${title} # SKIP it is not installed: npm ci --ignore-scripts in tests/clients/acp`);
      skipped++;
      continue;
    }
    try {
      await check(name, agent);
      console.log(`ok ${title}`);
      passed++;
    } catch (e) {
      console.log(`not ok ${title}\n# ${e.message.replace(/\n/g, "\n# ")}`);
      failed++;
    }
  }
}
up.close();
google.closeAllConnections();
google.close();
if (!process.env.KEEP) rmSync(root, { recursive: true, force: true });
console.log(`# agents: ${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed ? 1 : 0);
