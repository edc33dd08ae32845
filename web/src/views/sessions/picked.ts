// Several sessions at once: which ones are selected.
import { computed, signal } from "@preact/signals";
import type { Session } from "../../api/client";
import { ids, known } from "../../state/sessions";

export const picked = signal<ReadonlySet<string>>(new Set());
const asked = signal(false);
export const picking = computed(() => asked.value || picked.value.size > 0);
let last: string | undefined;

export function startPicking(): void {
  asked.value = true;
}

export function stopPicking(): void {
  asked.value = false;
  picked.value = new Set();
  last = undefined;
}

/** Select or deselect one; with `range`, all from the last one to it. */
export function pick(id: string, range: boolean): void {
  const next = new Set(picked.value);
  const all = ids.value;
  const from = last ? all.indexOf(last) : -1;
  const to = all.indexOf(id);
  if (range && from >= 0 && to >= 0) for (const x of all.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(x);
  else if (next.has(id)) next.delete(id);
  else next.add(id);
  last = id;
  picked.value = next;
}

export function pickAll(): void {
  picked.value = new Set(ids.value);
}

export function pickedSessions(): Session[] {
  return [...picked.value].map((id) => known(id).value).filter((s): s is Session => Boolean(s));
}
