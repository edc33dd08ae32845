// Text of a transcript never becomes script: payloads through every place where content is shown.
import assert from "node:assert/strict";
import http from "node:http";
import fs from "node:fs";
import os from "node:os";
import {
  goto,
  openEverything,
  root,
  signIn,
  test,
  until,
  visit,
} from "./lib.mjs";
import { inspect, payloads, plant } from "./payloads.mjs";

async function clean(page, where) {
  const found = await inspect(page);
  assert.deepEqual(found, [], `${where}: ${found.join("; ")}`);
}

/** So high that no row of a session is left out. */
async function victim(s) {
  const page = await signIn(s, { viewport: { width: 1440, height: 6000 } });
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
  await goto(page, s, "/sessions");
  for (const [i, p] of payloads.entries()) {
    const { session: one, last, at } = await plant(s, p, i);
    for (const panel of ["tree", "context", "info"]) {
      await visit(
        page,
        `/sessions/${one.slug}?panel=${panel}&at=${at}&details=1`,
      );
      await page.locator(`[data-entry="${last}"]`).waitFor();
      assert.ok((await page.locator("button.line").count()) >= 4); // its tools
      await page.waitForTimeout(panel === "context" ? 150 : 30);
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
  for (const [i, p] of payloads.entries()) all.push(await plant(s, p, i));
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
  for (const { session: one, at, head } of all.slice(0, 12))
    views.push(`/compare?one=${one.slug}:${at}&other=${one.slug}:${head}`);
  await goto(page, s, "/sessions");
  for (const view of views) {
    await visit(page, view);
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

/** A provider that answers with a payload in every place: models, thoughts, texts, arguments of tools. */
async function evilProvider(list) {
  let at = 0;
  const server = http.createServer(async (req, res) => {
    let body = "";
    for await (const piece of req) body += piece;
    if (req.url.endsWith("/models")) {
      res.end(
        JSON.stringify({ data: list.slice(0, 20).map((id) => ({ id })) }),
      );
      return;
    }
    const asked = JSON.parse(body);
    const last = asked.messages.at(-1);
    const p = list[at % list.length];
    const call = (i, name, args) => ({
      index: i,
      id: `c${at}_${i}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    });
    const deltas = [
      { role: "assistant", reasoning_content: p },
      { content: p },
    ];
    if (last.role === "user" && asked.tools)
      deltas.push({
        tool_calls: [
          call(0, "demo_weather", { city: p.slice(0, 90) }),
          call(1, "demo_edit", { path: p.slice(0, 190) || "x", content: p }),
          call(2, "no_such_tool", { text: p }),
        ],
      });
    at++;
    res.setHeader("content-type", "text/event-stream");
    for (const delta of deltas)
      res.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`,
      );
    const finish = deltas.length > 2 ? "tool_calls" : "stop";
    res.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

test("no payload runs in chat, approvals, the queue, runs and providers", async ({
  server,
}) => {
  const texts = payloads.filter((p) => p.trim() && !p.includes("\u0000"));
  const evil = await evilProvider(texts);
  try {
    const s = await server({
      config: `[provider "evil"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:${evil.address().port}/v1\nallow_private = yes\nmodels = m *\n`,
    });
    await s.api("POST", "/api/v1/providers/evil/refresh");
    const page = await victim(s);
    const made = [];
    for (const p of texts) {
      const one = await s.session({ title: p.slice(0, 200) });
      const turn = (more) =>
        s.api("POST", `/api/v1/sessions/${one.id}/turns`, {
          content: p,
          provider: "evil",
          model: "m",
          system_prompt: p,
          ...more,
        });
      const { run, user } = await turn({ servers: ["demo"] });
      await turn({ queue: true });
      made.push({ one, run, user });
    }
    await until(
      "approvals",
      async () =>
        (await s.api("GET", "/api/v1/approvals?status=pending&limit=200")).items
          .length >= texts.length,
    );
    await goto(page, s, "/sessions");
    for (const [i, { one, run, user }] of made.entries()) {
      await visit(page, `/sessions/${one.slug}`);
      await page.locator(`[data-entry="${user}"]`).waitFor();
      await page
        .getByRole("group", { name: "Approval required" })
        .first()
        .waitFor();
      await openEverything(page);
      await page.waitForTimeout(30);
      await clean(page, `chat, payload ${i} ${JSON.stringify(texts[i])}`);
      if (i % 4) continue; // the same renderer: every fourth is enough
      await visit(page, `/runs/${run.id}`);
      await page.getByRole("list", { name: "Activity" }).waitFor();
      await openEverything(page);
      await openEverything(page);
      await page.waitForTimeout(30);
      await clean(page, `run, payload ${i} ${JSON.stringify(texts[i])}`);
    }
    await page.getByRole("button", { name: /^Approvals: \d+ waiting/ }).click();
    await page.getByRole("dialog", { name: "Approvals" }).waitFor();
    await page.waitForTimeout(500);
    await clean(page, "tray");
    for (const view of ["/runs", "/providers"]) {
      await goto(page, s, view);
      await page.getByRole("main").waitFor();
      await page.waitForTimeout(500);
      await clean(page, view);
    }
    // Rejected and answered: the results and the final texts are shown, too.
    for (const { run } of made)
      await s
        .api("POST", `/api/v1/runs/${run.id}/cancel`, {})
        .catch(() => undefined);
  } finally {
    evil.close();
  }
});

test("no payload runs in titles, output, diffs, plans, options and approvals of an external agent", async ({
  server,
}) => {
  const texts = payloads.filter((p) => p.trim() && !p.includes("\u0000"));
  const work = fs.realpathSync(fs.mkdtempSync(`${os.tmpdir()}/bough-evil-`));
  const file = `${work}/texts.json`;
  fs.writeFileSync(file, JSON.stringify(texts));
  const s = await server({
    config: `[workspaces]\nroot = ${work}\n[agent "evil"]\ncommand = node ${root}/tests/fakes/acp-agent.mjs\nset = FAKE_TEXTS=${file}\n`,
  });
  const one = await s.session({ title: "Evil agent" });
  const { run } = await s.api("POST", `/api/v1/sessions/${one.id}/turns`, {
    content: "[s:evil]",
    runtime: "external",
    adapter: "evil",
    workspace: work,
  });
  const waiting = async () =>
    (
      await s.api(
        "GET",
        `/api/v1/approvals?status=pending&run=${run.id}&limit=200`,
      )
    ).items;
  await until(
    "approvals",
    async () => (await waiting()).length === Math.min(texts.length, 32), // at most 32 wait at once
  );
  const page = await victim(s);
  // All payloads are in one message and in the rows of one run.
  for (const view of [`/sessions/${one.slug}?details=1`, `/runs/${run.id}`]) {
    await goto(page, s, view);
    await page
      .getByRole("group", { name: "Approval required" })
      .first()
      .waitFor();
    await openEverything(page);
    await openEverything(page);
    await page.waitForTimeout(300);
    await clean(page, view);
  }
  await page.getByRole("button", { name: /^Approvals: \d+ waiting/ }).click();
  await page.getByRole("dialog", { name: "Approvals" }).waitFor();
  await page.waitForTimeout(300);
  await clean(page, "tray");
  await s.api("POST", `/api/v1/runs/${run.id}/cancel`, {});
  await until(
    "the run ends",
    async () =>
      (await s.api("GET", `/api/v1/runs/${run.id}`)).status === "cancelled",
  );
  fs.rmSync(work, { recursive: true });
});
