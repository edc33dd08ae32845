// Figures of the web page, in one run of a real browser: build/bench-web.json. A figure is {name, value, unit, goal, better, pass}.
//   scripts/web node tests/web/bench.mjs [WORD]   only figures whose name contains the word
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import zlib from "node:zlib";
import {
  closeBrowser,
  demo,
  goto,
  openBrowser,
  openEverything,
  root,
  Server,
  signIn,
  takeProblems,
  until,
} from "./lib.mjs";
import { payloads, plant, inspect } from "./payloads.mjs";
import { violations, axeSource } from "./axe.mjs";

const only = process.argv[2] ?? "";
const figures = [];

function figure(name, value, unit, better, goal) {
  const pass = better === "less" ? value <= goal : value >= goal;
  figures.push({
    name,
    value: Math.round(value * 1000) / 1000,
    unit,
    goal,
    better,
    pass,
  });
  console.log(
    `${pass ? "ok    " : "MISSED"} ${name.padEnd(36)} ${String(Math.round(value * 100) / 100).padStart(10)}  ${better === "less" ? "<=" : ">="} ${goal} ${unit}`,
  );
}

const median = (list) =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const p99 = (list) =>
  [...list].sort((a, b) => a - b)[
    Math.min(list.length - 1, Math.ceil(list.length * 0.99) - 1)
  ];
const wants = (name) => name.includes(only);

/** Script and style that the first view loads. */
function firstLoad() {
  const dir = path.join(root, "build/web");
  const html = fs.readFileSync(path.join(dir, "index.html"), "utf8");
  const files = [
    "index.html",
    ...[...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
      (m) => m[1],
    ),
  ];
  const bytes = files.reduce(
    (n, f) =>
      n +
      zlib.gzipSync(fs.readFileSync(path.join(dir, f)), { level: 9 }).length,
    0,
  );
  figure("first_load_gzip_kb", bytes / 1024, "KB", "less", 130);
}

async function fillLong(s, title, n) {
  const one = await s.session({ title });
  const text = (i) =>
    `Line ${i}: the cache of the shop is filled by the first tenant that asks, and the key leaves out the tenant.`;
  for (let i = 0; i < n; i += 1000)
    await s.append(
      one,
      Array.from({ length: Math.min(1000, n - i) }, (_, k) => [
        k % 2 ? "assistant" : "user",
        text(i + k + 1),
      ]),
    );
  return one;
}

/** From the address to the first row of the transcript. */
async function opening(page, s, one) {
  await page.goto("about:blank");
  const begin = performance.now();
  await page.goto(`${s.url}/sessions/${one.slug}`, { waitUntil: "commit" });
  await page.getByRole("article").last().waitFor();
  return performance.now() - begin;
}

async function long(s) {
  const small = await fillLong(s, "small", 100);
  const large = await fillLong(s, "large", 100_000);
  const page = await signIn(s);
  const times = { small: [], large: [] };
  for (let i = 0; i < 14; i++) {
    for (const which of i % 2 ? ["small", "large"] : ["large", "small"]) {
      const ms = await opening(page, s, which === "small" ? small : large);
      if (i > 1) times[which].push(ms);
    }
  }
  console.log(
    `# open: 100 messages ${median(times.small).toFixed(0)} ms, 100,000 ${median(times.large).toFixed(0)} ms (medians of 12)`,
  );
  figure(
    "open_100k_tail_vs_open_100",
    median(times.large) / median(times.small),
    "ratio",
    "less",
    1.5,
  );
  await scrolling(page, s, large);
  await page.context().close();
}

