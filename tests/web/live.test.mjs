// Windows that are open all day: they agree with each other, and survive the server.
import assert from "node:assert/strict";
import { goto, signIn, test, until } from "./lib.mjs";

test("two windows show the same thing: titles, labels, todos, new messages", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Shared" });
  await s.append(one, [
    ["user", "hello"],
    ["assistant", "hi"],
  ]);
  const a = await signIn(s);
  await goto(a, s, `/sessions/${one.slug}?panel=info`);
  const b = await signIn(s);
  await goto(b, s, `/sessions/${one.slug}?panel=info`);
  await b.getByRole("article").first().waitFor();
  await a.getByRole("button", { name: "Session menu" }).click();
  await a.getByRole("menuitem", { name: "Rename" }).click();
  await a.getByRole("textbox", { name: "Title" }).fill("Shared and renamed");
  await a.getByRole("button", { name: "Rename" }).click();
  await b
    .getByRole("heading", { name: "Shared and renamed" })
    .first()
    .waitFor();
  await a.getByRole("button", { name: "Add a todo" }).click();
  await a
    .getByRole("textbox", { name: "What is to be done" })
    .fill("write the test");
  await a.getByRole("button", { name: "Add", exact: true }).click();
  await b.getByText("write the test").waitFor();
  await b.getByRole("button", { name: /pending: change/ }).click();
  await a.getByRole("button", { name: /in progress: change/ }).waitFor();
  await s.append(one, [["user", "from a program"]]);
  await a.getByRole("article").getByText("from a program").waitFor();
  await b.getByRole("article").getByText("from a program").waitFor();
});

test("the server is killed and comes back: nothing on the screen is lost, and what was missed appears", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Killed" });
  await s.append(one, [["user", "before"]]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").getByText("before").waitFor();
  await s.kill();
  await page.getByText("Connection lost, trying again").waitFor();
  assert.equal(await page.getByRole("article").getByText("before").count(), 1);
  await s.run(s.port);
  await s.append(one, [["assistant", "while you were away"]]);
  await page.getByRole("article").getByText("while you were away").waitFor();
  await until(
    "the note goes",
    async () => (await page.getByText("Connection lost").count()) === 0,
  );
  // Still signed in: a restart signs nobody out.
  await page.reload();
  await page.getByRole("article").getByText("while you were away").waitFor();
});

test("one event stream a tab, and no view asks again and again", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Quiet" });
  await s.append(one, [["user", "hello"]]);
  const page = await signIn(s);
  let streams = 0;
  const asked = [];
  page.on("request", (r) =>
    r.url().includes("/api/v1/events") ? streams++ : asked.push(r.url()),
  );
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").first().waitFor();
  await page.waitForTimeout(1500);
  assert.equal(streams, 1);
  const before = asked.length;
  await page.waitForTimeout(3000);
  assert.deepEqual(asked.slice(before), []);
});

test("a browser that is not signed in is told how to sign in", async ({
  server,
}) => {
  const s = await server();
  const page = await signIn(s);
  await page.context().clearCookies();
  await goto(page, s, "/sessions");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByText("bough serve --http").waitFor();
});

test("a session that is busy elsewhere shows it, in the list and in its bar", async ({
  server,
}) => {
  const s = await server();
  const one = await s.session({ title: "Working" });
  await s.append(one, [["user", "go"]]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").first().waitFor();
  await s.api("PUT", `/api/v1/sessions/${one.id}/status`, {
    status: "busy",
    owner: "worker",
    lease_ms: 60000,
  });
  await page.getByRole("img", { name: "Busy" }).first().waitFor();
  await s.api("PUT", `/api/v1/sessions/${one.id}/status`, {
    status: "idle",
    owner: "worker",
  });
  await until(
    "it rests",
    async () => (await page.getByRole("img", { name: "Busy" }).count()) === 0,
  );
});
