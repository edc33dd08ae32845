// Facts about the session, its money, its children, its memories and todos.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { attempt, rememberText } from "../../actions";
import { api, got, type Memory, type Session, type Todos } from "../../api/client";
import { visible } from "../../lib/ansi";
import { count, exactTime, money, moneyExact, plural, shortTime, tokens } from "../../lib/format";
import { href } from "../../router";
import { IconButton } from "../../ui/button";
import { CopyButton } from "../../ui/copy";
import { ask } from "../../ui/dialog";
import { SessionState, titleOf } from "../sessions/row";

export function InfoPanel({ session: s }: { session: Session }) {
  return (
    <div class="scroll info" tabIndex={0} role="region" aria-label="Info">
      <Facts s={s} />
      <Spending s={s} />
      <TodoList s={s} />
      <Memories s={s} />
      <Family s={s} />
    </div>
  );
}

function Section({ title, action, children }: { title: string; action?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="sect">
      <h3>
        {title}
        <span class="grow" />
        {action}
      </h3>
      {children}
    </section>
  );
}

function Facts({ s }: { s: Session }) {
  const rows: [string, ComponentChildren][] = [
    ["Project", visible(s.project)],
    ["Model", visible([s.last_provider || s.model_provider, s.last_model || s.model_name].filter(Boolean).join(" / "))],
    ["Messages", count(s.messages)],
    ["Created", s.created && <time title={exactTime(s.created)}>{shortTime(s.created)}</time>],
    ["Last message", s.modified && <time title={exactTime(s.modified)}>{shortTime(s.modified)}</time>],
    ["Account", s.account && visible(s.account)],
    ["Workspace", s.workspace && visible(s.workspace)],
    ["Role", s.role_name && visible(s.role_name)],
    ["Slug", <span class="mono">{s.slug}</span>],
    ["Number", `#${s.number}`],
    [
      "Id",
      <span class="row-x mono small">
        {s.id}
        <CopyButton text={s.id} name="Copy id" />
      </span>,
    ],
    ["Original id", s.origin && <span class="mono small">{visible(s.origin)}</span>],
  ];
  return (
    <Section title="Session">
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
      {s.system_prompt && (
        <details>
          <summary class="t2">System prompt</summary>
          <pre class="plain small">{visible(s.system_prompt)}</pre>
        </details>
      )}
    </Section>
  );
}

function Spending({ s }: { s: Session }) {
  const below = s.rolled.cost_nano_usd - s.own.cost_nano_usd;
  const input = s.own.input + s.own.cache_read + s.own.cache_write;
  return (
    <Section title="Spent">
      <dl class="facts num">
        <dt>Cost</dt>
        <dd>
          {moneyExact(s.own.cost_nano_usd)}
          {below > 0 && <span class="t3"> and {money(below)} by subagents</span>}
        </dd>
        <dt>Calls</dt>
        <dd>{count(s.calls)}</dd>
        <dt>Input</dt>
        <dd>
          {tokens(input)}
          {s.own.cache_read > 0 && <span class="t3">, {Math.round((s.own.cache_read / input) * 100)} % cached</span>}
        </dd>
        <dt>Output</dt>
        <dd>
          {tokens(s.own.output)}
          {s.own.reasoning > 0 && <span class="t3">, {tokens(s.own.reasoning)} reasoning</span>}
        </dd>
      </dl>
    </Section>
  );
}

const next = { pending: "in_progress", in_progress: "completed", completed: "pending", cancelled: "pending" } as const;

