// The web page in a real browser against the real program: a server with a store of its own, a browser that is signed
// in, and requests as the owner. A test finds things by what a person sees: roles and names.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  "../..",
);
const { chromium } = await import(
  path.join(root, "web/node_modules/playwright-core/index.mjs")
);
export const program =
  process.env.BOUGH ?? path.join(root, "build/debug/bough");

/** Slow machines and sanitizers get more time. No test asserts a time. */
export const patience = Number(process.env.PATIENCE ?? 20_000);

export function bough(store, args, input) {
  const r = spawnSync(program, ["--store", store, ...args], {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (r.status !== 0)
    throw new Error(`bough ${args.join(" ")}: ${r.stderr || r.stdout}`);
  return r.stdout;
}

/** A server over a store in a folder of its own. */
export class Server {
  static async start(options = {}) {
    const s = new Server();
    s.dir = fs.mkdtempSync(path.join(os.tmpdir(), "bough-web-"));
    s.store = options.store ?? path.join(s.dir, "store.db");
    s.config = path.join(s.dir, "config");
    if (options.config) {
      fs.mkdirSync(path.join(s.config, "bough"), { recursive: true });
      fs.writeFileSync(path.join(s.config, "bough/config.ini"), options.config);
    }
    s.token = bough(s.store, [
      "token",
      "create",
      "test",
      "--scopes",
      "all",
      "--json",
    ]);
    s.token = JSON.parse(s.token).secret ?? JSON.parse(s.token).token;
    await s.run(0);
    return s;
  }

  /** Start the program. The port is kept over a restart. */
  async run(port) {
    this.child = spawn(
      program,
      [
        "--store",
        this.store,
        "serve",
        "--http",
        "--port",
        String(port),
        "--socket",
        path.join(this.dir, "sock"),
        "--quiet",
        "--json",
      ],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, XDG_CONFIG_HOME: this.config },
      },
    );
    this.errors = "";
    this.child.stderr.on("data", (d) => (this.errors += d));
    const line = await new Promise((done, fail) => {
      let text = "";
      this.child.stdout.on("data", (d) => {
        text += d;
        if (text.includes("\n")) done(text);
      });
      this.child.on("exit", (code) =>
        fail(new Error(`the server ended with ${code}: ${this.errors}`)),
      );
    });
    const said = JSON.parse(line);
    this.url = said.listening.find((u) => u.startsWith("http://127"));
    this.port = Number(new URL(this.url).port);
    this.link = said.link;
  }

  async kill(signal = "SIGKILL") {
    const gone = new Promise((done) => this.child.on("exit", done));
    this.child.kill(signal);
    await gone;
  }

  async restart(signal) {
    await this.kill(signal);
    await this.run(this.port);
  }

  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null)
      await this.kill("SIGTERM");
    const report = bough(this.store, ["fsck"]);
    if (!/: 0 errors|^0 errors|no errors|clean|0 errors/.test(report))
      throw new Error(`fsck: ${report}`);
    fs.rmSync(this.dir, { recursive: true, force: true });
    if (
      /ERROR: AddressSanitizer|runtime error:|WARNING: ThreadSanitizer/.test(
        this.errors,
      )
    )
      throw new Error(this.errors);
  }

  /** A request with all rights. Throws unless it succeeds. */
  async api(method, target, body, headers = {}) {
    const r = await fetch(this.url + target, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body:
        body === undefined
          ? undefined
          : typeof body === "string"
            ? body
            : JSON.stringify(body),
    });
    const text = await r.text();
    if (!r.ok) throw new Error(`${method} ${target}: ${r.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  async session(fields = {}) {
    return this.api("POST", "/api/v1/sessions", fields);
  }

  /** Append entries; `entries` is a list of [role, text] or of entries. */
  async append(session, entries, more = {}) {
    return this.api("POST", `/api/v1/sessions/${session.id}/entries`, {
      entries: entries.map((e) =>
        Array.isArray(e) ? { role: e[0], text: e[1] } : e,
      ),
      ...more,
    });
  }
}

/** A server with the demo provider: chat, tools and approvals without a key and without a network. */
export const demo = { config: '[provider "demo"]\nkind = demo\n' };

let browser;

export async function openBrowser() {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  return browser;
}

export async function closeBrowser() {
  await browser?.close();
}

/** What a page did that no page may do. */
const problems = [];

export function takeProblems() {
  return problems.splice(0);
}

/** A window of a person who is signed in. */
export async function signIn(server, options = {}) {
  const b = await openBrowser();
  const state = server.state;
  const context = await b.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    storageState: state,
    ...options,
  });
  context.setDefaultTimeout(patience);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: server.url,
  });
  const page = await context.newPage();
  watch(page, options);
  if (!state) {
    await page.goto(server.link);
    await page.waitForLoadState();
    server.state = await context.storageState();
  }
  return page;
}

/** Errors of scripts and violations of the policy fail the test. */
export function watch(page, options = {}) {
  page.on("pageerror", (e) =>
    problems.push(`error in the page: ${e.stack ?? e.message}`),
  );
  page.on("console", (m) => {
    const text = m.text();
    if (
      /Content.Security.Policy|Trusted Type|TrustedHTML|TrustedScript/i.test(
        text,
      )
    )
      problems.push(`policy: ${text}`);
    else if (
      m.type() === "error" &&
      !/Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE|net::/.test(text)
    )
      problems.push(`console: ${text}`);
  });
  page.on("dialog", (d) => {
    problems.push(`a dialog opened: ${d.message()}`);
    void d.dismiss();
  });
  if (options.offline) return;
}

export async function goto(page, server, target) {
  await page.goto(server.url + target);
}

/** Go elsewhere in the page that is open, as its links do: quicker than loading it again. */
export async function visit(page, target) {
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, target);
}

/** Open all that is folded: tool lines, thoughts, summaries, details. */
export async function openEverything(page) {
  await page.evaluate(() => {
    for (const el of document.querySelectorAll(
      "button.line, button.fold, details > summary, button.ctx-line, .banner .link",
    )) {
      if (
        el.getAttribute("aria-expanded") !== "true" &&
        !el.closest("details[open]")
      )
        el.click();
    }
  });
}

// ---- tests ----

const tests = [];

export function test(name, run) {
  tests.push({ name, run, file: currentFile });
}

let currentFile = "";

/** Run all files whose name or tests contain the word. */
export async function runAll(files, only) {
  for (const f of files) {
    currentFile = path.basename(f, ".mjs");
    await import(f);
  }
  const chosen = tests.filter(
    (t) => !only || t.name.includes(only) || t.file === only,
  );
  let passed = 0;
  let failed = 0;
  let n = 0;
  console.log(`1..${chosen.length}`);
  for (const t of chosen) {
    n++;
    const name = t.name.replaceAll(" ", "_");
    const servers = [];
    const tools = {
      server: async (options) => {
        const s = await Server.start(options);
        servers.push(s);
        return s;
      },
    };
    let error;
    try {
      await withLimit(t.run(tools), patience * 15);
    } catch (e) {
      error = e;
    }
    for (const context of browser?.contexts() ?? []) {
      if (error && process.env.SHOTS) await shotOf(context, name);
      await context.close();
    }
    for (const s of servers) {
      try {
        await s.stop();
      } catch (e) {
        error ??= e;
      }
    }
    const found = takeProblems();
    if (!error && found.length) error = new Error(found.join("\n"));
    if (error) {
      failed++;
      console.log(`not ok ${n} - ${name}`);
      console.log(
        String(error.stack ?? error)
          .split("\n")
          .slice(0, 12)
          .map((l) => `# ${l}`)
          .join("\n"),
      );
    } else {
      passed++;
      console.log(`ok ${n} - ${name}`);
    }
  }
  await closeBrowser();
  console.log(`# web: ${passed} passed, ${failed} failed, 0 skipped`);
  return failed ? 1 : 0;
}

async function shotOf(context, name) {
  fs.mkdirSync(process.env.SHOTS, { recursive: true });
  for (const [i, page] of context.pages().entries())
    await page
      .screenshot({
        path: path.join(process.env.SHOTS, `${name.slice(0, 80)}-${i}.png`),
      })
      .catch(() => {});
}

function withLimit(work, ms) {
  let timer;
  const limit = new Promise(
    (_, fail) =>
      (timer = setTimeout(
        () => fail(new Error(`hangs: not done after ${ms / 1000} s`)),
        ms,
      )),
  );
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** Do something with each item, a few at a time: pages mostly wait. */
export async function sideBySide(items, atOnce, act) {
  const left = [...items.entries()];
  const worker = async () => {
    for (let next; (next = left.shift());) await act(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Wait until a condition holds. */
export async function until(what, condition) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not seen: ${what}`);
    await new Promise((r) => setTimeout(r, 50));
  }
}
