// Hits of the full text, newest first, each opening at its entry.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, got, type Hit, message } from "../../api/client";
import { plain, visible } from "../../lib/ansi";
import { ago, exactTime, plural } from "../../lib/format";
import { toSession } from "../../router";
import { Icon, type IconName } from "../../ui/icon";
import { Failed, Skeleton, Void } from "../../ui/states";

const bytes = new TextEncoder();
const text = new TextDecoder();

/** The snippet with its matches marked. Their places are counted in bytes. */
export function Snippet({ hit }: { hit: Hit }) {
  const raw = bytes.encode(hit.snippet);
  const out = [];
  let at = 0;
  for (const [i, m] of hit.matches.entries()) {
    const [from, n] = m as unknown as [number, number];
    if (from < at) continue;
    out.push(plain(text.decode(raw.subarray(at, from))), <mark key={i}>{plain(text.decode(raw.subarray(from, from + n)))}</mark>);
    at = from + n;
  }
  out.push(plain(text.decode(raw.subarray(at))));
  return (
    <>
      {hit.cut_front && "… "}
      {out}
      {hit.cut_back && " …"}
    </>
  );
}

const fields: Record<string, string> = {
  text: "",
  reasoning: "thought",
  tool: "tool",
  input: "tool input",
  output: "tool output",
  error: "error",
  title: "title",
  summary: "summary",
};

export function where(hit: Hit): string {
  const who = hit.role === "user" ? "you" : hit.role === "assistant" ? "assistant" : hit.role === "tool" ? "tool" : "";
  return [who, fields[hit.field] ?? hit.field].filter((w, i, all) => w && all.indexOf(w) === i).join(", ");
}

export function iconOf(hit: Hit): IconName {
  if (hit.kind === "compaction") return "compact";
  if (["tool", "input", "output", "error"].includes(hit.field)) return "term";
  if (hit.field === "reasoning") return "think";
  return hit.role === "user" ? "edit" : "sessions";
}

export interface Found {
  hits: Hit[];
  next?: string;
  pending: number;
  refused: string;
  ms: number;
}

export interface SearchFilter {
  project?: string;
  roles?: string;
  kinds?: string;
  since?: string;
}

/** Search as one types: the last answer stays until the next is there. */
export function useSearch(query: string, filter: SearchFilter, limit: number) {
  const found = useSignal<Found | undefined>(undefined);
  const error = useSignal("");
  const key = JSON.stringify([query, filter]);
  useEffect(() => {
    const stop = new AbortController();
    const begin = performance.now();
    got(api.GET("/api/v1/search", { params: { query: { query, limit, ...filter } }, signal: stop.signal })).then(
      (a) => {
        error.value = "";
        found.value = {
          hits: a.items,
          next: a.next ?? undefined,
          pending: a.pending,
          refused: a.refused ?? "",
          ms: performance.now() - begin,
        };
      },
      (e: unknown) => !stop.signal.aborted && (error.value = message(e)),
    );
    return () => stop.abort();
  }, [key]);
  const more = async () => {
    const now = found.value;
    if (!now?.next) return;
    const a = await got(api.GET("/api/v1/search", { params: { query: { query, limit, cursor: now.next, ...filter } } }));
    found.value = { ...now, hits: [...now.hits, ...a.items], next: a.next ?? undefined };
  };
  return { found, error, more };
}

export function HitRow({ hit }: { hit: Hit }) {
  return (
    <li class="hit">
      <a href={toSession(hit.slug, { entry: hit.entry || undefined })}>
        <div class="row-x">
          <Icon name={iconOf(hit)} small />
          <b class="clip">{visible(hit.title) || hit.slug}</b>
          <span class="grow" />
          <time class="t3 small num nowrap" dateTime={hit.time ?? ""} title={exactTime(hit.time)}>
            {ago(hit.time)}
          </time>
        </div>
        <p class={iconOf(hit) === "term" ? "mono" : undefined}>
          <Snippet hit={hit} />
        </p>
        <div class="small t3">{where(hit)}</div>
      </a>
    </li>
  );
}

/** The hits in the place of the list. */
export function SearchHits({ query }: { query: string }) {
  const { found, error, more } = useSearch(query, {}, 40);
  const f = found.value;
  if (error.value && !f) return <Failed what="The hits" error={error.value} />;
  if (!f)
    return (
      <div class="rows">
        <Skeleton rows={6} height={72} />
      </div>
    );
  if (!f.hits.length) {
    return (
      <Void icon="search" title="Nothing found">
        <p>
          {f.refused ||
            (f.pending
              ? `${plural(f.pending, "change is", "changes are")} not indexed yet.`
              : "All words must be in one entry. Quotes keep words together, tool:bash looks at one tool.")}
        </p>
      </Void>
    );
  }
  return (
    <div class="rows hits-box" tabIndex={0} role="region" aria-label="Hits">
      <p class="t3 small hits-note" aria-live="polite">
        {plural(f.hits.length, "hit")}
        {f.next ? " and more" : ""}
        {f.pending > 0 && `, ${plural(f.pending, "change")} not indexed yet`}
        {f.refused && `. ${f.refused}`}
      </p>
      <ol class="hits">
        {f.hits.map((h, i) => (
          <HitRow key={h.entry + i} hit={h} />
        ))}
      </ol>
      {f.next && (
        <button type="button" class="row-more t2 link" onClick={() => void more()}>
          Show more
        </button>
      )}
    </div>
  );
}
