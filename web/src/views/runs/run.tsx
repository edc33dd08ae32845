// A run: what it did, where its time went, and what can be done with it.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { actionKey, api, type Activities, ApiError, got, message, type Run } from "../../api/client";
import { visible } from "../../lib/ansi";
import { duration, exactTime, modelName, moneyExact, shortTime, tokens } from "../../lib/format";
import { go, href, place } from "../../router";
import { ended, knownRun, loadRun, rememberRun, waiting } from "../../state/runs";
import { known, refresh } from "../../state/sessions";
import { Button } from "../../ui/button";
import { Failed, sentence, Void } from "../../ui/states";
import { ApprovalCard } from "../chat/approval";
import { titleOf } from "../sessions/row";
import { ActivityList, useActivities } from "./activity";
import { resumeRun } from "./ceiling";
import { lengthOf } from "./facts";
import { FilesChanged } from "./files";
import { RunList, useCost } from "./list";
import { RunState } from "./state";

export function RunsPage() {
  const id = place.value.path[1];
  return id ? <RunPage key={id} id={id} /> : <RunList />;
}

function RunPage({ id }: { id: string }) {
  const run = knownRun(id).value;
  const error = useSignal<unknown>(undefined);
  const read = () => void loadRun(id).catch((e: unknown) => (error.value = e));
  useEffect(read, [id]);
  const s = run ? known(run.session).value : undefined;
  useEffect(() => {
    if (run && !known(run.session).peek()) void refresh(run.session);
  }, [run?.session]);
  const failed = error.value;
  return (
    <main class="main" id="main">
      <div class="bar">
        <a class="t2 nowrap" href={href(["runs"])}>
          Runs
        </a>
        <span class="t3">/</span>
        <h1 class="clip">
          {run ? `Run ${run.number}` : "Run"} {s && <span class="t2 normal">{titleOf(s)}</span>}
        </h1>
        <span class="grow" />
        {run && <RunState run={run} />}
        {s && (
          <a class="btn quiet" href={href(["sessions", s.slug], { entry: run?.prompt ?? undefined })}>
            Open session
          </a>
        )}
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Run">
        {run ? (
          <RunBody run={run} />
        ) : failed instanceof ApiError && failed.status === 404 ? (
          <Void
            icon="search"
            title="There is no such run"
            actions={
              <a class="btn" href="/runs">
                All runs
              </a>
            }
          />
        ) : failed ? (
          <Failed what="The run" error={message(failed)} retry={read} />
        ) : null}
      </div>
    </main>
  );
}

function RunBody({ run }: { run: Run }) {
  const mine = waiting.value.filter((a) => a.run === run.id);
  return (
    <div class="page run-page">
      <section class="sect run-main" aria-label="What it did">
        {run.error && (
          <div class="card stop" role="group" aria-label="Why it failed">
            <div class="h">
              <b>{run.error_code === "budget" ? "Cost ceiling exceeded" : "Failed"}</b>
            </div>
            <div class="b">
              <p>{visible(sentence(run.error))}</p>
            </div>
          </div>
        )}
        <Acts run={run} />
        {mine.map((a, i) => (
          <ApprovalCard key={a.id} a={a} more={i === 0 ? mine.length - 1 : 0} />
        ))}
        <FilesChanged run={run} />
        <h2>Activity</h2>
        <ActivityList run={run} page />
      </section>
      <Facts run={run} />
    </div>
  );
}

/** Retry, Resume, Cancel; what does not fit the state is not offered. */
function Acts({ run }: { run: Run }) {
  const error = useSignal("");
  const act = async (work: () => Promise<unknown>) => {
    error.value = "";
    try {
      await work();
    } catch (e) {
      error.value = message(e);
    }
  };
  const to = { params: { path: { run: run.id } } };
  const begun = (turn: { run: Run | null }) => {
    if (!turn.run) return;
    rememberRun(turn.run);
    go(href(["runs", turn.run.id]));
  };
  const retry = async (turn?: number) =>
    begun(
      await got(api.POST("/api/v1/runs/{run}/retry", { ...to, body: turn ? { turn } : {}, headers: { "Idempotency-Key": actionKey() } })),
    );
  return (
    <div class="run-acts">
      {!ended(run) && (
        <Button
          icon="stop"
          disabled={Boolean(run.cancel)}
          onClick={() => void act(async () => rememberRun(await got(api.POST("/api/v1/runs/{run}/cancel", { ...to, body: {} }))))}
        >
          {run.cancel ? "Stopping" : "Cancel"}
        </Button>
      )}
      {ended(run) && run.status !== "completed" && (
        <Button kind="pri" icon="play" onClick={() => void act(() => resumeRun(run, begun))}>
          Resume
        </Button>
      )}
      {ended(run) && run.prompt && (
        <Button icon="retry" onClick={() => void act(() => retry())}>
          Retry
        </Button>
      )}
      {ended(run) &&
        Array.from({ length: Math.min(Math.max(0, run.turns - 1), 8) }, (_, i) => (
          <Button key={i} kind="quiet" onClick={() => void act(() => retry(i + 2))}>
            retry from here: turn {i + 2}
          </Button>
        ))}
      {error.value && (
        <p class="c-fail" role="alert">
          {sentence(error.value)}
        </p>
      )}
    </div>
  );
}

