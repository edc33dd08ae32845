// All sessions that are known, each in one signal, so that a row changes wherever it is shown; and the list.
import { batch, computed, effect, signal, type Signal } from "@preact/signals";
import { api, got, message, type Session } from "../api/client";
import { on } from "../api/events";
import { param, place, view } from "../router";

const rows = new Map<string, Signal<Session | undefined>>();

/** The signal of a session; undefined inside until it is known. */
export function known(id: string): Signal<Session | undefined> {
  let row = rows.get(id);
  if (!row) rows.set(id, (row = signal<Session | undefined>(undefined)));
  return row;
}

export function remember(s: Session): void {
  const row = known(s.id);
  if (!row.value || row.value.rev <= s.rev) row.value = s;
}

// ---- the list ----

export interface Filter {
  q?: string;
  project?: string;
  model?: string;
  kind?: string;
  status?: string;
  errors?: string;
  since?: string;
  cost?: string;
  sort?: string;
  trash?: string;
}

const names = ["q", "project", "model", "kind", "status", "errors", "since", "cost", "sort", "trash"] as const;

/** The filters in the address. */
export const filter = computed<Filter>(() => {
  place.value;
  return Object.fromEntries(names.map((n) => [n, param(n)]).filter(([, v]) => v)) as Filter;
});

const filterKey = computed(() => JSON.stringify(filter.value));

export const ids = signal<string[]>([]);
export const total = signal<number | undefined>(undefined);
export const listState = signal<"loading" | "ready" | "failed">("loading");
export const listError = signal("");
export const more = signal<string | undefined>(undefined);
/** Children of listed sessions that are shown below them. */
export const children = signal<Map<string, string[]>>(new Map());

let asked = 0;
let loadingMore = false;

const spans: Record<string, number> = { "1d": 1, "7d": 7, "30d": 30, "90d": 90 };

function query(cursor?: string) {
  const f = filter.peek();
  const order = f.sort === "cost" ? ("cost" as const) : f.sort === "created" ? ("created" as const) : ("modified" as const);
  const words = f.status?.split(",") ?? [];
  const statuses = words.filter((w) => ["busy", "retry", "idle", "archived"].includes(w));
  return {
    limit: 60,
    cursor,
    order,
    count: cursor ? undefined : true,
    project: f.project,
    model_name: f.model,
    kind: (f.kind as "primary" | "subagent" | undefined) ?? ("primary" as const),
    status: statuses.length ? statuses.join(" ") : undefined,
    active: statuses.includes("archived") || f.trash ? undefined : true,
    last_state: words.includes("interrupted") ? ("interrupted" as const) : undefined,
    errors: f.errors ? true : undefined,
    min_cost_usd: f.cost ? f.cost : undefined,
    updated_from: f.since && spans[f.since] ? new Date(Date.now() - spans[f.since]! * 86_400_000).toISOString() : undefined,
    deleted: f.trash ? ("only" as const) : undefined,
    query: undefined,
  };
}

/** Read the list from its beginning. What is shown stays until the answer is there. */
export async function loadList(): Promise<void> {
  const mine = ++asked;
  if (!ids.peek().length) listState.value = "loading";
  try {
    const answer = await got(api.GET("/api/v1/sessions", { params: { query: query() } }));
    if (mine !== asked) return;
    batch(() => {
      answer.items.forEach(remember);
      ids.value = answer.items.map((s) => s.id);
      more.value = answer.next ?? undefined;
      total.value = answer.total ?? answer.total_at_least;
      listState.value = "ready";
      listError.value = "";
    });
    void loadChildren(answer.items);
  } catch (e) {
    if (mine !== asked) return;
    listError.value = message(e);
    listState.value = "failed";
  }
}

export async function loadMore(): Promise<void> {
  if (loadingMore || !more.peek()) return;
  loadingMore = true;
  const mine = asked;
  try {
    const answer = await got(api.GET("/api/v1/sessions", { params: { query: query(more.peek()) } }));
    if (mine !== asked) return;
    batch(() => {
      answer.items.forEach(remember);
      const have = new Set(ids.peek());
      ids.value = [...ids.peek(), ...answer.items.map((s) => s.id).filter((id) => !have.has(id))];
      more.value = answer.next ?? undefined;
    });
    void loadChildren(answer.items);
  } catch {
    // The end of the list offers to try again.
  } finally {
    loadingMore = false;
    // The list was read again meanwhile, and this answer was dropped: ask for the second page again.
    if (mine !== asked) void loadMore();
  }
}

/** Subagents of a session that are shown below it. */
const SHOWN = 5;

/**
 * Subagents are shown below the session that started them. They work at the same time as it does, so one question for
 * all since the oldest row finds those of a whole page.
 */
async function loadChildren(of: Session[]): Promise<void> {
  const oldest = of.map((s) => s.created ?? "").sort()[0];
  if (!oldest || filter.peek().trash || filter.peek().kind) return;
  try {
    const a = await got(
      api.GET("/api/v1/sessions", { params: { query: { kind: "subagent", limit: 500, order: "modified", created_from: oldest } } }),
    );
    const next = new Map(children.peek());
    for (const s of of) next.delete(s.id);
    for (const s of a.items) {
      if (!s.parent) continue;
      remember(s);
      const list = next.get(s.parent) ?? [];
      if (list.length < SHOWN) next.set(s.parent, [s.id, ...list]);
    }
    children.value = next;
  } catch {
    // The list is shown without them.
  }
}

effect(() => {
  filterKey.value;
  if (view.value === "sessions") void loadList();
});

// ---- live ----

let timer: ReturnType<typeof setTimeout> | undefined;

/** The order or the members of the list may have changed: look soon, but not for every event of a busy store. */
function soon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void loadList(), 400);
}

/** A session as it is now, from an event or from the answer to a change: the list follows if its order or members may differ. */
export function update(s: Session): void {
  const before = known(s.id).peek();
  remember(s);
  const first = ids.peek()[0];
  const shown = ids.peek().includes(s.id);
  const moved = before?.modified !== s.modified || before?.status !== s.status || Boolean(before?.deleted) !== Boolean(s.deleted);
  if (!shown && s.kind === "subagent") {
    if (s.parent && ids.peek().includes(s.parent)) soon();
    return;
  }
  if (shown && (!moved || (first === s.id && before?.status === s.status && !s.deleted))) return;
  soon();
}

on("session.created", (e) => update(e["session"] as Session));
on("session.updated", (e) => update(e["session"] as Session));
on("session.deleted", (e) => {
  const s = e["session"] as Session;
  if (s.rev !== undefined) update(s);
  else {
    known(s.id).value = undefined;
    soon();
  }
});
// The stream began after the list was asked for: what happened between the two is seen by asking again.
on("ready", soon);
on("reset", soon);

/** Entries of a session do not send its row; its time and counts are read when it is shown. */
const stale = new Set<string>();
let fetching: ReturnType<typeof setTimeout> | undefined;

function entryEvent(session: string): void {
  if (!ids.peek().includes(session) && !rows.has(session)) {
    soon();
    return;
  }
  stale.add(session);
  fetching ??= setTimeout(() => {
    fetching = undefined;
    const all = [...stale];
    stale.clear();
    for (const id of all.slice(0, 20)) void refresh(id);
  }, 500);
}

export async function refresh(id: string): Promise<void> {
  try {
    update(await got(api.GET("/api/v1/sessions/{id}", { params: { path: { id } } })));
  } catch {
    // Deleted or purged meanwhile: its own event says so.
  }
}

on("message.created", (e) => entryEvent(String(e["session"])));
on("message.updated", (e) => entryEvent(String(e["session"])));
