// The tree panel: branches as lanes, newest at the bottom as in the transcript.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { attempt, fork, label, moveHead } from "../../actions";
import { api, type Entry, got, type Session } from "../../api/client";
import { visible } from "../../lib/ansi";
import { count, oneLine, plural, shortTime } from "../../lib/format";
import { type TreeRow, treeRows, type TreeStop } from "../../lib/tree";
import { go, href, param, toSession } from "../../router";
import { laneOf, outline, outlineError, reloadOutline } from "../../state/outline";
import { preview } from "../../state/previews";
import { path } from "../../state/session";
import { Button, IconButton } from "../../ui/button";
import { Menu } from "../../ui/menu";
import { Failed, Skeleton, Void } from "../../ui/states";
import { Virtual, type VirtualHandle } from "../../ui/virtual";
import { compareFrom, labelOf } from "../transcript/actions";

const LANE = 20;
const MOST_LEVELS = 9;

export function TreePanel({ session }: { session: Session }) {
  const o = outline.value;
  const prompts = useSignal<TreeStop[]>([]);
  const unfolded = useSignal(false);
  const open = useSignal<ReadonlySet<number>>(new Set());
  const zoom = useSignal(1);
  const list = useRef<VirtualHandle | undefined>(undefined);
  useEffect(() => {
    got(api.GET("/api/v1/sessions/{id}/prompts", { params: { path: { id: session.id }, query: { newest: true, limit: 1000 } } })).then(
      // Results of tools are messages of the user in some formats: they say nothing.
      (a) => (prompts.value = a.items.filter((p) => p.preview || p.kind !== "message")),
      () => {},
    );
  }, [session.id, session.rev]);
  const rows = useComputed(() =>
    outline.value ? treeRows({ ...outline.value, prompts: prompts.value, unfolded: unfolded.value, open: open.value }) : [],
  );
  if (outlineError.value && !o) return <Failed what="The tree" error={outlineError.value} retry={reloadOutline} />;
  if (!o) return <Skeleton rows={10} height={26} />;
  if (!rows.value.length) return <Void icon="fork" title="No entries yet" />;
  const all = rows.value;
  const entries = [...o.branches.values()].reduce((n, b) => n + b.entries, 0);
  const height = zoom.value === 1 ? 26 : zoom.value === 0 ? 18 : 34;
  return (
    <>
      <div class="row-x tree-head">
        <span class="small num t3 clip">
          {plural(o.branches.size, "branch", "branches")} · {plural(entries, "entry", "entries")}
          {o.cut && " (the rest is left out)"}
        </span>
        <span class="grow" />
        <Button kind="quiet" class="small" onClick={() => (unfolded.value = !unfolded.value)}>
          {unfolded.value ? "Collapse runs" : "Show all"}
        </Button>
        <IconButton icon="zoomout" name="Smaller" disabled={zoom.value === 0} onClick={() => zoom.value--} />
        <IconButton icon="zoomin" name="Larger" disabled={zoom.value === 2} onClick={() => zoom.value++} />
      </div>
      <Virtual
        id={`tree ${session.id} ${unfolded.value} ${zoom.value}`}
        class={`graph z${zoom.value}`}
        label="Tree"
        count={all.length}
        estimate={height}
        follow
        handle={(h) => {
          list.current = h;
        }}
        rowKey={(i) => `${all[i]!.kind} ${all[i]!.level} ${all[i]!.branch}.${all[i]!.depth} ${all[i]!.session ?? ""}`}
        row={(i) => (
          <Row
            row={all[i]!}
            session={session}
            toggle={(b) => {
              const next = new Set(open.value);
              if (!next.delete(b)) next.add(b);
              open.value = next;
            }}
          />
        )}
      />
    </>
  );
}

function rowText(session: Session, r: TreeRow): string {
  if (r.kind === "run") return plural(r.count ?? 0, "entry", "entries");
  if (r.icon === "compaction") return "Compaction";
  if (r.icon === "branch_summary") return "Summary of the branch that was left";
  if (r.text) return oneLine(visible(r.text), 90);
  if (r.kind === "child") return "Untitled";
  return visible(preview(session.id, `#${r.branch}.${r.kind === "branch" ? r.depth - (r.count ?? 1) + 1 : r.depth}`)) || `Entry ${r.depth}`;
}

