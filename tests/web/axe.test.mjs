// Accessibility: axe finds nothing on any view, in light and dark, on a phone, a tablet and a desk.
import assert from "node:assert/strict";
import { axeSource, violations } from "./axe.mjs";
import { goto, openEverything, sideBySide, signIn, test } from "./lib.mjs";

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

for (const scheme of ["light", "dark"]) {
  test(`axe finds nothing on any view in ${scheme}`, async ({ server }) => {
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
        colorScheme: scheme,
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
}
