// The address is the state: what is shown can be linked, and Back works. One signal holds the parsed address.
import { computed, signal } from "@preact/signals";

export interface Place {
  /** Segments of the path, decoded: ["sessions", "cache-bug"]. */
  path: string[];
  query: URLSearchParams;
}

function read(): Place {
  const path = location.pathname.split("/").filter(Boolean).map(decode);
  return { path: path.length ? path : ["sessions"], query: new URLSearchParams(location.search) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const place = signal<Place>(read());
addEventListener("popstate", () => (place.value = read()));

export const view = computed(() => place.value.path[0] ?? "sessions");
/** The session in the address: its slug or id. */
export const sessionName = computed(() => (view.value === "sessions" ? place.value.path[1] : undefined));

export function param(name: string): string | undefined {
  return place.value.query.get(name) ?? undefined;
}

export type Query = Record<string, string | number | boolean | undefined | null>;

/** An address. Undefined, null, false and "" leave a parameter out. */
export function href(path: string[], query: Query = {}): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) {
    if (v !== undefined && v !== null && v !== false && v !== "") q.set(k, v === true ? "1" : String(v));
  }
  const text = q.toString();
  return "/" + path.map(encodeURIComponent).join("/") + (text ? `?${text}` : "");
}

export function go(to: string, replace = false): void {
  const now = location.pathname + location.search;
  if (to === now) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  place.value = read();
}

/** The present address with some parameters changed. */
export function withQuery(change: Query): string {
  const query: Query = Object.fromEntries(place.value.query);
  return href(place.value.path, { ...query, ...change });
}

/** Filters of the list stay in the address while sessions are opened. */
const kept = ["q", "project", "model", "kind", "status", "errors", "since", "cost", "sort", "trash"];

export function toSession(name: string, query: Query = {}): string {
  const stay: Query = {};
  if (view.value === "sessions") for (const k of kept) stay[k] = param(k);
  return href(["sessions", name], { ...stay, ...query });
}

export function toList(): string {
  const stay: Query = {};
  for (const k of kept) stay[k] = param(k);
  return href(["sessions"], stay);
}

/** Links of the page are followed without loading it again. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const a = (event.target as Element | null)?.closest?.("a");
  if (!a || a.target || a.hasAttribute("download")) return;
  const to = a.getAttribute("href");
  if (!to?.startsWith("/") || to.startsWith("/api/")) return;
  event.preventDefault();
  go(to);
}
