// A tool call: one line with what, target, state and duration; below it, when opened, its input and output.
import { useSignal } from "@preact/signals";
import { api, got, type Entry } from "../api/client";
import { visible } from "../lib/ansi";
import { countLines, type FileDiff } from "../lib/diff";
import { duration as showDuration, plural } from "../lib/format";
import type { PartView } from "../state/path";
import { CopyButton } from "../ui/copy";
import { Icon } from "../ui/icon";
import { Coloured } from "./code";
import { Counts, Diff } from "./diff";
import { partImages } from "./file";
import { SubagentLink, useSubagent } from "./subagent";
import { Terminal } from "./terminal";
import { type Input, kindOf, type Output, readOutput, type ToolKind } from "./tools";

export interface ToolCall {
  call: PartView;
  /** Where the call stands. */
  entry: Entry;
  result?: PartView;
  resultEntry?: Entry;
  /** Its run goes on, and it has no result yet. */
  waits?: boolean;
}

type State = "running" | "pending" | "failed" | "interrupted" | "done";

function stateOf(t: ToolCall): State {
  const view = t.result ?? t.call;
  if (view.failed || view.state === "error") return interrupted(view) ? "interrupted" : "failed";
  if (t.waits) return "pending";
  if (t.result && t.result.kind === "tool" && t.result.state === "running") return t.resultEntry?.open ? "running" : "interrupted";
  if (t.result || t.call.state === "completed") return "done";
  if (t.entry.open || t.call.state === "running") return t.entry.open ? "running" : "interrupted";
  return t.call.state === "pending" ? "pending" : "interrupted";
}

