// Runs and approvals that are known. Events bring changes; a session that is opened is asked for its runs.
import { computed, signal, type Signal } from "@preact/signals";
import { api, got, type Approval, type Run } from "../api/client";
import { on } from "../api/events";
import { session } from "./session";

const rows = new Map<string, Signal<Run | undefined>>();
/** Runs of a session, newest first. */
const lists = new Map<string, Signal<string[]>>();

export function knownRun(id: string): Signal<Run | undefined> {
  let row = rows.get(id);
  if (!row) rows.set(id, (row = signal<Run | undefined>(undefined)));
  return row;
}

export function runsOf(session: string): Signal<string[]> {
  let list = lists.get(session);
  if (!list) lists.set(session, (list = signal<string[]>([])));
  return list;
}

export const ended = (r: Run): boolean => r.status === "completed" || r.status === "failed" || r.status === "cancelled";

export function rememberRun(r: Run): void {
  const row = knownRun(r.id);
  const old = row.peek();
  // What has ended does not change again: an older answer may come late.
  if (old && ended(old) && !ended(r)) return;
  row.value = r;
  const list = runsOf(r.session);
  if (!list.peek().includes(r.id)) {
    list.value = [...list.peek(), r.id].sort((a, b) => (knownRun(b).peek()?.number ?? 0) - (knownRun(a).peek()?.number ?? 0));
  }
}

/** The run that has the session now; undefined: it is not busy with one. */
export function liveRun(session: string): Run | undefined {
  for (const id of runsOf(session).value) {
    const r = knownRun(id).value;
    if (r && !ended(r)) return r;
  }
  return undefined;
}

export async function loadRuns(id: string): Promise<void> {
  try {
    const a = await got(api.GET("/api/v1/sessions/{id}/runs", { params: { path: { id }, query: { limit: 100 } } }));
    a.items.forEach(rememberRun);
  } catch {
    // A server without runs: the session is shown without them.
  }
}

export async function loadRun(id: string): Promise<Run> {
  const r = await got(api.GET("/api/v1/runs/{run}", { params: { path: { run: id } } }));
  rememberRun(r);
  return r;
}

/** Raised with every change of a run: pages of activities read it. */
export const runChanges = signal(0);
on("run", (e) => {
  const r = e["run"] as Run;
  rememberRun(r);
  // Approvals end with their run.
  if (ended(r) && approvals.peek().some((a) => a.run === r.id)) approvals.value = approvals.peek().filter((a) => a.run !== r.id);
  runChanges.value++;
});

// ---- approvals ----

export const approvals = signal<Approval[]>([]);
export const waiting = computed(() => approvals.value.filter((a) => a.status === "pending"));

export function rememberApproval(a: Approval): void {
  const rest = approvals.peek().filter((x) => x.id !== a.id);
  approvals.value = a.status === "pending" ? [...rest, a].sort((x, y) => (x.id < y.id ? -1 : 1)) : rest;
}

export async function loadApprovals(): Promise<void> {
  try {
    approvals.value = (await got(api.GET("/api/v1/approvals", { params: { query: { status: "pending", limit: 200 } } }))).items;
  } catch {
    // Denied, or a server without runs.
  }
}

on("approval", (e) => {
  rememberApproval(e["approval"] as Approval);
  runChanges.value++;
});

function again(): void {
  void loadApprovals();
  const s = session.peek();
  if (s) void loadRuns(s.id);
}
on("ready", again);
on("reset", again);
