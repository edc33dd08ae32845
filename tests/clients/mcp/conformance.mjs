// The protocol's own conformance tests against /mcp: 0.1.16 for 2025-11-25, 0.2.0-alpha.12 for 2026-07-28. What fails must be what expected.mjs lists.
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bin, must, node } from "../tools.mjs";
import { modern, older } from "./expected.mjs";
import { startProxy } from "./proxy.mjs";
import { fill, tokenFor } from "./sessions.mjs";

const suites = [
  { title: "2025-11-25", program: bin("@modelcontextprotocol/conformance/dist/index.js"), args: [], scenarios: 30, expected: older },
  { title: "2026-07-28", program: bin("conformance-2026/dist/index.js"), args: ["--requirements", "2026-07-28"], scenarios: 50, expected: modern },
];

// Its exit status says whether all checks passed, which they do not: what it wrote counts.
const runAll = (w, program, args) =>
  new Promise((done) => execFile(node, [program, "server", ...args], { cwd: w.work, env: w.env, timeout: 300000, maxBuffer: 1 << 26 }, (error, stdout, stderr) => done(stdout + stderr)));

// The checks of every scenario: { "scenario check": { passed, message } }; a check that is made twice passes if both do.
function readChecks(folder) {
  const found = { scenarios: 0, checks: new Map() };
  for (const name of readdirSync(folder)) {
    const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
    found.scenarios++;
    if (scenario.startsWith("tasks-")) continue; // an extension that is not offered; its scenarios are not scored
    for (const check of JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8"))) {
      if (!["SUCCESS", "FAILURE", "WARNING"].includes(check.status)) continue; // of no concern to this server
      const key = `${scenario} ${check.id}`, passed = check.status === "SUCCESS" && (found.checks.get(key)?.passed ?? true);
      found.checks.set(key, { passed, message: passed ? "" : (check.errorMessage ?? check.description) });
    }
  }
  return found;
}

function compare({ scenarios, checks }, suite, output) {
  const wrong = [];
  must(scenarios === suite.scenarios, `${scenarios} scenarios ran, not ${suite.scenarios}:\n${output.slice(-2000)}`);
  for (const [key, { passed, message }] of checks) if (!passed && !suite.expected[key]) wrong.push(`${key} fails: ${message}`);
  for (const [key, reason] of Object.entries(suite.expected)) {
    if (!checks.has(key)) wrong.push(`${key} is expected to fail and was not run`);
    else if (checks.get(key).passed) wrong.push(`${key} passes and is expected to fail (${reason})`);
  }
  must(!wrong.length, wrong.join("\n"));
}

async function conforms(start, suite) {
  const w = await start();
  await fill(w);
  const proxy = await startProxy(w.url, await tokenFor(w, "mcp,read,export,append,fork"));
  try {
    const results = join(w.root, "results");
    const output = await runAll(w, suite.program, ["--url", `${proxy.url}/mcp`, "-o", results, ...suite.args]);
    const found = readChecks(results);
    compare(found, suite, output);
    const failed = Object.keys(suite.expected).length;
    return `${found.checks.size - failed} checks of ${found.scenarios} scenarios pass, ${failed} fail for known reasons`;
  } finally {
    proxy.close();
    await w.close();
  }
}

/** Run both suites. */
export async function conformanceTests(test, start) {
  for (const suite of suites) await test(`mcp conforms to ${suite.title}`, () => conforms(start, suite));
}
