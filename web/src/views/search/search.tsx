// The page of search results: hits with filters beside them.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, got } from "../../api/client";
import { plural, projectName } from "../../lib/format";
import { go, param, withQuery } from "../../router";
import { Icon } from "../../ui/icon";
import { Failed, Skeleton, Void } from "../../ui/states";
import { HitRow, useSearch } from "./hits";

const roles: [string, string][] = [
  ["user", "You"],
  ["assistant", "Assistant"],
  ["tool", "Tool output"],
];
const times: [string, string, number][] = [
  ["1d", "Last day", 1],
  ["7d", "Last 7 days", 7],
  ["30d", "Last 30 days", 30],
];

export function SearchPage() {
  const query = param("q") ?? "";
  const role = param("role");
  const since = times.find(([v]) => v === param("since"));
  // A time of day would make every drawing another search.
  const from = since ? new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - since[2] * 86_400_000).toISOString() : undefined;
  const typed = useSignal(query);
  const { found, error, more } = useSearch(query, { project: param("project"), roles: role, since: from }, 50);
  const projects = useSignal<string[]>([]);
  useEffect(() => {
    got(api.GET("/api/v1/facets", { params: { query: {} } })).then(
      (f) => (projects.value = f.projects.slice(0, 12).map((p) => p.name)),
      () => {},
    );
  }, []);
  useEffect(() => {
    const t = setTimeout(() => typed.value !== query && go(withQuery({ q: typed.value || undefined }), true), 150);
    return () => clearTimeout(t);
  }, [typed.value]);
  const f = found.value;
  const pick = (key: string, v: string | undefined, now: string | undefined) => go(withQuery({ [key]: v === now ? undefined : v }));
  return (
    <main class="main" id="main">
      <h1 class="vh">Search</h1>
      <div class="bar">
        <label class="field grow search-field">
          <Icon name="search" small />
          <input
            type="search"
            aria-label="Search all text"
            value={typed.value}
            placeholder="Search all text"
            onInput={(e) => (typed.value = e.currentTarget.value)}
          />
        </label>
        <span class="t3 small num nowrap narrow-hide" aria-live="polite">
          {f && query
            ? `${plural(f.hits.length, "hit")}${f.next ? " and more" : ""} in ${plural(new Set(f.hits.map((h) => h.session)).size, "session")} · ${Math.round(f.ms)} ms`
            : ""}
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Results">
        <div class="page results">
          <aside class="fac" aria-label="Filters">
            <Facet title="Who" items={roles} now={role} onPick={(v) => pick("role", v, role)} />
            <Facet
              title="Project"
              items={projects.value.map((p) => [p, projectName(p) || p])}
              now={param("project")}
              onPick={(v) => pick("project", v, param("project"))}
            />
            <Facet
              title="Time"
              items={times.map(([v, text]) => [v, text])}
              now={param("since")}
              onPick={(v) => pick("since", v, param("since"))}
            />
          </aside>
          <div>
            {error.value && !f && <Failed what="The hits" error={error.value} />}
            {!f && !error.value && <Skeleton rows={6} height={72} />}
            {f && !query && (
              <Void icon="search" title="Search all text">
                <p>Words, "phrases", -not, prefix*, tool:bash, re:expression.</p>
              </Void>
            )}
            {f && query && !f.hits.length && (
              <Void icon="search" title="Nothing found">
                <p>{f.refused || "All words must be in one entry."}</p>
              </Void>
            )}
            <ol class="hits">
              {f?.hits.map((h, i) => (
                <HitRow key={h.entry + i} hit={h} />
              ))}
            </ol>
            {f?.next && (
              <button type="button" class="btn" onClick={() => void more()}>
                Show more
              </button>
            )}
          </div>
        </div>
      </div>
    </main>
  );
}

function Facet({ title, items, now, onPick }: { title: string; items: [string, string][]; now?: string; onPick: (v: string) => void }) {
  if (!items.length) return null;
  return (
    <fieldset>
      <legend>{title}</legend>
      {items.map(([v, text]) => (
        <label key={v} class="row-x">
          <input type="checkbox" class="box" checked={v === now} onChange={() => onPick(v)} />
          <span class="clip">{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
