// What was spent: over time, by model, project, session or account, with a table beside the chart.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { api, type CostReport, got, message, type Session } from "../../api/client";
import { on } from "../../api/events";
import { visible } from "../../lib/ansi";
import { count, modelName, money, percent, plural, projectName } from "../../lib/format";
import { go, href, param, withQuery } from "../../router";
import { Segments } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Menu } from "../../ui/menu";
import { Failed, Skeleton, Void } from "../../ui/states";
import { titleOf } from "../sessions/row";
import { Chart } from "./chart";

type Group = "model" | "project" | "session" | "account";

/** Days are those of UTC, as in the store. */
function since(days: number): string {
  const today = Math.floor(Date.now() / 86_400_000);
  return new Date((today - days + 1) * 86_400_000).toISOString();
}

async function load(days: number, group: Group, project: string | undefined): Promise<CostReport> {
  // The same route also gives CSV, which is a string.
  return (await got(
    api.GET("/api/v1/cost", { params: { query: { since: since(days), step: days > 100 ? "week" : "day", group, project, limit: 5 } } }),
  )) as CostReport;
}

function keyName(group: Group, name: string | null | undefined): string {
  if (!name) return "None";
  return visible(group === "model" ? modelName(name) : group === "project" ? projectName(name) || "None" : name);
}

