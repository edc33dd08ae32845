// Providers of models: configured, reachable, which models, how healthy, and what to do next. And budgets.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { api, type Budget, got, message, type Provider } from "../../api/client";
import { visible } from "../../lib/ansi";
import { exactTime, money, percent, plural, since, tokens } from "../../lib/format";
import {
  loadProviders,
  needProviders,
  providers,
  providersError,
  providersState,
  refreshProvider,
  testModel,
  tools,
} from "../../state/providers";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Menu } from "../../ui/menu";
import { Failed, sentence, Skeleton, Void } from "../../ui/states";

export function ProvidersPage() {
  useEffect(() => {
    needProviders();
    void loadProviders();
  }, []);
  return (
    <main class="main" id="main">
      <div class="bar">
        <h1>Providers</h1>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Providers">
        <div class="page narrow">
          {providersState.value === "failed" ? (
            <Failed what="The providers" error={providersError.value} retry={() => void loadProviders()} />
          ) : providersState.value === "loading" ? (
            <Skeleton rows={5} height={40} />
          ) : !providers.value.length ? (
            <Void icon="providers" title="No provider is configured">
              <p>
                Set <code>OPENAI_API_KEY</code> or <code>ANTHROPIC_API_KEY</code> for the server, add a <code>[provider "name"]</code>{" "}
                section to its configuration, or let it look for a local runtime with <code>discover = yes</code> in <code>[gateway]</code>.
                Reading, searching and importing work without one.
              </p>
            </Void>
          ) : (
            providers.value.map((p) => <OneProvider key={p.name} p={p} />)
          )}
          <ToolServers />
          <Budgets />
        </div>
      </div>
    </main>
  );
}

function stateOf(p: Provider): { shape: string; word: string; bad: boolean } {
  if (p.blocked === "no_key") return { shape: "fail", word: "No key", bad: true };
  if (p.blocked === "key_refused") return { shape: "fail", word: "Key refused", bad: true };
  if (p.blocked === "no_models") return { shape: "wait", word: "No models", bad: true };
  if (p.reachable === false) return { shape: "fail", word: "Not reachable", bad: true };
  if (p.reachable === null) return { shape: "queue", word: "Not asked yet", bad: false };
  return { shape: "", word: "Ready", bad: false };
}

function OneProvider({ p }: { p: Provider }) {
  const busy = useSignal("");
  const error = useSignal("");
  const tested = useSignal<Awaited<ReturnType<typeof testModel>> | undefined>(undefined);
  const state = stateOf(p);
  const refresh = async () => {
    busy.value = "refresh";
    error.value = "";
    try {
      await refreshProvider(p.name);
    } catch (e) {
      error.value = message(e);
    }
    busy.value = "";
  };
  const test = async (model: string) => {
    busy.value = "test";
    error.value = "";
    tested.value = undefined;
    try {
      tested.value = await testModel(p.name, model);
    } catch (e) {
      error.value = message(e);
    }
    busy.value = "";
  };
  const rows: [string, ComponentChildren][] = [
    ["Kind", p.kind === "demo" ? "demo: canned answers of bough itself" : p.kind],
    ["Address", <span class="mono small">{visible(p.base_url)}</span>],
    ["Configured", p.discovered ? "found on this machine" : p.configured ? "yes" : "no"],
    ["Key", p.key_source ? visible(p.key_source) : p.auth === "client" ? "the client's own" : "needs none"],
    [
      "Health",
      <span title={exactTime(p.checked_at)}>
        {p.reachable === null ? "not asked yet" : p.reachable ? `reachable, ${p.latency_ms} ms` : "not reachable"}
        {p.checked_at && <span class="t3"> · asked {since(p.checked_at)}</span>}
      </span>,
    ],
    [
      "Last error",
      p.last_error && (
        <span title={exactTime(p.last_error_at)}>
          {visible(sentence(p.last_error))} <span class="t3">{since(p.last_error_at)}</span>
        </span>
      ),
    ],
  ];
  return (
    <section class="card provider" aria-label={`Provider ${p.name}`}>
      <div class="h">
        {state.shape && <i class={`st ${state.shape}`} aria-hidden="true" />}
        <h2>{visible(p.name)}</h2>
        {p.default && <span class="label">default</span>}
        <span class={`small ${state.bad ? "c-fail" : "t2"}`}>{state.word}</span>
        <span class="grow" />
        <Menu
          name={`Test a model of ${p.name}`}
          filter
          items={(p.models ?? []).map((m) => ({ text: m.id, act: () => void test(m.id) }))}
          button={(toggle, open) => (
            <button
              type="button"
              class="btn"
              aria-haspopup="menu"
              aria-expanded={open}
              disabled={!p.models?.length || busy.value === "test"}
              title="Sends one small request, which may cost a little"
              onClick={toggle}
            >
              {busy.value === "test" ? "Testing" : "Test"}
            </button>
          )}
        />
        <Button icon="retry" disabled={busy.value === "refresh"} onClick={() => void refresh()}>
          Refresh
        </Button>
      </div>
      <div class="b">
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
        {p.next_steps.length > 0 && (
          <div>
            <p class="t2">Next steps</p>
            <ol class="steps">
              {p.next_steps.map((s, i) => (
                <li key={i}>{visible(sentence(s.text))}</li>
              ))}
            </ol>
          </div>
        )}
        <div role="status">
          {tested.value && (
            <p class={tested.value.answered ? "" : "c-fail"}>
              {tested.value.answered
                ? `${tested.value.model} answered in ${tested.value.latency_ms} ms.`
                : visible(sentence(`${tested.value.model}: ${tested.value.error ?? "no answer"}`))}
            </p>
          )}
          {error.value && <p class="c-fail">{sentence(error.value)}</p>}
        </div>
        <Models p={p} />
      </div>
    </section>
  );
}

