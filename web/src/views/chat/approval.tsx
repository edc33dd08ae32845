// An approval: what is asked, why, with which arguments, what it would change; and the answer.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { api, type Approval, type Entry, got, message } from "../../api/client";
import { visible } from "../../lib/ansi";
import { ago, exactTime, oneLine } from "../../lib/format";
import { Coloured } from "../../parts/code";
import { Diff } from "../../parts/diff";
import { type Input, kindOf } from "../../parts/tools";
import { href } from "../../router";
import { knownRun, loadRun, rememberApproval } from "../../state/runs";
import type { PartView } from "../../state/path";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { sentence } from "../../ui/states";

type Scope = Approval["scope"];

/** The entry that asks is read once: approvals name the part, and the part has the arguments. */
function useEntry(a: Approval): Entry | undefined {
  const entry = useSignal<Entry | undefined>(undefined);
  useEffect(() => {
    let gone = false;
    got(api.GET("/api/v1/entries/{entry}", { params: { path: { entry: a.entry }, query: { view: true } } })).then(
      (e) => !gone && (entry.value = e),
      () => {},
    );
    if (!knownRun(a.run).peek()) void loadRun(a.run).catch(() => {});
    return () => void (gone = true);
  }, [a.id]);
  return entry.value;
}

export function ApprovalCard({ a, more, session }: { a: Approval; more?: number; session?: ComponentChildren }) {
  const entry = useEntry(a);
  const note = useSignal("");
  const error = useSignal("");
  const busy = useSignal(false);
  const widest = useSignal(false);
  const option = useSignal("");
  const run = knownRun(a.run).value;
  const part = entry?.view?.[a.part];
  const options = a.options as { optionId?: string; name?: string; kind?: string }[];
  const settle = async (decision: "approve" | "reject", scope?: Scope, stop?: boolean) => {
    busy.value = true;
    error.value = "";
    try {
      rememberApproval(
        await got(
          api.POST("/api/v1/approvals/{approval}/resolve", {
            params: { path: { approval: a.id } },
            body: {
              decision,
              ...(scope ? { scope } : {}),
              ...(note.value.trim() ? { note: note.value.trim() } : {}),
              ...(option.value && decision === "approve" ? { option: option.value } : {}),
              ...(stop ? { stop: true } : {}),
            },
          }),
        ),
      );
    } catch (e) {
      error.value = message(e);
    }
    busy.value = false;
  };
  return (
    <div class="card wait approval" role="group" aria-label="Approval required" data-approval={a.id}>
      <div class="h">
        <Icon name="alert" />
        <b>Approval required</b>
        <span class="grow" />
        <span class="small t2 num" title={exactTime(a.created)}>
          {more ? `+ ${more} more · ` : ""}waiting {ago(a.created)}
          {a.expires ? ` · until ${new Date(a.expires).toLocaleTimeString()}` : ""}
        </span>
      </div>
      <div class="b">
        <dl class="facts">
          {session && (
            <>
              <dt>Session</dt>
              <dd>{session}</dd>
            </>
          )}
          <dt>What</dt>
          <dd>
            {visible(a.title || a.tool)} <span class="mono small t2">{visible(targetOf(a, part))}</span>
          </dd>
          {why(entry) && (
            <>
              <dt>Why</dt>
              <dd>{visible(why(entry))}</dd>
            </>
          )}
          <dt>Asked by</dt>
          <dd>
            <span class="mono">{visible(a.tool)}</span>
            {run && (
              <>
                , <a href={href(["runs", run.id])}>Run {run.number}</a>
              </>
            )}
          </dd>
        </dl>
        {part && <Arguments a={a} part={part} />}
        {options.length > 0 && (
          <label class="row-x">
            <span class="t3">Adapter option</span>
            <select value={option.value} onChange={(e) => (option.value = e.currentTarget.value)}>
              <option value="">as decided below</option>
              {options.map((o) => (
                <option key={o.optionId} value={o.optionId}>
                  {visible(o.name ?? o.optionId ?? "")}
                </option>
              ))}
            </select>
          </label>
        )}
        <input
          type="text"
          class="note"
          aria-label="Note"
          placeholder="Note to the model, the reason of a rejection"
          value={note.value}
          onInput={(e) => (note.value = e.currentTarget.value)}
        />
        {error.value && (
          <p class="c-fail" role="alert">
            {sentence(error.value)}
          </p>
        )}
      </div>
      <div class="f">
        <Button kind="pri" disabled={busy.value} onClick={() => void settle("approve", "once")}>
          Approve once
        </Button>
        <Button disabled={busy.value} onClick={() => void settle("approve", "session")}>
          For this session
        </Button>
        {run?.workspace && (
          <Button disabled={busy.value} onClick={() => void settle("approve", "workspace")}>
            For this workspace
          </Button>
        )}
        <Button
          kind="quiet"
          class={widest.value ? "c-wait" : ""}
          disabled={busy.value}
          onClick={() => (widest.value ? void settle("approve", "always") : (widest.value = true))}
        >
          {widest.value ? "Click again: always, everywhere" : "Always"}
        </Button>
        <span class="grow" />
        <Button kind="quiet" disabled={busy.value} onClick={() => void settle("reject", undefined, true)}>
          Reject and stop
        </Button>
        <Button kind="danger" disabled={busy.value} onClick={() => void settle("reject")}>
          Reject
        </Button>
      </div>
    </div>
  );
}

function inputOf(part: PartView): Input {
  const i = part.input as unknown;
  return i && typeof i === "object" && !Array.isArray(i) ? (i as Input) : {};
}

function targetOf(a: Approval, part: PartView | undefined): string {
  return part ? oneLine(kindOf(a.tool).target(inputOf(part)), 160) : "";
}

/** What the model said before it asked. */
function why(entry: Entry | undefined): string {
  const text = (entry?.view ?? []).filter((v) => v.kind === "text" && v.text?.trim()).pop()?.text;
  return text ? oneLine(text, 300) : "";
}

function Arguments({ a, part }: { a: Approval; part: PartView }) {
  const input = inputOf(part);
  const own = kindOf(a.tool).diffs?.(input) ?? [];
  const whole = typeof input["content"] === "string" && a.kind === "edit";
  const diffs = own.length || !whole ? own : (kindOf("write").diffs?.(input) ?? []);
  if (diffs.length) {
    return (
      <>
        {diffs.map((f, i) => (
          <Diff key={i} file={f} />
        ))}
      </>
    );
  }
  const json = JSON.stringify(input, null, 2);
  if (json === "{}") return null;
  return (
    <pre class="term args" tabIndex={0} role="region" aria-label="Arguments">
      <Coloured lang="json" text={json} />
    </pre>
  );
}
