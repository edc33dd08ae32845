// Text of a transcript never becomes script: payloads through every place where content is shown.
import assert from "node:assert/strict";
import { goto, openEverything, signIn, test, until } from "./lib.mjs";
import { inspect, payloads, plant } from "./payloads.mjs";

async function clean(page, where) {
  const found = await inspect(page);
  assert.deepEqual(found, [], `${where}: ${found.join("; ")}`);
}

async function victim(s) {
  const page = await signIn(s);
  await page.addInitScript(() => {
    window.__violations = [];
    document.addEventListener("securitypolicyviolation", (e) =>
      window.__violations.push(`policy ${e.violatedDirective} ${e.blockedURI}`),
    );
  });
  return page;
}

test("no payload runs in any place of a transcript, the tree, the context and the facts", async ({
  server,
}) => {
  const s = await server();
  const page = await victim(s);
  for (const [i, p] of payloads.entries()) {
    const { session: one } = await plant(s, p, i);
    for (const panel of ["tree", "context", "info"]) {
      await goto(page, s, `/sessions/${one.slug}?panel=${panel}&details=1`);
      await page.getByRole("article").first().waitFor();
      await openEverything(page);
      await page.waitForTimeout(30);
      await clean(page, `payload ${i} ${JSON.stringify(p)}, ${panel}`);
    }
  }
});

test("no payload runs in the list, the search, the palette, the comparison, cost and settings", async ({
  server,
}) => {
  const s = await server();
  const all = [];
  for (const [i, p] of payloads.entries())
    all.push((await plant(s, p, i)).session);
  const page = await victim(s);
  const views = [
    "/sessions",
    "/sessions?q=xss",
    "/search?q=xss",
    "/search?q=onerror",
    "/cost",
    "/cost?group=project",
    "/cost?group=account",
    "/cost?group=session",
    "/settings/tokens",
    "/settings/sources",
    "/settings/storage",
  ];
  for (const one of all.slice(0, 12))
    views.push(`/compare?one=${one.slug}:1.4&other=${one.slug}:2.3`);
  for (const view of views) {
    await goto(page, s, view);
    await page.getByRole("main").waitFor();
    await page.waitForTimeout(300);
    await openEverything(page);
    await clean(page, view);
  }
  await goto(page, s, "/sessions");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("xss");
  await until("hits", async () => (await page.getByRole("option").count()) > 3);
  await clean(page, "palette");
});