export function CostPage() {
  const days = Number(param("days") ?? 30);
  const group = (param("group") as Group | undefined) ?? "model";
  const project = param("project");
  const found = useSignal<CostReport | undefined>(undefined);
  const today = useSignal<CostReport | undefined>(undefined);
  const top = useSignal<Session[]>([]);
  const error = useSignal("");
  const again = useSignal(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = on("call.recorded", () => {
      clearTimeout(timer);
      timer = setTimeout(() => again.value++, 2000);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  useEffect(() => {
    let stop = false;
    load(days, group, project).then(
      (r) => !stop && ((found.value = r), (error.value = "")),
      (e: unknown) => !stop && (error.value = message(e)),
    );
    load(1, "model", project).then(
      (r) => !stop && (today.value = r),
      () => {},
    );
    got(api.GET("/api/v1/sessions", { params: { query: { order: "cost", limit: 8, updated_from: since(days), project } } })).then(
      (a) => !stop && (top.value = a.items.filter((s) => s.own.cost_nano_usd > 0)),
      () => {},
    );
    return () => {
      stop = true;
    };
  }, [days, group, project, again.value]);
  const r = found.value;
  const csv = `/api/v1/cost?format=csv&step=day&group=${group}&since=${encodeURIComponent(since(days))}${project ? `&project=${encodeURIComponent(project)}` : ""}`;
  return (
    <main class="main" id="main">
      <div class="bar">
        <h1>Cost</h1>
        <span class="grow" />
        <ProjectMenu now={project} />
        <Segments
          name="Period"
          value={String(days)}
          options={[
            ["7", "7 d"],
            ["30", "30 d"],
            ["90", "90 d"],
          ]}
          onPick={(v) => go(withQuery({ days: v === "30" ? undefined : v }), true)}
        />
        <a class="btn" href={csv} download="cost.csv" aria-label="CSV">
          <Icon name="dl" small />
          <span class="narrow-hide">CSV</span>
        </a>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Cost">
        {error.value && !r && <Failed what="The cost" error={error.value} retry={() => again.value++} />}
        {!r && !error.value && (
          <div class="page">
            <Skeleton rows={6} height={60} />
          </div>
        )}
        {r && r.total.calls === 0 && (
          <Void icon="cost" title="Nothing was spent in this time">
            <p>Every recorded call of a model counts here, with the price it had.</p>
          </Void>
        )}
        {r && r.total.calls > 0 && <Report r={r} days={days} group={group} today={today.value} top={top.value} />}
      </div>
    </main>
  );
}

function ProjectMenu({ now }: { now?: string }) {
  const names = useSignal<string[]>([]);
  useEffect(() => {
    got(api.GET("/api/v1/facets", { params: { query: {} } })).then(
      (f) => (names.value = f.projects.map((p) => p.name)),
      () => {},
    );
  }, []);
  return (
    <Menu
      name="Project"
      filter
      items={[
        { text: "All projects", checked: !now, act: () => go(withQuery({ project: undefined }), true) },
        ...names.value.map((n) => ({ text: projectName(n) || "None", checked: n === now, act: () => go(withQuery({ project: n }), true) })),
      ]}
      button={(toggle, open) => (
        <button type="button" class="btn quiet" aria-haspopup="menu" aria-expanded={open} onClick={toggle}>
          <span class="clip">{now ? projectName(now) : "All projects"}</span> <Icon name="down" small />
        </button>
      )}
    />
  );
}

function Report({ r, days, group, today, top }: { r: CostReport; days: number; group: Group; today?: CostReport; top: Session[] }) {
  const cached = r.total.cache_read;
  const input = r.total.input + r.total.cache_read + r.total.cache_write;
  const before = r.previous?.cost_nano_usd ?? 0;
  const change = before ? Math.round(((r.total.cost_nano_usd - before) / before) * 100) : undefined;
  const keys = r.groups.map((g) => g.key ?? null);
  const names = r.groups.map((g) => (g.key === null ? "other" : keyName(group, g.name)));
  const bars = r.series.map((s) => ({
    from: s.from ?? "",
    parts: keys.map((k) => s.groups.find((g) => (g.key ?? null) === k)?.cost_nano_usd ?? 0),
  }));
  return (
    <div class="page">
      <div class="figures">
        <Figure
          name={`Spent in ${days} days`}
          value={money(r.total.cost_nano_usd)}
          note={
            change === undefined
              ? plural(r.total.sessions, "session")
              : `${change >= 0 ? "+" : "−"}${Math.abs(change)} % on the ${days} days before`
          }
        />
        <Figure
          name="Today, UTC"
          value={today ? money(today.total.cost_nano_usd) : "…"}
          note={today ? `${plural(today.total.sessions, "session")} · ${plural(today.total.calls, "call")}` : ""}
        />
        <Figure name="Cache hit rate" value={percent(cached, input)} note="of the input tokens" />
        <Figure
          name="A session, median"
          value={money(r.session_median_nano_usd ?? 0)}
          note={`90 % under ${money(r.session_p90_nano_usd ?? 0)}`}
        />
      </div>
      {r.total.unknown > 0 && (
        <p class="strip-note">
          <Icon name="alert" small />
          {plural(r.total.unknown, "call has", "calls have")} no known price and count as nothing.
        </p>
      )}
      <div class="two wide-left">
        <section class="sect">
          <h2>
            By {group}
            <span class="grow" />
            <Segments
              name="By"
              value={group}
              options={[
                ["model", "Model"],
                ["project", "Project"],
                ["session", "Session"],
                ["account", "Account"],
              ]}
              onPick={(v) => go(withQuery({ group: v === "model" ? undefined : v }), true)}
            />
          </h2>
          <Chart bars={bars} names={names} label={`Cost by day and ${group}`} />
        </section>
        <section class="sect">
          <table>
            <thead>
              <tr>
                <th scope="col">{group[0]!.toUpperCase() + group.slice(1)}</th>
                <th scope="col" class="r">
                  Calls
                </th>
                <th scope="col" class="r">
                  Cached
                </th>
                <th scope="col" class="r">
                  Cost
                </th>
                <th scope="col" class="r narrow-hide">
                  Share
                </th>
              </tr>
            </thead>
            <tbody>
              {r.groups.map((g, i) => (
                <tr key={g.key ?? "other"}>
                  <td class="wrap clip">
                    <i class={`sw s${i}`} />
                    <span title={g.name ?? undefined}>
                      {group === "session" && g.key ? <a href={href(["sessions", g.key])}>{names[i]}</a> : names[i]}
                    </span>
                  </td>
                  <td class="r t3">{count(g.calls)}</td>
                  <td class="r t3">{percent(g.cache_read, g.input + g.cache_read + g.cache_write)}</td>
                  <td class="r">{g.unknown === g.calls ? "?" : money(g.cost_nano_usd)}</td>
                  <td class="r t3 narrow-hide">{percent(g.cost_nano_usd, r.total.cost_nano_usd)}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <td>Total</td>
                <td class="r">{count(r.total.calls)}</td>
                <td class="r">{percent(cached, input)}</td>
                <td class="r">{money(r.total.cost_nano_usd)}</td>
                <td class="narrow-hide" />
              </tr>
            </tfoot>
          </table>
        </section>
      </div>
      <section class="sect">
        <h2>Most expensive sessions</h2>
        <TopTable top={top} />
      </section>
    </div>
  );
}

function Figure({ name, value, note }: { name: string; value: ComponentChildren; note: string }) {
  return (
    <div class="figure">
      <span class="small t3">{name}</span>
      <b class="num">{value}</b>
      <span class="small t3">{note}</span>
    </div>
  );
}

function TopTable({ top }: { top: Session[] }) {
  if (!top.length) return <p class="t3">None.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Session</th>
          <th scope="col" class="narrow-hide">
            Project
          </th>
          <th scope="col" class="narrow-hide">
            Model
          </th>
          <th scope="col" class="r narrow-hide">
            Messages
          </th>
          <th scope="col" class="r">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {top.map((s) => (
          <tr key={s.id}>
            <td class="wrap clip">
              <a href={href(["sessions", s.slug])}>{titleOf(s)}</a>
            </td>
            <td class="t3 nowrap narrow-hide">{projectName(s.project)}</td>
            <td class="t3 nowrap narrow-hide">{modelName(s.last_model || s.model_name)}</td>
            <td class="r t3 narrow-hide">{count(s.messages)}</td>
            <td class="r">{money(s.own.cost_nano_usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