/** Keep the time of every frame from now on in window.__frames. */
function watchFrames(page) {
  return page.evaluate(() => {
    window.__frames = [];
    let last = performance.now();
    const tick = (now) => {
      window.__frames.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
}

/** Frames while the wheel turns for ten seconds, up through 100,000 messages. */
async function scrolling(page, s, one) {
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").last().waitFor();
  await watchFrames(page);
  await page.mouse.move(700, 500);
  const end = Date.now() + 10_000;
  for (let i = 0; Date.now() < end; i++) {
    await page.mouse.wheel(0, i % 200 < 150 ? -240 : 240);
    await page.waitForTimeout(16);
  }
  const frames = await page.evaluate(() => window.__frames.slice(2));
  const slow = frames.filter((f) => f > 50).length;
  console.log(
    `# scrolling: ${frames.length} frames, median ${median(frames).toFixed(1)} ms, ${slow} over 50 ms`,
  );
  figure(
    "frames_over_50ms_scrolling",
    (slow / frames.length) * 100,
    "%",
    "less",
    2,
  );
}

async function fillTree(s, title, n) {
  const one = await s.session({ title });
  const { ids } = await s.append(
    one,
    Array.from({ length: 1000 }, (_, k) => [
      k % 2 ? "assistant" : "user",
      `message ${k}`,
    ]),
  );
  for (let i = 0; i < n; i++)
    await s.append(one, [["user", `way ${i}`]], {
      at: ids[i % 999],
      keep_head: true,
    });
  return one;
}

async function trees(s) {
  const small = await fillTree(s, "few ways", 100);
  const large = await fillTree(s, "many ways", 10_000);
  const page = await signIn(s);
  const times = { small: [], large: [] };
  for (let i = 0; i < 10; i++) {
    for (const which of i % 2 ? ["small", "large"] : ["large", "small"]) {
      const one = which === "small" ? small : large;
      await page.goto("about:blank");
      const begin = performance.now();
      await page.goto(`${s.url}/sessions/${one.slug}?panel=tree`, {
        waitUntil: "commit",
      });
      await page
        .getByRole("region", { name: "Tree" })
        .getByText("head")
        .waitFor();
      if (i > 1) times[which].push(performance.now() - begin);
    }
  }
  console.log(
    `# tree: 100 branches ${median(times.small).toFixed(0)} ms, 10,000 ${median(times.large).toFixed(0)} ms (medians of 8)`,
  );
  figure(
    "tree_10000_branches_ms_vs_100",
    median(times.large) / median(times.small),
    "ratio",
    "less",
    3,
  );
  await page.context().close();
}

/** 18,000 events, five a second for an hour, as fast as they come: appends in the open session and in others. */
async function events(s) {
  const one = await s.session({ title: "busy" });
  const others = [];
  for (let i = 0; i < 20; i++)
    others.push(await s.session({ title: `other ${i}` }));
  await s.append(one, [["user", "begin"]]);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").first().waitFor();
  const client = await page.context().newCDPSession(page);
  const heap = async () => {
    for (let i = 0; i < 3; i++)
      await client.send("HeapProfiler.collectGarbage");
    return (await client.send("Runtime.getHeapUsage")).usedSize / 1048576;
  };
  const send = async (n) => {
    for (let i = 0; i < n; i += 50) {
      await Promise.all(
        Array.from({ length: 5 }, (_, k) =>
          s.append(
            k ? others[(i + k) % 20] : one,
            Array.from({ length: 10 }, (_, j) => [
              j % 2 ? "assistant" : "user",
              `event ${i} ${k} ${j}`,
            ]),
          ),
        ),
      );
    }
  };
  await send(1000); // what is loaded once is loaded now
  await page.waitForTimeout(2000);
  const before = await heap();
  await send(18_000);
  await page.waitForTimeout(3000);
  const after = await heap();
  console.log(
    `# heap: ${before.toFixed(1)} MB, then ${after.toFixed(1)} MB after 18,000 events`,
  );
  figure("heap_growth_mb_1h_of_events", after - before, "MB", "less", 20);
  await page.context().close();
}

// ---- chat ----

const TOKENS_PER_SECOND = 100;
const STREAM_SECONDS = 20;

/** A provider that answers with Markdown, a hundred tokens a second. */
async function steadyProvider() {
  const words =
    "The **cache** of the shop keeps `price(tenant, item)` for an hour, and the first tenant that asks fills it. ".match(
      /\S+\s/g,
    );
  const token = (i) =>
    words[i % words.length] +
    (i % 60 === 59 ? "\n\n- a list\n- of two\n\n" : "");
  const server = http.createServer(async (req, res) => {
    if (req.url.endsWith("/models"))
      return res.end(JSON.stringify({ data: [{ id: "steady" }] }));
    for await (const piece of req) void piece;
    res.setHeader("content-type", "text/event-stream");
    const begin = performance.now();
    let sent = 0;
    const all = TOKENS_PER_SECOND * STREAM_SECONDS;
    while (sent < all) {
      const due = Math.min(
        all,
        Math.floor(((performance.now() - begin) / 1000) * TOKENS_PER_SECOND),
      );
      for (; sent < due; sent++)
        res.write(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: token(sent) } }] })}\n\n`,
        );
      await new Promise((r) => setTimeout(r, 5));
    }
    res.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

/** From a key to the frame that shows its letter, in milliseconds, kept in window.__echoes. */
function watchKeys(page) {
  return page.evaluate(() => {
    window.__echoes = [];
    const field = document.querySelector("textarea[aria-label=Message]");
    let pressed = 0;
    field.addEventListener("keydown", (e) => (pressed = e.timeStamp), true);
    field.addEventListener("input", () => {
      const from = pressed;
      requestAnimationFrame(() => {
        const painted = new MessageChannel(); // its message comes after the frame was painted
        painted.port1.onmessage = () =>
          window.__echoes.push(performance.now() - from);
        painted.port2.postMessage(0);
      });
    });
  });
}

/** An answer of 100 tokens a second is streamed into a conversation of 200 messages while a person types. */
async function streaming() {
  const provider = await steadyProvider();
  const s = await Server.start({
    config: `[provider "steady"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:${provider.address().port}/v1\nallow_private = yes\nmodels = steady\n`,
  });
  await s.api("POST", "/api/v1/providers/steady/refresh");
  const one = await fillLong(s, "streaming", 200);
  const page = await signIn(s);
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("button", { name: /^Model: steady/ }).waitFor();
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("go on");
  await field.press("Enter");
  await page.getByText("fills it.").last().waitFor();
  await watchFrames(page);
  await watchKeys(page);
  await field.focus();
  const letters = "what a person types while the answer comes ";
  for (let i = 0; i < (STREAM_SECONDS - 5) * 12; i++) {
    await page.keyboard.press(letters[i % letters.length]);
    await page.waitForTimeout(60);
  }
  const frames = await page.evaluate(() => window.__frames.slice(2));
  const echoes = await page.evaluate(() => window.__echoes);
  const live = await s.api("GET", `/api/v1/sessions/${one.id}`);
  if (live.status !== "busy") throw new Error("the answer ended too early");
  const slow = frames.filter((f) => f > 50).length;
  console.log(
    `# streaming: ${frames.length} frames, median ${median(frames).toFixed(1)} ms, ${slow} over 50 ms; ${echoes.length} keys, median ${median(echoes).toFixed(1)} ms`,
  );
  figure(
    "frames_over_50ms_streaming",
    (slow / frames.length) * 100,
    "%",
    "less",
    1,
  );
  figure("keystroke_to_echo_ms_p99_streaming", p99(echoes), "ms", "less", 50);
  await until(
    "the answer ends",
    async () =>
      (await s.api("GET", `/api/v1/sessions/${one.id}`)).status === "idle",
  );
  await page.context().close();
  await s.stop();
  provider.close();
}

/** From the moment an approval is stored until a second window shows its card. */
async function approvals() {
  const s = await Server.start(demo);
  await until(
    "the provider was asked",
    async () =>
      (await s.api("GET", "/api/v1/providers")).items[0]?.reachable === true,
  );
  const one = await s.session({ title: "approvals" });
  const first = await signIn(s);
  const second = await signIn(s);
  for (const page of [first, second]) {
    await goto(page, s, `/sessions/${one.slug}`);
    await page.getByRole("button", { name: /^Model: demo-small/ }).waitFor();
  }
  await second.evaluate(() => {
    window.__shown = {};
    new MutationObserver(() => {
      for (const el of document.querySelectorAll("[data-approval]"))
        window.__shown[el.dataset.approval] ??= Date.now();
    }).observe(document.body, { childList: true, subtree: true });
  });
  const times = [];
  for (let i = 0; i < 60; i++) {
    const { run } = await s.api("POST", `/api/v1/sessions/${one.id}/turns`, {
      content: "edit the file",
      provider: "demo",
      model: "demo-small",
      servers: ["demo"],
    });
    const asked = await until(
      "an approval",
      async () =>
        (await s.api("GET", `/api/v1/approvals?run=${run.id}`)).items[0],
    );
    const at = await until("its card", () =>
      second.evaluate((id) => window.__shown[id], asked.id),
    );
    if (i > 1) times.push(at - Date.parse(asked.created));
    await s.api("POST", `/api/v1/runs/${run.id}/cancel`, {});
    await until(
      "the session rests",
      async () =>
        (await s.api("GET", `/api/v1/sessions/${one.id}`)).status === "idle",
    );
  }
  console.log(
    `# approvals: ${times.length}, median ${median(times).toFixed(0)} ms until a second window shows one`,
  );
  figure("approval_shown_ms_p99", p99(times), "ms", "less", 300);
  for (const page of [first, second]) await page.context().close();
  await s.stop();
}

async function attacks(s) {
  const page = await signIn(s);
  let ran = 0;
  let places = 0;
  for (const [i, p] of payloads.entries()) {
    const planted = await plant(s, p, i);
    for (const panel of ["tree", "context", "info"]) {
      await goto(
        page,
        s,
        `/sessions/${planted.session.slug}?panel=${panel}&details=1`,
      );
      await page.getByRole("article").first().waitFor();
      await openEverything(page);
      await page.waitForTimeout(30);
      ran += (await inspect(page)).length;
    }
    places += planted.places;
  }
  console.log(`# xss: ${payloads.length} payloads in ${places} places`);
  figure("xss_executed", ran, `of ${places}`, "less", 0);
  await page.context().close();
}

async function access(s) {
  const one = (await s.api("GET", "/api/v1/sessions?limit=1")).items[0];
  let n = 0;
  for (const colorScheme of ["light", "dark"]) {
    const page = await signIn(s, { colorScheme });
    await page.addInitScript(axeSource);
    for (const view of [
      "/sessions",
      `/sessions/${one.slug}`,
      "/cost",
      "/settings/tokens",
      "/search?q=line",
    ]) {
      await goto(page, s, view);
      await page.waitForTimeout(600);
      n += (await violations(page)).length;
    }
    await page.context().close();
  }
  figure("axe_violations", n, "found", "less", 0);
}

await openBrowser();
if (wants("first_load_gzip_kb")) firstLoad();
for (const [word, run] of [
  ["open_100k scrolling frames_over_50ms", long],
  ["tree_10000", trees],
  ["heap_growth", events],
  ["frames_over_50ms_streaming keystroke_to_echo", streaming],
  ["approval_shown", approvals],
  ["xss_executed", attacks],
  ["axe_violations", access],
]) {
  if (only && !word.includes(only)) continue;
  if (run === streaming || run === approvals) {
    await run(); // with a server of their own
    continue;
  }
  const s = await Server.start();
  if (run === access) await fillLong(s, "for axe", 20);
  await run(s);
  await s.stop();
}
await closeBrowser();
for (const p of takeProblems()) console.log(`# ${p}`);
fs.writeFileSync(
  path.join(root, "build/bench-web.json"),
  figures.map((f) => JSON.stringify(f)).join("\n") + "\n",
);
process.exit(figures.every((f) => f.pass) ? 0 : 1);
