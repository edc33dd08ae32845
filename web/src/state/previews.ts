// The first words of entries that are only named by their place: asked for once, when they are seen.
import { signal, type Signal } from "@preact/signals";
import { api, type Entry, got } from "../api/client";
import { oneLine } from "../lib/format";
import { path } from "./session";

const known = new Map<string, Signal<string>>();
const MOST = 2000;

export function firstWords(e: Pick<Entry, "view" | "deleted">): string {
  if (e.deleted) return "Deleted";
  for (const v of e.view ?? []) {
    if (v.kind === "text" && v.text?.trim()) return oneLine(v.text, 120);
    if ((v.kind === "call" || v.kind === "tool") && v.tool) return v.tool;
    if (v.kind === "result") return "Result of a tool";
    if (v.kind === "file") return v.filename || "File";
  }
  return "";
}

/** The words at "#branch.depth" of a session; "" until they are known. */
export function preview(session: string, at: string): string {
  const shown = path.value?.peek(Number(at.split(".")[1]));
  if (shown && shown.at === at) return firstWords(shown);
  const key = `${session} ${at}`;
  let s = known.get(key);
  if (!s) {
    if (known.size > MOST) known.clear();
    known.set(key, (s = signal("")));
    const to = s;
    got(
      api.GET("/api/v1/sessions/{id}/entries/{entry}", { params: { path: { id: session, entry: at }, query: { view: true, cut: 256 } } }),
    ).then(
      (e) => (to.value = firstWords(e)),
      () => {},
    );
  }
  return s.value;
}
