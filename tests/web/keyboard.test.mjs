// Everything by keyboard alone.
import assert from "node:assert/strict";
import { goto, signIn, test, until } from "./lib.mjs";

async function talk(s) {
  const one = await s.session({ title: "Keys" });
  await s.append(one, [
    ["user", "first prompt"],
    ["assistant", "first answer"],
    ["user", "second prompt"],
    ["assistant", "second answer"],
  ]);
  const two = await s.session({ title: "Another" });
  await s.append(two, [["user", "elsewhere"]]);
  return one;
}

test("j, k and Enter move through the list and open a session, Escape goes back", async ({
  server,
}) => {
  const s = await server();
  await talk(s);
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await page.locator(".list a.row").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("article").getByText("first prompt").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByText("Choose a session").waitFor();
});

test("keys act on the entry they stand on: label, fork, copy, compare", async ({
  server,
}) => {
  const s = await server();
  const one = await talk(s);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").getByText("second answer").waitFor();
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await until("the focus", async () =>
    (
      await page.evaluate(() => document.activeElement?.textContent ?? "")
    ).includes("second prompt"),
  );
  await page.keyboard.press("y");
  await page.getByText("Copied", { exact: true }).waitFor();
  assert.equal(
    await page.evaluate(() => navigator.clipboard.readText()),
    "second prompt",
  );
  await page.keyboard.press("l");
  await page.getByRole("textbox", { name: "Label" }).fill("here");
  await page.keyboard.press("Enter");
  await page.getByRole("article").getByText("here", { exact: true }).waitFor();
  await page.keyboard.press("f");
  await page.getByRole("dialog", { name: "Fork" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Fork" }).waitFor({ state: "hidden" });
  await page.keyboard.press("?");
  await page
    .getByRole("dialog", { name: "Keyboard shortcuts" })
    .getByText("Label the entry")
    .waitFor();
  await page.keyboard.press("Escape");
});

test("the palette finds sessions, commands and text", async ({ server }) => {
  const s = await server();
  await talk(s);
  const page = await signIn(s);
  await goto(page, s, "/sessions");
  await page.locator(".list a.row").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Keys");
  await page.getByRole("option", { name: /Keys/ }).first().waitFor();
  await until("the session is found", async () =>
    (await page.getByRole("option").first().textContent()).includes("Keys"),
  );
  await page.keyboard.press("Enter");
  await page.getByRole("article").getByText("first prompt").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("elsewhere");
  await page.getByRole("option", { name: /elsewhere.*Another/ }).click();
  await page.getByRole("article").getByText("elsewhere").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("go to cost");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Cost" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.locator(".list a.row").first().waitFor();
});

test("every control is reached by Tab, with a visible focus and a name", async ({
  server,
}) => {
  const s = await server();
  const one = await talk(s);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").first().waitFor();
  const seen = new Set();
  for (let i = 0; i < 90; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const el = document.activeElement;
      if (!el || el === document.body) return null;
      const style = getComputedStyle(el);
      const name =
        el.getAttribute("aria-label") ||
        el.labels?.[0]?.textContent ||
        el.textContent?.trim() ||
        el.getAttribute("placeholder") ||
        "";
      const ring =
        style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
      const wrapped = getComputedStyle(el.parentElement).boxShadow !== "none";
      return { name, ok: ring || wrapped, tag: el.tagName };
    });
    if (!at) break;
    assert.ok(at.name, `a ${at.tag} without a name`);
    assert.ok(at.ok, `${at.name} shows no focus`);
    seen.add(at.name);
  }
  for (const want of [
    "Sessions",
    "Cost",
    "Settings",
    "Search all text",
    "New session",
    "Find in session",
    "Session menu",
    "Tree",
  ]) {
    assert.ok(
      [...seen].some((n) => n.includes(want)),
      `${want} was not reached: ${[...seen].join(", ").slice(0, 600)}`,
    );
  }
});
