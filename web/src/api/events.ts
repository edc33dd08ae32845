// One event stream a tab. It resumes by itself after sleep or loss; views say what they listen to.
import { signal } from "@preact/signals";
import { access } from "./client";

export type Live = "connecting" | "live" | "lost" | "resumed";

/** The state of the stream. "resumed" is shown for a moment and becomes "live". */
export const live = signal<Live>("connecting");

export interface ServerEvent {
  type: string;
  [member: string]: unknown;
}

type Listener = (event: ServerEvent) => void;

const listeners = new Map<string, Set<Listener>>();
let source: EventSource | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let wait = 1000;

/** Events whose names are sent on the stream. "reset" means: what was missed is gone, read everything anew. */
const names = [
  "session.created",
  "session.updated",
  "session.deleted",
  "entry.created",
  "message.created",
  "message.updated",
  "message.part.updated",
  "message.part.delta",
  "call.recorded",
  "queue.updated",
  "store.updated",
  "run.created",
  "run.updated",
  "approval.requested",
  "approval.resolved",
  "reset",
  "ready",
];

/** Call the listener for events of this name, or of all that begin with "name.". Returns a function that ends it. */
export function on(name: string, listener: Listener): () => void {
  let set = listeners.get(name);
  if (!set) listeners.set(name, (set = new Set()));
  set.add(listener);
  return () => set.delete(listener);
}

function tell(event: ServerEvent): void {
  for (const [name, set] of listeners) {
    if (event.type === name || event.type.startsWith(name + ".") || name === "*") for (const l of set) l(event);
  }
}

function receive(event: MessageEvent): void {
  if (event.lastEventId) lastId = event.lastEventId;
  let data: ServerEvent;
  try {
    data = { ...(JSON.parse(event.data as string) as object), type: event.type };
  } catch {
    return;
  }
  tell(data);
}

let lastId = "";

function opened(): void {
  const again = live.value === "lost";
  wait = 1000;
  live.value = again ? "resumed" : "live";
  if (again) setTimeout(() => live.value === "resumed" && (live.value = "live"), 3000);
}

/** The browser tries again by itself until the server refuses; then we do, from the last id, more and more slowly. */
function failed(): void {
  if (access.value === "signed-out") return;
  live.value = "lost";
  if (source?.readyState !== EventSource.CLOSED) return;
  clearTimeout(timer);
  timer = setTimeout(connect, wait);
  wait = Math.min(wait * 2, 15_000);
}

export function connect(): void {
  source?.close();
  const after = lastId ? `?after=${encodeURIComponent(lastId)}` : "";
  source = new EventSource(`/api/v1/events${after}`);
  source.onopen = opened;
  source.onerror = failed;
  for (const name of names) source.addEventListener(name, receive as EventListener);
}

// A laptop that wakes up, or a network that is back: do not wait for the next try.
addEventListener("online", () => live.value === "lost" && connect());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && live.value === "lost") connect();
});
