// The transcript: what is shown of entries, and what can be done with them.
import assert from "node:assert/strict";
import { goto, signIn, test, until } from "./lib.mjs";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFElEQVR4nGP8z8DAwMDAxMDAwMAAAA0GAQEnPaXnAAAAAElFTkSuQmCC";

const call = {
  provider: "anthropic",
  model: "claude-sonnet-4-5-20250929",
  used: {
    input: 1300,
    output: 612,
    cache_read: 16900,
    cost_nano_usd: 14200000,
  },
  duration_ms: 58000,
  status: "ok",
};

test("a prompt, an answer with its model, tokens, cost and time, and a table are shown", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Prices are stale" });
  await s.append(one, [["user", "Why are prices **stale**?"]]);
  await s.append(
    one,
    [
      {
        role: "assistant",
        text: "| a | b |\n|---|---|\n| 1 | 2 |\n\nSee `cache.c`.",
        by_call: true,
      },
    ],
    { call },
  );
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page
    .getByRole("heading", { name: "Prices are stale", level: 1 })
    .waitFor();
  const answer = page.getByRole("article", { name: /^Assistant/ });
  await answer.getByRole("table").waitFor();
  await answer.getByText("sonnet-4.5").waitFor();
  await answer.getByText("18.2k in · 612 out · 16.9k cached").waitFor();
  await answer.getByText("$0.0142").waitFor();
  await answer.getByText("58 s").waitFor();
  assert.equal(
    await page
      .getByRole("article", { name: /^You/ })
      .locator("strong")
      .textContent(),
    "stale",
  );
});

test("a tool call is one line that opens into its command, streams and error", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Tools" });
  await s.append(one, [
    ["user", "Run it"],
    {
      role: "assistant",
      parts: [
        {
          type: "tool_use",
          id: "toolu_1",
          name: "Bash",
          input: { command: "make test-eu" },
        },
      ],
    },
    {
      role: "user",
      parts: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: "failed",
          is_error: true,
        },
      ],
      data: {
        toolUseResult: {
          stdout: "=== RUN\n\u001b[31m--- FAIL\u001b[0m",
          stderr: "connection refused",
          exitCode: 2,
        },
      },
    },
  ]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const line = page.getByRole("button", { name: /Run.*make test-eu.*exit 2/ });
  await line.click();
  await page
    .getByRole("region", { name: "stderr" })
    .getByText("connection refused")
    .waitFor();
  const out = page.getByRole("region", { name: "stdout" });
  assert.equal(await out.textContent(), "=== RUN\n--- FAIL");
  assert.equal(await out.locator(".c1").textContent(), "--- FAIL");
  // The result stands where its call is, not once more below.
  assert.equal(await page.getByRole("article").count(), 2);
  await page.getByRole("button", { name: "Advanced" }).click();
  await page.getByText("toolu_1").waitFor();
});

