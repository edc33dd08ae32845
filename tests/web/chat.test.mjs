// Chat: what a person writes, what is streamed, queued, stopped, approved; with the demo provider and the demo tools.
import assert from "node:assert/strict";
import fs from "node:fs";
import { demo, goto, signIn, test, until } from "./lib.mjs";

const field = (page) => page.getByRole("textbox", { name: "Message" });
const composer = (page) => page.getByRole("form", { name: "Composer" });

async function say(page, text) {
  await field(page).fill(text);
  await field(page).press("Enter");
}

async function openChat(s, fields = {}) {
  const one = await s.session(fields);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("button", { name: /^Model: demo-small/ }).waitFor();
  return { one, page };
}

async function toolsOn(page) {
  await page.getByRole("switch", { name: "tools off" }).click();
  await page.getByRole("switch", { name: "tools on" }).waitFor();
}

const idle = (s, one) =>
  until(
    "the session rests",
    async () =>
      (await s.api("GET", `/api/v1/sessions/${one.id}`)).status === "idle",
  );

test("a newcomer writes a prompt and reads the answer as it comes, with thoughts, tokens and the run", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  await page.getByText("Nothing was said yet").waitFor();
  await say(page, "hello there");
  // Shown at once, and once only when the server has it.
  await page.getByRole("article").getByText("hello there").first().waitFor();
  await page.getByText("This is the demo provider").waitFor();
  await page.getByRole("button", { name: "Thought" }).waitFor();
  await page.getByRole("link", { name: "Run 1" }).waitFor();
  await idle(s, one);
  await until(
    "one prompt",
    async () =>
      (await page
        .getByRole("article", { name: /^You/ })
        .getByText("hello there")
        .count()) === 1,
  );
  // C17: the first prompt names the session.
  await page.getByRole("heading", { name: "hello there" }).first().waitFor();
  assert.equal(await field(page).inputValue(), "");
});

test("the answer grows while it comes, and Stop ends it and keeps what came", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  await say(page, "tell a long story");
  await page.getByText("Press Stop whenever you like").waitFor();
  const answer = page.getByRole("article", { name: /^Assistant/ });
  const before = (await answer.innerText()).length;
  await until(
    "the text grows",
    async () => (await answer.innerText()).length > before,
  );
  await composer(page).getByText("Running").waitFor();
  await composer(page).getByRole("button", { name: "Stop" }).click();
  await idle(s, one);
  await page.getByText(/^Stopped after/).waitFor();
  assert.ok((await answer.innerText()).length >= before);
  await composer(page).getByRole("button", { name: "Send" }).waitFor();
});

test("prompts sent while busy are queued next: edited, reordered, removed, and sent in order", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  await toolsOn(page);
  await say(page, "wait 8 seconds");
  await composer(page).getByText("Running").waitFor();
  await say(page, "first queued");
  const queue = page.getByRole("region", { name: "Queued next" });
  await queue.getByText("first queued").waitFor();
  await queue.getByText("will send when the active run finishes").waitFor();
  await say(page, "second queued");
  await queue.getByText("second queued").waitFor();
  await say(page, "third queued");
  await queue.getByText("third queued").waitFor();
  await queue.getByText("tools on · demo-small").first().waitFor();
  const texts = async () =>
    (await queue.getByRole("listitem").allInnerTexts()).map(
      (t) => t.split("\n")[0],
    );
  // Another window sees the same, and removes one.
  const other = await signIn(s);
  await goto(other, s, `/sessions/${one.slug}`);
  const there = other.getByRole("region", { name: "Queued next" });
  await there
    .getByRole("listitem")
    .filter({ hasText: "third queued" })
    .getByRole("button", { name: "Remove" })
    .click();
  await until("removed here too", async () => (await texts()).length === 2);
  await queue
    .getByRole("listitem")
    .filter({ hasText: "second queued" })
    .getByRole("button", { name: "Move up" })
    .click();
  await until("reordered", async () => (await texts())[0] === "second queued");
  await queue
    .getByRole("listitem")
    .filter({ hasText: "first queued" })
    .getByRole("button", { name: "Edit" })
    .click();
  await page.getByRole("textbox", { name: "Prompt" }).fill("changed prompt");
  await page.getByRole("button", { name: "Save" }).click();
  await queue.getByText("changed prompt").waitFor();
  // A reload shows it without a new prompt.
  await page.reload();
  await queue.getByText("changed prompt").waitFor();
  await composer(page).getByText("Running").waitFor();
  await page.getByText("You wrote: changed prompt").waitFor();
  await idle(s, one);
  const { items } = await s.api(
    "GET",
    `/api/v1/sessions/${one.id}/entries?view=true`,
  );
  assert.deepEqual(
    items.filter((e) => e.role === "user").map((e) => e.view[0].text),
    ["wait 8 seconds", "second queued", "changed prompt"],
  );
  await until("the queue is empty", async () => (await queue.count()) === 0);
});

