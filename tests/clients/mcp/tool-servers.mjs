// Real MCP servers as tools of bough (`bough tools`), and the protocol's conformance tests for clients. What fails must be what expected.mjs lists.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bin, must, node } from "../tools.mjs";
import { client } from "./expected.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const everything = bin("@modelcontextprotocol/server-everything/dist/index.js"), filesystem = bin("@modelcontextprotocol/server-filesystem/dist/index.js");

// ---- servers ----

/** `bough tools` with this configuration: run(...args) gives { code, out, err }. */
function toolBox(bough, root, config, more = {}) {
  const home = mkdtempSync(join(root, "t")), work = join(home, "work");
  mkdirSync(join(home, ".config/bough"), { recursive: true });
  mkdirSync(work);
  writeFileSync(join(home, ".config/bough/config.ini"), config);
  const env = { PATH: process.env.PATH, HOME: home, TERM: "dumb", ...more };
  return { work, run: (...args) => new Promise((done) => execFile(bough, ["tools", ...args], { cwd: work, env, timeout: 120000, maxBuffer: 1 << 28 },
    (error, out, err) => done({ code: error?.code ?? 0, out, err }))) };
}

const lines = (text) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line));

async function good(box, ...args) {
  const { code, out, err } = await box.run("call", ...args, "--json");
  must(code === 0, `${args.join(" ")}: exit ${code}\n${out}${err}`);
  return JSON.parse(out);
}

// The 13 tools but the one that can only be called as a task.
async function useEverything(box, version) {
  const [about] = lines((await box.run("test", "everything", "--json")).out);
  must(about.status === "ready" && about.protocol === version && about.tools === 12, JSON.stringify(about));
  must((await good(box, "everything", "echo", '{"message":"hi"}')).text === "Echo: hi", "echo");
  must((await good(box, "everything", "get-sum", '{"a":40,"b":2}')).text.includes("42"), "sum");
  must((await good(box, "everything", "get-tiny-image")).content.some((part) => part.type === "image" && part.data.length > 1000), "image");
  must((await good(box, "everything", "get-resource-links")).text.includes("[link "), "links");
  must((await good(box, "everything", "get-structured-content", '{"location":"New York"}')).structured.temperature !== undefined, "structured");
  must((await good(box, "everything", "trigger-long-running-operation", '{"duration":1,"steps":5}')).text.includes("completed"), "long");
  const bad = await box.run("call", "everything", "get-sum", '{"a":"x"}');
  must(bad.code === 1, `wrong arguments: exit ${bad.code}`);
  must(!(await good(box, "everything", "get-env")).text.includes("canary"), "a variable that was not listed");
  return `${about.tools} tools, ${version}`;
}

const overStdio = (bough, root) => useEverything(toolBox(bough, root, `[tools "everything"]\ncommand = "${node}"\n "${everything}"\n`, { CANARY: "canary" }), "2025-11-25");

