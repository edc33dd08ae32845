// Tree, comparison, context, cost, settings, and the states of views that have nothing to show.
import assert from "node:assert/strict";
import { bough, goto, signIn, test, until } from "./lib.mjs";

async function branched(s) {
  const one = await s.session({ title: "Two ways", project: "/srv/shop" });
  const { ids } = await s.append(one, [
    ["user", "Fix the key"],
    ["assistant", "I will look at it."],
  ]);
  const edit = (id, text) => ({
    role: "assistant",
    parts: [
      { type: "text", text },
      {
        type: "tool_use",
        id,
        name: "Edit",
        input: { file_path: "key.go", old_string: "a", new_string: id },
      },
    ],
  });
  await s.append(one, [
    ["user", "Purge on reload"],
    edit("t1", "Fixed. The key of the cache left out the tenant."),
  ]);
  const other = await s.append(
    one,
    [
      ["user", "Versioned keys"],
      edit("t2", "Fixed. The key of the cache has a version now."),
    ],
    { at: ids[1] },
  );
  await s.api("PUT", `/api/v1/sessions/${one.id}/labels/${other.ids[1]}`, {
    label: "candidate",
  });
  return { one, ids, other };
}

test("the tree shows branches, labels, forks and the head, and goes there", async ({
  server,
}) => {
  const s = await server();
  const { one, ids } = await branched(s);
  await s.api("POST", `/api/v1/sessions/${one.id}/fork`, {
    entry: ids[1],
    title: "A fork",
  });
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const tree = page.getByRole("region", { name: "Tree" });
  await tree.getByText("head").waitFor();
  await tree.getByText("candidate").waitFor();
  await tree.getByRole("link", { name: /A fork/ }).waitFor();
  await tree.getByRole("link", { name: /Purge on reload/ }).click();
  await page.getByRole("article").getByText("left out the tenant.").waitFor();
  await page.getByText(/Another branch/).waitFor();
});

test("the head is moved from the tree, and the window beside it follows", async ({
  server,
}) => {
  const s = await server();
  const { one } = await branched(s);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  const beside = await signIn(s);
  await goto(beside, s, `/sessions/${one.slug}`);
  await beside.getByRole("article").getByText("has a version now.").waitFor();
  const row = page
    .getByRole("region", { name: "Tree" })
    .locator(".n")
    .filter({ hasText: "Purge on reload" });
  await row.hover();
  await row.getByRole("button", { name: "Entry menu" }).click();
  await page.getByRole("menuitem", { name: "Move the head here" }).click();
  await beside.getByRole("article").getByText("left out the tenant.").waitFor();
  assert.equal((await s.api("GET", `/api/v1/sessions/${one.id}`)).head, "#1.4");
});

test("two branches are compared: what they share, words, files, tokens, and the sides swapped", async ({
  server,
}) => {
  const s = await server();
  const { one } = await branched(s);
  const page = await signIn(s);
  await goto(page, s, `/compare?one=${one.slug}:1.4&other=${one.slug}:2.4`);
  await page.getByText("common ancestor").waitFor();
  await page.getByText("2 entries are shared").waitFor();
  await page.getByRole("cell", { name: "key.go" }).waitFor();
  await page.getByRole("article").getByText("Purge on reload").waitFor();
  assert.deepEqual(
    await page
      .locator("mark.changed")
      .allTextContents()
      .then((t) => t.length > 0),
    true,
  );
  await page.getByRole("button", { name: "Swap sides" }).click();
  await until("swapped", async () =>
    (await page.getByRole("columnheader").nth(1).textContent()).includes(
      "Versioned keys",
    ),
  );
});

