// axe in a page: what it finds wrong in light and in dark, as lines of text.
import fs from "node:fs";
import path from "node:path";
import { root } from "./lib.mjs";

export const axeSource = fs.readFileSync(
  path.join(root, "web/node_modules/axe-core/axe.min.js"),
  "utf8",
);

/** The rules whose result depends on colours: all that a dark page can do otherwise than a light one. */
const colours = ["color-contrast", "link-in-text-block"];

async function run(page, rules) {
  return page.evaluate(async (only) => {
    const r = await window.axe.run(document, {
      resultTypes: ["violations"],
      ...(only ? { runOnly: only } : {}),
    });
    return r.violations.map(
      (v) =>
        `${v.id}: ${v.nodes
          .slice(0, 3)
          .map((n) => n.html.slice(0, 160))
          .join(" | ")}`,
    );
  }, rules);
}

export async function violations(page) {
  await page.emulateMedia({ colorScheme: "light" });
  const found = await run(page);
  await page.emulateMedia({ colorScheme: "dark" });
  for (const v of await run(page, colours)) found.push(`in dark, ${v}`);
  return found;
}