test("an approval shows what, why and the change, inline, in the tray and in the title, in both windows", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  const other = await signIn(s);
  await goto(other, s, "/cost");
  await other
    .getByRole("button", { name: "Approvals: none waiting" })
    .waitFor();
  await toolsOn(page);
  await say(page, "edit the file");
  const card = page.getByRole("group", { name: "Approval required" });
  await card.getByText("Demo edit").waitFor();
  await card.getByText("The demo provider calls a tool").waitFor();
  await card.getByText("The demo adds this line.").waitFor();
  await composer(page).getByText("Awaiting approval").waitFor();
  await until("the title counts", async () =>
    (await page.title()).startsWith("(1) "),
  );
  // Everywhere: the other window is on another view.
  await other.getByRole("button", { name: "Approvals: 1 waiting" }).click();
  const tray = other.getByRole("dialog", { name: "Approvals" });
  await tray.getByRole("link", { name: "edit the file" }).waitFor();
  await tray.getByRole("button", { name: "Approve once" }).click();
  await until("settled here too", async () => (await card.count()) === 0);
  await page.getByText("The demo provider read this result").first().waitFor();
  await idle(s, one);
  await until(
    "the title is quiet",
    async () => !(await page.title()).startsWith("("),
  );
  const { items } = await s.api("GET", "/api/v1/approvals");
  assert.equal(items[0].status, "approved");
  assert.equal(items[0].scope, "once");
});

test("a rejection takes its reason to the model; for this session asks no more; always needs a second click", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  await toolsOn(page);
  await say(page, "edit the file");
  const card = page.getByRole("group", { name: "Approval required" });
  await card.getByRole("textbox", { name: "Note" }).fill("not that file");
  await card.getByRole("button", { name: "Reject", exact: true }).click();
  await page
    .getByText(/not that file/)
    .first()
    .waitFor();
  await idle(s, one);
  await say(page, "edit it again");
  await card.getByRole("button", { name: "Always" }).click();
  // Nothing happened yet.
  await card.getByRole("button", { name: /Click again/ }).waitFor();
  assert.equal(
    (await s.api("GET", "/api/v1/approvals?status=pending")).items.length,
    1,
  );
  await card.getByRole("button", { name: "For this session" }).click();
  await page.getByText("The demo provider read this result").first().waitFor();
  await idle(s, one);
  await say(page, "edit a third time");
  await until(
    "three answers",
    async () =>
      (await s.api("GET", `/api/v1/sessions/${one.id}/runs`)).items.filter(
        (r) => r.status === "completed",
      ).length === 3,
  );
  const { items } = await s.api("GET", "/api/v1/approvals");
  assert.deepEqual(items.map((a) => `${a.status} ${a.path}`).sort(), [
    "approved grant",
    "approved person",
    "rejected person",
  ]);
});

