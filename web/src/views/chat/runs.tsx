// Where a transcript touches runs: which run an entry belongs to, where the runtime changes, what waits for a person.
import { useSignal } from "@preact/signals";
import type { Entry, Run } from "../../api/client";
import { visible } from "../../lib/ansi";
import { modelName } from "../../lib/format";
import { href } from "../../router";
import type { Path } from "../../state/path";
import { knownRun, waiting } from "../../state/runs";
import { Icon } from "../../ui/icon";
import { ActivityList } from "../runs/activity";
import { ApprovalCard } from "./approval";

const FAR = 200;

function ownRun(e: Entry | undefined): string | undefined {
  const data = e?.data as { run?: unknown } | undefined;
  return typeof data?.run === "string" ? data.run : undefined;
}

/** The run that answered a prompt stands at the prompt: look back for it. */
export function runAt(path: Path, depth: number): Run | undefined {
  for (let d = depth; d > Math.max(0, depth - FAR); d--) {
    const e = path.peek(d);
    if (!e) return undefined;
    const id = ownRun(e);
    if (id) return knownRun(id).value;
    if (e.speaker === "user" && e.kind === "message") return undefined;
  }
  return undefined;
}

const heads = { model: "Tools off", agent: "Tools on", external: "External" } as const;

/** A quiet head where a prompt is answered in another way than the one before. */
export function SegmentHead({ path, depth, entry }: { path: Path; depth: number; entry: Entry }) {
  const id = ownRun(entry);
  const run = id && entry.speaker === "user" ? knownRun(id).value : undefined;
  if (!run) return null;
  for (let d = depth - 1; d > Math.max(0, depth - FAR); d--) {
    const e = path.peek(d);
    if (!e) return null;
    const before = e.speaker === "user" ? ownRun(e) : undefined;
    if (!before) continue;
    const old = knownRun(before).value;
    if (!old || (old.runtime === run.runtime && old.model === run.model && old.provider === run.provider)) return null;
    break;
  }
  return (
    <p class="seg-head">
      <b>{heads[run.runtime as keyof typeof heads] ?? run.runtime}</b>{" "}
      <span class="t3">{visible([modelName(run.model) || run.adapter, run.provider].filter(Boolean).join(", "))}</span>
    </p>
  );
}

export function RunLink({ run }: { run: Run }) {
  const open = useSignal(false);
  return (
    <>
      <a href={href(["runs", run.id])}>Run {run.number}</a>
      {run.runtime !== "model" && (
        <button type="button" class="link" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          Activity <Icon name={open.value ? "down" : "chev"} small />
        </button>
      )}
      {open.value && (
        <div class="strip-activity">
          <ActivityList run={run} />
        </div>
      )}
    </>
  );
}

/** Approvals of calls of this entry. */
export function Waiting({ entry }: { entry: Entry }) {
  const mine = waiting.value.filter((a) => a.entry === entry.id);
  return (
    <>
      {mine.map((a, i) => (
        <ApprovalCard key={a.id} a={a} more={i === 0 ? mine.length - 1 : 0} />
      ))}
    </>
  );
}
