// Two branches side by side: what they share, then what each adds, with files, tokens and cost.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { api, type Call, type Entry, got, message, type Session } from "../../api/client";
import { putOnto } from "../../actions";
import { visible } from "../../lib/ansi";
import type { FileDiff } from "../../lib/diff";
import { count, duration, money, moneyExact, oneLine, plural, shortTime, tokens } from "../../lib/format";
import { go, href, param, withQuery } from "../../router";
import { Path } from "../../state/path";
import { firstWords } from "../../state/previews";
import { Counts } from "../../parts/diff";
import { kindOf } from "../../parts/tools";
import { Button, IconButton, Segments } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Failed, Skeleton, Void } from "../../ui/states";
import { titleOf } from "../sessions/row";
import { Parts } from "../transcript/parts";
import { isEmpty } from "../transcript/entry";
import { Strip } from "../transcript/strip";
import { markChanged } from "./words";

interface Side {
  session: Session;
  at: string;
  path: Path;
  /** Depths behind the common entry. */
  from: number;
  to: number;
  entries: Entry[];
  calls: Map<string, Call>;
}

interface Compared {
  common?: Entry;
  one: Side;
  other: Side;
}

/** Entries of a side that are read. A longer one is compared by its first. */
const MOST = 400;

function place(text: string | undefined): [string, string] {
  const at = (text ?? "").lastIndexOf(":");
  return at < 0 ? [text ?? "", ""] : [text!.slice(0, at), text!.slice(at + 1)];
}

async function load(one: string, other: string): Promise<Compared> {
  const [a, aAt] = place(one);
  const [b, bAt] = place(other);
  const get = (id: string) => got(api.GET("/api/v1/sessions/{id}", { params: { path: { id } } }));
  const [s1, s2] = await Promise.all([get(a), get(b)]);
  const d = await got(
    api.GET("/api/v1/sessions/{id}/diff", {
      params: { path: { id: s1.id }, query: { one: aAt ? `#${aAt}` : undefined, session: s2.id, other: bAt ? `#${bAt}` : undefined } },
    }),
  );
  const common = d.common
    ? await got(api.GET("/api/v1/entries/{entry}", { params: { path: { entry: d.common }, query: { view: true, cut: 400 } } }))
    : undefined;
  const from = common ? Number(common.at?.split(".")[1]) + 1 : 1;
  const side = async (s: Session, at: string): Promise<Side> => {
    const place = at ? `#${at}` : (s.head ?? "");
    const { items, calls, depth } = await got(
      api.GET("/api/v1/sessions/{id}/entries", {
        params: { path: { id: s.id }, query: { at: place || undefined, from, limit: MOST, view: true, cut: 6000, calls: true } },
      }),
    );
    const path = new Path(s.id, place || undefined);
    return { session: s, at: place, path, from, to: depth, entries: items, calls: new Map(Object.entries(calls ?? {})) };
  };
  const [x, y] = await Promise.all([side(s1, aAt), side(s2, bAt)]);
  return { common, one: x, other: y };
}

export function ComparePage() {
  const one = param("one") ?? "";
  const other = param("other") ?? "";
  const found = useSignal<Compared | undefined>(undefined);
  const error = useSignal("");
  useEffect(() => {
    let stop = false;
    found.value = undefined;
    if (!one || !other) return;
    load(one, other).then(
      (c) => {
        if (stop) closeSides(c);
        else found.value = c;
      },
      (e: unknown) => !stop && (error.value = message(e)),
    );
    return () => {
      stop = true;
      if (found.value) closeSides(found.value);
    };
  }, [one, other]);
  const c = found.value;
  const only = param("only") === "differences";
  return (
    <main class="main" id="main">
      <div class="bar">
        {c && (
          <>
            <a class="t2 clip" href={href(["sessions", c.one.session.slug])}>
              {titleOf(c.one.session)}
            </a>
            <span class="t3">/</span>
          </>
        )}
        <h1>Compare</h1>
        <span class="grow" />
        <Button kind="quiet" icon="swap" onClick={() => go(withQuery({ one: other, other: one }), true)}>
          Swap sides
        </Button>
        <Segments
          name="Show"
          value={only ? "differences" : "all"}
          options={[
            ["all", "All"],
            ["differences", "Differences"],
          ]}
          onPick={(v) => go(withQuery({ only: v === "all" ? undefined : v }), true)}
        />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Comparison">
        <div class="page">
          {(!one || !other) && (
            <Void icon="compare" title="Choose two branches">
              <p>“Compare” on an entry of each opens them side by side.</p>
            </Void>
          )}
          {error.value && <Failed what="The comparison" error={error.value} />}
          {!c && !error.value && one && other && <Skeleton rows={8} height={48} />}
          {c && <Comparison c={c} only={only} />}
        </div>
      </div>
    </main>
  );
}