test("what was written is kept for each session, also over a reload", async ({
  server,
}) => {
  const s = await server(demo);
  const two = await s.session({ title: "Other" });
  const { one, page } = await openChat(s, { title: "First" });
  await field(page).fill("a draft of the first");
  await goto(page, s, `/sessions/${two.slug}`);
  await page.getByRole("heading", { name: "Other" }).first().waitFor();
  assert.equal(await field(page).inputValue(), "");
  await goto(page, s, `/sessions/${one.slug}`);
  await until(
    "the draft",
    async () => (await field(page).inputValue()) === "a draft of the first",
  );
});

test("tools off, then on: heads mark where the runtime changes, and calls stand with their results", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  await say(page, "hello");
  await page.getByText("This is the demo provider").waitFor();
  await idle(s, one);
  await toolsOn(page);
  await say(page, "weather in Bergen");
  await page.getByText("The demo provider read this result").first().waitFor();
  await page.getByText("Tools off", { exact: true }).waitFor();
  await page.getByText("Tools on", { exact: true }).waitFor();
  const line = page.getByRole("button", { name: /weather.*Bergen/i });
  await line.waitFor();
  assert.equal(await line.count(), 1);
  await line.click();
  await page
    .getByRole("region", { name: "output" })
    .getByText("invented by the demo tool")
    .waitFor();
  const runs = (await s.api("GET", `/api/v1/sessions/${one.id}/runs`)).items;
  assert.deepEqual(
    runs.map((r) => r.runtime),
    ["agent", "model"],
  );
});

test("edit and resend makes a branch, and retry answers the prompt again", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  await say(page, "the first wording");
  await page.getByText("You wrote: the first wording").waitFor();
  await idle(s, one);
  const prompt = page.getByRole("article", { name: /^You/ });
  await prompt.hover();
  await prompt.getByRole("button", { name: "Edit and resend" }).click();
  await page
    .getByRole("dialog")
    .getByRole("textbox", { name: "Message" })
    .fill("the second wording");
  await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
  await page.getByText("You wrote: the second wording").waitFor();
  await idle(s, one);
  const answer = page.getByRole("article", { name: /^Assistant/ });
  await answer.hover();
  await answer.getByRole("button", { name: "Retry" }).click();
  await until(
    "three runs",
    async () =>
      (await s.api("GET", `/api/v1/sessions/${one.id}/runs`)).items.length ===
      3,
  );
  await idle(s, one);
  const branches = await s.api("GET", `/api/v1/sessions/${one.id}/branches`);
  assert.equal(branches.items.length, 3);
});

test("slash commands: a list while one is typed, and what they do", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s, { title: "Slash" });
  await say(page, "hello");
  await page.getByText("You wrote: hello").waitFor();
  await idle(s, one);
  await field(page).fill("/");
  await page
    .getByRole("list", { name: "Commands" })
    .getByText("/remember")
    .waitFor();
  await field(page).fill("/rem");
  await field(page).press("Tab");
  assert.equal(await field(page).inputValue(), "/remember ");
  await say(page, "/remember the tests are slow");
  await page.getByText("Remembered").waitFor();
  await say(page, "/label checkpoint");
  await page.getByText("Labelled").waitFor();
  await say(page, "/model demo-large");
  await page.getByRole("button", { name: "Model: demo-large" }).waitFor();
  await say(page, "/model nothing-like-it");
  await composer(page)
    .getByText("No model is called nothing-like-it")
    .waitFor();
  await field(page).fill("");
  await say(page, "/fork");
  await page
    .getByRole("dialog", { name: "Fork" })
    .getByRole("button", { name: "Cancel" })
    .click();
  const memories = await s.api(
    "GET",
    `/api/v1/memories?scope=session&of=${one.id}`,
  );
  assert.equal(memories.items[0].content, "the tests are slow");
  assert.equal(
    (await s.api("GET", `/api/v1/sessions/${one.id}/labels`)).items[0].label,
    "checkpoint",
  );
  // A long conversation is compacted by the model, and the transcript says what it begins with now.
  await s.append(
    one,
    Array.from({ length: 40 }, (_, i) => [
      i % 2 ? "assistant" : "user",
      "many words ".repeat(400),
    ]),
  );
  await say(page, "/compact");
  await page.getByText("Compacted", { exact: true }).waitFor();
  await until(
    "a marker",
    async () =>
      (await s.api("GET", `/api/v1/sessions/${one.id}/markers`)).items
        .length === 1,
  );
  await page
    .getByText(/compacted/i)
    .last()
    .waitFor();
  // A path is no command.
  await say(page, "/etc/hosts is a file");
  await page.getByText("You wrote: /etc/hosts is a file").waitFor();
});

