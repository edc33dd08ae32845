// The page of an exported session. Its data is inert text in script elements. An entry's content is parsed when it
// comes into view, and becomes elements by name and text only: nothing of it is read as HTML.
"use strict";
(() => {
  const ROW = 20, GROUP = 40, ALL_AT_ONCE = 400;
  const $ = (id) => document.getElementById(id);
  const session = JSON.parse($("session").textContent);
  const end = JSON.parse($("end").textContent);
  const entries = [], byId = new Map(), kids = new Map(), labels = new Map(end.labels);

  for (const chunk of document.querySelectorAll("script.chunk")) {
    const lines = chunk.textContent.trim().split("\n");
    for (let i = 0; i + 1 < lines.length; i += 2) {
      const e = JSON.parse(lines[i]);
      e.raw = lines[i + 1];
      entries.push(e);
      byId.set(e.id, e);
    }
    chunk.remove();
  }
  for (const e of entries) {
    const up = e.parent !== null && byId.has(e.parent) ? e.parent : "";
    if (!kids.has(up)) kids.set(up, []);
    kids.get(up).push(e);
  }

  function el(name, cls, text) {
    const x = document.createElement(name);
    if (cls) x.className = cls;
    if (text !== undefined) x.textContent = text;
    return x;
  }
  const after = (id) => kids.get(id) || [];

  function newestLeaf(e) {
    for (let next; (next = after(e.id)).length; ) e = next.reduce((a, b) => (b.time >= a.time ? b : a));
    return e;
  }
  function pathTo(e) {
    const out = [];
    for (const seen = new Set(); e && !seen.has(e.id); e = byId.get(e.parent)) {
      seen.add(e.id);
      out.push(e);
    }
    return out.reverse();
  }

  // ---- what is shown ----

  const params = new URLSearchParams(location.search);
  let leaf = byId.get(params.get("leafId")) || byId.get(end.head) || entries[entries.length - 1];
  let target = byId.get(params.get("targetId")) || null;
  if (target && !params.get("leafId")) leaf = newestLeaf(target);
  const called = new Set(), results = new Map(); // of the path: ids of calls; id of a call -> entry with its result

  const isSaid = (e) => e.kind === "message" || e.kind === "custom_message";
  const onlyResults = (e) =>
    e.results && !e.line && !e.calls && !e.more && e.results.every((id) => called.has(id));
  function shown(e, filter) {
    if (filter === "all" || e === leaf || e === target) return true;
    if (e.deleted || e.hidden) return false;
    if (filter === "labeled-only") return labels.has(e.id);
    if (filter === "user-only") return e.kind === "message" && e.role === "user" && Boolean(e.line);
    if (!isSaid(e)) return Boolean(e.line);
    if (onlyResults(e)) return false;
    if (filter === "no-tools") return Boolean(e.line || e.more || e.bad);
    return Boolean(e.line || e.calls || e.results || e.more || e.bad);
  }

  // ---- the tree: only the rows in view are elements ----

  let rows = [], on = new Set();
  function rowsOf(filter) {
    const out = [], stack = after("").map((e) => [e, 0]).reverse();
    while (stack.length) {
      const [e, depth] = stack.pop(), next = after(e.id);
      if (shown(e, filter)) out.push([e, depth]);
      for (let i = next.length - 1; i >= 0; i--) stack.push([next[i], depth + (next.length > 1 ? 1 : 0)]);
    }
    return out;
  }
  function drawRows() {
    const nav = document.querySelector("nav"), tree = $("tree");
    const top = nav.scrollTop - tree.offsetTop;
    const from = Math.max(0, Math.floor(top / ROW) - 20);
    const to = Math.min(rows.length, Math.ceil((top + nav.clientHeight) / ROW) + 20);
    tree.replaceChildren();
    for (let i = from; i < to; i++) {
      const [e, depth] = rows[i], b = el("button", "node");
      const text = (e.role || e.kind) + ": " + (e.line || (e.calls ? "tool" : ""));
      b.classList.toggle("on", on.has(e.id));
      b.classList.toggle("target", e === target);
      b.style.top = i * ROW + "px";
      b.append("  ".repeat(Math.min(depth, 12)) + (on.has(e.id) ? "\u2022 " : "  "));
      if (labels.has(e.id)) b.append(el("span", "label", labels.get(e.id)), " ");
      b.append(text);
      b.title = text;
      b.onclick = () => go(e);
      tree.append(b);
    }
  }

  // ---- Markdown ----

  const names = new Set(
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre hr table thead tbody tr th td em strong del code a".split(" "),
  );
  function node(n) {
    if (typeof n === "string") return document.createTextNode(n);
    const [name, ...rest] = n, x = el(names.has(name) ? name : "span");
    if (name === "ol") x.start = Number(rest.shift()) || 1;
    if (name === "a") {
      const address = String(rest.shift());
      if (/^(https?:\/\/|mailto:)/i.test(address)) {
        x.href = address;
        x.rel = "noopener noreferrer nofollow";
        x.target = "_blank";
      }
    }
    x.append(...rest.map(node));
    return x;
  }
  function markup(md, cls) {
    if (typeof md === "string") return el("div", "text " + cls, md);
    const x = el("div", "markup " + cls);
    x.append(...md.map(node));
    return x;
  }

  // ---- the path ----

  function fold(title, texts, cls) {
    const d = el("details", cls);
    d.append(el("summary", "", title.slice(0, 120)), ...texts.map((t) => el("pre", "", t)));
    return d;
  }
  function resultOf(call) {
    const e = results.get(call);
    return e && JSON.parse(e.raw).parts.find((p) => p.k === "result" && p.call === call);
  }
  function image(p) {
    if (!p.data || !/^image\/(png|jpeg|gif|webp)$/i.test(p.mime))
      return el("div", "facts", "attached: " + (p.name || p.mime));
    const i = el("img");
    i.src = "data:" + p.mime + ";base64," + p.data;
    i.alt = p.name || "image";
    return i;
  }
  function part(p, filter) {
    if (filter === "no-tools" && (p.k === "call" || p.k === "result")) return null;
    if (p.k === "text") return p.md.length ? markup(p.md, "") : null;
    if (p.k === "reasoning") return p.md.length ? markup(p.md, "reasoning") : null;
    if (p.k === "call") {
      const r = resultOf(p.call);
      return fold("\u25b8 " + p.tool + " " + p.input, r ? [p.input, r.output] : [p.input], r && r.failed ? "failed" : "");
    }
    if (p.k === "result") {
      if (called.has(p.call)) return null; // it is shown with its call
      return fold((p.failed ? "failed: " : "result: ") + p.output, [p.output], p.failed ? "failed" : "");
    }
    if (p.k === "file") return image(p);
    return filter === "all" ? fold(p.type, [p.raw]) : null;
  }
  function article(e, filter) {
    const c = JSON.parse(e.raw), a = el("article", "entry"), h = el("div", "about"), link = el("a", "", "#");
    a.dataset.role = e.role || "";
    a.classList.toggle("target", e === target);
    link.href = "?" + new URLSearchParams({ leafId: leaf.id, targetId: e.id });
    h.append(e.deleted ? "deleted" : e.role || e.kind, c.model ? " \u00b7 " + c.model : "");
    h.append(" \u00b7 " + new Date(e.time).toLocaleString() + " ", link, " ");
    if (labels.has(e.id)) h.append(el("span", "label", labels.get(e.id)));
    a.append(h);
    if (c.md) a.append(markup(c.md, ""));
    if (c.raw && filter === "all") a.append(fold(e.kind, [c.raw]));
    for (const p of c.parts || []) {
      const x = part(p, filter);
      if (x) a.append(x);
    }
    return a;
  }

  // Entries of the path are drawn in groups, as they come near. Of a long path, those far away are removed again.
  let watcher;
  function drawPath(path, filter) {
    const main = $("path"), list = path.filter((e) => shown(e, filter)), groups = new Map();
    if (watcher) watcher.disconnect();
    main.replaceChildren();
    if (session.system) main.append(fold("system prompt", [session.system]));
    watcher = new IntersectionObserver(
      (seen) => {
        for (const s of seen) {
          if (s.isIntersecting) fill(s.target);
          else if (list.length > ALL_AT_ONCE) empty(s.target);
        }
      },
      { root: main, rootMargin: "1500px 0px" },
    );
    function fill(g) {
      if (g.firstChild) return;
      g.append(...groups.get(g).map((e) => article(e, filter)));
      g.style.height = "";
    }
    function empty(g) {
      if (!g.firstChild) return;
      g.style.height = g.offsetHeight + "px";
      g.replaceChildren();
    }
    for (let i = 0; i < list.length; i += GROUP) {
      const g = el("section");
      groups.set(g, list.slice(i, i + GROUP));
      g.style.height = groups.get(g).length * 90 + "px";
      main.append(g);
      if (list.length <= ALL_AT_ONCE) fill(g);
      else watcher.observe(g);
    }
    return (e) => {
      for (const [g, some] of groups) if (some.includes(e)) fill(g);
    };
  }

  function draw(scroll) {
    if (!leaf) return;
    const filter = $("filter").value, path = pathTo(leaf);
    on = new Set(path.map((e) => e.id));
    called.clear();
    results.clear();
    for (const e of path) {
      for (const id of e.calls || []) called.add(id);
      for (const id of e.results || []) results.set(id, e);
    }
    rows = rowsOf(filter);
    $("tree").style.height = rows.length * ROW + "px";
    drawRows();
    const reveal = drawPath(path, filter);
    if (!scroll || !target) return;
    reveal(target);
    const show = () => document.querySelector(".entry.target")?.scrollIntoView({ block: "center" });
    show();
    requestAnimationFrame(() => requestAnimationFrame(show));
  }
  function go(e) {
    target = e;
    if (!on.has(e.id)) leaf = newestLeaf(e);
    try {
      history.replaceState(null, "", "?" + new URLSearchParams({ leafId: leaf.id, targetId: e.id }));
    } catch (_) {
      // a page without an address
    }
    draw(true);
  }

  document.title = session.title || "Session";
  $("title").textContent = session.title;
  $("facts").textContent = [
    session.project,
    session.model,
    new Date(session.created).toLocaleString(),
    session.messages + " messages",
    session.input + " in, " + session.output + " out, USD " + session.cost,
  ]
    .filter(Boolean)
    .join(" \u00b7 ");
  $("filter").onchange = () => draw(false);
  document.querySelector("nav").onscroll = drawRows;
  window.onresize = drawRows;
  draw(true);
})();