test("an entry is put onto another branch in the comparison, and onto another session from the transcript", async ({
  server,
}) => {
  const s = await server();
  const { one } = await branched(s);
  const elsewhere = await s.session({ title: "Elsewhere" });
  const texts = async (id) =>
    (await s.api("GET", `/api/v1/sessions/${id}/entries?view=true`)).items.map(
      (e) => e.view[0]?.text ?? "",
    );
  const page = await signIn(s);
  await goto(page, s, `/compare?one=${one.slug}:1.4&other=${one.slug}:2.4`);
  const entry = page
    .getByRole("article")
    .filter({ hasText: "Purge on reload" });
  await entry.hover();
  await entry
    .getByRole("button", { name: "Put onto the other branch" })
    .click();
  await page.getByRole("button", { name: "Put here" }).click();
  await page.getByText("Put there").waitFor();
  await page.waitForURL(/other=[^&]*2\.5/);
  assert.match((await texts(one.id)).at(-1), /Purge on reload/);
  assert.equal((await texts(one.id)).length, 5);
  await goto(page, s, `/sessions/${one.slug}?at=1.4`);
  const old = page.getByRole("article").filter({ hasText: "Purge on reload" });
  await old.hover();
  await old.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Put onto a branch…" }).click();
  const dialog = page.getByRole("dialog", { name: "Put onto a branch" });
  await dialog.getByRole("radio", { name: /\(head\)/ }).waitFor();
  await dialog.getByRole("radio", { name: "Another session" }).check();
  await dialog.getByRole("textbox", { name: "Session" }).fill("nobody");
  await dialog.getByRole("button", { name: "Put here" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("textbox", { name: "Session" }).fill(elsewhere.slug);
  await dialog.getByRole("button", { name: "Put here" }).click();
  await page.waitForURL(new RegExp(`/sessions/${elsewhere.slug}`));
  await page.getByRole("article").getByText("Purge on reload").waitFor();
  assert.equal((await texts(elsewhere.id)).length, 1);
});

test("the context shows what a model gets and what is not sent as stored", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Context" });
  await s.append(one, [
    ["user", "old question"],
    ["assistant", "old answer"],
  ]);
  await s.api("POST", `/api/v1/sessions/${one.id}/markers`, {
    summary: "They greeted.",
  });
  await s.append(one, [["user", "new question"]]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}?panel=context`);
  const panel = page.getByRole("region", { name: "Session details" });
  await panel.getByRole("button", { name: /user.*new question/ }).waitFor();
  assert.equal(await panel.getByText("old question").count(), 0);
  await panel.getByText(/not sent as stored/).waitFor();
  await panel.getByText(/about .* tokens/).waitFor();
});

test("cost adds up to the calls, by model and by project, and comes as CSV", async ({
  server,
}) => {
  const s = await server();
  for (const [project, model, cost] of [
    ["/srv/shop", "claude-sonnet-4-5", 1_500_000_000],
    ["/srv/shop", "gpt-5.1", 250_000_000],
    ["/srv/lab", "gpt-5.1", 250_000_000],
  ]) {
    const one = await s.session({ title: `${project} ${model}`, project });
    await s.append(one, [{ role: "assistant", text: "x", by_call: true }], {
      call: {
        provider: "p",
        model,
        used: { input: 100, output: 10, cache_read: 300, cost_nano_usd: cost },
        status: "ok",
      },
    });
  }
  const page = await signIn(s);
  await goto(page, s, "/cost");
  await page.getByText("$2.00").first().waitFor();
  await page.getByRole("cell", { name: "sonnet-4.5" }).first().waitFor();
  await page.getByText("75 %").first().waitFor();
  await page.getByRole("button", { name: "Project", exact: true }).click();
  await page.getByRole("cell", { name: "lab" }).first().waitFor();
  assert.match(page.url(), /group=project/);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "CSV" }).click(),
  ]);
  const { readFileSync } = await import("node:fs");
  assert.match(readFileSync(await file.path(), "utf8"), /srv\/lab/);
});

test("a token is made, shown once, used, and revoked", async ({ server }) => {
  const s = await server();
  const page = await signIn(s);
  await goto(page, s, "/settings/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("ci");
  await page.getByRole("checkbox", { name: /export/ }).check();
  await page.getByRole("button", { name: "Create" }).click();
  const secret = await page
    .getByRole("textbox", { name: "Token" })
    .inputValue();
  const ask = () =>
    fetch(`${s.url}/api/v1/sessions`, {
      headers: { authorization: `Bearer ${secret}` },
    });
  assert.equal((await ask()).status, 200);
  await page.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row").filter({ hasText: "ci" });
  await row.getByText("read,export").waitFor();
  assert.equal((await page.content()).includes(secret), false);
  await row.getByRole("button", { name: "Revoke" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Revoke" })
    .click();
  await until("it is refused", async () => (await ask()).status === 401);
});

test("storage says what the store is, checks it, and knows the last backup", async ({
  server,
}) => {
  const s = await server();
  await s.append(await s.session({ title: "x" }), [["user", "y"]]);
  bough(s.store, ["backup", `${s.dir}/copy.db`]);
  const page = await signIn(s);
  await goto(page, s, "/settings/storage");
  await page.getByText("store.db").waitFor();
  await page.getByText(/ago, verified/).waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText(/^0 errors, 0 warnings in/).waitFor();
});

test("what cannot be shown says why: no such session, no such page, an unreachable server", async ({
  server,
}) => {
  const s = await server();
  const page = await signIn(s);
  await goto(page, s, "/sessions/never-was");
  await page.getByText("There is no such session").waitFor();
  await goto(page, s, "/sessions");
  await page.getByText("No sessions yet").waitFor();
  await page.context().route("**/api/v1/sessions?**", (r) => r.abort());
  await goto(page, s, "/sessions?project=x");
  await page.getByText("The server cannot be reached.").waitFor();
  await page.context().unroute("**/api/v1/sessions?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No session matches").waitFor();
});

test("the theme is chosen, kept over a reload, and applied before anything is drawn", async ({
  server,
}) => {
  const s = await server();
  const page = await signIn(s);
  await goto(page, s, "/settings/appearance");
  await page.getByRole("button", { name: "Dark" }).click();
  await page.reload();
  assert.equal(
    await page.evaluate(() => document.documentElement.dataset.theme),
    "dark",
  );
  await page.getByRole("button", { name: "As the system" }).click();
  await page.reload();
  assert.equal(
    await page.evaluate(() => document.documentElement.dataset.theme),
    undefined,
  );
});

test("on a phone everything is reached with a thumb", async ({ server }) => {
  const s = await server();
  const { one } = await branched(s);
  const page = await signIn(s, {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  await goto(page, s, "/sessions");
  await page.locator(".list a.row").first().tap();
  await page.getByRole("article").getByText("has a version now.").waitFor();
  await page.getByRole("tab", { name: "Tree" }).tap();
  await page.getByRole("region", { name: "Tree" }).getByText("head").waitFor();
  await page.getByRole("tab", { name: "Sessions" }).tap();
  await page.locator(".list a.row").first().waitFor();
  await page.getByRole("link", { name: "Cost" }).tap();
  await page.getByRole("heading", { name: "Cost" }).waitFor();
  const wide = await page.evaluate(
    () => document.documentElement.scrollWidth <= innerWidth,
  );
  assert.ok(wide, "nothing is wider than the screen");
  void one;
});