function TodoList({ s }: { s: Session }) {
  const todos = useSignal<Todos | undefined>(undefined);
  const load = () =>
    void got(api.GET("/api/v1/sessions/{id}/todos", { params: { path: { id: s.id } } })).then(
      (t) => (todos.value = t),
      () => {},
    );
  useEffect(load, [s.id, s.rev]);
  const items = todos.value?.items ?? [];
  const save = (list: Todos["items"]) =>
    attempt(async () => {
      await api.PUT("/api/v1/sessions/{id}/todos", {
        params: { path: { id: s.id } },
        body: { items: list.map(({ content, status, priority }) => ({ content, status, priority })) },
      });
      load();
    });
  return (
    <Section
      title="Todos"
      action={
        <IconButton
          icon="plus"
          name="Add a todo"
          onClick={() =>
            ask({
              title: "Todo",
              field: { name: "What is to be done" },
              act: "Add",
              run: (content) => save([...items, { content, status: "pending", priority: "medium" }]),
            })
          }
        />
      }
    >
      {!items.length && <p class="t3 small">None.</p>}
      <ul class="todos">
        {items.map((t, i) => (
          <li key={i} class={t.status}>
            <button
              type="button"
              class="todo-state"
              aria-label={`${t.status.replace("_", " ")}: change`}
              onClick={() =>
                void save(items.map((x, k) => (k === i ? { ...x, status: next[x.status as keyof typeof next] ?? "pending" } : x)))
              }
            >
              <i
                class={`st ${t.status === "completed" ? "done" : t.status === "in_progress" ? "busy" : t.status === "cancelled" ? "cut" : "queue"}`}
              />
            </button>
            <span class="grow">{visible(t.content)}</span>
            <IconButton icon="x" name="Remove" onClick={() => void save(items.filter((_, k) => k !== i))} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Memories({ s }: { s: Session }) {
  const list = useSignal<Memory[]>([]);
  const load = () =>
    void got(api.GET("/api/v1/memories", { params: { query: { scope: "session", of: s.id } } })).then(
      (m) => (list.value = m.items),
      () => {},
    );
  useEffect(load, [s.id, s.rev]);
  const forget = (m: Memory) =>
    void attempt(async () => {
      await api.DELETE("/api/v1/memories/{memory}", { params: { path: { memory: m.id }, query: { scope: "session", of: s.id } } });
      load();
    });
  return (
    <Section title="Memories" action={<IconButton icon="plus" name="Remember something" onClick={() => rememberText(s, "")} />}>
      {!list.value.length && <p class="t3 small">None.</p>}
      <ul class="memories">
        {list.value.map((m) => (
          <li key={m.id}>
            <span class="grow">{visible(m.title || m.content)}</span>
            <IconButton icon="x" name="Forget" onClick={() => forget(m)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Family({ s }: { s: Session }) {
  const parents = useSignal<Session[]>([]);
  const children = useSignal<Session[]>([]);
  const more = useSignal(false);
  useEffect(() => {
    got(api.GET("/api/v1/sessions/{id}/lineage", { params: { path: { id: s.id } } })).then(
      (a) => (parents.value = a.items.slice(1)),
      () => {},
    );
    got(api.GET("/api/v1/sessions/{id}/children", { params: { path: { id: s.id }, query: { limit: 50 } } })).then(
      (a) => {
        children.value = a.items;
        more.value = Boolean(a.next);
      },
      () => {},
    );
  }, [s.id, s.rev]);
  const row = (x: Session, note: string) => (
    <li key={x.id}>
      <a class="row-x" href={href(["sessions", x.slug])}>
        <SessionState s={x} />
        <span class="grow clip">{titleOf(x)}</span>
        <span class="t3 small num nowrap">
          {note} · {plural(x.messages, "message")} · {money(x.own.cost_nano_usd)}
        </span>
      </a>
    </li>
  );
  if (!parents.value.length && !children.value.length) return null;
  return (
    <Section title="Related">
      <ul class="family">
        {parents.value.map((p) => row(p, s.kind === "subagent" ? "started it" : "forked from"))}
        {children.value.map((c) => row(c, c.kind === "subagent" ? "subagent" : "fork"))}
      </ul>
      {more.value && <p class="t3 small">The newest 50 are shown.</p>}
    </Section>
  );
}
