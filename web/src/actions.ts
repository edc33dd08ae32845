// What a person does to sessions and entries. Each is one request; the list and the transcript follow the events.
import { signal } from "@preact/signals";
import { actionKey, api, got, message, type Entry, type Session } from "./api/client";
import { go, href, toList, toSession } from "./router";
import { canSend, send } from "./state/composer";
import { split } from "./state/path";
import { path, session } from "./state/session";
import { refresh, update } from "./state/sessions";
import { ask } from "./ui/dialog";

/** A sentence at the bottom, for a moment: what was done, with the way back. Errors stay where they happened. */
export const said = signal<{ text: string; undo?: () => unknown } | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, undo?: () => unknown): void {
  said.value = { text, undo };
  endIn(undo ? 8000 : 3000);
}

function endIn(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => (said.value = undefined), ms);
}

/** The sentence stays while the pointer or the focus is on it. */
export const holdSaid = (): void => clearTimeout(timer);
export const releaseSaid = (): void => endIn(3000);

/** Do it; a failure is said, because the menu that asked for it is closed. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (e) {
    ask({ title: "That did not work", text: message(e), act: "Close", run: () => {} });
  }
}

const at = (id: string) => ({ params: { path: { id } } });

// ---- sessions ----

export function newSession(): void {
  ask({
    title: "New session",
    field: { name: "Title", placeholder: "What is it about?", optional: true },
    act: "Create",
    run: async (title) => {
      const s = await got(
        api.POST("/api/v1/sessions", { body: { title: title.trim() || undefined }, headers: { "Idempotency-Key": actionKey() } }),
      );
      update(s);
      go(href(["sessions", s.slug]));
    },
  });
}

export function rename(s: Session): void {
  ask({
    title: "Rename",
    field: { name: "Title", value: s.title, optional: true },
    act: "Rename",
    run: async (title) => update(await got(api.PATCH("/api/v1/sessions/{id}", { ...at(s.id), body: { title: title.trim() } }))),
  });
}

async function setStatus(s: Session, status: "archived" | "idle"): Promise<void> {
  await api.PUT("/api/v1/sessions/{id}/status", { ...at(s.id), body: { status } });
  await refresh(s.id);
}

export async function archive(list: Session[]): Promise<void> {
  await Promise.all(list.map((s) => setStatus(s, "archived")));
  say(list.length === 1 ? "Archived" : `${list.length} sessions archived`, () => unarchive(list));
}

export async function unarchive(list: Session[]): Promise<void> {
  await Promise.all(list.map((s) => setStatus(s, "idle")));
  say(list.length === 1 ? "No longer archived" : `${list.length} sessions no longer archived`);
}

export async function remove(list: Session[]): Promise<void> {
  for (const s of list) update(await got(api.DELETE("/api/v1/sessions/{id}", at(s.id))));
  if (list.some((s) => s.id === session.value?.id)) go(toList());
  say(list.length === 1 ? "Moved to the trash" : `${list.length} sessions moved to the trash`, () => restore(list));
}

export async function restore(list: Session[]): Promise<void> {
  for (const s of list) update(await got(api.POST("/api/v1/sessions/{id}/restore", at(s.id))));
  say(list.length === 1 ? "Restored" : `${list.length} sessions restored`);
}

export function exportUrl(s: Session, format: string): string {
  return `/api/v1/sessions/${encodeURIComponent(s.id)}/export?format=${encodeURIComponent(format)}`;
}

// ---- branches ----

/** The next message goes behind this entry: a new branch, if something follows it already. */
export async function moveHead(id: string, entry: string): Promise<void> {
  const before = session.value?.head;
  await api.PUT("/api/v1/sessions/{id}/head", { ...at(id), body: { entry } });
  await refresh(id);
  go(toSession(session.value?.slug ?? id));
  path.value?.reload();
  say("The head is here now", before ? () => moveHead(id, before) : undefined);
}

