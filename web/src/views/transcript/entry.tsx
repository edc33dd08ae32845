// One entry of a transcript, hanging on the lane of its branch. One function a kind.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Entry } from "../../api/client";
import { visible } from "../../lib/ansi";
import { exactTime, modelName, oneLine, plural, shortTime, tokens } from "../../lib/format";
import { Markdown } from "../../lib/markdown";
import { Coloured } from "../../parts/code";
import { param, toSession } from "../../router";
import { laneOf, type Outline } from "../../state/outline";
import { split } from "../../state/path";
import { Icon, type IconName } from "../../ui/icon";
import { restoreEntry } from "../../actions";
import { runAt, SegmentHead, Waiting } from "../chat/runs";
import { Actions } from "./actions";
import { Folded } from "./folded";
import { Parts, partsOf, type Shown } from "./parts";
import { isShownElsewhere } from "./pairs";
import { Strip } from "./strip";
import { Ways } from "./ways";

export interface RowContext {
  outline?: Outline;
  /** Is this the entry that the address names? */
  focused: boolean;
  head: boolean;
}

/** Kinds that a reader wants to see. The rest keeps a tool's books, and is shown with `details`. */
const spoken = new Set<string>([
  "message",
  "compaction",
  "branch_summary",
  "model_change",
  "thinking_level_change",
  "session_info",
  "label",
  "custom_message",
]);

/** Nothing of this entry is seen here: results stand where their calls are, hidden messages nowhere. */
export function isEmpty(s: Shown): boolean {
  const e = s.entry;
  if (e.deleted || e.open) return false;
  if (param("details")) return false;
  if (!spoken.has(e.kind)) return e.kind !== "custom" || dataOf(e)["customType"] !== "bough.amend";
  if (e.kind === "custom_message" && dataOf(e)["display"] === false) return true;
  if (e.kind !== "message") return false;
  const parts = partsOf(s);
  return parts.length > 0 && parts.every((v) => isShownElsewhere(s.path, s.depth, v) || (v.kind === "text" && !v.text?.trim()));
}

function dataOf(e: Entry): Record<string, unknown> {
  return e.data && typeof e.data === "object" && !Array.isArray(e.data) ? (e.data as Record<string, unknown>) : {};
}

export function EntryRow({ s, ctx }: { s: Shown; ctx: RowContext }) {
  const e = s.entry;
  const [branch, depth] = split(e.at);
  const lane = laneOf(ctx.outline, branch, depth);
  const inside = isEmpty(s) ? null : body(s);
  const labels = ctx.outline?.byEntry.get(e.at ?? "")?.filter((m) => m.kind === "label") ?? [];
  return (
    <div class={`lane l${lane}`}>
      {inside?.kind === "user" && <SegmentHead path={s.path} depth={s.depth} entry={e} />}
      {inside && (
        <Frame s={s} ctx={ctx} kind={inside.kind} dot={inside.dot}>
          {labels.length > 0 && (
            <div class="labels">
              {labels.map((l, i) => (
                <span key={i} class="label">
                  {visible(l.text)}
                </span>
              ))}
            </div>
          )}
          {inside.children}
          {e.kind === "message" && e.speaker === "assistant" && <Waiting entry={e} />}
        </Frame>
      )}
      <Ways s={s} outline={ctx.outline} />
    </div>
  );
}

interface Body {
  kind: string;
  dot: "dot" | "dia" | "tick" | "";
  children: ComponentChildren;
}

function Frame({
  s,
  ctx,
  kind,
  dot,
  children,
}: {
  s: Shown;
  ctx: RowContext;
  kind: string;
  dot: Body["dot"];
  children: ComponentChildren;
}) {
  return (
    <article
      class={`e ${kind}${s.depth === 1 ? " first" : ""}${ctx.head ? " head" : ""}${ctx.focused ? " focused" : ""}`}
      tabIndex={-1}
      data-entry={s.entry.id}
      data-depth={s.depth}
      aria-label={nameOf(s.entry, kind)}
    >
      {dot && <i class={dot} aria-hidden="true" />}
      {children}
      <Actions s={s} />
    </article>
  );
}

function nameOf(e: Entry, kind: string): string {
  const who =
    kind === "user"
      ? "You"
      : e.kind === "message"
        ? e.speaker === "assistant"
          ? "Assistant"
          : (e.role ?? "Message")
        : e.kind.replaceAll("_", " ");
  return `${who}${e.time ? `, ${shortTime(e.time)}` : ""}`;
}

