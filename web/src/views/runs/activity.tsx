// What a run did, row by row. The server computes the rows (C23); a transcript and a run's page draw them with this.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type Activities, type Activity, type Entry, got, message, type Run } from "../../api/client";
import { visible } from "../../lib/ansi";
import { bytes, clock, exactTime, oneLine } from "../../lib/format";
import { label, streamsOf } from "../../lib/activity";
import { Markdown } from "../../lib/markdown";
import { Terminal } from "../../parts/terminal";
import { href } from "../../router";
import { runChanges } from "../../state/runs";
import { Icon, type IconName } from "../../ui/icon";
import { Failed, Skeleton } from "../../ui/states";

const PAGES = 20;

/** All pages of a run's activities, read again when the run changes. */
export function useActivities(run: Run | undefined) {
  const all = useSignal<Activities | undefined>(undefined);
  const error = useSignal("");
  const id = run?.id;
  const changed = runChanges.value;
  useEffect(() => {
    let gone = false;
    const read = async () => {
      let sum: Activities | undefined;
      let cursor: string | undefined;
      for (let i = 0; i < PAGES && !gone; i++) {
        const page = await got(api.GET("/api/v1/runs/{run}/activity", { params: { path: { run: id! }, query: { cursor } } }));
        sum = sum ? merge(sum, page) : page;
        cursor = page.next ?? undefined;
        if (!cursor) break;
      }
      if (!gone) {
        all.value = sum;
        error.value = "";
      }
    };
    const timer = setTimeout(() => id && void read().catch((e: unknown) => !gone && (error.value = message(e))), all.peek() ? 150 : 0);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [id, changed]);
  return { all: all.value, error: error.value };
}

function merge(a: Activities, b: Activities): Activities {
  const add = (x: Activity[], y: Activity[]) => [...x, ...y.filter((r) => !x.some((o) => o.id === r.id))];
  return { ...b, items: add(a.items, b.items), main: add(a.main, b.main), details: add(a.details, b.details) };
}

const icons: Record<string, IconName> = {
  tool_call: "tool",
  approval: "bell",
  thinking: "think",
  model_request: "think",
  plan: "todo",
  files_changed: "file",
  changed_files: "file",
  patch: "file",
  artifact: "clip",
  final_answer: "sessions",
  output: "sessions",
  task_run: "runs",
};

export function ActivityList({ run, page }: { run: Run; page?: boolean }) {
  const { all, error } = useActivities(run);
  const open = useSignal(Boolean(page));
  if (error && !all) return <Failed what="The activity" error={error} />;
  if (!all) return <Skeleton rows={4} height={28} />;
  return (
    <>
      <ul class="activity" aria-label="Activity">
        {all.main.map((a) => (
          <Row key={a.id} a={a} all={all} run={run} page={page} />
        ))}
      </ul>
      {all.details.length > 0 && (
        <div class="details">
          <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
            <Icon name={open.value ? "down" : "chev"} small />
            Details <span class="t3 num">{all.details.length}</span>
          </button>
          {open.value && (
            <ul class="activity" aria-label="Details">
              {all.details.map((a) => (
                <Row key={a.id} a={a} all={all} run={run} page={page} />
              ))}
            </ul>
          )}
        </div>
      )}
    </>
  );
}

function mark(a: Activity) {
  switch (a.status) {
    case "running":
    case "in_progress":
      return <i class="st busy" role="img" aria-label="Running" />;
    case "pending":
    case "requested":
    case "awaiting_approval":
      return <i class="st wait" role="img" aria-label="Waiting" />;
    case "queued":
      return <i class="st queue" role="img" aria-label="Queued" />;
    case "failed":
    case "rejected":
    case "timed_out":
    case "denied":
      return <i class="st fail" role="img" aria-label={a.status === "failed" ? "Failed" : "Rejected"} />;
    case "cancelled":
    case "interrupted":
      return <i class="st cut" role="img" aria-label="Cancelled" />;
    default:
      return null;
  }
}

function Row({ a, all, run, page }: { a: Activity; all: Activities; run: Run; page?: boolean }) {
  const streams = streamsOf(all.items, a);
  const failed = a.status === "failed" && a.type === "tool_call";
  const open = useSignal(Boolean(page) && failed);
  const long = a.type === "final_answer" || a.type === "output";
  const { verb, what } = label(a);
  return (
    <li class={`act-row ${a.type}${failed ? " failed" : ""}`}>
      <button type="button" class="line" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name={icons[a.type] ?? "info"} />
        <span class="verb">{visible(verb)}</span>
        <span class="what">{visible(oneLine(what, 200))}</span>
        <span class="res">
          {a.artifact_size ? <span class="txt num">{bytes(a.artifact_size)}</span> : null}
          {mark(a)}
          <time class="dur num" title={exactTime(a.created)}>
            {a.created ? clock(a.created, true) : ""}
          </time>
        </span>
      </button>
      {open.value && (
        <div class="open">
          {long && a.detail && (
            <div class="prose">
              <Markdown text={a.detail} />
            </div>
          )}
          {failed && <Streams streams={streams} run={run} page={page} />}
          {!failed && a.preview && <Terminal name={a.kind || "preview"} text={a.preview} />}
          <Advanced a={a} page={page} />
        </div>
      )}
    </li>
  );
}

/** stdout and stderr of the same step only. On the run's page an empty stderr is said; in a transcript it is hidden. */
function Streams({ streams, run, page }: { streams: ReturnType<typeof streamsOf>; run: Run; page?: boolean }) {
  const { stdout, stderr } = streams;
  return (
    <>
      {stderr?.preview && <Terminal name="stderr" text={stderr.preview} fail cut={cutOf(stderr)} />}
      {page && stderr && !stderr.preview && <p class="t3 small">stderr was captured and is empty.</p>}
      {stdout?.preview && <Terminal name="stdout" text={stdout.preview} cut={cutOf(stdout)} />}
      {!page && (
        <p>
          <a class="link" href={href(["runs", run.id])}>
            Open task output
          </a>
        </p>
      )}
    </>
  );
}

function cutOf(a: Activity): number | undefined {
  return a.artifact_size && a.preview && a.artifact_size > a.preview.length ? a.artifact_size : undefined;
}

function Advanced({ a, page }: { a: Activity; page?: boolean }) {
  const open = useSignal(false);
  const payload = useSignal("");
  useEffect(() => {
    if (!open.value || !a.step || payload.value) return;
    void readPayload(a.step).then((text) => (payload.value = text));
  }, [open.value]);
  const facts: [string, string | undefined][] = [
    ["step", a.step],
    ["artifact", a.artifact],
    ["approval", a.approval],
    ["tool kind", a.kind],
    ["path", a.type.includes("file") ? a.detail : undefined],
    ["time", a.created ?? undefined],
    ["payload", payload.value],
  ];
  return (
    <div class="advanced">
      <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name={open.value ? "down" : "chev"} small />
        Advanced
      </button>
      {open.value && (
        <dl class="facts mono-v" data-page={page || undefined}>
          {facts.map(
            ([name, value]) =>
              value && (
                <>
                  <dt>{name}</dt>
                  <dd>{visible(value)}</dd>
                </>
              ),
          )}
        </dl>
      )}
    </div>
  );
}

/** A step is an entry, or a part of one: "entry.0003". */
async function readPayload(step: string): Promise<string> {
  const [entry, part] = step.split(".");
  try {
    const e: Entry = await got(api.GET("/api/v1/entries/{entry}", { params: { path: { entry: entry! }, query: { view: true } } }));
    const v = part === undefined ? undefined : e.view?.find((x) => x.id === step);
    return v?.input === undefined ? "" : JSON.stringify(v.input);
  } catch {
    return "";
  }
}
