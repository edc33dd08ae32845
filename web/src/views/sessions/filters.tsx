// Filters of the list, as chips. What is chosen is in the address.
import { useSignal } from "@preact/signals";
import { api, got } from "../../api/client";
import { count, modelName, projectName } from "../../lib/format";
import { go, withQuery } from "../../router";
import { filter } from "../../state/sessions";
import { Icon } from "../../ui/icon";
import { Menu, type MenuItem } from "../../ui/menu";

type Facets = Awaited<ReturnType<typeof loadFacets>>;

function loadFacets() {
  return got(api.GET("/api/v1/facets", { params: { query: {} } }));
}

const spans: [string, string][] = [
  ["1d", "Last day"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
];
const statuses: [string, string][] = [
  ["busy", "Busy"],
  ["interrupted", "Interrupted"],
  ["idle", "Idle"],
  ["archived", "Archived"],
];
const costs: [string, string][] = [
  ["0.1", "$0.10 or more"],
  ["1", "$1 or more"],
  ["10", "$10 or more"],
];

export function Filters() {
  const facets = useSignal<Facets | undefined>(undefined);
  const load = () =>
    void loadFacets().then(
      (f) => (facets.value = f),
      () => {},
    );
  const f = filter.value;
  if (f.trash || f.q) return null;
  const chip = (name: string, key: string, value: string | undefined, items: () => MenuItem[], filterable = false) => (
    <Chip key={key} name={name} param={key} value={value} items={items} filter={filterable} load={load} />
  );
  const radio = (key: string, list: [string, string][], now: string | undefined): MenuItem[] =>
    list.map(([v, text]) => ({ text, checked: v === now, act: () => go(withQuery({ [key]: v === now ? undefined : v })) }));
  return (
    <div class="filters" role="group" aria-label="Filters">
      {chip(
        "Project",
        "project",
        f.project && projectName(f.project),
        () =>
          (facets.value?.projects ?? []).map((p) => ({
            text: projectName(p.name) || "None",
            hint: count(p.sessions),
            checked: p.name === f.project,
            act: () => go(withQuery({ project: p.name === f.project ? undefined : p.name })),
          })),
        true,
      )}
      {chip("Status", "status", statuses.find(([v]) => v === f.status)?.[1], () => radio("status", statuses, f.status))}
      {chip(
        "Model",
        "model",
        f.model && modelName(f.model),
        () =>
          (facets.value?.models ?? []).map((m) => ({
            text: m.name,
            hint: count(m.sessions),
            checked: m.name === f.model,
            act: () => go(withQuery({ model: m.name === f.model ? undefined : m.name })),
          })),
        true,
      )}
      <button
        type="button"
        class={`chip${f.errors ? " on" : ""}`}
        aria-pressed={Boolean(f.errors)}
        onClick={() => go(withQuery({ errors: f.errors ? undefined : 1 }))}
      >
        Errors
      </button>
      {chip("Time", "since", spans.find(([v]) => v === f.since)?.[1], () => radio("since", spans, f.since))}
      {chip("Cost", "cost", costs.find(([v]) => v === f.cost)?.[1], () => radio("cost", costs, f.cost))}
      {chip("Kind", "kind", f.kind === "subagent" ? "Subagents" : undefined, () => radio("kind", [["subagent", "Subagents only"]], f.kind))}
    </div>
  );
}

function Chip({
  name,
  param,
  value,
  items,
  filter: filterable,
  load,
}: {
  name: string;
  param: string;
  value?: string;
  items: () => MenuItem[];
  filter: boolean;
  load: () => void;
}) {
  if (value) {
    return (
      <button type="button" class="chip on" aria-label={`${name}: ${value}. Remove`} onClick={() => go(withQuery({ [param]: undefined }))}>
        <span class="clip">{value}</span> <Icon name="x" small />
      </button>
    );
  }
  return (
    <Menu
      name={name}
      filter={filterable}
      items={items}
      button={(toggle, open) => (
        <button type="button" class="chip" aria-haspopup="menu" aria-expanded={open} onPointerEnter={load} onFocus={load} onClick={toggle}>
          {name}
        </button>
      )}
    />
  );
}
