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

/** Rows as the server gives them; the 18 rules of C23 for their order are tested in core. */
function activityRows() {
  let n = 0;
  const row = (type, more = {}) => ({
    id: `r${++n}`,
    type,
    status: "completed",
    kind: "",
    title: type,
    detail: "",
    created: `2026-11-17T08:00:${String(n).padStart(2, "0")}.000Z`,
    needs_action: false,
    ...more,
  });
  const tool = (kind, detail, more = {}) =>
    row("tool_call", { kind, title: kind, detail, step: `s${n + 1}`, ...more });
  const stream = (step, kind, preview, size) =>
    row("artifact", { kind, title: kind, step, preview, artifact_size: size });
  const main = [
    row("thinking", { title: "3 agent turns", status: "failed" }),
    tool("shell_exec", "ls -l"),
    tool("git_exec", "status"),
    tool("read_file", "a.txt"),
    tool("list_dir", "src"),
    tool("file_edit", "b.txt"),
    tool("http_request", "https://example.com"),
    tool("shell_exec", "make", { status: "failed", step: "broken" }),
    tool("shell_exec", "sleep", { status: "running" }),
    row("approval", { title: "Approval requested", status: "requested" }),
    row("approval", { title: "Approved", status: "approved" }),
    row("approval", { title: "Rejected", status: "rejected" }),
    row("approval", { title: "Approval cancelled", status: "cancelled" }),
    row("files_changed", { title: "Files changed", detail: "a.txt, b.txt" }),
    row("plan", { title: "Plan", detail: "1. read 2. write" }),
    row("task_run", { title: "Backing task", created: null }),
    row("interrupted", { title: "Interrupted", status: "interrupted" }),
  ];
  const details = [
    stream("broken", "stdout", "compiling\n", 9000),
    stream("broken", "stderr", "", 0),
    stream("other", "stderr", "of another step\n", 16),
    row("changed_files", { title: "Changed files", detail: "a.txt" }),
    row("output", { title: "Output", detail: "on the way" }),
    row("final_answer", { title: "Final answer", detail: "It is **done**." }),
  ];
  const hidden = [row("run_result", { title: "A summary nobody sees" })];
  const timing = {
    queue_ms: 1,
    model_ms: 2,
    tool_ms: 3,
    approval_wait_ms: 4,
    overhead_ms: 5,
    total_ms: 15,
  };
  return {
    items: [...main, ...details, ...hidden],
    main,
    details,
    open: true,
    timing,
    next: null,
  };
}

test("C23: 18 ways in which rows of a run look, on its page and in the transcript", async ({
  server,
}) => {
  const s = await server(demo);
  await ready(s);
  const one = await s.session({ title: "Rows" });
  const run = await turn(s, one, {
    content: "weather in Bergen",
    servers: ["demo"],
  });
  await rests(s, one);
  const page = await signIn(s);
  await page.route("**/api/v1/runs/*/activity*", (route) =>
    route.fulfill({ json: activityRows() }),
  );
  await goto(page, s, `/runs/${run.id}`);
  const list = page.getByRole("list", { name: "Activity" });
  const details = page.getByRole("list", { name: "Details" });
  const line = (of, name) => of.getByRole("button", { name }).first();
  await line(list, /3 agent turns/).waitFor();
  const texts = (of) =>
    of.evaluate((ul) =>
      [...ul.querySelectorAll(":scope > li > button.line")].map((b) =>
        [...b.querySelectorAll(".verb, .what")]
          .map((x) => x.textContent)
          .join(" ")
          .trim(),
      ),
    );
  // 1 order, 2 labels of commands, 3 of git, 4 of reading, 5 of listing, 6 of editing, 7 other tools keep their names
  assert.deepEqual((await texts(list)).slice(0, 8), [
    "3 agent turns",
    "Ran shell ls -l",
    "Ran git status",
    "Read file a.txt",
    "Listed files src",
    "Edited file b.txt",
    "http_request https://example.com",
    "Ran shell make",
  ]);
  // 8 what is superseded or bookkeeping is not drawn
  assert.equal(await page.getByText("A summary nobody sees").count(), 0);
  // 9 the worst turn marks its row, 10 what runs, 11 what waits, 12 what was rejected, 13 what was cut
  for (const [row, mark] of [
    [/3 agent turns/, "Failed"],
    [/sleep/, "Running"],
    [/Approval requested/, "Waiting"],
    [/Rejected/, "Rejected"],
    [/Interrupted/, "Cancelled"],
  ])
    await line(list, row)
      .getByRole("img", { name: mark, includeHidden: true })
      .waitFor();
  // 14 an approved row has no mark, 15 a row without a time shows none
  assert.equal(
    await line(list, /^Approved/)
      .getByRole("img")
      .count(),
    0,
  );
  assert.equal(
    await line(list, /Backing task/)
      .locator("time")
      .innerText(),
    "",
  );
  // 16 details are open here: artifacts with their size, lists of files, output, and the answer as Markdown
  assert.deepEqual(
    (await texts(details)).map((t) => t.split(" ")[0]),
    ["stdout", "stderr", "stderr", "Changed", "Output", "Final"],
  );
  await line(details, /stdout.*8\.8 KB/).waitFor();
  await line(details, /Final answer/).click();
  await details.locator("strong", { hasText: "done" }).waitFor();
  // 17 a failed tool is open, with the streams of its own step, and an empty stderr is said
  const failed = list
    .getByRole("listitem")
    .filter({ hasText: "Ran shellmake" });
  await failed.getByText("compiling").waitFor();
  await failed.getByText("stderr was captured and is empty.").waitFor();
  assert.equal(await failed.getByText("of another step").count(), 0);
  await failed.getByRole("button", { name: "Advanced" }).click();
  await failed.getByText("broken", { exact: true }).waitFor();
  // 18 in the transcript: the same rows, details closed, an empty stderr hidden, the way to the rest
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("button", { name: "Activity" }).first().click();
  await line(list, /Ran shell make/).click();
  await failed.getByText("compiling").waitFor();
  assert.equal(await page.getByText("stderr was captured").count(), 0);
  assert.equal(await details.count(), 0);
  await failed.getByRole("link", { name: "Open task output" }).click();
  await page.waitForURL(new RegExp(`/runs/${run.id}`));
});