function closeSides(c: Compared): void {
  c.one.path.close();
  c.other.path.close();
}

function nameOf(s: Side, c: Compared): string {
  if (c.one.session.id !== c.other.session.id) return titleOf(s.session);
  const first = s.entries.map(firstWords).find(Boolean);
  return first ? visible(oneLine(first, 28)) : s.at;
}

interface Sums {
  messages: number;
  tokens: number;
  cost: number;
  time: number;
  files: Map<string, { added: number; removed: number }>;
}

function sumsOf(s: Side): Sums {
  const files = new Map<string, { added: number; removed: number }>();
  let used = 0;
  let cost = 0;
  let time = 0;
  for (const e of s.entries) {
    const call = e.call ? s.calls.get(e.call) : undefined;
    const u = call?.used ?? e.usage;
    if (u) {
      used += u.input + u.output + u.cache_read + u.cache_write;
      cost += u.cost_nano_usd;
    }
    time += call?.duration_ms ?? e.duration_ms ?? 0;
    for (const f of filesOf(e)) {
      const have = files.get(f.path) ?? { added: 0, removed: 0 };
      files.set(f.path, { added: have.added + f.added, removed: have.removed + f.removed });
    }
  }
  return { messages: s.entries.filter((e) => e.kind === "message" && e.speaker !== "tool").length, tokens: used, cost, time, files };
}

function filesOf(e: Entry): FileDiff[] {
  return (e.view ?? []).flatMap((v) => {
    if ((v.kind !== "call" && v.kind !== "tool") || !v.input || typeof v.input !== "object") return [];
    return kindOf(v.tool ?? "").diffs?.(v.input as Record<string, unknown>) ?? [];
  });
}

