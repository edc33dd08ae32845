// The list of sessions: search, filters, several at once, trash, import, live.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { goto, root, signIn, test, until } from "./lib.mjs";

const list = (page) => page.getByRole("region", { name: "List of sessions" });
const row = (page, name) => page.locator(".list").getByRole("link", { name });

test("rows show title, project, model, messages, cost and time, subagents below their parent", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({
    title: "Prices are stale",
    project: "/srv/pricing-api",
  });
  await s.append(one, [{ role: "user", text: "why" }]);
  await s.append(one, [{ role: "assistant", text: "because", by_call: true }], {
    call: {
      provider: "anthropic",
      model: "claude-sonnet-4-5-20250929",
      used: { input: 10, output: 5, cost_nano_usd: 410000000 },
      status: "ok",
    },
  });
  await s.session({
    kind: "subagent",
    parent: one.id,
    title: "Trace every writer",
  });
  await s.api("POST", `/api/v1/sessions/${one.id}/fork`, {
    title: "Another way",
  });
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  const r = row(page, /Prices are stale/);
  await r.waitFor();
  const text = await r.innerText();
  for (const part of ["now", "pricing-api · sonnet-4.5", "2 · $0.41"])
    assert.ok(text.includes(part), `${part} in ${text}`);
  await row(page, /Trace every writer/).waitFor();
  await row(page, /Another way/).waitFor();
  await page.getByRole("heading", { name: "Today" }).waitFor();
});

test("search finds as one types, marks the words and opens at the hit", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Redis" });
  const many = Array.from({ length: 200 }, (_, i) => [
    i % 2 ? "assistant" : "user",
    i === 40 ? "dial tcp: connection refused by the proxy" : `noise ${i}`,
  ]);
  await s.append(one, many);
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await page.keyboard.press("/");
  await page
    .getByRole("searchbox", { name: "Search all text" })
    .pressSequentially("connection refused", { delay: 15 });
  const hit = page.getByRole("link", {
    name: /connection refused by the proxy/,
  });
  await hit.waitFor();
  assert.deepEqual(await hit.locator("mark").allTextContents(), [
    "connection",
    "refused",
  ]);
  assert.match(page.url(), /q=connection\+refused/);
  await hit.click();
  await page
    .getByRole("article")
    .getByText("connection refused by the proxy")
    .waitFor();
  await page.goBack();
  await hit.waitFor();
});

test("filters are in the address and survive a reload", async ({ server }) => {
  const s = await server();
  const shop = await s.session({ title: "In the shop", project: "/srv/shop" });
  await s.append(shop, [
    ["user", "x"],
    { role: "assistant", text: "no", error: { message: "boom" } },
  ]);
  const lab = await s.session({ title: "In the lab", project: "/srv/lab" });
  await s.append(lab, [
    ["user", "y"],
    ["assistant", "fine"],
  ]);
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await row(page, /In the lab/).waitFor();
  await page.getByRole("button", { name: "Project" }).click();
  await page.getByRole("menuitemradio", { name: /shop/ }).click();
  await until(
    "only the shop",
    async () => (await row(page, /In the lab/).count()) === 0,
  );
  await row(page, /In the shop/).waitFor();
  await page.reload();
  await row(page, /In the shop/).waitFor();
  assert.equal(await row(page, /In the lab/).count(), 0);
  await page.getByRole("button", { name: /Project: shop. Remove/ }).click();
  await row(page, /In the lab/).waitFor();
  await page.getByRole("button", { name: "Errors" }).click();
  await until(
    "only the failed one",
    async () => (await row(page, /In the lab/).count()) === 0,
  );
  await row(page, /In the shop/).waitFor();
  await page.goBack();
  await row(page, /In the lab/).waitFor();
});