function body(s: Shown): Body {
  const e = s.entry;
  if (e.deleted) return deleted(s);
  switch (e.kind) {
    case "message":
      return messageBody(s);
    case "compaction":
      return { kind: "marker", dot: "dia", children: <Compaction e={e} /> };
    case "branch_summary":
      return {
        kind: "marker",
        dot: "dia",
        children: <Folded icon="fork" title="Summary of the branch that was left" text={String(dataOf(e)["summary"] ?? textOf(e))} />,
      };
    case "model_change":
      return event(
        "retry",
        <>
          Model is now{" "}
          <b title={String(dataOf(e)["modelId"] ?? "")}>{modelName(String(dataOf(e)["modelId"] ?? dataOf(e)["model"] ?? "another one"))}</b>
        </>,
        e,
      );
    case "thinking_level_change":
      return event(
        "think",
        <>
          Thinking level: <b>{visible(String(dataOf(e)["thinkingLevel"] ?? ""))}</b>
        </>,
        e,
      );
    case "session_info":
      return event(
        "edit",
        <>
          Renamed to <b>{visible(String(dataOf(e)["name"] ?? ""))}</b>
        </>,
        e,
      );
    case "label":
      return event(
        "tag",
        <>
          Label <b>{visible(String(dataOf(e)["label"] ?? "removed"))}</b>
        </>,
        e,
      );
    case "custom_message":
      return { kind: "note", dot: "tick", children: <Note s={s} title={String(dataOf(e)["customType"] ?? "note")} /> };
    case "custom":
      if (dataOf(e)["customType"] === "bough.amend") return { kind: "note", dot: "tick", children: <Note s={s} title="Correction" /> };
      return { kind: "quiet", dot: "tick", children: <Books e={e} title={String(dataOf(e)["customType"] ?? "custom")} /> };
    default:
      return { kind: "quiet", dot: "tick", children: <Books e={e} title={String(e.kind)} /> };
  }
}

function messageBody(s: Shown): Body {
  const e = s.entry;
  const role = e.speaker ?? e.role;
  if (role === "user") {
    const synthetic = dataOf(e)["isMeta"] === true || dataOf(e)["synthetic"] === true;
    if (synthetic) return { kind: "note", dot: "tick", children: <Folded icon="info" title="Added by the tool" text={textOf(e)} /> };
    return {
      kind: "user",
      dot: "dot",
      children: (
        <div class="body">
          <Parts {...s} />
        </div>
      ),
    };
  }
  if (role === "system" || role === "developer") {
    return {
      kind: "note",
      dot: "tick",
      children: <Folded icon="settings" title={role === "system" ? "System prompt" : "Developer message"} text={textOf(e)} />,
    };
  }
  return {
    kind: role === "assistant" ? (onlyTools(s) ? "assistant tools-only" : "assistant") : "result",
    dot: role === "assistant" ? "dot" : "tick",
    children: (
      <>
        {role !== "assistant" && role !== "tool" && <p class="t3 small">{visible(String(e.role))}</p>}
        <Parts {...s} />
        <Ended e={e} />
        {role === "assistant" && endsTurn(s) && (
          <Strip entry={e} call={e.call ? s.path.calls.get(e.call) : undefined} run={runAt(s.path, s.depth)} />
        )}
      </>
    ),
  };
}

/** Only tool lines: they stand closer to each other than texts do. */
function onlyTools(s: Shown): boolean {
  return partsOf(s).every((v) => v.kind === "call" || v.kind === "tool" || v.kind === "result");
}

/**
 * Some tools write one entry a block of a reply. The numbers stand below the last one: the next entry that says
 * something is not of the same call.
 */
function endsTurn(s: Shown): boolean {
  const e = s.entry;
  if (e.open) return false;
  for (let d = s.depth + 1; d <= s.path.depth.peek(); d++) {
    const next = s.path.peek(d);
    if (!next) break;
    if (next.kind !== "message" || next.speaker === "tool" || next.deleted) continue;
    if (next.speaker !== "assistant") return !isEmpty({ ...s, depth: d, entry: next }) || Boolean(e.call || e.usage);
    return Boolean(e.call) && next.call !== e.call;
  }
  return true;
}