test("calls made together have their results, also when these come one by one, as the user", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Together" });
  const call = (id) => ({
    type: "tool_use",
    id,
    name: "Bash",
    input: { command: `echo ${id}` },
  });
  const result = (id) => ({
    role: "user",
    parts: [{ type: "tool_result", tool_use_id: id, content: `out ${id}` }],
  });
  await s.append(one, [
    ["user", "run both"],
    { role: "assistant", parts: [call("first"), call("second")] },
    result("first"),
    result("second"),
    ...Array.from({ length: 30 }, (_, i) => [
      i % 2 ? "assistant" : "user",
      `line ${i}\n\n`.repeat(4),
    ]),
  ]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}?entry=%231.2`);
  const second = page.getByRole("button", { name: /echo second/ });
  await second.click();
  await page.getByText("out second").waitFor();
  assert.equal(await page.getByRole("img", { name: "Interrupted" }).count(), 0);
  // What floats over the transcript does not cover the composer.
  const end = await page
    .getByRole("button", { name: "To the end" })
    .boundingBox();
  const dock = await page.getByRole("form", { name: "Composer" }).boundingBox();
  assert.ok(end.y + end.height <= dock.y);
});

test("an edit is shown as a difference with its changed words", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Edit" });
  await s.append(one, [
    {
      role: "assistant",
      parts: [
        {
          type: "tool_use",
          id: "t1",
          name: "Edit",
          input: {
            file_path: "key.go",
            old_string: "return sku + cur",
            new_string: "return id + sku + cur",
          },
        },
      ],
    },
    {
      role: "user",
      parts: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }],
    },
  ]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("button", { name: /Edit.*key.go.*\+1.*−1/ }).click();
  const diff = page.getByRole("region", { name: "Diff of key.go" });
  await diff
    .getByText("Removed", { exact: true })
    .waitFor({ state: "attached" });
  assert.equal(await diff.locator(".a em").first().textContent(), "id + ");
});

test("thoughts are folded, pictures are drawn, refusals and interruptions are said", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Parts" });
  await s.append(one, [
    {
      role: "user",
      parts: [
        { type: "text", text: "Look" },
        {
          type: "image",
          source: { type: "base64", media_type: "image/png", data: png },
        },
      ],
    },
    {
      role: "assistant",
      parts: [
        { type: "thinking", thinking: "It is a dot.", signature: "s" },
        { type: "text", text: "A dot." },
      ],
      finish: "interrupted",
    },
    { role: "assistant", parts: [{ type: "refusal", refusal: "I will not." }] },
  ]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const picture = page.getByRole("button", { name: /Show image/ });
  await picture.waitFor();
  await until("the picture", () =>
    picture.locator("img").evaluate((i) => i.complete && i.naturalWidth === 2),
  );
  assert.equal(await page.getByText("It is a dot.").count(), 0);
  await page.getByRole("button", { name: "Thought" }).click();
  await page.getByText("It is a dot.").waitFor();
  await page.getByText("Interrupted: the reply ends here.").waitFor();
  await page.getByText("Refused").waitFor();
});

test("a compaction says what it stands for and shows its summary", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Long" });
  await s.append(one, [
    ["user", "a"],
    ["assistant", "b"],
    ["user", "c"],
    ["assistant", "d"],
  ]);
  await s.api("POST", `/api/v1/sessions/${one.id}/markers`, {
    summary: "We said **a** to d.",
    tokens_before: 61200,
  });
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByText(/Compacted 4 entries/).waitFor();
  await page.getByText(/stands for 61.2k/).waitFor();
  await page.getByRole("button", { name: "Show summary" }).click();
  await page.getByText("to d.").waitFor();
});

test("a link to an entry opens at that entry, also on another branch, and Back works", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Branches" });
  const many = Array.from({ length: 120 }, (_, i) => [
    i % 2 ? "assistant" : "user",
    `message ${i + 1}`,
  ]);
  const { ids } = await s.append(one, many);
  const side = await s.append(one, [["user", "on another way"]], {
    at: ids[9],
    keep_head: true,
  });
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}?entry=${ids[39]}`);
  await page.getByText("message 40", { exact: true }).waitFor();
  await page
    .getByRole("article")
    .filter({ hasText: "message 40" })
    .and(page.locator(".focused"))
    .waitFor();
  await goto(page, s, `/sessions/${one.slug}?entry=${side.ids[0]}`);
  await page.getByText("on another way", { exact: true }).first().waitFor();
  await page.getByText(/Another branch/).waitFor();
  await page.getByRole("button", { name: "Back to the head" }).click();
  await page
    .getByRole("article")
    .getByText("message 120", { exact: true })
    .waitFor();
  await page.goBack();
  await page.getByText(/Another branch/).waitFor();
});

test("100,000 messages open at the tail, jump anywhere and keep their place", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Huge" });
  for (let i = 0; i < 100; i++)
    await s.append(
      one,
      Array.from({ length: 1000 }, (_, k) => [
        k % 2 ? "assistant" : "user",
        `line ${i * 1000 + k + 1}`,
      ]),
    );
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page
    .getByRole("article")
    .getByText("line 100000", { exact: true })
    .waitFor();
  assert.ok(
    (await page.getByRole("article").count()) < 100,
    "only what is seen is drawn",
  );
  const list = page.getByRole("region", { name: "Transcript" });
  await list.evaluate((el) => (el.scrollTop = el.scrollHeight / 2));
  const near = await until("a row in the middle", async () => {
    const all = await page.getByRole("article").allTextContents();
    const n = all.map((t) => Number(/line (\d+)/.exec(t)?.[1])).filter(Boolean);
    return n.find((x) => x > 40000 && x < 60000);
  });
  const row = page
    .getByRole("article")
    .getByText(`line ${near}`, { exact: true });
  const before = (await row.boundingBox()).y;
  await s.append(one, [["user", "new while reading"]]);
  await page.getByRole("button", { name: /new below/ }).waitFor();
  assert.ok(
    Math.abs((await row.boundingBox()).y - before) < 2,
    "the place is kept",
  );
  await page.getByRole("button", { name: /new below/ }).click();
  await page.getByRole("article").getByText("new while reading").waitFor();
});

test("a message is seen while it is written, and the end is followed", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Live" });
  await s.append(one, [["user", "Go"]]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").getByText("Go", { exact: true }).waitFor();
  const m = await s.api("POST", `/api/v1/sessions/${one.id}/messages`, {
    owner: "w",
    lease_ms: 60000,
    entry: { role: "assistant" },
  });
  const step = (first, body) =>
    s.api("POST", `/api/v1/sessions/${one.id}/messages/${m.id}/steps`, {
      epoch: m.epoch,
      first,
      steps: [body],
    });
  await step(1, { part: { type: "text", text: "" } });
  await step(2, { index: 0, text: "Growing" });
  await page.getByText("Growing").waitFor();
  await step(3, { index: 0, text: " and grown" });
  await page.getByText("Growing and grown").waitFor();
  // A page that is opened in the middle shows what was written so far.
  const late = await page.context().newPage();
  await late.goto(page.url());
  await late.getByText("Growing and grown").waitFor();
  await s.api("POST", `/api/v1/sessions/${one.id}/messages/${m.id}/seal`, {
    epoch: m.epoch,
    finish: "stop",
  });
  await until(
    "the caret goes",
    async () => (await page.locator(".caret").count()) === 0,
  );
  assert.equal(
    await page.getByRole("article").getByText("Growing and grown").count(),
    1,
  );
});