test("files are attached by choosing, pasting and dropping, and go with the prompt", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  const file = `${s.dir}/note.txt`;
  fs.writeFileSync(file, "remember the milk");
  await page.getByLabel("Files to attach").setInputFiles(file);
  const attached = page.getByRole("list", { name: "Attached files" });
  await attached.getByText("note.txt").waitFor();
  await field(page).evaluate((el) => {
    const data = new DataTransfer();
    data.items.add(
      new File(["pasted words"], "pasted.txt", { type: "text/plain" }),
    );
    el.dispatchEvent(
      new ClipboardEvent("paste", {
        clipboardData: data,
        bubbles: true,
        cancelable: true,
      }),
    );
  });
  await attached.getByText("pasted.txt").waitFor();
  await attached.getByRole("button", { name: "Remove pasted.txt" }).click();
  await composer(page).evaluate((el) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(
      new File(["dropped words"], "dropped.txt", { type: "text/plain" }),
    );
    for (const name of ["dragover", "drop"])
      el.dispatchEvent(
        new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }),
      );
  });
  await attached.getByText("dropped.txt").waitFor();
  await say(page, "read this");
  await page.getByText("You wrote: read this").waitFor();
  await page.getByRole("article").getByText("note.txt").waitFor();
  await page.getByRole("article").getByText("dropped.txt").waitFor();
  await idle(s, one);
});

test("without a provider the composer says so before anything is sent, and leads to Providers", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Alone" });
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const card = page.getByRole("group", { name: "No model is ready" });
  await card.getByText("No model can be reached yet").waitFor();
  assert.ok(
    await composer(page).getByRole("button", { name: "Send" }).isDisabled(),
  );
  await card.getByRole("link", { name: "Open Providers" }).click();
  await page
    .getByRole("heading", { name: "No provider is configured" })
    .waitFor();
});

