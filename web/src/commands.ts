// What the palette offers beside sessions: one row a command. Keys are in keys.ts.
import { newSession } from "./actions";
import { go, href } from "./router";
import { session } from "./state/session";
import type { IconName } from "./ui/icon";
import { trayOpen } from "./views/chat/tray";
import { sessionMenu } from "./views/session";
import { toggleTheme } from "./views/settings/appearance";
import { openImport } from "./views/sessions/import";
import { showKeys } from "./keys";

export interface Command {
  text: string;
  icon: IconName;
  key?: string;
  act: () => void;
}

export function commands(): Command[] {
  const s = session.value;
  const always: Command[] = [
    { text: "New session", icon: "plus", key: "n", act: newSession },
    { text: "Go to sessions", icon: "sessions", key: "g s", act: () => go(href(["sessions"])) },
    { text: "Go to runs", icon: "runs", key: "g r", act: () => go(href(["runs"])) },
    { text: "Go to cost", icon: "cost", key: "g c", act: () => go(href(["cost"])) },
    { text: "Go to providers", icon: "providers", key: "g p", act: () => go(href(["providers"])) },
    { text: "Approvals", icon: "bell", key: "g a", act: () => (trayOpen.value = true) },
    { text: "Go to settings", icon: "settings", key: "g t", act: () => go(href(["settings"])) },
    { text: "Tokens", icon: "key", act: () => go(href(["settings", "tokens"])) },
    { text: "Storage", icon: "store", act: () => go(href(["settings", "storage"])) },
    { text: "Trash", icon: "trash", act: () => go(href(["sessions"], { trash: 1 })) },
    { text: "Import files", icon: "up", act: openImport },
    { text: "Light or dark", icon: "moon", act: toggleTheme },
    { text: "Keyboard shortcuts", icon: "info", key: "?", act: () => (showKeys.value = true) },
  ];
  if (!s) return always;
  const own: Command[] = sessionMenu(s).map((m) => ({
    text: `${m.text}${m.text === "Rename" || m.text.startsWith("Export") ? "" : " this session"}`,
    icon: m.icon ?? "dots",
    act: m.href ? () => location.assign(m.href!) : (m.act ?? (() => {})),
  }));
  return [...always, ...own];
}
