// What a model would get: the messages of a dialect, how many tokens about, and a note for all that is not verbatim.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, got, message, type paths, type Session } from "../../api/client";
import { dialects } from "../../api/words";
import { plain, visible } from "../../lib/ansi";
import { plural, tokens } from "../../lib/format";
import { param, toSession } from "../../router";
import { Icon } from "../../ui/icon";
import { Menu } from "../../ui/menu";
import { Failed, Skeleton, Void } from "../../ui/states";
import { Coloured } from "../../parts/code";

type Context = Awaited<ReturnType<typeof load>>;

/** The dialects that the server lists for this parameter. */
type Dialect = NonNullable<NonNullable<paths["/api/v1/sessions/{id}/context"]["get"]["parameters"]["query"]>["dialect"]>;
const names: Record<string, string> = { ui: "AI SDK" };

function load(id: string, dialect: Dialect, at: string | undefined, memories: boolean) {
  return got(api.GET("/api/v1/sessions/{id}/context", { params: { path: { id }, query: { dialect, at, memories } } }));
}

/** Four bytes are about a token: nobody counts the same as another tokenizer. */
function estimate(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

export function ContextPanel({ session }: { session: Session }) {
  const dialect = useSignal<Dialect>("pi");
  const memories = useSignal(false);
  const found = useSignal<Context | undefined>(undefined);
  const error = useSignal("");
  const at = param("at") ? `#${param("at")}` : undefined;
  useEffect(() => {
    let stop = false;
    load(session.id, dialect.value, at, memories.value).then(
      (c) => !stop && ((found.value = c), (error.value = "")),
      (e: unknown) => !stop && (error.value = message(e)),
    );
    return () => {
      stop = true;
    };
  }, [session.id, session.rev, dialect.value, memories.value, at]);
  const c = found.value;
  const sizes = c?.messages.map(estimate) ?? [];
  const total = sizes.reduce((a, b) => a + b, 0);
  return (
    <>
      <div class="row-x tree-head">
        <Menu
          name="Dialect"
          items={dialects.map((v) => ({ text: names[v] ?? v, checked: v === dialect.value, act: () => (dialect.value = v) }))}
          button={(toggle, open) => (
            <button type="button" class="btn quiet" aria-haspopup="menu" aria-expanded={open} onClick={toggle}>
              As {names[dialect.value] ?? dialect.value} <Icon name="down" small />
            </button>
          )}
        />
        <span class="grow" />
        <label class="row-x small t2">
          <input type="checkbox" class="box" checked={memories.value} onChange={(e) => (memories.value = e.currentTarget.checked)} />
          memories
        </label>
      </div>
      {error.value && !c && <Failed what="The context" error={error.value} />}
      {!c && !error.value && <Skeleton rows={8} height={40} />}
      {c && (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-label="Context">
            {c.notes.length > 0 && (
              <details class="notes">
                <summary>{plural(c.notes.length, "entry is", "entries are")} not sent as stored</summary>
                <ul>
                  {c.notes.slice(0, 500).map((n, i) => (
                    <li key={i}>
                      <a href={toSession(session.slug, { entry: n.entry })}>{visible(n.what)}</a> <span class="t3">{visible(n.why)}</span>
                    </li>
                  ))}
                </ul>
              </details>
            )}
            {!c.messages.length && <Void title="Nothing is sent">The path is empty.</Void>}
            <ol class="ctx">
              {c.messages.map((m, i) => (
                <Message key={i} m={m as Record<string, unknown>} size={sizes[i]!} source={c.sources[i]} session={session} />
              ))}
            </ol>
          </div>
          <Meter parts={partsOf(c, sizes)} total={total} />
        </>
      )}
    </>
  );
}

function partsOf(c: Context, sizes: number[]): [string, number, number][] {
  let system = 0;
  let summary = 0;
  let rest = 0;
  c.messages.forEach((m, i) => {
    const role = String((m as Record<string, unknown>)["role"] ?? "");
    if (role === "system" || role === "developer") system += sizes[i]!;
    else if (c.marker && c.sources[i] === c.marker) summary += sizes[i]!;
    else rest += sizes[i]!;
  });
  return [
    ["system", system, 0],
    ["summary", summary, 3],
    ["messages", rest, 1],
  ];
}

function Meter({ parts, total }: { parts: [string, number, number][]; total: number }) {
  return (
    <div class="pfoot">
      <div class="row-x small">
        <span class="t2">Context</span>
        <span class="grow" />
        <span class="num t3">about {tokens(total)} tokens</span>
      </div>
      <div class="meter" role="img" aria-label={`about ${tokens(total)} tokens`}>
        {parts.map(
          ([name, n, lane]) => n > 0 && <i key={name} class={`bg${lane}`} style={{ width: `${(n / Math.max(1, total)) * 100}%` }} />,
        )}
      </div>
      <div class="row-x small t3 legend">
        {parts.map(
          ([name, n, lane]) =>
            n > 0 && (
              <span key={name}>
                <i class={`sw bg${lane}`} />
                {name} {tokens(n)}
              </span>
            ),
        )}
      </div>
    </div>
  );
}

/** The texts among the blocks of a message, and the names of the others. */
function wordsOf(content: unknown): string {
  if (!Array.isArray(content)) return JSON.stringify(content) ?? "";
  return (content as Record<string, unknown>[])
    .map((b) => String(b["text"] ?? b["thinking"] ?? b["name"] ?? b["toolName"] ?? b["type"] ?? ""))
    .join(" ");
}

function Message({ m, size, source, session }: { m: Record<string, unknown>; size: number; source?: string; session: Session }) {
  const open = useSignal(false);
  const content = m["content"] ?? m["parts"];
  const first = typeof content === "string" ? content : wordsOf(content);
  return (
    <li>
      <button type="button" class="ctx-line" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <span class="t2 role clip">{visible(String(m["role"] ?? "message"))}</span>
        <span class="grow clip t3">{plain((first ?? "").slice(0, 200))}</span>
        <span class="t3 small num">{tokens(size)}</span>
      </button>
      {open.value && (
        <>
          <pre class="term" tabIndex={0} role="region" aria-label="Message as sent">
            <Coloured lang="json" text={JSON.stringify(m, null, 2)} />
          </pre>
          {source && (
            <p class="small">
              <a class="t2 link" href={toSession(session.slug, { entry: source })}>
                Show the stored entry
              </a>
            </p>
          )}
        </>
      )}
    </li>
  );
}
