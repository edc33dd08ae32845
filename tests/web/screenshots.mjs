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
process.on("exit", () => child.kill("SIGTERM"));
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
  await page.mouse.move(720, 400);
  await page.mouse.wheel(0, -330);
};

await shot("session", "/sessions/stale-prices", { act: opened });
/** A prompt with tools in a new session, up to the approval that the demo tool asks for. */
const chat = async (page) => {
  const field = page.getByRole("textbox", { name: "Message" });
  await page.getByRole("button", { name: "New session" }).click();
  await page
    .getByRole("textbox", { name: "Title" })
    .fill("A line for the README");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name: /^Model: demo/ }).waitFor();
  await page.getByRole("switch", { name: "tools off" }).click();
  await field.fill("What is the weather in Bergen?");
  await field.press("Enter");
  await page.getByText("15 degrees Celsius").first().waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  await field.fill("Edit the README: add a line");
  await field.press("Enter");
  await page.getByRole("group", { name: "Approval required" }).waitFor();
  await field.fill("Then show me some code");
  await field.press("Enter");
  await page.getByRole("region", { name: "Queued next" }).waitFor();
};

/** The page of the run that waits. */
const run = async (page) => {
  await page.getByRole("link", { name: /Run 2/ }).first().click();
  await page.getByRole("list", { name: "Activity" }).waitFor();
  await page
    .getByRole("button", { name: /demo_edit|Edited file/ })
    .first()
    .waitFor();
};

await shot("chat", "/sessions", { act: chat });
await shot("run", "/runs", { act: run });
await shot("providers", "/providers", { dark: true });
await shot("cost", "/cost", { dark: true });
await shot("tree", "/sessions/ten-thousand-ways", { dark: true });
await shot("search", "/search?q=connection+refused");
await shot("phone", "/sessions/stale-prices", { width: 390, height: 844 });
await closeBrowser();
child.kill("SIGTERM");
