// The frame: rail, list, main view, panel; and what floats over them.
import { useEffect, useLayoutEffect } from "preact/hooks";
import type { JSX } from "preact";
import { holdSaid, releaseSaid, said } from "./actions";
import { access } from "./api/client";
import { live } from "./api/events";
import { KeysDialog, onKey, showKeys } from "./keys";
import { followLinks, go, href, param, sessionName, toList, view, withQuery } from "./router";
import { visible } from "./lib/ansi";
import { unasked } from "./state/agents";
import { session } from "./state/session";
import { waiting } from "./state/runs";
import { Questions } from "./ui/dialog";
import { Icon, type IconName } from "./ui/icon";
import { Void } from "./ui/states";
import { Bell, Tray } from "./views/chat/tray";
import { ComparePage } from "./views/compare/compare";
import { CostPage } from "./views/cost/cost";
import { Palette } from "./views/palette";
import { panelTab } from "./views/panel/panel";
import { ProvidersPage } from "./views/providers/providers";
import { RunsPage } from "./views/runs/run";
import { SearchPage } from "./views/search/search";
import { SessionView } from "./views/session";
import { ImportDialog } from "./views/sessions/import";
import { SessionList } from "./views/sessions/list";
import { PurgeDialog } from "./views/sessions/purge";
import { titleOf } from "./views/sessions/row";
import { SettingsPage } from "./views/settings/settings";
import { PickDialog } from "./views/transcript/pick";

interface Place {
  path: string;
  name: string;
  icon: IconName;
  keys: string;
}

/** The rail, top to bottom. One row a place. */
const rail: Place[] = [
  { path: "sessions", name: "Sessions", icon: "sessions", keys: "g s" },
  { path: "runs", name: "Runs", icon: "runs", keys: "g r" },
  { path: "cost", name: "Cost", icon: "cost", keys: "g c" },
  { path: "providers", name: "Providers", icon: "providers", keys: "g p" },
  { path: "settings", name: "Settings", icon: "settings", keys: "g t" },
];

/** Views that take the whole width. */
const wide: Record<string, () => JSX.Element> = {
  compare: ComparePage,
  cost: CostPage,
  providers: ProvidersPage,
  runs: RunsPage,
  search: SearchPage,
  settings: SettingsPage,
};

export function App() {
  // Before the first paint: a key that is pressed as soon as the page is seen is not lost.
  useLayoutEffect(() => {
    addEventListener("keydown", onKey);
    document.addEventListener("click", followLinks);
    return () => {
      removeEventListener("keydown", onKey);
      document.removeEventListener("click", followLinks);
    };
  }, []);
  const title = titleNow();
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (access.value === "signed-out") return <SignedOut />;
  const Wide = wide[view.value];
  return (
    <div class={unasked.value.length ? "alarmed" : "contents"}>
      <a class="skip" href="#main">
        Skip to the main part
      </a>
      <Alarm />
      {Wide ? (
        <div class="app wide">
          <Rail />
          <Wide />
        </div>
      ) : (
        <SessionsFrame />
      )}
      <Palette />
      <KeysDialog />
      <Questions />
      <PurgeDialog />
      <PickDialog />
      <Tray />
      <ImportDialog />
      <Pills />
    </div>
  );
}

/** On every view, while an agent may do what it likes without a person. */
function Alarm() {
  const list = unasked.value;
  if (!list.length) return null;
  return (
    <p class="alarm" role="alert">
      <Icon name="alert" small />
      <b>Auto-approval is on</b>
      <span class="clip">{list.map((a) => visible(a.title || a.name)).join(", ")}</span>
    </p>
  );
}

function titleNow(): string {
  const s = session.value;
  const place = rail.find((r) => r.path === view.value)?.name ?? view.value;
  const asks = waiting.value.length ? `(${waiting.value.length}) ` : "";
  return asks + (view.value === "sessions" && s ? `${titleOf(s)} · bough` : `${place[0]?.toUpperCase()}${place.slice(1)} · bough`);
}

function Rail() {
  return (
    <nav class="rail" aria-label="Main">
      <a class="logo" href="/sessions" aria-label="bough">
        <Icon name="logo" />
      </a>
      {rail.map((r) => (
        <a
          key={r.path}
          href={href([r.path])}
          title={`${r.name} (${r.keys})`}
          aria-label={r.name}
          aria-current={view.value === r.path ? "page" : undefined}
        >
          <Icon name={r.icon} />
          <span>{r.name}</span>
        </a>
      ))}
      <Bell />
      <button type="button" class="desk" title="Keys (?)" aria-label="Keyboard shortcuts" onClick={() => (showKeys.value = true)}>
        <span class="q">?</span>
      </button>
    </nav>
  );
}

/** On a narrow screen one of the three is seen; the address says which. */
function narrowView(): string {
  const v = param("view");
  if (!sessionName.value) return "list";
  return v === "panel" ? "panel" : "main";
}

function SessionsFrame() {
  const shown = narrowView();
  const tab = (name: string, text: string, to: () => void) => (
    <button type="button" role="tab" aria-selected={shown === name} onClick={to}>
      {text}
    </button>
  );
  return (
    <div class={`app show-${shown}${!panelTab() || !session.value ? " no-panel" : ""}`}>
      <Rail />
      <main class="contents" id="main">
        {sessionName.value && (
          <div class="tabs" role="tablist" aria-label="Views">
            {tab("list", "Sessions", () => go(toList()))}
            {tab("main", "Transcript", () => go(withQuery({ view: undefined }), true))}
            {tab("panel", "Tree", () => go(withQuery({ view: "panel", panel: undefined }), true))}
          </div>
        )}
        <h1 class="vh">{session.value ? titleOf(session.value) : "Sessions"}</h1>
        <SessionList />
        <SessionView />
      </main>
    </div>
  );
}

/** Small things that come and go at the bottom. */
function Pills() {
  const what = said.value;
  return (
    <div class="pills" role="status">
      {live.value === "lost" && (
        <span class="pill wait">
          <Icon name="off" small />
          Connection lost, trying again
        </span>
      )}
      {live.value === "resumed" && <span class="pill">Connected again</span>}
      {what && (
        <span class="pill" onPointerEnter={holdSaid} onPointerLeave={releaseSaid} onFocusIn={holdSaid} onFocusOut={releaseSaid}>
          {what.text}
          {what.undo && (
            <button
              type="button"
              class="link"
              onClick={() => {
                said.value = undefined;
                void Promise.resolve(what.undo!()).catch(() => {});
              }}
            >
              Undo
            </button>
          )}
        </span>
      )}
    </div>
  );
}

function SignedOut() {
  return (
    <div class="app wide">
      <main class="main" id="main">
        <Void icon="lock" title="Sign in">
          <p>
            This browser is not signed in. <code>bough serve --http</code> prints a link that signs it in; <code>bough serve --link</code>{" "}
            prints a new one for a server that is running.
          </p>
        </Void>
      </main>
    </div>
  );
}
