// The matrix: each tool resumes every session of the corpora that another tool wrote, through a model that refuses what providers refuse. The first request of
// each is compared with `bough context` in the dialect that the tool speaks.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
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

/** The sessions of all files: [{ name, format, store, id }]. A session that several files hold is there once. */
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
      const key = `${file.format} ${s.origin ?? s.id} ${context.count}`;
      if (!context.count || seen.has(key)) continue;
      seen.add(key);
      sessions.push({ name: list.length > 1 ? `${file.name} ${s.number ?? s.slug}` : file.name, format: file.format, store, id: s.id });
    }
  }
  return sessions;
}

/** One cell: "same", or throws with what is wrong. */
export async function cell(bough, session, to, root) {
  const tool = tools[to];
  const w = await makeWorld(root);
  const ours = (...args) => w.run(bough, ["--store", session.store, ...args]);
  try {
    tool.prepare(w);
    const wanted = JSON.parse(await ours("context", session.id, "--dialect", tool.dialect, "--trailing", "--model", "scripted", "--json"));
    const placed = JSON.parse(await ours("resume", session.id, "--in", tool.word, "--project", w.work, "--json"));
    const name = await tool.take(w, placed);
    let failed = "";
    try {
      await tool.resume(w, name);
    } catch (error) {
      failed = error.message;
    }
    const asked = w.model.asked.find((request) => request.text.includes(PROMPT) && !isTitle(request.body));
    must(!asked?.refused, `refused: ${asked?.refused}`);
    must(asked && !failed, `it did not ask: ${failed.slice(-600)}`);
    const wrong = difference(contextUnits(tool.dialect, wanted.messages), requestUnits(tool.dialect, asked.body));
    must(!wrong, wrong);
    return "same";
  } finally {
    w.close();
    if (!process.env.KEEP) rmSync(root, { recursive: true, force: true });
  }
}

// opencode asks for a title with the prompt quoted, and without tools.
const isTitle = (body) => JSON.stringify(body.messages?.[0] ?? "").includes("title generator");

/** Run the cells, two at a time; report(session, tool, result). */
export async function runCells(bough, sessions, word, root, report) {
  const todo = sessions.flatMap((session) => Object.keys(tools).map((to) => ({ session, to })))
    .filter(({ session, to }) => session.format !== to && `${to} ${session.name}`.includes(word));
  let n = 0;
  const worker = async () => {
    for (let job; (job = todo.shift()); ) {
      const folder = join(root, `cell-${n++}`);
      mkdirSync(folder, { recursive: true });
      try {
        report(job.session, job.to, await cell(bough, job.session, job.to, folder));
      } catch (error) {
        report(job.session, job.to, error.message);
      }
    }
  };
  await Promise.all([worker(), worker()]);
}
