// Accessibility: axe finds nothing on any view, in light and dark, on a phone, a tablet and a desk.
import assert from "node:assert/strict";
import { axeSource, violations } from "./axe.mjs";
import {
  demo,
  goto,
  openEverything,
  sideBySide,
  signIn,
  test,
  until,
} from "./lib.mjs";

async function fill(s) {
  const one = await s.session({
    title: "Prices are stale",
    project: "/srv/shop",
  });
  const call = {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    used: { input: 100, output: 20, cost_nano_usd: 14200000 },
    status: "ok",
    duration_ms: 900,
  };
  const { ids } = await s.append(one, [["user", "Why? See `cache.c`."]]);
  await s.append(
    one,
    [
      {
        role: "assistant",
        by_call: true,
        parts: [
          { type: "reasoning", text: "hm" },
          {
            type: "text",
            text: "| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n```c\nint x = 1; /* note */\n```\n\n[link](https://example.com)",
          },
          {
            type: "tool_use",
            id: "t1",
            name: "Bash",
            input: { command: "make" },
          },
          {
            type: "tool_use",
            id: "t2",
            name: "Edit",
            input: {
              file_path: "a.c",
              old_string: "int a;",
              new_string: "int b;",
            },
          },
        ],
      },
    ],
    { call },
  );
  await s.append(one, [
    {
      role: "user",
      parts: [
        {
          type: "tool_result",
          tool_use_id: "t1",
          content: "\u001b[31mno\u001b[0m",
          is_error: true,
        },
        { type: "tool_result", tool_use_id: "t2", content: "ok" },
      ],
    },
    ["assistant", "Done."],
  ]);
  await s.append(one, [["user", "another way"]], { at: ids[0] });
  await s.append(one, [["assistant", "Yes."]]);
  await s.api("POST", `/api/v1/sessions/${one.id}/markers`, {
    summary: "sum",
    tokens_before: 900,
  });
  await s.api("PUT", `/api/v1/sessions/${one.id}/labels/${ids[0]}`, {
    label: "start",
  });
  await s.api("PUT", `/api/v1/sessions/${one.id}/todos`, {
    items: [
      { content: "test it", status: "pending", priority: "high" },
      { content: "done", status: "completed", priority: "low" },
    ],
  });
  await s.api("POST", "/api/v1/memories", {
    scope: "session",
    of: one.id,
    content: "tabs",
  });
  await s.session({
    kind: "subagent",
    parent: one.id,
    title: "look it up",
    parent_tool_use_id: "t1",
  });
  const gone = await s.session({ title: "gone" });
  await s.api("DELETE", `/api/v1/sessions/${gone.id}`);
  return one;
}

const sizes = [
  [360, 740],
  [900, 900],
  [1440, 900],
];

test("axe finds nothing on any view, in light and in dark", async ({
  server,
}) => {
  const s = await server();
  const one = await fill(s);
  const all = new Set();
  const views = [
    "/sessions",
    "/sessions?trash=1",
    "/sessions?q=prices",
    "/sessions?q=nothingatall",
    `/sessions/${one.slug}`,
    `/sessions/${one.slug}?panel=context`,
    `/sessions/${one.slug}?panel=info`,
    `/sessions/${one.slug}?view=panel`,
    `/sessions/${one.slug}?find=why`,
    "/sessions/no-such-session",
    `/compare?one=${one.slug}:1.4&other=${one.slug}:2.3`,
    "/compare",
    "/cost",
    "/search?q=prices",
    "/settings/tokens",
    "/settings/storage",
    "/settings/sources",
    "/settings/appearance",
  ];
  await signIn(s);
  await sideBySide(sizes, sizes.length, async ([width, height]) => {
    const page = await signIn(s, {
      viewport: { width, height },
    });
    await page.addInitScript(axeSource);
    for (const view of views) {
      await goto(page, s, view);
      await page.waitForLoadState("networkidle").catch(() => {});
      await page.waitForTimeout(250);
      await openEverything(page);
      await page.waitForTimeout(60);
      for (const v of await violations(page))
        all.add(`${v} (${view}, ${width})`);
    }
    if (width >= 900) {
      await goto(page, s, `/sessions/${one.slug}`);
      await page.getByRole("article").first().waitFor();
      for (const open of [
        () => page.keyboard.press("Control+k"),
        () => page.keyboard.press("?"),
        () => page.keyboard.press("n"),
        () => page.getByRole("button", { name: "Session menu" }).click(),
        () => page.getByRole("button", { name: "List menu" }).click(),
        async () => {
          await page.getByRole("article").first().hover();
          await page.getByRole("button", { name: "More" }).first().click();
          await page.getByRole("menuitem", { name: /Put onto/ }).click();
        },
      ]) {
        await open();
        await page.waitForTimeout(120);
        for (const v of await violations(page))
          all.add(`${v} (open, ${width})`);
        await page.keyboard.press("Escape");
        await page.waitForTimeout(60);
      }
    }
    await page.context().close();
  });
  assert.deepEqual([...all], []);
});

