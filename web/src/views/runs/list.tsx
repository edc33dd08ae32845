// Runs of all sessions, newest first.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, got, message, type Run } from "../../api/client";
import { ago, duration, exactTime, modelName, moneyExact } from "../../lib/format";
import { go, href, param, withQuery } from "../../router";
import { knownRun, rememberRun, runChanges } from "../../state/runs";
import { known, refresh } from "../../state/sessions";
import { Button, Segments } from "../../ui/button";
import { Failed, Skeleton, Void } from "../../ui/states";
import { titleOf } from "../sessions/row";
import { costOf, lengthOf } from "./facts";
import { RunState } from "./state";

const filters: [string, string][] = [
  ["", "All"],
  ["queued running awaiting_approval", "Live"],
  ["failed", "Failed"],
];

export function RunList() {
  const ids = useSignal<string[]>([]);
  const next = useSignal<string | undefined>(undefined);
  const state = useSignal<"loading" | "ready" | "failed">("loading");
  const error = useSignal("");
  const status = param("status") ?? "";
  const read = async (cursor?: string) => {
    try {
      const a = await got(api.GET("/api/v1/runs", { params: { query: { limit: 50, status: status || undefined, cursor } } }));
      a.items.forEach(rememberRun);
      ids.value = [...new Set([...(cursor ? ids.peek() : []), ...a.items.map((r) => r.id)])];
      next.value = a.next ?? undefined;
      state.value = "ready";
    } catch (e) {
      error.value = message(e);
      if (!ids.peek().length) state.value = "failed";
    }
  };
  const changed = runChanges.value;
  useEffect(() => {
    const t = setTimeout(() => void read(), state.peek() === "ready" ? 300 : 0);
    return () => clearTimeout(t);
  }, [status, changed]);
  return (
    <main class="main" id="main">
      <div class="bar">
        <h1>Runs</h1>
        <span class="grow" />
        <Segments name="Which runs" value={status} options={filters} onPick={(v) => go(withQuery({ status: v || undefined }), true)} />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
        {state.value === "failed" ? (
          <Failed what="The runs" error={error.value} retry={() => void read()} />
        ) : state.value === "loading" ? (
          <Skeleton rows={8} height={32} />
        ) : !ids.value.length ? (
          <Void icon="runs" title="No runs yet">
            <p>A run answers one prompt: by a model, by the agent loop with tools, or by an external agent.</p>
          </Void>
        ) : (
          <div class="page">
            <table class="runs-table">
              <thead>
                <tr>
                  <th>State</th>
                  <th>Session</th>
                  <th class="narrow-hide">Runtime</th>
                  <th class="narrow-hide">Model</th>
                  <th class="r">Duration</th>
                  <th class="r narrow-hide">Cost</th>
                  <th class="r narrow-hide">Started</th>
                </tr>
              </thead>
              <tbody>
                {ids.value.map((id) => (
                  <RunRow key={id} id={id} />
                ))}
              </tbody>
            </table>
            {next.value && <Button onClick={() => void read(next.value)}>More</Button>}
          </div>
        )}
      </div>
    </main>
  );
}

const runtimes: Record<string, string> = { model: "Tools off", agent: "Tools on", external: "External" };

function RunRow({ id }: { id: string }) {
  const r = knownRun(id).value;
  const session = r ? known(r.session).value : undefined;
  const cost = useCost(r);
  useEffect(() => {
    if (r && !known(r.session).peek()) void refresh(r.session);
  }, [r?.session]);
  if (!r) return null;
  return (
    <tr>
      <td>
        <RunState run={r} />
      </td>
      <td class="wrap">
        <a class="clip block" href={href(["runs", r.id])}>
          Run {r.number} <span class="t3">{session ? titleOf(session) : ""}</span>
        </a>
      </td>
      <td class="narrow-hide nowrap">{runtimes[r.runtime] ?? r.runtime}</td>
      <td class="narrow-hide nowrap">{modelName(r.model) || r.adapter}</td>
      <td class="r num nowrap">{lengthOf(r) === undefined ? "" : duration(lengthOf(r)!)}</td>
      <td class="r num narrow-hide nowrap">{cost === undefined ? "" : moneyExact(cost)}</td>
      <td class="r num narrow-hide nowrap" title={exactTime(r.created)}>
        {ago(r.created)}
      </td>
    </tr>
  );
}

export function useCost(r: Run | undefined): number | undefined {
  const cost = useSignal<number | undefined>(undefined);
  useEffect(() => {
    if (r?.last) void costOf(r).then((n) => (cost.value = n));
  }, [r?.id, r?.last, r?.status]);
  return cost.value;
}