function Comparison({ c, only }: { c: Compared; only: boolean }) {
  const a = sumsOf(c.one);
  const b = sumsOf(c.other);
  const diff = (x: number, y: number, show: (n: number) => string) => (y === x ? "equal" : `${y > x ? "+" : "−"}${show(Math.abs(y - x))}`);
  const rows: [string, ComponentChildren, ComponentChildren, string][] = [
    ["Messages", count(a.messages), count(b.messages), diff(a.messages, b.messages, count)],
    ["Files", a.files.size, b.files.size, plural([...a.files.keys()].filter((f) => b.files.has(f)).length, "in both", "in both")],
    ["Tokens", tokens(a.tokens), tokens(b.tokens), diff(a.tokens, b.tokens, tokens)],
    ["Cost", moneyExact(a.cost), moneyExact(b.cost), diff(a.cost, b.cost, money)],
    ["Time", duration(a.time), duration(b.time), diff(a.time, b.time, duration)],
  ];
  const files = [...new Set([...a.files.keys(), ...b.files.keys()])].sort();
  const cell = (f?: { added: number; removed: number }) => (f ? <Counts {...f} /> : <span class="t3">not touched</span>);
  return (
    <>
      <div class="two">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="vh">What</span>
              </th>
              <th scope="col">
                <i class="dot8 bg1" /> {nameOf(c.one, c)}
              </th>
              <th scope="col">
                <i class="dot8 bg3" /> {nameOf(c.other, c)}
              </th>
              <th scope="col" class="r">
                difference
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, x, y, d]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{x}</td>
                <td>{y}</td>
                <td class="r t3">{d}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {files.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col" class="r">
                  {nameOf(c.one, c)}
                </th>
                <th scope="col" class="r">
                  {nameOf(c.other, c)}
                </th>
              </tr>
            </thead>
            <tbody>
              {files.slice(0, 100).map((f) => (
                <tr key={f}>
                  <td class="mono wrap clip" title={f}>
                    {visible(f)}
                  </td>
                  <td class="r">{cell(a.files.get(f))}</td>
                  <td class="r">{cell(b.files.get(f))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      <Common c={c} />
      <Rows c={c} only={only} />
      {(c.one.to - c.one.from + 1 > MOST || c.other.to - c.other.from + 1 > MOST) && (
        <p class="t3">The first {MOST} entries of each side are compared.</p>
      )}
    </>
  );
}

function Common({ c }: { c: Compared }) {
  if (!c.common) return <p class="t3 common">The two have no entry in common.</p>;
  const text = (c.common.view ?? []).find((v) => v.kind === "text")?.text ?? "";
  return (
    <div class="common row-x">
      <i class="dot8 bg1" />
      <span class="label">common ancestor</span>
      <span class="clip">{visible(oneLine(text, 90))}</span>
      {c.common.time && <span class="t3 small nowrap">{shortTime(c.common.time)}</span>}
      <span class="t3 small nowrap">{plural(c.one.from - 1, "entry is", "entries are")} shared</span>
    </div>
  );
}

function shownOf(s: Side): Entry[] {
  return s.entries.filter((e, i) => !isEmpty({ path: s.path, depth: s.from + i, entry: e }));
}

function plain(e: Entry | undefined): string {
  return (e?.view ?? []).map((v) => v.text ?? (v.tool ? `${v.tool} ${JSON.stringify(v.input ?? {})} ${v.output ?? ""}` : "")).join("\n");
}

/** Row by row: the n-th entry of one beside the n-th of the other. */
function Rows({ c, only }: { c: Compared; only: boolean }) {
  const a = shownOf(c.one);
  const b = shownOf(c.other);
  const n = Math.max(a.length, b.length);
  const rows = [];
  for (let i = 0; i < n; i++) {
    const x = a[i];
    const y = b[i];
    const same = x && y && plain(x) === plain(y);
    if (only && same) continue;
    rows.push(
      <div key={i} class={`pair${same ? " same" : ""}`}>
        <Cell e={x} side={c.one} lane={1} other={y} onto={() => putAcross(c, "other", x!)} />
        <Cell e={y} side={c.other} lane={3} other={x} onto={() => putAcross(c, "one", y!)} />
      </div>,
    );
  }
  return rows.length ? (
    <div class="pairs">{rows}</div>
  ) : (
    <Void title="No difference">
      <p>What follows the common ancestor is equal.</p>
    </Void>
  );
}

/** Put an entry of one side onto the other one, which is then compared up to it. */
function putAcross(c: Compared, to: "one" | "other", e: Entry): void {
  const [from, target] = to === "other" ? [c.one, c.other] : [c.other, c.one];
  ask({
    title: "Put onto this branch",
    text: `The entry goes behind the last one of “${nameOf(target, c)}”, and the head moves there. Results of tools come with their calls.`,
    act: "Put here",
    run: async () => {
      const head = await putOnto(target.session, target.at, from.session, [e.id]);
      go(withQuery({ [to]: `${target.session.slug}:${head.slice(1)}` }), true);
    },
  });
}

interface CellOf {
  e?: Entry;
  side: Side;
  lane: number;
  other?: Entry;
  onto: () => void;
}

function Cell({ e, side, lane, other, onto }: CellOf) {
  if (!e) return <div class={`cell none l${lane}`} />;
  const depth = Number(e.at?.split(".")[1] ?? 0);
  const user = e.speaker === "user";
  const marked = other && e.speaker === other.speaker ? markChanged(textOf(e), textOf(other)) : undefined;
  return (
    <article class={`e cell l${lane} ${user ? "user" : "assistant"}`} aria-label={`${user ? "You" : "Assistant"}, ${side.session.title}`}>
      <i class="dot" aria-hidden="true" />
      {e.kind === "message" && (
        <div class="acts" role="toolbar" aria-label="Entry">
          <IconButton icon="swap" name="Put onto the other branch" onClick={onto} />
        </div>
      )}
      {marked ? (
        <>
          <div class={user ? "body prose" : "prose"}>
            <p class="pre">
              {marked.map(([changed, t], i) =>
                changed ? (
                  <mark key={i} class="changed">
                    {visible(t)}
                  </mark>
                ) : (
                  visible(t)
                ),
              )}
            </p>
          </div>
          <Parts path={side.path} depth={depth} entry={{ ...e, view: e.view?.filter((v) => v.kind !== "text") }} />
        </>
      ) : (
        <div class={user ? "body" : undefined}>
          <Parts path={side.path} depth={depth} entry={e} />
        </div>
      )}
      {!user && <Strip entry={e} call={e.call ? side.calls.get(e.call) : undefined} />}
    </article>
  );
}

function textOf(e: Entry): string {
  return (e.view ?? [])
    .filter((v) => v.kind === "text")
    .map((v) => v.text ?? "")
    .join("\n\n");
}