/** Put entries of `from` behind the entry `behind` of a session, or behind its head. Gives the new head. */
export async function putOnto(s: Session, behind: string, from: Session, entries: string[]): Promise<string> {
  const before = s.head;
  const done = await got(
    api.POST("/api/v1/sessions/{id}/pick", { ...at(s.id), body: { entries, from: from.id, ...(behind ? { at: behind } : {}) } }),
  );
  await refresh(s.id);
  say(
    done.ids.length > entries.length ? "Put there, with the results of its tools" : "Put there",
    before ? () => moveHead(s.id, before) : undefined,
  );
  return done.head ?? "";
}

export function fork(s: Session, entry?: string): void {
  ask({
    title: "Fork",
    text: "A new session that shares the history up to this entry. Nothing is copied.",
    field: { name: "Title", value: s.title ? `${s.title}, another way` : "", optional: true },
    act: "Fork",
    run: async (title) => {
      const made = await got(
        api.POST("/api/v1/sessions/{id}/fork", {
          ...at(s.id),
          body: { entry, title: title.trim() || undefined },
          headers: { "Idempotency-Key": actionKey() },
        }),
      );
      update(made);
      go(href(["sessions", made.slug]));
    },
  });
}

/** An edited prompt is a new branch beside the old one. It is sent, if a model is there to answer. */
export function editAndBranch(s: Session, e: Entry, text: string): void {
  const [branch, depth] = split(e.at);
  const resend = canSend(s);
  ask({
    title: resend ? "Edit and resend" : "Edit and branch",
    text: "The edited message begins a new branch beside the old one, and the head moves there.",
    field: { name: "Message", value: text, rows: 8 },
    act: resend ? "Send" : "Branch",
    run: async (edited) => {
      const before = depth > 1 ? path.value?.peek(depth - 1)?.id : undefined;
      if (depth > 1 && !before) throw new Error("the entry before this one is still loading; try again");
      if (resend) await send(s, edited, [], before ? { at: before } : { at_root: true });
      else {
        await api.POST("/api/v1/sessions/{id}/entries", {
          ...at(s.id),
          body: {
            entries: [{ role: "user", text: edited }],
            ...(before ? { at: before } : { at_root: true }),
          },
          headers: { "Idempotency-Key": actionKey() },
        });
      }
      await refresh(s.id);
      go(toSession(s.slug));
      path.value?.reload();
      void branch;
    },
  });
}

export function label(s: Session, e: Entry, value: string): void {
  ask({
    title: "Label",
    text: "A label names this entry in the tree. Empty removes it.",
    field: { name: "Label", value, optional: true },
    act: "Save",
    run: async (text) => {
      const to = { params: { path: { id: s.id, entry: e.id } } };
      if (text.trim()) await api.PUT("/api/v1/sessions/{id}/labels/{entry}", { ...to, body: { label: text.trim() } });
      else await api.DELETE("/api/v1/sessions/{id}/labels/{entry}", to);
    },
  });
}

// ---- entries ----

export async function deleteEntry(id: string, entry: string): Promise<void> {
  await attempt(async () => {
    await api.DELETE("/api/v1/sessions/{id}/entries/{entry}", { params: { path: { id, entry } } });
    say("Deleted", () => restoreEntry(id, entry));
  });
}

export async function restoreEntry(id: string, entry: string): Promise<void> {
  await attempt(() => api.POST("/api/v1/sessions/{id}/entries/{entry}/restore", { params: { path: { id, entry } } }));
}

export function rememberText(s: Session, text: string): void {
  ask({
    title: "Remember",
    text: "A memory of this session. Contexts can begin with it.",
    field: { name: "What to remember", value: text, rows: 5 },
    act: "Remember",
    run: async (content) => {
      await api.POST("/api/v1/memories", { body: { scope: "session", of: s.id, content } });
      say("Remembered");
    },
  });
}
