// axe in a page: what it finds wrong, as lines of text.
import fs from "node:fs";
import path from "node:path";
import { root } from "./lib.mjs";

export const axeSource = fs.readFileSync(
  path.join(root, "web/node_modules/axe-core/axe.min.js"),
  "utf8",
);

export async function violations(page) {
  return page.evaluate(async () => {
    const r = await window.axe.run(document, { resultTypes: ["violations"] });
    return r.violations.map(
      (v) =>
        `${v.id}: ${v.nodes
          .slice(0, 3)
          .map((n) => n.html.slice(0, 160))
          .join(" | ")}`,
    );
  });
}
