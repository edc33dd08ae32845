// What the conformance tests start as a client: `bough tools` with the URL that they append, one scenario a run.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const url = process.argv[2], scenario = process.env.MCP_CONFORMANCE_SCENARIO, context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT || "{}");
const folder = mkdtempSync(join(tmpdir(), "bough-conformance."));

mkdirSync(join(folder, "bough"));
writeFileSync(join(folder, "bough/config.ini"), `[tools "t"]\nurl = ${url}\nallow_private = yes\n`);

// A tool that fails is no failure of the client.
function ours(...args) {
  try {
    return execFileSync(process.env.BOUGH, args, { env: { ...process.env, XDG_CONFIG_HOME: folder }, encoding: "utf8" });
  } catch (error) {
    return error.stdout;
  }
}
const call = (name, args = {}) => ours("tools", "call", "t", name, JSON.stringify(args));
const list = () => ours("tools", "ls", "t", "--json").split("\n").filter(Boolean).map((line) => JSON.parse(line));

// The schema as it is in our output, byte for byte.
function echoSchema() {
  const line = ours("tools", "ls", "t", "--json").split("\n").find((each) => !each.includes('"rule":"t/json_schema_echo"'));
  const schema = line.slice(line.indexOf('"schema":') + 9, -1);
  ours("tools", "call", "t", "json_schema_echo", `{"schema":${schema}}`);
}

if (scenario === "tools_call") call("add_numbers", { a: 5, b: 3 });
else if (scenario === "json-schema-2020-12-preservation") echoSchema();
else if (scenario === "json-schema-ref-no-deref") list();
else if (context.toolCalls) for (const each of context.toolCalls) call(each.name, each.arguments);
else for (const tool of list()) call(tool.rule.slice(2));
rmSync(folder, { recursive: true });