test("several sessions are archived, deleted and restored at once", async ({
  server,
}) => {
  const s = await server();
  for (const t of ["one", "two", "three"])
    await s.session({ title: `Number ${t}` });
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await row(page, /Number one/).waitFor();
  await page.getByRole("button", { name: "List menu" }).click();
  await page.getByRole("menuitem", { name: "Select several" }).click();
  await page.getByRole("checkbox", { name: "Select Number one" }).check();
  await page.getByRole("checkbox", { name: "Select Number two" }).check();
  await page.getByText("2 selected").waitFor();
  await page
    .getByRole("toolbar", { name: "Selected sessions" })
    .getByRole("button", { name: "Delete" })
    .click();
  // The pointer on it keeps the way back.
  await page.getByText("2 sessions moved to the trash").hover();
  await until(
    "they are gone",
    async () => (await row(page, /Number one/).count()) === 0,
  );
  await row(page, /Number three/).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await row(page, /Number one/).waitFor();
  await row(page, /Number two/).waitFor();
});

test("the list follows what is done here even while no event arrives", async ({
  server,
}) => {
  const s = await server();
  await s.session({ title: "Stays" });
  await s.session({ title: "Goes" });
  const page = await signIn(s);
  await page.route("**/api/v1/events*", (r) => r.abort());
  await goto(page, s, "/sessions");
  await row(page, /Goes/).waitFor();
  await page.getByRole("button", { name: "List menu" }).click();
  await page.getByRole("menuitem", { name: "Select several" }).click();
  await page.getByRole("checkbox", { name: "Select Goes" }).check();
  await page
    .getByRole("toolbar", { name: "Selected sessions" })
    .getByRole("button", { name: "Delete" })
    .click();
  await until(
    "it is gone",
    async () => (await row(page, /Goes/).count()) === 0,
  );
  await row(page, /Stays/).waitFor();
});

test("what happened after a page was read and before its events began is shown", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Busy" });
  await s.append(one, [["user", "first words"]]);
  const page = await signIn(s);
  await page.route("**/api/v1/events*", async (r) => {
    await page.getByText("first words").first().waitFor();
    await s.append(one, [["assistant", "words between"]]);
    await s.session({ title: "Made between" });
    await r.continue();
  });
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByText("words between").first().waitFor();
  await row(page, /Made between/).waitFor();
});

test("the trash shows what was deleted; a purge says what it keeps, and removes for good", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Old plans" });
  const { ids } = await s.append(one, [
    ["user", "a"],
    ["assistant", "b"],
    ["user", "c"],
  ]);
  await s.api("POST", `/api/v1/sessions/${one.id}/fork`, {
    entry: ids[1],
    title: "A fork that stays",
  });
  await s.api("DELETE", `/api/v1/sessions/${one.id}`);
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await page.getByRole("button", { name: "List menu" }).click();
  await page.getByRole("menuitem", { name: "Trash" }).click();
  await row(page, /Old plans/).click();
  await page.getByText("This session is in the trash.").waitFor();
  await page.getByRole("button", { name: "Purge" }).click();
  const dialog = page.getByRole("dialog", { name: "Purge" });
  await dialog.getByText("2 entries that forks show").waitFor();
  await dialog.getByText("A fork that stays").waitFor();
  await dialog.getByRole("button", { name: "Purge" }).click();
  await until(
    "it is gone",
    async () =>
      (
        await fetch(`${s.url}/api/v1/sessions/${one.id}`, {
          headers: { authorization: `Bearer ${s.token}` },
        })
      ).status === 410,
  );
  await goto(page, s, `/sessions/${one.id}`);
  await page.getByText("This session was purged").waitFor();
});

