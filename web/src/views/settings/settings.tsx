// Settings: how the page looks, who may call the server, what the store holds, which files were imported.
import type { JSX } from "preact";
import { go, href, place } from "../../router";
import { AppearancePage } from "./appearance";
import { SourcesPage } from "./sources";
import { StoragePage } from "./storage";
import { TokensPage } from "./tokens";

/** One row a page of the settings. */
const pages: [string, string, () => JSX.Element][] = [
  ["tokens", "Tokens", TokensPage],
  ["storage", "Storage", StoragePage],
  ["sources", "Import sources", SourcesPage],
  ["appearance", "Appearance", AppearancePage],
];

export function SettingsPage() {
  const now = pages.find(([name]) => name === place.value.path[1]) ?? pages[0]!;
  const [, title, Page] = now;
  return (
    <main class="main" id="main">
      <div class="bar">
        <h1>Settings</h1>
        <div class="ptabs" role="tablist" aria-label="Settings">
          {pages.map(([name, text]) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={name === now[0]}
              tabIndex={name === now[0] ? 0 : -1}
              onClick={() => go(href(["settings", name]))}
              onKeyDown={(e) => {
                const i = pages.findIndex(([n]) => n === now[0]);
                const to = pages[e.key === "ArrowRight" ? i + 1 : e.key === "ArrowLeft" ? i - 1 : -1];
                if (!to) return;
                e.preventDefault();
                go(href(["settings", to[0]]));
                requestAnimationFrame(() => document.querySelector<HTMLElement>(".ptabs [aria-selected=true]")?.focus());
              }}
            >
              {text}
            </button>
          ))}
        </div>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <div class="page narrow">
          <Page />
        </div>
      </div>
    </main>
  );
}