function Row({ row: r, session, toggle }: { row: TreeRow; session: Session; toggle: (branch: number) => void }) {
  const lane = r.icon === "subagent" ? 0 : laneOf(outline.value, r.branch, r.depth);
  const level = Math.min(r.level, MOST_LEVELS);
  const here = isHere(r);
  const to = r.session ? href(["sessions", r.session]) : rowLink(session, r);
  return (
    <div class={`n${here ? " cur" : ""}${r.kind === "run" ? " run" : ""}`} style={{ paddingLeft: `${28 + level * LANE}px` }}>
      <Lines row={r} level={level} lane={lane} />
      <a class={`grow clip${r.role === "user" ? " fw" : ""}`} href={to} aria-current={here ? "true" : undefined}>
        {rowText(session, r)}
        {r.kind !== "run" && r.count !== undefined && <span class="t3 small num"> {count(r.count)}</span>}
      </a>
      {r.labels.slice(0, 2).map((l, i) => (
        <span key={i} class="label">
          {visible(l)}
        </span>
      ))}
      {r.head && <span class="label here">head</span>}
      {r.status === "busy" && <i class="st busy" role="img" aria-label="Busy" />}
      {r.icon === "fork" && <span class="t3 small">fork</span>}
      {r.icon === "subagent" && <span class="t3 small">subagent</span>}
      {!r.head && r.kind !== "child" && r.time && <time class="t3 small nowrap">{shortTime(r.time)}</time>}
      {r.kind === "branch" && r.folded && <IconButton icon="expand" name="Show what is on this branch" onClick={() => toggle(r.branch)} />}
      {r.kind !== "run" && r.kind !== "child" ? <RowMenu row={r} session={session} /> : <span class="no-dots" />}
    </div>
  );
}

function isHere(r: TreeRow): boolean {
  const at = param("at");
  if (at) return r.kind === "branch" && `${r.branch}.${r.depth}` === at;
  return r.head;
}

function rowLink(session: Session, r: TreeRow): string {
  const place = `${r.branch}.${r.depth}`;
  return r.kind === "branch" ? toSession(session.slug, { at: place }) : toSession(session.slug, { entry: `#${place}` });
}

/** The lines left of a row: those of the levels above that go on, its own, and the curve from its parent. */
function Lines({ row: r, level, lane }: { row: TreeRow; level: number; lane: number }) {
  const x = 14 + level * LANE;
  const lines = [];
  for (let i = 0; i < level; i++)
    if (r.through[i]) lines.push(<path key={i} class={`l${i === 0 ? 1 : 0}`} d={`M${14 + i * LANE} 0V100`} />);
  const side = r.kind === "branch" || r.kind === "child";
  if (side && level > 0)
    lines.push(
      <path key="in" class={`l${lane}${r.icon === "subagent" ? " dash" : ""}`} d={`M${x - LANE} 0C${x - LANE} 9 ${x} 4 ${x} 13`} />,
    );
  else if (!side) lines.push(<path key="in" class={`l${lane}${r.kind === "run" ? " dots" : ""}`} d={`M${x} 0V13`} />);
  if (r.goesOn && !side) lines.push(<path key="out" class={`l${lane}${r.kind === "run" ? " dots" : ""}`} d={`M${x} 13V100`} />);
  if (side && r.goesOn && level > 0 && !r.through[level - 1]) lines.push(<path key="next" class="l0" d={`M${x - LANE} 0V100`} />);
  return (
    <svg class="lines" width={24 + level * LANE} height="100%" aria-hidden="true">
      {lines}
      <Dot row={r} x={x} lane={lane} />
    </svg>
  );
}

function Dot({ row: r, x, lane }: { row: TreeRow; x: number; lane: number }) {
  if (r.kind === "run") return null;
  if (r.icon === "compaction" || r.icon === "branch_summary") {
    return <rect class={`open l${lane}`} x={x - 3.5} y={9.5} width="7" height="7" transform={`rotate(45 ${x} 13)`} />;
  }
  if (r.head) {
    return (
      <>
        <circle class={`ring l${lane}`} cx={x} cy="13" r="7" />
        <circle class={`full l${lane}`} cx={x} cy="13" r="4" />
      </>
    );
  }
  const open = r.role === "user" || r.kind === "child";
  return <circle class={`${open ? "open" : "full"} l${lane}`} cx={x} cy="13" r={r.kind === "child" ? 3 : 3.8} />;
}

function RowMenu({ row: r, session }: { row: TreeRow; session: Session }) {
  const at = `#${r.branch}.${r.depth}`;
  return (
    <Menu
      name="Entry"
      items={[
        { text: "Open", icon: "eye", act: () => go(rowLink(session, r)) },
        { text: "Move the head here", icon: "head", disabled: r.head, act: () => void attempt(() => moveHead(session.id, at)) },
        { text: "Fork here", icon: "fork", act: () => fork(session, at) },
        { text: "Label", icon: "tag", act: () => void attempt(async () => label(session, await entryAt(session, at), labelOf(at))) },
        { text: "Compare", icon: "compare", act: () => compareFrom(session, at) },
      ]}
      button={(toggle, open) => <IconButton icon="dots" name="Entry menu" popup expanded={open} onClick={toggle} class="row-dots" />}
    />
  );
}

async function entryAt(session: Session, at: string): Promise<Entry> {
  const shown = path.value?.peek(Number(at.split(".")[1]));
  if (shown && shown.at === at) return shown;
  return got(api.GET("/api/v1/sessions/{id}/entries/{entry}", { params: { path: { id: session.id, entry: at }, query: { cut: 256 } } }));
}