test("a model that its provider no longer reports blocks the composer, with facts, steps and others to choose", async ({
  server,
}) => {
  const s = await server(demo);
  const one = await s.session({
    title: "Left behind",
    model_provider: "demo",
    model_name: "demo-old",
  });
  await s.append(one, [
    ["user", "hello"],
    ["assistant", "hi"],
  ]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const card = page.getByRole("group", {
    name: "This model cannot be used now",
  });
  // A session that is only read has one line; the card opens when a person wants to write.
  await page
    .getByRole("group", { name: "No model is ready" })
    .getByText("demo-old is no longer reported by demo")
    .waitFor();
  assert.equal(await card.count(), 0);
  await field(page).click();
  await card.getByText("demo-old", { exact: true }).waitFor();
  await card.getByText(/Reachable, \d+ ms/).waitFor();
  await card.getByText("demo-old is no longer reported by demo").waitFor();
  await card.getByText("Next steps").waitFor();
  await card.getByRole("link", { name: "Open Providers" }).waitFor();
  await card.getByRole("button", { name: "Refresh discovery" }).click();
  assert.ok(
    await composer(page).getByRole("button", { name: "Send" }).isDisabled(),
  );
  await card.getByRole("button", { name: "Choose a model" }).click();
  await page.getByRole("menuitem", { name: /demo-large/ }).click();
  await until("the card goes", async () => (await card.count()) === 0);
  await say(page, "hello again");
  await page.getByText("You wrote: hello again").waitFor();
});

test("an answer that fails is said where it happened, with ways on", async ({
  server,
}) => {
  const s = await server(demo);
  const { page } = await openChat(s);
  await say(page, "please fail");
  await page.getByText(/Failed: .*500/).waitFor();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.getByRole("link", { name: "Open task" }).click();
  await page.getByRole("group", { name: "Why it failed" }).waitFor();
});

test("the server is killed while an approval waits: it is there again, and approving goes on", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  await toolsOn(page);
  await say(page, "edit the file");
  const card = page.getByRole("group", { name: "Approval required" });
  await card.getByText("Demo edit").waitFor();
  await composer(page).getByText("Awaiting approval").waitFor();
  await s.kill();
  await page.getByText("Connection lost, trying again").waitFor();
  assert.equal(await card.count(), 1);
  await s.run(s.port);
  await until(
    "connected",
    async () => (await page.getByText("Connection lost").count()) === 0,
  );
  await page.reload();
  await card.getByText("Demo edit").waitFor();
  await composer(page).getByText("Awaiting approval").waitFor();
  await card.getByRole("button", { name: "Approve once" }).click();
  await page.getByText("The demo provider read this result").first().waitFor();
  await idle(s, one);
});

test("a system prompt and other options are kept and sent", async ({
  server,
}) => {
  const s = await server(demo);
  const { one, page } = await openChat(s);
  await composer(page).getByRole("button", { name: "Options" }).click();
  await page.getByRole("menuitem", { name: "System prompt" }).click();
  await page.getByRole("textbox", { name: "System prompt" }).fill("be brief");
  await page.getByRole("button", { name: "Save" }).click();
  await say(page, "hello");
  await page.getByText("You wrote: hello").waitFor();
  await idle(s, one);
  const runs = (await s.api("GET", `/api/v1/sessions/${one.id}/runs`)).items;
  assert.equal(runs[0].system_prompt, "be brief");
});

test("a cost ceiling stops the run that reaches it, and a higher one lets it go on", async ({
  server,
}) => {
  const s = await server({
    config: demo.config + '[price "demo/*"]\ninput = 1000\noutput = 4000\n',
  });
  const { one, page } = await openChat(s);
  await toolsOn(page);
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByRole("menuitem", { name: "Cost ceiling" }).click();
  const dialog = page.getByRole("dialog", { name: "Cost ceiling" });
  await dialog.getByRole("textbox", { name: "USD" }).fill("cheap");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Write an amount in USD").waitFor();
  await dialog.getByRole("textbox", { name: "USD" }).fill("0.0005");
  await dialog.getByRole("button", { name: "Save" }).click();
  await say(page, "weather in Bergen");
  await page.getByText("Cost ceiling exceeded").first().waitFor();
  await idle(s, one);
  const runs = async () =>
    (await s.api("GET", `/api/v1/sessions/${one.id}/runs`)).items;
  assert.equal((await runs())[0].limits.cost_usd, 0.0005);
  await page.getByRole("link", { name: "Open task" }).click();
  await page.getByText("Cost ceiling exceeded").first().waitFor();
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  const raise = page.getByRole("dialog", { name: "Raise the cost ceiling" });
  await raise.getByText("The run stopped at $0.0005").waitFor();
  await raise.getByRole("textbox").fill("0.0001");
  await raise.getByRole("button", { name: "Resume" }).click();
  await raise.getByRole("alert").waitFor();
  await raise.getByRole("textbox").fill("100");
  await raise.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("heading", { name: /Run 2/ }).waitFor();
  await idle(s, one);
  await page
    .getByRole("list", { name: "Activity" })
    .getByRole("button", { name: /Completed/ })
    .waitFor();
});
