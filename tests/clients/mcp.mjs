// The MCP server and the MCP client with real parts: the conformance tests of the protocol, the TypeScript SDKs over both transports, and agents that `bough mcp install` has set up.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startGateway } from "./gateway/world.mjs";
import { agentTests } from "./mcp/agents.mjs";
import { conformanceTests } from "./mcp/conformance.mjs";
import { sdkTests } from "./mcp/sdks.mjs";
import { toolServerTests } from "./mcp/tool-servers.mjs";

/** Run the tests in `root`; test(title, body) is the runner's. */
export async function mcpTests(test, bough, root) {
  let n = 0;
  const start = () => {
    const folder = join(root, `m${++n}`);
    mkdirSync(folder, { recursive: true });
    return startGateway(bough, folder);
  };
  await toolServerTests(test, bough, root);
  await conformanceTests(test, start);
  await sdkTests(test, bough, start);
  await agentTests(test, bough, start);
}
