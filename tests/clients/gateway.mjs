// The real clients through the recording gateway: `bough serve` with a scripted provider behind it, a new store for each test.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { agentTests } from "./gateway/agents.mjs";
import { sdkTests } from "./gateway/sdks.mjs";
import { startGateway } from "./gateway/world.mjs";

/** Run the tests in `root`; test(title, body) is the runner's. */
export async function gatewayTests(test, bough, root) {
  let n = 0;
  const start = () => {
    const folder = join(root, `g${++n}`);
    mkdirSync(folder, { recursive: true });
    return startGateway(bough, folder);
  };
  await sdkTests(test, start);
  await agentTests(test, start);
}