/** Chat, runs and providers: an approval that waits, a queue, a failed run, a model that is gone. */
async function fillChat(s) {
  await until(
    "the provider was asked",
    async () =>
      (await s.api("GET", "/api/v1/providers")).items[0]?.reachable === true,
  );
  const one = await s.session({ title: "Chat", project: "/srv/shop" });
  const turn = (body) =>
    s.api("POST", `/api/v1/sessions/${one.id}/turns`, {
      provider: "demo",
      model: "demo-small",
      ...body,
    });
  const rests = () =>
    until(
      "the session rests",
      async () =>
        (await s.api("GET", `/api/v1/sessions/${one.id}`)).status === "idle",
    );
  await turn({ content: "show some code" });
  await rests();
  await turn({ content: "please fail", servers: ["demo"] });
  await rests();
  await turn({ content: "edit the file, weather in Oslo", servers: ["demo"] });
  await until(
    "an approval",
    async () =>
      (await s.api("GET", "/api/v1/approvals?status=pending")).items.length,
  );
  await turn({ content: "and then this", queue: true });
  await turn({ content: "and that", queue: true });
  const old = await s.session({
    title: "Left behind",
    model_provider: "demo",
    model_name: "demo-old",
  });
  await s.append(old, [["user", "hello"]]);
  const empty = await s.session({
    title: "Empty",
    model_provider: "demo",
    model_name: "demo-old",
  });
  const runs = (await s.api("GET", "/api/v1/runs")).items;
  return { one, old, empty, runs };
}

test("axe finds nothing on chat, runs and providers, in light and in dark", async ({
  server,
}) => {
  // With the alarm above every view.
  const s = await server({
    config: `${demo.config}[agent "free"]\ncommand = true\napprove = allow\n`,
  });
  const { one, old, empty, runs } = await fillChat(s);
  const all = new Set();
  const views = [
    `/sessions/${one.slug}`,
    `/sessions/${old.slug}`,
    `/sessions/${empty.slug}`,
    "/runs",
    ...runs.map((r) => `/runs/${r.id}`),
    "/runs/none",
    "/providers",
  ];
  await signIn(s);
  await sideBySide(sizes, sizes.length, async ([width, height]) => {
    const page = await signIn(s, {
      viewport: { width, height },
    });
    await page.addInitScript(axeSource);
    const look = async (what) => {
      for (const v of await violations(page))
        all.add(`${v} (${what}, ${width})`);
    };
    for (const view of views) {
      await goto(page, s, view);
      await page.waitForTimeout(700);
      await openEverything(page);
      await page.waitForTimeout(100);
      await look(view);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth > innerWidth,
      );
      if (wide) all.add(`scrolls sideways (${view}, ${width})`);
    }
    await goto(page, s, `/sessions/${old.slug}`);
    await page.getByRole("button", { name: "What to do" }).click();
    await page.getByText("Next steps").waitFor();
    await look("readiness");
    await goto(page, s, `/sessions/${one.slug}`);
    await page.getByRole("group", { name: "Approval required" }).waitFor();
    await page.getByText("Auto-approval is on").waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("/");
    await look("commands");
    await page.getByRole("textbox", { name: "Message" }).fill("");
    for (const [what, open] of [
      [
        "tray",
        () => page.getByRole("button", { name: /Approvals: 1/ }).click(),
      ],
      ["models", () => page.getByRole("button", { name: /^Model:/ }).click()],
      ["options", () => page.getByRole("button", { name: "Options" }).click()],
      [
        "agent",
        () => page.getByRole("button", { name: "External Agent" }).click(),
      ],
    ]) {
      await open();
      await page.waitForTimeout(200);
      await look(what);
      await page.keyboard.press("Escape");
      await page.waitForTimeout(60);
    }
    await page.context().close();
  });
  assert.deepEqual([...all], []);
});