test("a dropped file is imported with its problems line by line, and opened", async ({
  server,
}) => {
  const s = await server();
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await page.getByText("No sessions yet").waitFor();
  const dir = path.join(root, "tests/data/pi");
  const name = fs.readdirSync(dir).find((f) => f.endsWith(".jsonl"));
  const bytes =
    fs.readFileSync(path.join(dir, name), "utf8") + "this is no JSON\n";
  const data = await page.evaluateHandle(
    ([text, file]) => {
      const d = new DataTransfer();
      d.items.add(new File([text], file, { type: "text/plain" }));
      return d;
    },
    [bytes, name],
  );
  await page.dispatchEvent(".list", "dragover", { dataTransfer: data });
  await page.getByText("Drop to import").waitFor();
  await page.dispatchEvent(".list", "drop", { dataTransfer: data });
  const dialog = page.getByRole("dialog", { name: "Import" });
  await dialog.getByText(/^pi: \d+ entr/).waitFor();
  await dialog.getByText(/^line \d+: /).waitFor();
  await dialog.getByRole("link", { name: "Open" }).click();
  await page.getByRole("article").first().waitFor();
});

test("a file of no known format says so", async ({ server }) => {
  const s = await server();
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await page.getByRole("button", { name: "Import files" }).click();
  await page.getByLabel("Files to import").setInputFiles({
    name: "photo.bin",
    mimeType: "application/octet-stream",
    buffer: Buffer.from([1, 2, 3, 0, 255]),
  });
  await page.getByRole("dialog").getByRole("alert").waitFor();
});

test("the list follows what happens: new sessions come, deleted ones go, the newest is first", async ({
  server,
}) => {
  const s = await server();
  const a = await s.session({ title: "Alpha" });
  await s.append(a, [["user", "x"]]);
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await row(page, /Alpha/).waitFor();
  const b = await s.session({ title: "Beta" });
  await s.append(b, [["user", "x"]]);
  await row(page, /Beta/).waitFor();
  await s.append(a, [["assistant", "y"]]);
  await until("Alpha is first", async () =>
    (await page.locator(".list a.row").first().innerText()).includes("Alpha"),
  );
  await s.api("DELETE", `/api/v1/sessions/${b.id}`);
  await until(
    "Beta is gone",
    async () => (await row(page, /Beta/).count()) === 0,
  );
});

test("a new session is made, renamed and archived from the page", async ({
  server,
}) => {
  const s = await server();
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await page.getByText("No sessions yet").waitFor();
  await page.keyboard.press("n");
  await page.getByRole("textbox", { name: "Title" }).fill("From the page");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing was said yet").waitFor();
  await page.getByRole("button", { name: "Session menu" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await page.getByText("archived", { exact: true }).waitFor();
  const { items } = await s.api("GET", "/api/v1/sessions?archived=true");
  assert.deepEqual(
    items.map((x) => [x.title, x.status]),
    [["From the page", "archived"]],
  );
});

test("a list that is read again while more of it comes goes on", async ({
  server,
}) => {
  const s = await server();
  for (let i = 0; i < 70; i++) await s.session({ title: `Session ${i}` });
  const page = await signIn(s);
  let held = 0;
  await page.route(/\/api\/v1\/sessions\?.*cursor=/, async (route) => {
    if (!held++) {
      // The answer comes after the list was read again for a new session.
      const again = page.waitForResponse(
        /\/api\/v1\/sessions\?(?!.*cursor=).*count=/,
      );
      await s.session({ title: "New" });
      await again;
      await page.waitForTimeout(100);
    }
    await route.continue();
  });
  await goto(page, s, "/sessions");
  await page.getByText("70", { exact: true }).waitFor();
  await list(page).evaluate((el) => (el.scrollTop = el.scrollHeight));
  await until("more of the list", async () => held > 1);
});

test("2,000 sessions are loaded as one scrolls", async ({ server }) => {
  const s = await server();
  await s.session({ title: "The oldest" }); // of those made at once any can be the first
  for (let i = 1; i < 2000; i += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, 2000 - i) }, (_, k) =>
        s.session({ title: `Session ${i + k}` }),
      ),
    );
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await page.getByText("2,000", { exact: true }).waitFor();
  const box = list(page);
  await until("the oldest", async () => {
    await box.evaluate((el) => (el.scrollTop = el.scrollHeight));
    return (await row(page, /^The oldest\b/).count()) > 0;
  });
  assert.ok(
    (await page.locator(".list a.row").count()) < 80,
    "only what is seen is drawn",
  );
});
