// External agents: a scripted one that speaks ACP is chosen, tested, asked, approved, and its changes are taken back.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { goto, root, signIn, test, until } from "./lib.mjs";

const field = (page) => page.getByRole("textbox", { name: "Message" });

function git(dir, ...args) {
  const r = spawnSync(
    "git",
    ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args],
    { cwd: dir, encoding: "utf8" },
  );
  assert.equal(r.status, 0, r.stderr);
}

/** A server with the scripted agent, and a workspace below a root that it may use. */
async function world(server) {
  const work = fs.realpathSync(
    fs.mkdtempSync(path.join(os.tmpdir(), "bough-work-")),
  );
  fs.writeFileSync(path.join(work, "a.txt"), "one\n");
  git(work, "init", "-q");
  git(work, "add", ".");
  git(work, "commit", "-q", "-m", "first");
  const s = await server({
    config:
      `[workspaces]\nroot = ${work}\n[agent "fake"]\n` +
      `command = node ${root}/tests/fakes/acp-agent.mjs\nset = FAKE_HOME=${work}/../${path.basename(work)}-home\n`,
  });
  const one = await s.session({ title: "Agent" });
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("button", { name: "External Agent" }).click();
  const card = page.getByRole("group", { name: "External Agent" });
  await card.getByRole("button", { name: "fake" }).click();
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByRole("menuitem", { name: "Choose workspace" }).click();
  await page.getByRole("textbox", { name: "Folder" }).fill(work);
  await page.getByRole("button", { name: "Save" }).click();
  return { s, one, page, card, work };
}

const rests = (s, one) =>
  until(
    "the session rests",
    async () =>
      (await s.api("GET", `/api/v1/sessions/${one.id}`)).status === "idle",
  );

test("an external agent is tested, does the work, and asks through us", async ({
  server,
}) => {
  const { s, one, page, card, work } = await world(server);
  await card.getByRole("button", { name: "Test" }).click();
  await card.getByText(/reached/).waitFor();
  await field(page).fill("[s:tools]");
  await field(page).press("Enter");
  await page.getByText("I will look.").waitFor();
  const asks = page.getByRole("group", { name: "Approval required" });
  await asks.getByText("ls").first().waitFor();
  await asks.getByRole("combobox", { name: "Adapter option" }).waitFor();
  await asks.getByRole("button", { name: "Approve once" }).click();
  await page.getByText("Done (once).").waitFor();
  await rests(s, one);
  await page.getByText("External", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("Done (once).").waitFor();
  await page.getByRole("link", { name: "Run 1" }).first().click();
  await page.getByText("External, fake").waitFor();
  await s.kill("SIGTERM");
  await s.run(s.port);
  fs.rmSync(work, { recursive: true, force: true });
});

test("what a run changed is shown as a diff and taken back", async ({
  server,
}) => {
  const { s, one, page, work } = await world(server);
  await field(page).fill("[s:write]");
  await field(page).press("Enter");
  await page.getByRole("link", { name: "Run 1" }).first().waitFor();
  await rests(s, one);
  assert.ok(fs.existsSync(path.join(work, "made.txt")));
  await page.getByRole("link", { name: "Run 1" }).first().click();
  const files = page.getByRole("region", { name: "Files changed" });
  await files.getByText("made.txt").waitFor();
  await files.getByRole("button", { name: "Show diff" }).click();
  await files.getByRole("region", { name: /Diff of .*made.txt/ }).waitFor();
  await files.getByRole("button", { name: "Revert all" }).click();
  await page
    .getByRole("dialog", { name: "Revert" })
    .getByRole("button", { name: "Revert" })
    .click();
  await files.getByText("Reverted.").waitFor();
  assert.ok(!fs.existsSync(path.join(work, "made.txt")));
  // The agent has told what can be set: its next turn has it.
  await page.getByRole("link", { name: "Open session" }).click();
  const options = page.getByRole("group", { name: "Agent options" });
  await options.getByRole("combobox", { name: "Model" }).selectOption("S");
  await until("wanted", async () => {
    const o = await s.api("GET", `/api/v1/sessions/${one.id}/agent-options`);
    return o.wanted.model === "fake-small";
  });
  fs.rmSync(work, { recursive: true, force: true });
});

test("an agent that may do everything unasked is said on every view, in red", async ({
  server,
}) => {
  const agent = (approve) =>
    `[agent "fake"]\ncommand = node ${root}/tests/fakes/acp-agent.mjs\napprove = ${approve}\n`;
  const s = await server({ config: agent("allow") });
  const page = await signIn(s);
  for (const view of ["/sessions", "/runs", "/cost", "/providers"]) {
    await goto(page, s, view);
    await page
      .getByRole("alert")
      .filter({ hasText: /Auto-approval is on.*fake/ })
      .waitFor();
  }
  // The configuration is another one after a restart: the page notices by itself.
  fs.writeFileSync(path.join(s.config, "bough/config.ini"), agent("ask"));
  await s.restart();
  await until(
    "the alarm is over",
    async () => (await page.getByText("Auto-approval is on").count()) === 0,
  );
});
