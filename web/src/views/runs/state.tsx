// The state of a run: a shape and a word.
import type { Run } from "../../api/client";
import { statusWord } from "../../lib/activity";

const shapes: Record<string, string> = { queued: "queue", running: "busy", awaiting_approval: "wait", failed: "fail", cancelled: "cut" };

export function RunState({ run }: { run: Run }) {
  return (
    <span class={`run-state${run.status === "failed" ? " c-fail" : run.status === "awaiting_approval" ? " c-wait" : ""}`}>
      <i class={`st ${shapes[run.status] ?? ""}`} aria-hidden="true" /> {statusWord(run.status)}
    </span>
  );
}