async function overHttp(bough, root) {
  const port = 20000 + Math.floor(Math.random() * 20000);
  const server = spawn(node, [everything, "streamableHttp"], { env: { PATH: process.env.PATH, PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  await new Promise((done, fail) => {
    const look = (piece) => (log += piece).includes("listening") && done();
    server.stdout.on("data", look);
    server.stderr.on("data", look);
    server.on("exit", () => fail(new Error(log)));
  });
  try {
    return await useEverything(toolBox(bough, root, `[tools "everything"]\nurl = http://127.0.0.1:${port}/mcp\nallow_private = yes\n`), "2025-11-25");
  } finally {
    server.kill();
  }
}

async function useFilesystem(bough, root) {
  const box = toolBox(bough, root, `[tools "fs"]\ncommand = "${node}"\n "${filesystem}"\n \${workspace}\ntrust = yes\n`);
  const file = join(box.work, "a.txt");
  await good(box, "fs", "write_file", JSON.stringify({ path: file, content: "from bough" }));
  must(readFileSync(file, "utf8") === "from bough", "the file");
  must((await good(box, "fs", "read_text_file", JSON.stringify({ path: file }))).text === "from bough", "reading");
  const outside = await box.run("call", "fs", "read_text_file", '{"path":"/etc/passwd"}');
  must(outside.code === 1 && outside.out.includes("denied"), `outside: ${outside.out}`);
  const tools = lines((await box.run("ls", "fs", "--json")).out);
  must(tools.find((t) => t.rule === "fs/read_text_file").reads_only && !tools.find((t) => t.rule === "fs/write_file").reads_only, "hints");
  return `${tools.length} tools`;
}

// A server that is made with the SDK 2.x speaks 2026-07-28.
async function useModern(bough, root) {
  const box = toolBox(bough, root, `[tools "modern"]\ncommand = "${node}"\n "${join(here, "modern-server.mjs")}"\n`);
  const [about] = lines((await box.run("test", "modern", "--json")).out);
  must(about.status === "ready" && about.protocol === "2026-07-28" && about.tools === 2, JSON.stringify(about));
  must((await good(box, "modern", "shout", '{"text":"hi"}')).text === "HI", "shout");
  must((await good(box, "modern", "point", "{}")).structured.x === 1, "point");
  return about.protocol;
}

// ---- conformance ----

const suites = [
  { title: "2025-11-25", program: bin("@modelcontextprotocol/conformance/dist/index.js"), scenarios: ["initialize", "tools_call", "sse-retry"] },
  { title: "2026-07-28", program: bin("conformance-2026/dist/index.js"), scenarios: ["initialize", "tools_call", "sse-retry", "request-metadata", "http-standard-headers",
    "http-custom-headers", "http-invalid-tool-headers", "json-schema-ref-no-deref", "json-schema-2020-12-preservation", "sep-2322-client-request-state"] },
];

const runScenario = (bough, suite, scenario, results) =>
  new Promise((done) => execFile(node, [suite.program, "client", "--command", `"${node}" "${join(here, "client-command.mjs")}"`, "--scenario", scenario, "-o", results],
    { env: { PATH: process.env.PATH, HOME: results, BOUGH: bough }, timeout: 120000, maxBuffer: 1 << 26 }, (error, stdout, stderr) => done(stdout + stderr)));

function checksOf(results, output) {
  const found = new Map();
  for (const name of readdirSync(results).filter((each) => !each.startsWith(".")))
    for (const check of JSON.parse(readFileSync(join(results, name, "checks.json"), "utf8"))) {
      if (!["SUCCESS", "FAILURE", "WARNING"].includes(check.status)) continue;
      const passed = check.status === "SUCCESS" && (found.get(check.id)?.passed ?? true);
      found.set(check.id, { passed, message: passed ? "" : (check.errorMessage ?? check.description) });
    }
  must(found.size, `no checks:\n${output.slice(-2000)}`);
  return found;
}

async function conforms(bough, root, suite) {
  const wrong = [], left = new Set(Object.keys(client).filter((key) => key.startsWith(`${suite.title} `)));
  let passed = 0;
  for (const scenario of suite.scenarios) {
    const results = mkdtempSync(join(root, "r"));
    const checks = checksOf(results, await runScenario(bough, suite, scenario, results));
    for (const [id, check] of checks) {
      const key = `${suite.title} ${scenario} ${id}`;
      if (check.passed) passed++;
      if (!check.passed && !client[key]) wrong.push(`${key} fails: ${check.message}`);
      if (check.passed && client[key]) wrong.push(`${key} passes and is expected to fail (${client[key]})`);
      left.delete(key);
    }
  }
  for (const key of left) wrong.push(`${key} is expected to fail and was not run`);
  must(!wrong.length, wrong.join("\n"));
  return `${passed} checks of ${suite.scenarios.length} scenarios pass`;
}

/** Run the tests in `root`. */
export async function toolServerTests(test, bough, root) {
  await test("mcp tools of server-everything over stdio", () => overStdio(bough, root));
  await test("mcp tools of server-everything over HTTP", () => overHttp(bough, root));
  await test("mcp tools of server-filesystem", () => useFilesystem(bough, root));
  await test("mcp tools of a server of the SDK 2.x", () => useModern(bough, root));
  for (const suite of suites) await test(`mcp client conforms to ${suite.title}`, () => conforms(bough, root, suite));
}
