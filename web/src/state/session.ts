// The session that is open: its row, its path, its outline, labels and children. All of it follows the address.
import { computed, effect, signal } from "@preact/signals";
import { api, ApiError, got, message, type Session } from "../api/client";
import { on } from "../api/events";
import { param, sessionName } from "../router";
import { Path } from "./path";
import { known, remember } from "./sessions";

export type Loading = "loading" | "ready" | "missing" | "gone" | "failed";

export const state = signal<Loading>("loading");
export const error = signal("");
const id = signal<string | undefined>(undefined);

/** The open session; its row is the one that the list shows, too. */
export const session = computed<Session | undefined>(() => (id.value ? known(id.value).value : undefined));

/** The path that is shown: to the head, or to the entry that the address names with `at`. */
export const path = signal<Path | undefined>(undefined);

let asked = 0;

async function open(name: string): Promise<void> {
  const mine = ++asked;
  const have = session.peek();
  if (have && (have.slug === name || have.id === name)) return;
  state.value = "loading";
  id.value = undefined;
  try {
    const s = await got(api.GET("/api/v1/sessions/{id}", { params: { path: { id: name } } }));
    if (mine !== asked) return;
    remember(s);
    id.value = s.id;
    state.value = "ready";
  } catch (e) {
    if (mine !== asked) return;
    error.value = message(e);
    const status = e instanceof ApiError ? e.status : 0;
    state.value = status === 404 ? "missing" : status === 410 ? "gone" : "failed";
  }
}

effect(() => {
  const name = sessionName.value;
  if (name) void open(name);
  else {
    asked++;
    id.value = undefined;
  }
});

const at = computed(() => (param("at") ? `#${param("at")}` : undefined));

effect(() => {
  const session = id.value;
  const to = at.value;
  const old = path.peek();
  if (old && old.session === session && old.at === to) return;
  old?.close();
  path.value = session ? new Path(session, to) : undefined;
});

// A head that moved to another branch shows another path.
on("session.updated", (e) => {
  const s = e["session"] as Session | undefined;
  const p = path.peek();
  if (s && p && !p.at && s.id === p.session && e["what"] === "head") p.reload();
});

export function retry(): void {
  const name = sessionName.value;
  id.value = undefined;
  if (name) void open(name);
}