const SHOWN = 12;

function Models({ p }: { p: Provider }) {
  const all = useSignal(false);
  const list = p.models ?? [];
  if (!list.length) return null;
  return (
    <div>
      <p class="t2">
        {plural(p.model_count, "model")}
        {p.models_at && (
          <span class="t3" title={exactTime(p.models_at)}>
            {" "}
            · read {since(p.models_at)}
          </span>
        )}
      </p>
      <ul class="model-list">
        {(all.value ? list : list.slice(0, SHOWN)).map((m) => (
          <li key={m.id}>
            <span class="mono small clip">{visible(m.id)}</span>
            <span class="t3 small num">
              {[m.context ? `${tokens(m.context)} context` : "", m.loaded ? "in memory" : ""].filter(Boolean).join(" · ")}
            </span>
          </li>
        ))}
      </ul>
      {list.length > SHOWN && !all.value && (
        <button type="button" class="link" onClick={() => (all.value = true)}>
          Show all {list.length}
        </button>
      )}
    </div>
  );
}

function ToolServers() {
  if (!tools.value.length) return null;
  return (
    <section class="sect" aria-label="Tools">
      <h2>Tools</h2>
      <table>
        <thead>
          <tr>
            <th>Server</th>
            <th>State</th>
            <th class="r">Tools</th>
          </tr>
        </thead>
        <tbody>
          {tools.value.map((t) => (
            <tr key={t.name}>
              <td>
                <Icon name="tool" small /> {visible(t.name)} <span class="t3 small">{visible(t.kind)}</span>
              </td>
              <td class={t.error ? "c-fail" : "t2"}>{visible(t.error || t.status)}</td>
              <td class="r num">{t.tools}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Budgets() {
  const list = useSignal<Budget[] | undefined>(undefined);
  const error = useSignal("");
  useEffect(() => {
    got(api.GET("/api/v1/budgets")).then(
      (a) => (list.value = a.items),
      (e: unknown) => (error.value = message(e)),
    );
  }, []);
  return (
    <section class="sect" aria-label="Budgets">
      <h2>Budgets</h2>
      {error.value && <p class="c-fail">{sentence(error.value)}</p>}
      {list.value && !list.value.length && (
        <p class="t2">
          None: nothing limits what is spent. <code>bough budget set</code> makes one.
        </p>
      )}
      {list.value && list.value.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>For</th>
              <th>Window</th>
              <th class="r">Spent</th>
              <th class="r">Of</th>
              <th class="r">Left</th>
            </tr>
          </thead>
          <tbody>
            {list.value.map((b) => {
              const used = b.spent_nano_usd + b.reserved_nano_usd;
              const left = Math.max(0, b.cap_nano_usd - used);
              return (
                <tr key={b.id}>
                  <td class="wrap">
                    {b.scope} <span class="t2">{visible(b.of)}</span>
                  </td>
                  <td>{b.window}</td>
                  <td class="r num" title={percent(used, b.cap_nano_usd)}>
                    {money(b.spent_nano_usd)}
                  </td>
                  <td class="r num">{money(b.cap_nano_usd)}</td>
                  <td class={`r num${left ? "" : " c-fail"}`}>{money(left)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
