// The branches of the open session and what hangs on them: labels, compactions, forks, subagents.
import { computed, effect, signal } from "@preact/signals";
import { api, got, type Session } from "../api/client";
import { on } from "../api/events";
import { spawned } from "../parts/subagent";
import { split } from "./path";
import { session } from "./session";

type Answer = Awaited<ReturnType<typeof fetchOutline>>;
export type Branch = Answer["branches"][number];
export type Mark = Answer["marks"][number];

export interface Outline {
  session: string;
  branches: Map<number, Branch>;
  /** Branches by the entry they hang on: "#1.4". */
  byBase: Map<string, Branch[]>;
  /** Marks by the entry they stand on. */
  byEntry: Map<string, Mark[]>;
  marks: Mark[];
  head: string | null;
  /** Some branches were left out. */
  cut: boolean;
}

const MOST_PAGES = 5;

async function fetchOutline(id: string, cursor?: string) {
  return got(api.GET("/api/v1/sessions/{id}/outline", { params: { path: { id }, query: { limit: 10_000, cursor } } }));
}

export const outline = signal<Outline | undefined>(undefined);
export const outlineError = signal("");
let asked = 0;

async function load(id: string): Promise<void> {
  const mine = ++asked;
  try {
    const branches: Branch[] = [];
    const marks: Mark[] = [];
    let head: string | null = null;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const a = await fetchOutline(id, cursor);
      if (mine !== asked) return;
      branches.push(...a.branches);
      marks.push(...a.marks);
      head = a.head ?? null;
      cursor = a.next ?? undefined;
      if (!cursor) break;
    }
    outline.value = index(id, branches, marks, head, Boolean(cursor));
    outlineError.value = "";
  } catch (e) {
    if (mine === asked) outlineError.value = e instanceof Error ? e.message : String(e);
  }
}

function index(id: string, branches: Branch[], marks: Mark[], head: string | null, cut: boolean): Outline {
  const byBase = new Map<string, Branch[]>();
  const byEntry = new Map<string, Mark[]>();
  for (const b of branches) add(byBase, b.base ?? "", b);
  for (const m of marks) add(byEntry, m.at ?? "", m);
  return { session: id, branches: new Map(branches.map((b) => [b.branch, b])), byBase, byEntry, marks, head, cut };
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const current = computed(() => session.value?.id);

effect(() => {
  const id = current.value;
  outline.value = undefined;
  if (id) void load(id);
});

let timer: ReturnType<typeof setTimeout> | undefined;
function soon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => current.peek() && void load(current.peek()!), 500);
}

on("session.updated", (e) => (e["session"] as Session | undefined)?.id === current.peek() && soon());
on("session.created", (e) => (e["session"] as Session | undefined)?.parent === current.peek() && soon());
on("message.created", (e) => e["session"] === current.peek() && soon());
on("entry.created", (e) => e["session"] === current.peek() && soon());
on("ready", soon);
on("reset", soon);

export function reloadOutline(): void {
  const id = current.peek();
  if (id) void load(id);
}

// ---- children ----

async function loadSpawned(id: string): Promise<void> {
  try {
    const a = await got(api.GET("/api/v1/sessions/{id}/children", { params: { path: { id }, query: { limit: 1000 } } }));
    if (id !== current.peek()) return;
    spawned.value = new Map(a.items.filter((s) => s.parent_tool_use_id).map((s) => [s.parent_tool_use_id!, s]));
  } catch {
    // Without them the calls are shown as other calls are.
  }
}

effect(() => {
  const id = current.value;
  spawned.value = new Map();
  if (id) void loadSpawned(id);
});

on("session.created", (e) => {
  const s = e["session"] as Session | undefined;
  if (s?.parent && s.parent === current.peek()) void loadSpawned(s.parent);
});

// ---- colours ----

/** The branches on the path to a place, and up to which depth each is on it. */
export function pathTo(o: Outline, at: string | null | undefined): Map<number, number> {
  const out = new Map<number, number>();
  let [branch, depth] = split(at);
  while (branch && !out.has(branch)) {
    out.set(branch, depth);
    const b = o.branches.get(branch);
    if (!b?.base) break;
    [branch, depth] = split(b.base);
  }
  return out;
}

/** lane-1 for what leads to the head, then one of five by the branch's number: position tells the rest. */
export function laneOf(o: Outline | undefined, branch: number, depth: number): number {
  if (!o) return 1;
  const upTo = pathToHead(o).get(branch);
  if (upTo !== undefined && depth <= upTo) return 1;
  return 2 + (branch % 5);
}

const cache = new WeakMap<Outline, Map<number, number>>();
function pathToHead(o: Outline): Map<number, number> {
  let m = cache.get(o);
  if (!m) cache.set(o, (m = pathTo(o, o.head)));
  return m;
}

/** What a branch is called: its label, the first thing said on it. */
export function branchName(o: Outline, b: Branch): string {
  for (const m of o.byEntry.get(`#${b.branch}.${b.tip}`) ?? []) if (m.kind === "label") return m.text;
  return b.preview || `Branch ${b.branch}`;
}
