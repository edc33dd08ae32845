// The matrix: each tool resumes every session of the corpora that another tool wrote, through a model that refuses what providers refuse. The first request of
// each is compared with `bough context` in the dialect that the tool speaks.
import { copyFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { contextUnits, difference, requestUnits } from "./compare.mjs";
import { makeWorld, must, PROMPT, tools } from "./tools.mjs";

const folders = { "pi-": "pi", "claude-code-": "claude-code", "codex-": "codex", "opencode-": "opencode", "ai-": "ai-sdk" };
const skipped = /expected|manifest|\.model\.json$|events\.jsonl$|session-list|messages-content|\.sse$|storage\/(message|part|project|todo|session_diff|migration)/;

function* filesBelow(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

/** The files of the corpora, each with the format of its tool. */
export function corpusFiles(corpora) {
  return readdirSync(corpora).sort().flatMap((folder) => {
    const format = Object.entries(folders).find(([prefix]) => folder.startsWith(prefix))?.[1];
    if (!format) return [];
    return [...filesBelow(join(corpora, folder))].filter((path) => !skipped.test(path) && /\.(jsonl?|db)$/.test(path))
      .map((path) => ({ path, format, name: relative(corpora, path) }));
  });
}

const shorter = (name) => name.replace(/storage\/session\/\w+\//, "storage/");

/** The sessions of all files: [{ name, format, store, id }]. What says the same to a model is there once; what says nothing is not. */
export async function importAll(world, bough, corpora, root) {
  const sessions = [], seen = new Set();
  for (const file of corpusFiles(corpora)) {
    const store = join(root, `${file.name.replace(/\W+/g, "-")}.db`);
    const ours = (...args) => world.run(bough, ["--store", store, ...args]);
    try {
      await ours("import", "--json", "--yes", "--project", world.work, file.path);
    } catch {
      continue; // a file with nothing in it
    }
    const list = (await ours("ls", "--json", "--include-subagents", "--limit", "100")).trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
    for (const s of list) {
      const context = JSON.parse(await ours("context", s.id, "--dialect", "openai-chat", "--trailing", "--json"));
      const key = `${file.format} ${JSON.stringify(context.messages)}`;
      if (!context.count || seen.has(key)) continue;
      seen.add(key);
      sessions.push({ name: `${shorter(file.name)}${list.length > 1 ? ` ${s.number}` : ""}`, format: file.format, store, id: s.id });
    }
  }
  return sessions;
}

/** One cell: says what came back, or throws with what is wrong. */
export async function cell(bough, session, to, root) {
  const tool = tools[to];
  const w = await makeWorld(root);
  const store = join(root, "store.db");
  const ours = (...args) => w.run(bough, ["--store", store, ...args]);
  try {
    tool.prepare(w);
    copyFileSync(session.store, store); // two cells may have the same session
    const wanted = JSON.parse(await ours("context", session.id, "--dialect", tool.dialect, "--trailing", "--model", "scripted", "--json"));
    const placed = JSON.parse(await ours("resume", session.id, "--in", tool.word, "--project", w.work, "--json"));
    const name = await tool.take(w, placed);
    must(await tool.listed(w, name), "the tool does not list it");
    let failed = "";
    try {
      await tool.resume(w, name);
    } catch (error) {
      failed = error.message;
    }
    const asked = w.model.asked.find((request) => request.text.includes(PROMPT) && !isTitle(request.body));
    must(!asked?.refused, `a provider would refuse it: ${asked?.refused}`);
    must(asked && !failed, `it did not ask: ${failed.slice(-600)}`);
    const units = contextUnits(tool.dialect, wanted.messages);
    const wrong = difference(units, requestUnits(tool.dialect, asked.body));
    must(!wrong, wrong);
    return `${units.length} units as in the context, ${await comesBack(w, ours, session, await tool.back(w, name))}`;
  } finally {
    w.close();
    if (!process.env.KEEP) rmSync(root, { recursive: true, force: true });
  }
}

// What the tool added is in the session, once, and nothing else is.
async function comesBack(w, ours, session, file) {
  const count = async () => JSON.parse((await ours("ls", "--json", "--include-subagents", "--limit", "200")).trim().split("\n").find((line) => line.includes(session.id))).messages;
  const before = await count();
  const back = JSON.parse((await ours("import", "--json", "--yes", "--project", w.work, file)).split("\n")[0]);
  const added = (await count()) - before;
  must(back.session === session.id, `what the tool added is in another session: ${JSON.stringify(back)}`);
  must(!back.problems.length, `problems: ${JSON.stringify(back.problems)}`);
  must(added >= 2 && added <= 6, `${added} messages came back, not the prompt, the answer and what Codex says before a turn`);
  must((await ours("fsck")).startsWith("0 errors"), "fsck finds something");
  return `${added} messages came back`;
}

// opencode asks for a title with the prompt quoted, and without tools.
const isTitle = (body) => JSON.stringify(body.messages?.[0] ?? "").includes("title generator");

/** Run the jobs, two at a time. */
export async function inTwos(jobs, run) {
  let next = 0;
  const worker = async () => {
    while (next < jobs.length) {
      const i = next++;
      await run(jobs[i], i);
    }
  };
  await Promise.all([worker(), worker()]);
}
