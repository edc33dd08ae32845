// An exported page, opened from its file: it shows a session, and nothing of a transcript runs in it.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  bough,
  openBrowser,
  openEverything,
  root,
  test,
  until,
} from "./lib.mjs";
import { inspect, payloads, plant } from "./payloads.mjs";

/** Export the session and open its page, in a window that counts what the policy refuses. */
async function open(s, session, search = "") {
  const file = path.join(s.dir, "page.html");
  fs.writeFileSync(
    file,
    bough(s.store, ["export", session, "--format", "html"]),
  );
  const context = await (
    await openBrowser()
  ).newContext({
    viewport: { width: 1440, height: 900 },
  });
  const page = await context.newPage();
  page.failures = [];
  page.on("pageerror", (e) => page.failures.push(String(e)));
  page.on("dialog", (d) => page.failures.push("a dialog") && d.dismiss());
  page.on("request", (r) => {
    if (!/^(file|data):/.test(r.url())) page.failures.push(r.url());
  });
  await page.addInitScript(() => {
    window.__violations = [];
    document.addEventListener("securitypolicyviolation", (e) =>
      window.__violations.push(`policy ${e.violatedDirective} ${e.blockedURI}`),
    );
  });
  await page.goto(pathToFileURL(file) + search);
  return page;
}

async function close(page) {
  assert.deepEqual(page.failures, []);
  await page.context().close();
}

/** A link of the page to one of its entries. */
const own = /^link \?leafId=[^&]*&targetId=[^&]*$/;

test("no payload runs in an exported page", async ({ server }) => {
  const s = await server();
  for (const [i, p] of payloads.entries()) {
    const { session } = await plant(s, p, i);
    const page = await open(s, session.id);
    for (const filter of ["default", "all"]) {
      await page.getByLabel("Show").selectOption(filter);
      await page.getByRole("article").first().waitFor();
      await openEverything(page);
      for (const part of ["path", "tree", "title", "facts"]) {
        const found = (await inspect(page, part)).filter((f) => !own.test(f));
        assert.deepEqual(found, [], `${part}, payload ${JSON.stringify(p)}`);
      }
    }
    await close(page);
  }
});

test("an exported page shows Markdown, and calls of Claude Code with their results", async ({
  server,
}) => {
  const s = await server();
  const file = path.join(root, "tests/data/claude-code/tools.jsonl");
  bough(s.store, ["import", file]);
  let page = await open(s, "6a2aac6d-80da-4f6a-80a0-8d50fd4e714e");
  assert.equal(await page.title(), "A loaf without a price");
  const call = page.locator("details", { hasText: "Read" }).first();
  await call.locator("summary").click();
  assert.equal(await call.locator("pre").count(), 2);
  assert.equal(
    await page.locator("summary", { hasText: /^result:/ }).count(),
    0,
  );
  await page.getByLabel("Show").selectOption("no-tools");
  await until("no calls", async () => !(await page.locator("details").count()));
  await close(page);
  const other = await s.session({ title: "Marks" });
  await s.append(other, [
    ["user", "# One\n\n- **two**\n\n[three](https://example.org/)"],
  ]);
  page = await open(s, other.id);
  await page.getByRole("heading", { name: "One" }).waitFor();
  assert.equal(await page.locator("li strong").textContent(), "two");
  assert.equal(
    await page.getByRole("link", { name: "three" }).getAttribute("href"),
    "https://example.org/",
  );
  await close(page);
});

test("kinds of entries are not taken for classes of an exported page", async ({
  server,
}) => {
  const s = await server();
  const file = path.join(s.dir, "kinds.jsonl");
  const kinds = ["target", "node", "facts", "label", "failed", "markup"];
  const lines = kinds.map((type, i) => ({
    type,
    id: `k${i}`,
    parentId: i ? `k${i - 1}` : null,
    timestamp: "2026-11-15T20:00:01.000Z",
  }));
  const header = { type: "session", version: 3, id: "kinds", cwd: "/p" };
  fs.writeFileSync(
    file,
    [header, ...lines].map((l) => JSON.stringify(l)).join("\n") + "\n",
  );
  bough(s.store, ["import", file]);
  const page = await open(s, "kinds");
  await page.getByLabel("Show").selectOption("all");
  await until(
    "all entries",
    async () => (await page.getByRole("article").count()) === kinds.length,
  );
  const classes = await page
    .getByRole("article")
    .evaluateAll((all) => all.map((a) => a.className));
  assert.deepEqual([...new Set(classes)], ["entry"]);
  await close(page);
});

/** A file of pi with so many messages, one behind the other. */
function longFile(dir, n) {
  const file = path.join(dir, "long.jsonl");
  const lines = [
    '{"type":"session","version":3,"id":"long","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/p"}',
  ];
  for (let i = 1; i <= n; i++)
    lines.push(
      JSON.stringify({
        type: "message",
        id: `m${i}`,
        parentId: i > 1 ? `m${i - 1}` : null,
        timestamp: "2026-11-15T20:00:01.000Z",
        message: {
          role: i % 2 ? "user" : "assistant",
          content: `line **${i}**`,
        },
      }),
    );
  fs.writeFileSync(file, lines.join("\n") + "\n");
  return file;
}

test("an exported page of fifty thousand entries has elements for what is in view only", async ({
  server,
}) => {
  const s = await server();
  const nodes = (page) =>
    page.evaluate(() => document.getElementsByTagName("*").length);
  bough(s.store, ["import", longFile(s.dir, 50_000)]);
  const page = await open(s, "long");
  await page.getByRole("article").first().waitFor();
  assert.equal(await page.locator("main strong").first().textContent(), "1");
  assert((await nodes(page)) < 5000, `${await nodes(page)} elements`);
  await page.locator("main").evaluate((m) => m.scrollTo(0, m.scrollHeight));
  await until("the last entry", async () => {
    await page.locator("main").evaluate((m) => m.scrollTo(0, m.scrollHeight));
    return (await page.locator("main strong").last().textContent()) === "50000";
  });
  assert((await nodes(page)) < 5000, `${await nodes(page)} elements`);
  await page.goto(page.url().replace(/\?.*/, "") + "?targetId=m25000");
  await until("the entry of the link", () =>
    page.locator("article.target").isVisible(),
  );
  assert.match(
    await page.locator("article.target").textContent(),
    /line 25000/,
  );
  await close(page);
});