test("a transcript at its end stays there when a row grows while it scrolls", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Tall" });
  for (let i = 0; i < 12; i++)
    await s.append(one, [["user", `line ${i}\n\n`.repeat(6)]]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const box = page.getByRole("region", { name: "Transcript" });
  await box.getByText("line 11").first().waitFor();
  const below = () =>
    box.evaluate((b) => b.scrollHeight - b.clientHeight - b.scrollTop);
  await until("the end is seen", async () => (await below()) < 2);
  // A row in the middle of the window: it stays drawn whatever is measured meanwhile.
  await box.evaluate((b) => {
    [...b.querySelectorAll(".vrow")].at(-2).style.paddingBottom = "600px";
    b.scrollTop -= 300;
  });
  await until("the end is seen again", async () => (await below()) < 2);
  // The reader leaves the end with the wheel, and then it is left alone.
  await box.hover();
  await until("the reader has left the end", async () => {
    await page.mouse.wheel(0, -300);
    return page.getByRole("button", { name: "To the end" }).isVisible();
  });
  assert.ok((await below()) > 100);
});

test("deleting an entry can be undone, and only its own session deletes it", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Delete" });
  await s.append(one, [
    ["user", "keep"],
    ["assistant", "remove me"],
  ]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const row = page.getByRole("article").filter({ hasText: "remove me" });
  await row.hover();
  await row.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("Deleted", { exact: false }).first().waitFor();
  await until(
    "the text is gone",
    async () =>
      (await page.getByRole("article").getByText("remove me").count()) === 0,
  );
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("article").getByText("remove me").waitFor();
});

test("an edited prompt begins a branch beside the old one, and both are offered", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Edit" });
  await s.append(one, [
    ["user", "first"],
    ["assistant", "ok"],
    ["user", "second try"],
    ["assistant", "done"],
  ]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const row = page.getByRole("article").filter({ hasText: "second try" });
  await row.hover();
  await row.getByRole("button", { name: /Edit and branch/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("textbox", { name: "Message" })
    .fill("second, better");
  await page.getByRole("button", { name: "Branch", exact: true }).click();
  await page
    .getByRole("article")
    .filter({ hasText: "second, better" })
    .waitFor();
  await page.getByText("1 other way from here").waitFor();
  await page
    .getByRole("navigation", { name: "Other ways from here" })
    .getByRole("link")
    .click();
  await page.getByRole("article").getByText("done", { exact: true }).waitFor();
  const { items } = await s.api("GET", `/api/v1/sessions/${one.id}/branches`);
  assert.equal(items.length, 2);
});

test("forking, labelling, remembering and moving the head work from an entry", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Acts" });
  const { ids } = await s.append(one, [
    ["user", "one"],
    ["assistant", "two"],
    ["user", "three"],
  ]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const row = page.getByRole("article").filter({ hasText: "two" });
  await row.hover();
  await row.getByRole("button", { name: /Label/ }).click();
  await page.getByRole("textbox", { name: "Label" }).fill("works");
  await page.getByRole("button", { name: "Save" }).click();
  await row.getByText("works").waitFor();
  await row.hover();
  await row.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Remember" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Remember" })
    .click();
  await until(
    "the memory",
    async () =>
      (await s.api("GET", `/api/v1/memories?scope=session&of=${one.id}`)).items
        .length === 1,
  );
  await row.hover();
  await row.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: /Branch here/ }).click();
  await until(
    "the head",
    async () =>
      (await s.api("GET", `/api/v1/sessions/${one.id}`)).head === "#1.2",
  );
  await until(
    "the path to it",
    async () => (await page.getByText("three", { exact: true }).count()) === 0,
  );
  await row.hover();
  await row.getByRole("button", { name: /Fork here/ }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Another way");
  await page.getByRole("dialog").getByRole("button", { name: "Fork" }).click();
  await page.getByRole("heading", { name: "Another way", level: 1 }).waitFor();
  const fork = (await s.api("GET", `/api/v1/sessions/${one.id}/children`))
    .items[0];
  assert.equal(fork.fork_entry, ids[1]);
});

test("finding in the session goes from hit to hit", async ({ server }) => {
  const s = await server();
  const one = await s.session({ title: "Find" });
  await s.append(
    one,
    Array.from({ length: 300 }, (_, i) => [
      i % 2 ? "assistant" : "user",
      i % 100 === 50 ? `needle number ${i}` : `hay ${i}`,
    ]),
  );
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("button", { name: "Find in session" }).click();
  await page.getByRole("textbox", { name: "Find in session" }).fill("needle");
  await page.getByText("3 of 3").waitFor();
  await page.getByRole("article").getByText("needle number 250").waitFor();
  await page
    .getByRole("textbox", { name: "Find in session" })
    .press("Shift+Enter");
  await page.getByText("2 of 3").waitFor();
  await page.getByRole("article").getByText("needle number 150").waitFor();
});
