// run.mjs [WORD [FILES]]: the browser tests whose name contains the word, of these files only, or (-NAME) of all but these.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runAll } from "./lib.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const given = (process.argv[3] ?? "").split(" ").filter(Boolean);
const wanted = given.filter((f) => !f.startsWith("-"));
const nameOf = (f) => f.replace(".test.mjs", "");
const files = fs
  .readdirSync(here)
  .filter(
    (f) =>
      f.endsWith(".test.mjs") &&
      (!wanted.length || wanted.includes(nameOf(f))) &&
      !given.includes(`-${nameOf(f)}`),
  )
  .sort()
  .map((f) => path.join(here, f));
process.exit(await runAll(files, process.argv[2]));