const pieces = [
  ["queue_ms", "queue", "0"],
  ["model_ms", "model", "1"],
  ["tool_ms", "tools", "2"],
  ["approval_wait_ms", "approval", "3"],
  ["overhead_ms", "overhead", "4"],
] as const;

function Time({ timing }: { timing: Activities["timing"] }) {
  const whole = Math.max(1, timing.total_ms);
  return (
    <section aria-label="Time">
      <h2 class="row-x">
        Time <span class="grow" />
        <span class="num t2">{duration(timing.total_ms)}</span>
      </h2>
      <svg class="timebar" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
        {
          pieces.reduce<{ at: number; out: ComponentChildren[] }>(
            (acc, [key, , lane]) => {
              const w = (timing[key] / whole) * 1000;
              acc.out.push(<rect key={key} class={`fill${lane}`} x={acc.at} y={0} width={Math.max(0, w - 2)} height={8} />);
              return { at: acc.at + w, out: acc.out };
            },
            { at: 0, out: [] },
          ).out
        }
      </svg>
      <dl class="facts num time-facts">
        {pieces.map(([key, name, lane]) => (
          <>
            <dt>
              <i class={`dot8 bgt${lane}`} /> {name}
            </dt>
            <dd>{duration(timing[key])}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function Facts({ run }: { run: Run }) {
  const { all } = useActivities(run);
  const cost = useCost(run);
  const ms = lengthOf(run);
  const rows: [string, ComponentChildren][] = [
    [
      "Runtime",
      run.runtime === "agent" ? "agent, tools on" : run.runtime === "model" ? "model, tools off" : `External, ${run.adapter ?? ""}`,
    ],
    ["Model", run.model && visible(modelName(run.model))],
    ["Provider", run.provider && visible(run.provider)],
    ["Workspace", run.workspace && visible(run.workspace)],
    ["Tools", run.servers.length ? `${run.tools} calls, of ${run.servers.map((x) => visible(x)).join(", ")}` : run.tools || undefined],
    ["Turns", run.limits.turns ? `${run.turns} of ${run.limits.turns}` : run.turns || undefined],
    ["Approvals", run.approvals ? `${run.settled} of ${run.approvals} settled` : undefined],
    [
      "Cost",
      cost === undefined
        ? undefined
        : `${moneyExact(cost)}${run.limits.cost_nano_usd ? ` of ${moneyExact(run.limits.cost_nano_usd)}` : ""}`,
    ],
    ["Context", run.context_size ? `${tokens(run.context_used)} of ${tokens(run.context_size)}` : undefined],
    ["Started", run.started && <span title={exactTime(run.started)}>{shortTime(run.started)}</span>],
    ["Duration", !all && ms !== undefined ? duration(ms) : undefined],
    ["By", run.by && visible(run.by)],
    ["Task", run.task !== run.id ? <a href={href(["runs", run.task])}>its first run</a> : undefined],
    [
      "After",
      run.after ? (
        <a href={href(["runs", run.after])}>
          {run.why === "retry" ? "retries this run" : run.why === "resume" ? "resumes this run" : "the run before"}
        </a>
      ) : undefined,
    ],
    ["Cancelled by", run.cancel && visible(`${run.cancel.by || "the owner"}${run.cancel.note ? `: ${run.cancel.note}` : ""}`)],
  ];
  return (
    <aside class="run-side" aria-label="Facts">
      {all && <Time timing={all.timing} />}
      <dl class="facts">
        {rows.map(
          ([name, value]) =>
            value && (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            ),
        )}
      </dl>
    </aside>
  );
}