function interrupted(view: PartView): boolean {
  return /^(interrupted|aborted|cancelled|\[?Request interrupted)/i.test(view.output ?? "");
}

function inputOf(view: PartView): Input {
  const i = view.input as unknown;
  if (typeof i === "string") return { input: i };
  return i && typeof i === "object" && !Array.isArray(i) ? (i as Input) : {};
}

/** What the tool kept beside its output: Claude Code's toolUseResult, opencode's and pi's details. */
function detailsOf(t: ToolCall): Input | undefined {
  const data = (t.resultEntry?.data ?? t.entry.data) as Input | undefined;
  const d = data?.["toolUseResult"] ?? data?.["details"] ?? t.result?.metadata ?? t.call.metadata;
  return d && typeof d === "object" && !Array.isArray(d) ? (d as Input) : undefined;
}

function durationOf(t: ToolCall, output: Output): number | undefined {
  if (output.duration !== undefined) return output.duration;
  const time = (t.result?.time ?? t.call.time) as { start?: number; end?: number } | undefined;
  if (time?.start && time.end) return time.end - time.start;
  if (t.resultEntry?.time && t.entry.time && t.resultEntry !== t.entry) {
    const ms = Date.parse(t.resultEntry.time) - Date.parse(t.entry.time);
    return ms > 0 && ms < 86_400_000 ? ms : undefined;
  }
  return undefined;
}

export function Tool({ t, open: openFirst }: { t: ToolCall; open?: boolean }) {
  const kind = kindOf(t.call.tool ?? "");
  const input = inputOf(t.call);
  const state = stateOf(t);
  const output = readOutput((t.result ?? t.call).output ?? "", detailsOf(t));
  const open = useSignal(Boolean(openFirst));
  const child = useSubagent(t.call.call ?? "");
  const target = kind.target(input);
  const ms = durationOf(t, output);
  const diffs = diffsOf(kind, input, t);
  return (
    <div class="tool">
      <button type="button" class="line" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name={child ? "agent" : kind.icon} />
        <span class="verb">{kind.verb}</span>
        <span class="what">{visible(target.replace(/\s+/g, " "))}</span>
        <span class="res">
          <span class="txt">{child ? `${plural(child.messages, "message")}` : summary(kind, state, output, diffs)}</span>
          <StateMark state={state} />
          <span class="dur num">{ms === undefined ? "" : showDuration(ms)}</span>
        </span>
      </button>
      {open.value && (
        <div class="open">
          {child && <SubagentLink child={child} />}
          <Opened t={t} kind={kind} input={input} state={state} output={output} diffs={diffs} />
        </div>
      )}
    </div>
  );
}

function StateMark({ state }: { state: State }) {
  switch (state) {
    case "running":
      return <i class="st busy" role="img" aria-label="Running" />;
    case "pending":
      return <i class="st queue" role="img" aria-label="Waiting" />;
    case "failed":
      return <i class="st fail" role="img" aria-label="Failed" />;
    case "interrupted":
      return <i class="st cut" role="img" aria-label="Interrupted" />;
    case "done":
      return null;
  }
}

/** The changes that the input describes, or that the tool reported as a patch. */
function diffsOf(kind: ToolKind, input: Input, t: ToolCall): FileDiff[] {
  const fromInput = kind.diffs?.(input) ?? [];
  const patch = detailsOf(t)?.["structuredPatch"];
  if (!Array.isArray(patch) || !fromInput.length) return fromInput;
  // Claude Code's hunks have the real line numbers.
  const lines = (patch as { oldStart: number; newStart: number; lines: string[] }[]).flatMap((h, i) => {
    let old = h.oldStart;
    let fresh = h.newStart;
    const rows: FileDiff["lines"] = (h.lines ?? []).map((l) =>
      l.startsWith("+")
        ? { kind: "add", new: fresh++, text: l.slice(1) }
        : l.startsWith("-")
          ? { kind: "del", old: old++, text: l.slice(1) }
          : { kind: "same", old: old++, new: fresh++, text: l.slice(1) },
    );
    return i ? [{ kind: "hunk" as const, text: "" }, ...rows] : rows;
  });
  return lines.length && fromInput[0] ? [{ ...fromInput[0], lines, ...countLines(lines) }] : fromInput;
}

function summary(kind: ToolKind, state: State, output: Output, diffs: FileDiff[]) {
  if (output.exit) return `exit ${output.exit}`;
  if (diffs.length && state !== "failed") {
    return <Counts added={diffs.reduce((n, f) => n + f.added, 0)} removed={diffs.reduce((n, f) => n + f.removed, 0)} />;
  }
  if (state !== "done" || !output.stdout) return "";
  return kind.terminal || kind.file ? plural(output.stdout.trimEnd().split("\n").length, "line") : "";
}

function Opened({
  t,
  kind,
  input,
  state,
  output,
  diffs,
}: {
  t: ToolCall;
  kind: ToolKind;
  input: Input;
  state: State;
  output: Output;
  diffs: FileDiff[];
}) {
  const view = t.result ?? t.call;
  const whole = async () => {
    const entry = t.resultEntry ?? t.entry;
    const e = await got(api.GET("/api/v1/entries/{entry}", { params: { path: { entry: entry.id }, query: { view: true } } }));
    const full = e.view?.find((v) => v.id === view.id && v.kind === view.kind);
    return readOutput(full?.output ?? view.output ?? "", undefined).stdout;
  };
  const shownInput = !diffs.length && Object.keys(input).length > 0;
  return (
    <>
      {diffs.map((f, i) => (
        <Diff key={i} file={f} />
      ))}
      {shownInput && <InputBlock kind={kind} input={input} />}
      {output.stderr !== undefined && output.stderr !== "" && <Terminal name="stderr" text={output.stderr} fail={state === "failed"} />}
      {output.stderr === "" && state === "failed" && <p class="t3 small">stderr was captured and is empty.</p>}
      {partImages(view)}
      {output.stdout !== "" && !(diffs.length && state === "done" && output.stdout.length < 400) && (
        <Terminal
          name={state === "failed" && output.stderr === undefined ? "error" : output.stderr !== undefined ? "stdout" : "output"}
          text={output.stdout}
          fail={state === "failed" && output.stderr === undefined}
          cut={view.cut?.["output"]}
          whole={whole}
        />
      )}
      <Advanced t={t} kind={kind} output={output} />
    </>
  );
}

/** A command is shown as it was typed; other inputs as JSON. */
function InputBlock({ kind, input }: { kind: ToolKind; input: Input }) {
  const target = kind.target(input);
  const rest = Object.entries(input).filter(([, v]) => v !== target && !(Array.isArray(v) && kind.terminal));
  const json = JSON.stringify(Object.fromEntries(kind.terminal && target ? rest : Object.entries(input)), null, 2);
  const command = kind.terminal && target.includes("\n") ? target : "";
  return (
    <>
      {command && (
        <div class="blk">
          <div class="h">
            <span>command</span>
            <span class="grow" />
            <CopyButton text={command} name="Copy command" />
          </div>
          <pre class="term" tabIndex={0} role="region" aria-label="Command">
            <Coloured lang="bash" text={command} />
          </pre>
        </div>
      )}
      {json !== "{}" && (
        <div class="blk">
          <div class="h">
            <span>input</span>
            <span class="grow" />
            <CopyButton text={json} name="Copy input" />
          </div>
          <pre class="term" tabIndex={0} role="region" aria-label={`Input of ${visible(`${kind.verb} ${target}`.slice(0, 80))}`}>
            <Coloured lang="json" text={json} />
          </pre>
        </div>
      )}
    </>
  );
}

/** Ids and times, for those who look for them. */
function Advanced({ t, output }: { t: ToolCall; kind: ToolKind; output: Output }) {
  const open = useSignal(false);
  return (
    <div class="advanced">
      <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name={open.value ? "down" : "chev"} small />
        Advanced
      </button>
      {open.value && (
        <dl class="facts mono-v">
          <dt>Tool</dt>
          <dd>{visible(t.call.tool ?? "")}</dd>
          {t.call.call && (
            <>
              <dt>Call</dt>
              <dd>{visible(t.call.call)}</dd>
            </>
          )}
          <dt>Part</dt>
          <dd>{t.call.id}</dd>
          {t.result && t.result.id !== t.call.id && (
            <>
              <dt>Result</dt>
              <dd>{t.result.id}</dd>
            </>
          )}
          {output.exit !== undefined && (
            <>
              <dt>Exit code</dt>
              <dd>{output.exit}</dd>
            </>
          )}
          {t.entry.time && (
            <>
              <dt>Called</dt>
              <dd>{t.entry.time}</dd>
            </>
          )}
        </dl>
      )}
    </div>
  );
}
