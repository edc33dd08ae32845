// Runs and providers: lists, the page of a run, what can be done with one; how providers are, and tests of them.
import assert from "node:assert/strict";
import { demo, goto, signIn, test, until } from "./lib.mjs";

async function turn(s, session, body) {
  const t = await s.api("POST", `/api/v1/sessions/${session.id}/turns`, {
    provider: "demo",
    model: "demo-small",
    ...body,
  });
  return t.run;
}

const rests = (s, session) =>
  until(
    "the session rests",
    async () =>
      (await s.api("GET", `/api/v1/sessions/${session.id}`)).status === "idle",
  );

/** A server just started has not asked its providers yet. */
const ready = (s) =>
  until(
    "the provider was asked",
    async () =>
      (await s.api("GET", "/api/v1/providers")).items[0]?.reachable === true,
  );

test("runs are listed with state, duration and session, and follow what happens", async ({
  server,
}) => {
  const s = await server(demo);
  await ready(s);
  const one = await s.session({ title: "Errands" });
  await turn(s, one, { content: "hello" });
  await rests(s, one);
  const page = await signIn(s);
  await goto(page, s, "/runs");
  const first = page.getByRole("row", { name: /Run 1 Errands/ });
  await first.getByText("Completed").waitFor();
  await first.getByText("Tools off").waitFor();
  const run = await turn(s, one, {
    content: "edit the file",
    servers: ["demo"],
  });
  const second = page.getByRole("row", { name: /Run 2 Errands/ });
  await second.getByText("Awaiting approval").waitFor();
  await s.api("POST", `/api/v1/runs/${run.id}/cancel`, {});
  await second.getByText("Cancelled").waitFor();
  await page.getByRole("button", { name: "Failed" }).click();
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();
  await page.getByRole("button", { name: "All" }).click();
  await second.getByRole("link").click();
  await page.getByRole("heading", { name: /Run 2/ }).waitFor();
  await page.goBack();
  await first.waitFor();
});

