// The panel right of the transcript: tree, context, info.
import { signal } from "@preact/signals";
import type { Session } from "../../api/client";
import { go, param, withQuery } from "../../router";
import { IconButton } from "../../ui/button";
import { TreePanel } from "../tree/tree";
import { ContextPanel } from "./context";
import { InfoPanel } from "./info";

export const tabs = [
  ["tree", "Tree"],
  ["context", "Context"],
  ["info", "Info"],
] as const;

/** From this width on the panel has a column of its own and is open unless it was closed. Below, it floats. */
const query = matchMedia("(min-width: 1200px)");
const narrow = matchMedia("(max-width: 899px)");
const roomy = signal(query.matches);
query.addEventListener("change", () => (roomy.value = query.matches));

export function panelTab(): "tree" | "context" | "info" | undefined {
  const p = param("panel");
  if (p === "none") return undefined;
  if (p === "context" || p === "info" || p === "tree") return p;
  return roomy.value || narrow.matches ? "tree" : undefined;
}

/** Open or close it. */
export function togglePanel(): void {
  const open = panelTab() !== undefined;
  go(withQuery({ panel: open ? (roomy.value ? "none" : undefined) : roomy.value ? undefined : "tree" }), true);
}

export function Panel({ session }: { session: Session }) {
  const tab = panelTab();
  if (!tab) return null;
  const arrows = (e: KeyboardEvent) => {
    const at = tabs.findIndex(([t]) => t === tab);
    const to = e.key === "ArrowRight" ? at + 1 : e.key === "ArrowLeft" ? at - 1 : -1;
    const next = tabs[to];
    if (!next) return;
    e.preventDefault();
    go(withQuery({ panel: next[0] }), true);
    requestAnimationFrame(() => document.getElementById(`tab-${next[0]}`)?.focus());
  };
  return (
    <section class="panel" aria-label="Session details">
      <div class="bar">
        <div class="ptabs" role="tablist" aria-label="Details" onKeyDown={arrows}>
          {tabs.map(([t, name]) => (
            <button
              key={t}
              id={`tab-${t}`}
              type="button"
              role="tab"
              aria-selected={t === tab}
              aria-controls="panel-body"
              tabIndex={t === tab ? 0 : -1}
              onClick={() => go(withQuery({ panel: t }), true)}
            >
              {name}
            </button>
          ))}
        </div>
        <span class="grow" />
        <IconButton icon="x" name="Close panel" onClick={togglePanel} />
      </div>
      <div class="panel-body" id="panel-body" role="tabpanel" aria-labelledby={`tab-${tab}`} key={session.id + tab}>
        {tab === "tree" && <TreePanel session={session} />}
        {tab === "context" && <ContextPanel session={session} />}
        {tab === "info" && <InfoPanel session={session} />}
      </div>
    </section>
  );
}
