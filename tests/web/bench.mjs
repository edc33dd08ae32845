// Figures of the web page, in one run of a real browser: build/bench-web.json. A figure is {name, value, unit, goal, better, pass}.
//   scripts/web node tests/web/bench.mjs [WORD]   only figures whose name contains the word
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import {
  closeBrowser,
  goto,
  openBrowser,
  openEverything,
  root,
  Server,
  signIn,
  takeProblems,
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

/** Frames while the wheel turns for ten seconds, up through 100,000 messages. */
async function scrolling(page, s, one) {
  await goto(page, s, `/sessions/${one.slug}`);
  await page.getByRole("article").last().waitFor();
  await page.evaluate(() => {
    window.__frames = [];
    let last = performance.now();
    const tick = (now) => {
      window.__frames.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
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
  ["xss_executed", attacks],
  ["axe_violations", access],
]) {
  if (only && !word.includes(only)) continue;
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
