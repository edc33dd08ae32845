// Pictures of the page for README and docs, from the demo sessions: docs/images. `make screenshots` runs it.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { closeBrowser, openBrowser, program, root } from "./lib.mjs";

const out = path.join(root, "docs/images");
fs.mkdirSync(out, { recursive: true });

/** The demo on a free port; its link. */
async function demo() {
  const child = spawn(program, ["demo", "--serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const link = await new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (d) => {
      text += d;
      const m = /http:\/\/127\S*login\S*/.exec(text);
      if (m) done(m[0]);
    });
    child.on("exit", () => fail(new Error(`the demo ended: ${text}`)));
  });
  return { child, link, url: new URL(link).origin };
}

const { child, link, url } = await demo();
const browser = await openBrowser();
const first = await browser.newContext();
await (await first.newPage()).goto(link);
const storageState = await first.storageState();

async function shot(
  name,
  target,
  { width = 1440, height = 900, dark = false, act } = {},
) {
  const context = await browser.newContext({
    storageState,
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(url + target);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(700);
  if (act) await act(page);
  await page.waitForTimeout(400);
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(width - 2, height - 2);
  await page.screenshot({ path: path.join(out, `${name}.png`) });
  await context.close();
  console.log(`docs/images/${name}.png`);
}

const opened = async (page) => {
  await page.getByRole("button", { name: /Run make test-eu/ }).click();
  await page
    .getByRole("button", { name: /Edit internal\/cache\/key.go/ })
    .click();
};

await shot("session", "/sessions/stale-prices", { act: opened });
await shot("cost", "/cost", { dark: true });
await shot("tree", "/sessions/ten-thousand-ways", { dark: true });
await shot("search", "/search?q=connection+refused");
await shot("phone", "/sessions/stale-prices", { width: 390, height: 844 });
await closeBrowser();
child.kill("SIGTERM");
