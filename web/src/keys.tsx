// Keys: one table, which the help prints too.
import { signal } from "@preact/signals";
import { newSession } from "./actions";
import { go, href, param, sessionName, toList, view, withQuery } from "./router";
import { session } from "./state/session";
import { Dialog } from "./ui/dialog";
import { trayOpen } from "./views/chat/tray";
import { togglePanel } from "./views/panel/panel";
import { entryCommands } from "./views/transcript/actions";
import { current } from "./views/transcript/cursor";
import { paletteOpen } from "./views/palette";
import { stopPicking } from "./views/sessions/picked";

export const showKeys = signal(false);

interface Key {
  keys: string;
  about: string;
  act: () => void;
}

function onEntry(letter: string): void {
  const shown = current.shown();
  const s = session.value;
  if (shown && s) entryCommands(s, shown)[letter]?.();
}

/** In the list, when the keyboard is there; else in the transcript. */
function move(by: 1 | -1): void {
  const here = document.activeElement;
  if (view.value === "sessions" && (!sessionName.value || here?.closest(".list"))) {
    const rows = [...document.querySelectorAll<HTMLElement>(".list a.row, .list .hit a")];
    const at = rows.indexOf(here as HTMLElement);
    rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
  } else current.move(by);
}

export const table: Key[] = [
  { keys: "j", about: "Next session or entry", act: () => move(1) },
  { keys: "k", about: "Previous session or entry", act: () => move(-1) },
  {
    keys: "/",
    about: "Search all text",
    act: () => {
      if (view.value !== "sessions") go(href(["sessions"]));
      requestAnimationFrame(() => document.getElementById("search")?.focus());
    },
  },
  { keys: "n", about: "New session", act: newSession },
  { keys: "e", about: "Edit a prompt and branch", act: () => onEntry("e") },
  { keys: "r", about: "Answer the prompt again", act: () => onEntry("r") },
  { keys: "f", about: "Fork at the entry", act: () => onEntry("f") },
  { keys: "b", about: "Move the head to the entry", act: () => onEntry("b") },
  { keys: "l", about: "Label the entry", act: () => onEntry("l") },
  { keys: "c", about: "Compare from the entry", act: () => onEntry("c") },
  { keys: "y", about: "Copy the entry", act: () => onEntry("y") },
  { keys: "x", about: "Delete or restore the entry", act: () => onEntry("x") },
  { keys: "t", about: "Tree, context, info: open or close", act: togglePanel },
  { keys: "g s", about: "Go to sessions", act: () => go(href(["sessions"])) },
  { keys: "g r", about: "Go to runs", act: () => go(href(["runs"])) },
  { keys: "g c", about: "Go to cost", act: () => go(href(["cost"])) },
  { keys: "g p", about: "Go to providers", act: () => go(href(["providers"])) },
  { keys: "g a", about: "Approvals that wait", act: () => (trayOpen.value = true) },
  { keys: "m", about: "Write a message", act: () => document.querySelector<HTMLElement>(".composer textarea")?.focus() },
  { keys: "g t", about: "Go to settings", act: () => go(href(["settings"])) },
  { keys: "?", about: "This list", act: () => (showKeys.value = !showKeys.value) },
];

const others: [string, string][] = [
  ["Enter", "Open what has the focus"],
  ["Ctrl K", "Palette: sessions, commands, search"],
  ["Ctrl F", "Find in the session (again: the browser's own)"],
  ["Shift click", "Select several sessions"],
  ["Esc", "Close, or back to the list"],
];

let first = "";
let timer: ReturnType<typeof setTimeout> | undefined;

/** A field of a dialog that was closed keeps the focus until its element is gone. */
function typing(e: KeyboardEvent): boolean {
  const t = e.target as HTMLElement;
  if (t.closest("dialog:not([open])")) return false;
  return t.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(t.tagName);
}

export function onKey(e: KeyboardEvent): void {
  if (e.defaultPrevented) return;
  const ctrl = e.metaKey || e.ctrlKey;
  if (ctrl && e.key.toLowerCase() === "k") {
    e.preventDefault();
    paletteOpen.value = !paletteOpen.value;
    return;
  }
  if (ctrl && e.key.toLowerCase() === "f" && session.value && param("find") === undefined) {
    e.preventDefault();
    go(withQuery({ find: " " }), true);
    return;
  }
  if (ctrl || e.altKey || typing(e) || document.querySelector("dialog[open]")) return;
  if (e.key === "Escape") {
    stopPicking();
    if (param("find") !== undefined) go(withQuery({ find: undefined }), true);
    else if (sessionName.value && document.activeElement?.closest(".main")) (document.activeElement as HTMLElement).blur();
    else if (sessionName.value) go(toList());
    return;
  }
  const keys = first ? `${first} ${e.key}` : e.key;
  first = "";
  clearTimeout(timer);
  const row = table.find((k) => k.keys === keys);
  if (row) {
    e.preventDefault();
    row.act();
  } else if (e.key === "g") {
    first = "g";
    timer = setTimeout(() => (first = ""), 1200);
  }
}

export function KeysDialog() {
  if (!showKeys.value) return null;
  const row = (keys: string, about: string) => (
    <div key={keys} class="row-x">
      <span class="grow">{about}</span>
      {keys.split(" ").map((k, i) => (
        <kbd key={i}>{k}</kbd>
      ))}
    </div>
  );
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (showKeys.value = false)}>
      <div class="question keys-list" tabIndex={0} role="region" aria-label="Keys">
        <h2>Keys</h2>
        {table.map((k) => row(k.keys, k.about))}
        {others.map(([k, about]) => row(k, about))}
      </div>
    </Dialog>
  );
}