/** How a reply ended, when it did not end well. */
function Ended({ e }: { e: Entry }) {
  const error = e.error as { message?: unknown; code?: unknown; type?: unknown; name?: unknown } | string | undefined;
  const text =
    typeof error === "string"
      ? error
      : error && typeof error === "object"
        ? String(error.message ?? error.code ?? error.name ?? error.type ?? "failed")
        : "";
  const cut = e.finish === "interrupted" || e.finish === "cancelled" || e.finish === "aborted" || text === "interrupted";
  if (cut) {
    return (
      <p class="ended t3">
        <i class="st cut" role="img" aria-label="Interrupted" /> {e.finish === "cancelled" ? "Stopped" : "Interrupted"}: the reply ends
        here.
      </p>
    );
  }
  if (error) {
    return (
      <p class="ended c-fail" role="note">
        <i class="st fail" role="img" aria-label="Failed" /> {visible(oneLine(text, 400))}
      </p>
    );
  }
  if (e.finish === "length" || e.finish === "max_tokens") return <p class="ended t3">The reply reached its token limit.</p>;
  if (e.finish === "refusal" || e.finish === "content_filter") return <p class="ended c-fail">The provider refused to answer.</p>;
  return null;
}

function deleted(s: Shown): Body {
  return {
    kind: "note deleted",
    dot: "tick",
    children: (
      <div class="event">
        <Icon name="trash" small />
        <span class="t3">
          Deleted {s.entry.deleted ? <span title={exactTime(s.entry.deleted)}>{shortTime(s.entry.deleted)}</span> : null}
        </span>
        <button type="button" class="link t2" onClick={() => void restoreEntry(s.path.session, s.entry.id)}>
          Restore
        </button>
      </div>
    ),
  };
}

function event(icon: IconName, text: ComponentChildren, e: Entry): Body {
  return {
    kind: "quiet",
    dot: "tick",
    children: (
      <div class="event small">
        <Icon name={icon} small />
        <span class="grow clip">{text}</span>
        {e.time && (
          <time class="t3" dateTime={e.time} title={exactTime(e.time)}>
            {shortTime(e.time)}
          </time>
        )}
      </div>
    ),
  };
}

export function textOf(e: Entry): string {
  return (e.view ?? [])
    .filter((v) => v.kind === "text")
    .map((v) => v.text ?? "")
    .join("\n\n");
}

function Compaction({ e }: { e: Entry }) {
  const open = useSignal(false);
  const d = dataOf(e);
  const summary = String(d["summary"] ?? textOf(e));
  const before = Number(d["tokensBefore"] ?? d["tokens_before"] ?? 0);
  const saved = Number(d["tokensSaved"] ?? d["tokens_saved"] ?? 0);
  const kept = e.keep_from ?? 0;
  const [, depth] = split(e.at);
  const hidden = kept > 0 ? kept - 1 : depth - 1;
  const after = before && saved ? before - saved : Math.round(summary.length / 4);
  return (
    <>
      <div class="banner">
        <Icon name="compact" />
        <span class="grow">
          Compacted {plural(hidden, "entry", "entries")}.{" "}
          {before > 0 ? `A summary of ${tokens(after)} tokens stands for ${tokens(before)}.` : "A summary stands for them."}
          {kept > 0 && kept < depth && <span class="t3"> The last {depth - kept} before it are still sent.</span>}
        </span>
        <button type="button" class="link t2 nowrap" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          {open.value ? "Hide summary" : "Show summary"}
        </button>
      </div>
      {open.value && (
        <div class="think">
          <Markdown text={summary} />
        </div>
      )}
    </>
  );
}

/** An entry of a tool's own, as the JSON it is. */
function Books({ e, title }: { e: Entry; title: string }) {
  const open = useSignal(false);
  return (
    <>
      <button type="button" class="fold small" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name={open.value ? "down" : "info"} small />
        {visible(title)}
      </button>
      {open.value && (
        <pre class="term" tabIndex={0} role="region" aria-label={title}>
          <Coloured lang="json" text={JSON.stringify(e.data ?? {}, null, 2)} />
        </pre>
      )}
    </>
  );
}

function Note({ s, title }: { s: Shown; title: string }) {
  return (
    <>
      <p class="t3 small">{visible(title.replace(/^bough\./, ""))}</p>
      <Parts {...s} />
    </>
  );
}

export function entryLink(session: { slug: string }, e: Entry): string {
  return toSession(session.slug, { entry: e.id });
}
