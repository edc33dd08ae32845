// How the last run of the session ended, when it did not end well, with the ways on.
import { useSignal } from "@preact/signals";
import { actionKey, api, got, message, type Run, type Session } from "../../api/client";
import { visible } from "../../lib/ansi";
import { duration, oneLine } from "../../lib/format";
import { href } from "../../router";
import { ended, knownRun, rememberRun, runsOf } from "../../state/runs";
import { resumeRun } from "../runs/ceiling";
import { lengthOf } from "../runs/facts";
import { sentence } from "../../ui/states";

export function RunEnded({ s }: { s: Session }) {
  const error = useSignal("");
  const id = runsOf(s.id).value[0];
  const run = id ? knownRun(id).value : undefined;
  if (!run || !ended(run) || run.status === "completed") return null;
  const begun = (turn: { run: Run | null }) => void (turn.run && rememberRun(turn.run));
  const retry = async () =>
    begun(
      await got(
        api.POST("/api/v1/runs/{run}/retry", {
          params: { path: { run: run.id } },
          body: {},
          headers: { "Idempotency-Key": actionKey() },
        }),
      ),
    );
  const act = async (work: () => Promise<unknown>) => {
    error.value = "";
    try {
      await work();
    } catch (e) {
      error.value = message(e);
    }
  };
  const ms = lengthOf(run);
  return (
    <p class="run-ended small">
      <i class={`st ${run.status === "failed" ? "fail" : "cut"}`} aria-hidden="true" />
      <span class={run.status === "failed" ? "c-fail" : "t2"}>
        {run.status === "cancelled"
          ? `Stopped${ms === undefined ? "" : ` after ${duration(ms)}`}.`
          : run.error_code === "budget"
            ? "Cost ceiling exceeded."
            : `Failed: ${visible(sentence(oneLine(run.error ?? "it did not say why", 200)))}`}
      </span>
      <button type="button" class="link" onClick={() => void act(() => resumeRun(run, begun))}>
        Resume
      </button>
      {run.prompt && (
        <button type="button" class="link" onClick={() => void act(retry)}>
          Retry
        </button>
      )}
      <a class="link" href={href(["runs", run.id])}>
        Open task
      </a>
      {error.value && (
        <span class="c-fail" role="alert">
          {sentence(error.value)}
        </span>
      )}
    </p>
  );
}