test("a run's page shows its activity, details, advanced facts and where the time went", async ({
  server,
}) => {
  const s = await server(demo);
  await ready(s);
  const one = await s.session({ title: "Weather" });
  const run = await turn(s, one, {
    content: "weather in Bergen",
    servers: ["demo"],
  });
  await rests(s, one);
  const page = await signIn(s);
  await goto(page, s, `/runs/${run.id}`);
  const rows = page.getByRole("list", { name: "Activity" });
  await rows.getByRole("button", { name: /Thinking/ }).waitFor();
  await rows.getByRole("button", { name: /Completed/ }).waitFor();
  // Details are open here: the final answer is among them.
  await page
    .getByRole("list", { name: "Details" })
    .getByRole("button", { name: /Final answer/ })
    .waitFor();
  const tool = rows.getByRole("button", { name: /demo_weather/ });
  await tool.click();
  await rows.getByRole("button", { name: "Advanced" }).click();
  await rows.getByText('{"city":"Bergen"}').waitFor();
  await rows.getByText(/^01.*\.0002$/).waitFor();
  const side = page.getByRole("complementary", { name: "Facts" });
  await side.getByText("agent, tools on").waitFor();
  await side.getByText("2 of 32").waitFor();
  await side.getByText("approval", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open session" }).click();
  await page
    .getByRole("article", { name: /^You/ })
    .getByText("weather in Bergen")
    .waitFor();
  // The same rows in the transcript, with details closed.
  await page.getByRole("button", { name: "Activity" }).first().click();
  await page
    .getByRole("list", { name: "Activity" })
    .getByRole("button", { name: /demo_weather/ })
    .waitFor();
  assert.equal(await page.getByRole("list", { name: "Details" }).count(), 0);
});

test("a run can be cancelled, resumed and retried from its page", async ({
  server,
}) => {
  const s = await server(demo);
  await ready(s);
  const one = await s.session({ title: "Again" });
  const run = await turn(s, one, {
    content: "edit the file",
    servers: ["demo"],
  });
  const page = await signIn(s);
  await goto(page, s, `/runs/${run.id}`);
  await page.getByRole("group", { name: "Approval required" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("heading", { name: /Run 2/ }).waitFor();
  await page.getByText("resumes this run").waitFor();
  await page.getByRole("button", { name: "Approvals: none waiting" }).waitFor();
  await rests(s, one);
  // The first one again: its prompt is asked for a second time, and so is the approval.
  await goto(page, s, `/runs/${run.id}`);
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  await page.getByRole("heading", { name: /Run 3/ }).waitFor();
  await page.getByText("retries this run").waitFor();
  await page
    .getByRole("group", { name: "Approval required" })
    .getByRole("button", { name: "Approve once" })
    .click();
  await page
    .getByRole("list", { name: "Activity" })
    .getByRole("button", { name: /Completed/ })
    .waitFor();
  await rests(s, one);
});

test("a run is retried from one of its turns: what came before stands, what came after is a branch", async ({
  server,
}) => {
  const s = await server(demo);
  await ready(s);
  const one = await s.session({ title: "From here" });
  const run = await turn(s, one, {
    content: "weather in Bergen",
    servers: ["demo"],
  });
  await rests(s, one);
  const before = await s.api("GET", `/api/v1/sessions/${one.id}`);
  const page = await signIn(s);
  await goto(page, s, `/runs/${run.id}`);
  await page.getByRole("button", { name: "retry from here: turn 2" }).click();
  await page.getByRole("heading", { name: /Run 2/ }).waitFor();
  await page.getByText("retries this run").waitFor();
  await rests(s, one);
  const after = await s.api("GET", `/api/v1/sessions/${one.id}`);
  assert.notEqual(after.head.split(".")[0], before.head.split(".")[0]);
  const { items } = await s.api(
    "GET",
    `/api/v1/sessions/${one.id}/entries?view=true`,
  );
  // The call and its result are those of the first run; only the answer is new.
  assert.equal(items.filter((e) => e.at.startsWith("#1.")).length, 3);
  assert.match(
    items
      .at(-1)
      .view.map((v) => v.text ?? "")
      .join(),
    /Bergen/,
  );
});

test("a run that is not there is said to be missing", async ({ server }) => {
  const s = await server(demo);
  const page = await signIn(s);
  await goto(page, s, "/runs/01M7PYN7KVG00000FG00002S62");
  await page.getByRole("heading", { name: "There is no such run" }).waitFor();
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();
});

test("providers say how they are, are refreshed and tested; budgets say what is left", async ({
  server,
}) => {
  const s = await server({
    config:
      demo.config +
      '[provider "far"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:9/v1\nallow_private = yes\n' +
      '[provider "keyless"]\nkind = openai\nkey_env = NO_SUCH_KEY\n',
  });
  await s.api("PUT", "/api/v1/budgets", {
    scope: "store",
    window: "month",
    cap_usd: 50,
  });
  const page = await signIn(s);
  await goto(page, s, "/providers");
  const one = page.getByRole("region", { name: "Provider demo" });
  await until("asked", async () => {
    if (await one.getByText("Ready").count()) return true;
    await one.getByRole("button", { name: "Refresh" }).click();
    return false;
  });
  await one.getByText("2 models").waitFor();
  await one.getByText("128k context").first().waitFor();
  await one.getByRole("button", { name: "Test" }).click();
  await page.getByRole("menuitem", { name: "demo-small" }).click();
  await one.getByText(/demo-small answered in \d+ ms/).waitFor();
  const far = page.getByRole("region", { name: "Provider far" });
  await far.getByRole("button", { name: "Refresh" }).click();
  await far.getByText("Not reachable", { exact: true }).waitFor();
  await far.getByText("Next steps").waitFor();
  await page
    .getByRole("region", { name: "Provider keyless" })
    .getByText("No key", { exact: true })
    .waitFor();
  const budgets = page.getByRole("region", { name: "Budgets" });
  await budgets.getByRole("cell", { name: "$50.00" }).first().waitFor();
});
