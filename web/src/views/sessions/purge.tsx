// Purging asks first, with what will be gone and what stays because forks show it.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { say } from "../../actions";
import { api, got, message, type Session } from "../../api/client";
import { bytes, money, plural } from "../../lib/format";
import { go, toList } from "../../router";
import { session as open } from "../../state/session";
import { loadList } from "../../state/sessions";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { titleOf } from "./row";
import { Problem } from "../../ui/problem";

type Preview = Awaited<ReturnType<typeof preview>>;

function preview(id: string) {
  return got(api.GET("/api/v1/sessions/{id}/purge", { params: { path: { id } } }));
}

const asked = signal<{ list: Session[]; done?: () => void } | undefined>(undefined);

export function openPurge(list: Session[], done?: () => void): void {
  asked.value = { list, done };
}

export function PurgeDialog() {
  const a = asked.value;
  return a ? <Purge key={a.list.map((s) => s.id).join()} list={a.list} done={a.done} /> : null;
}

function Purge({ list, done }: { list: Session[]; done?: () => void }) {
  const [found, setFound] = useState<Preview[]>();
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    Promise.all(list.map((s) => preview(s.id))).then(setFound, (e: unknown) => setError(message(e)));
  }, []);
  const close = () => (asked.value = undefined);
  const sum = (f: (p: Preview) => number) => (found ?? []).reduce((n, p) => n + f(p), 0);
  const keepers = (found ?? []).flatMap((p) => p.keepers);
  const detached = (found ?? []).flatMap((p) => p.detached);
  const purge = async () => {
    setBusy(true);
    try {
      for (const s of list) await api.POST("/api/v1/sessions/{id}/purge", { params: { path: { id: s.id } } });
      say(list.length === 1 ? "Purged" : `${list.length} sessions purged`);
      if (list.some((s) => s.id === open.value?.id)) go(toList());
      done?.();
      close();
      void loadList();
    } catch (e) {
      setError(message(e));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Purge" onClose={close}>
      <div class="question">
        <h2>{list.length === 1 ? `Purge “${titleOf(list[0]!)}”?` : `Purge ${list.length} sessions?`}</h2>
        <p class="t2">This cannot be undone. The bytes are removed from the store.</p>
        {!found && !error && <p class="t3">Looking at what will be kept</p>}
        {found && (
          <dl class="facts">
            <dt>Removed</dt>
            <dd>
              {plural(
                sum((p) => p.entries),
                "entry",
                "entries",
              )}
              ,{" "}
              {plural(
                sum((p) => p.records),
                "record",
              )}
              , about {bytes(sum((p) => p.bytes))}
            </dd>
            <dt>Kept</dt>
            <dd>
              {sum((p) => p.kept) === 0
                ? "nothing: no fork shows its entries"
                : `${plural(
                    sum((p) => p.kept),
                    "entry",
                    "entries",
                  )} that forks show`}
            </dd>
            {keepers.length > 0 && (
              <>
                <dt>Shown by</dt>
                <dd>
                  {keepers
                    .slice(0, 5)
                    .map((k) => k.title || k.slug)
                    .join(", ")}
                  {keepers.length > 5 ? ` and ${keepers.length - 5} more` : ""}
                </dd>
              </>
            )}
            {detached.length > 0 && (
              <>
                <dt>Detached</dt>
                <dd>{plural(detached.length, "subagent or fork keeps", "subagents and forks keep")} its history and loses its parent</dd>
              </>
            )}
            <dt>Cost</dt>
            <dd>{money(list.reduce((n, s) => n + s.own.cost_nano_usd, 0))} stays in the totals</dd>
          </dl>
        )}
        <Problem text={error} />
        <div class="dialog-foot">
          <Button kind="quiet" onClick={close}>
            Cancel
          </Button>
          <Button kind="danger" disabled={busy || !found} onClick={() => void purge()}>
            Purge
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
