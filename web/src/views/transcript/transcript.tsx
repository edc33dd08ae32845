// The transcript of the open session: virtualised, opened at its tail or at the entry that the address names.
import { effect, useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, ApiError, got, type Session } from "../../api/client";
import { plural } from "../../lib/format";
import { go, param, withQuery } from "../../router";
import { outline } from "../../state/outline";
import { type Path, split } from "../../state/path";
import { Button } from "../../ui/button";
import { Failed, Skeleton, Void } from "../../ui/states";
import { Virtual, type VirtualHandle } from "../../ui/virtual";
import { forget, sending, type Sending } from "../../state/composer";
import { PendingRow } from "../chat/pending";
import { current } from "./cursor";
import { EntryRow, isEmpty } from "./entry";
import { Find } from "./find";

export function Transcript({ session, path }: { session: Session; path: Path }) {
  const list = useRef<VirtualHandle | undefined>(undefined);
  const end = useSignal(true);
  const seenDepth = useSignal(path.depth.peek());
  const depth = path.depth.value;
  path.version.value; // rows changed
  const unsent = sending.value.filter((m) => !path.at && m.session === path.session && !arrived(path, m));
  const fresh = useComputed(() => Math.max(0, path.depth.value - seenDepth.value));

  useEffect(() => {
    current.attach(path, () => list.current);
    return () => current.detach();
  }, [path]);
  useEffect(() => (end.value ? void (seenDepth.value = depth) : undefined), [depth, end.value]);
  useEffect(() => {
    const entry = param("entry");
    if (entry && path.state.value === "ready") void openAt(session, path, entry, list.current);
  }, [param("entry"), path, path.state.value]);

  if (path.state.value === "failed") return <Failed what="The transcript" error={path.error} retry={() => path.reload()} />;
  if (path.state.value === "loading")
    return (
      <div class="tx-wait">
        <Skeleton rows={6} height={96} />
      </div>
    );
  if (!depth && !unsent.length) {
    return (
      <Void icon="sessions" title="Nothing was said yet">
        <p>
          Ask a question below, or turn tools on to work in a folder. Messages of the API, the command line and other tools appear here,
          too.
        </p>
      </Void>
    );
  }
  const focused = param("entry");
  return (
    <>
      <Find session={session} path={path} list={list} />
      <Virtual
        id={`${path.session} ${path.at ?? ""}`}
        class="tx"
        label="Transcript"
        count={depth + unsent.length}
        estimate={110}
        follow
        handle={(h) => {
          list.current = h;
        }}
        onSeen={(_, last, atEnd) => {
          end.value = atEnd;
          if (last + 1 > seenDepth.value) seenDepth.value = last + 1;
        }}
        rowKey={(i) => (i < depth ? (path.peek(i + 1)?.id ?? i) : (unsent[i - depth]?.key ?? i))}
        row={(i) => {
          if (i >= depth) return unsent[i - depth] ? <PendingRow m={unsent[i - depth]!} /> : null;
          const entry = path.entry(i + 1);
          if (!entry) return <div class="row-wait" aria-hidden="true" />;
          return (
            <EntryRow
              s={{ path, depth: i + 1, entry }}
              ctx={{
                outline: outline.value,
                focused: focused === entry.id || focused === entry.at,
                head: !path.at && i + 1 === lastSeen(path, depth),
              }}
            />
          );
        }}
      />
      <div class="float-low" aria-live="polite">
        {!end.value && (
          <Button class="new-below" icon="down" onClick={() => list.current?.toEnd()}>
            {fresh.value > 0 ? `${fresh.value} new below` : "To the end"}
          </Button>
        )}
        {path.at && (
          <span class="pill">
            Another branch, {plural(depth, "entry", "entries")}
            <button type="button" class="link" onClick={() => go(withQuery({ at: undefined, entry: undefined }))}>
              Back to the head
            </button>
          </span>
        )}
      </div>
    </>
  );
}

/** Is the prompt on the path now? Then it is no longer shown as being sent. */
function arrived(path: Path, m: Sending): boolean {
  if (!m.entry) return false;
  for (let d = path.depth.peek(); d > Math.max(0, path.depth.peek() - 30); d--) {
    if (path.peek(d)?.id !== m.entry) continue;
    queueMicrotask(() => forget(m.key));
    return true;
  }
  return false;
}

/** The last entry that shows something: the head, or what stands closest before it. */
function lastSeen(path: Path, depth: number): number {
  for (let d = depth; d > Math.max(0, depth - 50); d--) {
    const entry = path.peek(d);
    if (entry && !isEmpty({ path, depth: d, entry })) return d;
  }
  return depth;
}

/** Scroll to an entry. One that is not on this path is shown on the path of its own branch. */
async function openAt(session: Session, path: Path, entry: string, list: VirtualHandle | undefined): Promise<void> {
  try {
    const e = await got(
      api.GET("/api/v1/sessions/{id}/entries/{entry}", { params: { path: { id: session.id, entry }, query: { view: true, cut: 256 } } }),
    );
    const [branch, depth] = split(e.at);
    const here = await loaded(path, depth);
    if (here === e.id) {
      list?.show(depth - 1, "middle");
      current.depth.value = depth;
      return;
    }
    if (!path.at) go(withQuery({ at: `${branch}.${await tipOf(branch, depth)}` }), true);
  } catch (x) {
    if (x instanceof ApiError && x.status === 404) go(withQuery({ entry: undefined }), true);
  }
}

/** The id at a depth of the path, once it is loaded. */
function loaded(path: Path, depth: number): Promise<string | undefined> {
  if (depth > path.depth.peek()) return Promise.resolve(undefined);
  path.entry(depth);
  return new Promise((done) => {
    let tries = 0;
    const stop = effect(() => {
      path.version.value;
      const e = path.peek(depth);
      if (e || ++tries > 50) {
        queueMicrotask(() => stop());
        done(e?.id);
      }
    });
  });
}

async function tipOf(branch: number, depth: number): Promise<number> {
  for (let i = 0; i < 50 && !outline.peek(); i++) await new Promise((r) => setTimeout(r, 100));
  return outline.peek()?.branches.get(branch)?.tip ?? depth;
}
