// A gateway in a process of its own: `bough serve` over a new store, with two providers that are the scripted upstream, and a token. And what its store holds.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeWorld, must } from "../tools.mjs";
import { startUpstream } from "./upstream.mjs";

const provider = (name, kind, url) => `[provider "${name}"]\nkind = ${kind}\nbase_url = ${url}/v1\nallow_private = yes\nkey_env = SCRIPTED_KEY\nmodels = scripted\n`;

function firstLine(stream) {
  return new Promise((done, fail) => {
    let text = "";
    stream.on("data", (piece) => {
      text += piece;
      if (text.includes("\n")) done(text.split("\n")[0]);
    });
    stream.on("end", () => fail(new Error(`the server ended: ${text}`)));
  });
}

/** A gateway below `root`: { ...world, store, up, url, token, ours(...), sessions(), path(id), whole(id), close() }. */
export async function startGateway(bough, root) {
  const up = await startUpstream();
  const w = await makeWorld(root);
  const store = join(root, "store.db");
  const ours = (...args) => w.run(bough, ["--store", store, ...args]);
  const lines = async (...args) => (await ours(...args)).trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));

  mkdirSync(join(w.home, ".config/bough"), { recursive: true });
  writeFileSync(join(w.home, ".config/bough/config.ini"), provider("open", "openai", up.url) + provider("claude", "anthropic", up.url));
  const token = (await ours("token", "create", "clients", "--scopes", "gateway")).trim();
  const server = spawn(bough, ["--store", store, "serve", "--json", "--quiet", "--socket", join(root, "s"), "--listen", "127.0.0.1:0"],
    { cwd: w.work, env: { ...w.env, SCRIPTED_KEY: "sk-of-the-provider" }, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  server.stderr.on("data", (piece) => (log += piece));
  const url = JSON.parse(await firstLine(server.stdout)).listening.find((address) => address.startsWith("http://"));

  return {
    ...w, store, up, url: url.replace(/\/$/, ""), token, ours, log: () => log,
    /** All sessions, oldest first. */
    async sessions() {
      const found = await lines("ls", "--json", "--include-subagents", "--limit", "100").catch((error) => {
        if (error.message.includes("no sessions")) return [];
        throw error;
      });
      return found.sort((a, b) => a.number - b.number);
    },
    /** The messages on the session's path, each in one line. */
    path: async (id) => (await lines("show", id, "--json")).filter((e) => e.kind === "message").map(said),
    /** All that the session has, in any branch: { messages, calls }. */
    async whole(id) {
      let of;
      const all = (await lines("export", id)).filter((line) => (of = line.type === "session" ? line.id : of) === id); // others are its relatives
      return { messages: all.filter((line) => line.type === "entry" && line.kind === "message" && !line.deleted), calls: all.filter((line) => line.type === "call") };
    },
    async close() {
      up.close();
      w.close();
      server.kill();
      await new Promise((gone) => (server.exitCode === null ? server.once("exit", gone) : gone()));
      const found = await ours("fsck");
      must(found.startsWith("0 errors"), `fsck: ${found}`);
      must(!log.includes(token) && !log.includes("sk-of-the-provider"), "a key is in the log");
    },
  };
}

// A part in a word or two: its text, its call, its result.
function shown(part, role) {
  const call = part.function ?? part;
  switch (part.type) {
    case "thinking": return `(${part.thinking})`;
    case "reasoning": return `(${part.text ?? part.summary.map((s) => s.text).join()})`;
    case "function": case "function_call": return `call ${call.name} ${JSON.stringify(JSON.parse(call.arguments))}`;
    case "tool_use": return `call ${part.name} ${JSON.stringify(part.input)}`;
    case "tool_result": return `result ${typeof part.content === "string" ? part.content : part.content.map((c) => c.text).join()}`;
    case "function_call_output": return `result ${typeof part.output === "string" ? part.output : part.output.map((c) => c.text).join()}`;
    default: return role === "tool" ? `result ${part.text}` : (part.text ?? JSON.stringify(part));
  }
}

/** A message in one line; results are a tool's, whatever role their wire gives them. */
export function said({ role, parts }) {
  const who = parts.length && parts.every((part) => part.type === "tool_result") ? "tool" : role;
  return `${who}: ${parts.map((part) => shown(part, role)).join(" + ")}`;
}
