// Why nothing can be sent, before it is sent: the full card near the composer, the compact one in an empty chat, and one
// line below a session that came from elsewhere, until a person wants to write.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { message, type Session } from "../../api/client";
import { visible } from "../../lib/ansi";
import { plural, since } from "../../lib/format";
import type { Readiness } from "../../lib/ready";
import { href } from "../../router";
import { choiceOf } from "../../state/composer";
import { loadProviders, refreshAll } from "../../state/providers";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Menu } from "../../ui/menu";
import { sentence } from "../../ui/states";
import { choose } from "./models";

function useRefresh() {
  const busy = useSignal(false);
  const error = useSignal("");
  const run = async () => {
    busy.value = true;
    error.value = "";
    try {
      await refreshAll();
      await loadProviders();
    } catch (e) {
      error.value = message(e);
    }
    busy.value = false;
  };
  return { busy, error, run };
}

function health(r: Readiness): string {
  const p = r.provider;
  if (!p) return "not known";
  if (p.reachable === null) return "not asked yet";
  return p.reachable ? `Reachable, ${p.latency_ms} ms` : "Not reachable";
}

function ModelsButton({ s, r, text }: { s: Session; r: Readiness; text: string }) {
  if (!r.models.length) return null;
  return (
    <Menu
      name="Models"
      filter
      items={r.models.map((c) => ({ text: c.model, hint: c.provider, act: () => choose(s, c) }))}
      button={(toggle, open) => (
        <button type="button" class="btn" aria-haspopup="menu" aria-expanded={open} onClick={toggle}>
          {text}
        </button>
      )}
    />
  );
}

export function ReadyLine({ s, r, open }: { s: Session; r: Readiness; open: () => void }) {
  return (
    <div class="card ready-line" role="group" aria-label="No model is ready">
      <div class="b row">
        <i class="st fail" aria-hidden="true" />
        <span class="grow clip t2" title={r.why}>
          {visible(r.why)}
        </span>
        <Button kind="quiet" onClick={open}>
          What to do
        </Button>
        <ModelsButton s={s} r={r} text="Choose a model" />
      </div>
    </div>
  );
}

export function ReadyFull({ s, r }: { s: Session; r: Readiness }) {
  const choice = choiceOf(s);
  const refresh = useRefresh();
  const p = r.provider;
  const rows: [string, ComponentChildren][] = [
    ["Model", <span class="mono">{visible(choice?.model ?? "none")}</span>],
    ["Provider route", p ? `${p.name} → ${p.base_url.replace(/^https?:\/\//, "")}` : visible(choice?.provider || "none")],
    ["Discovered models", `${r.models.length}${p?.models_at ? `, last seen ${since(p.models_at)}` : ""}`],
    ["Health", health(r)],
    ["Error", visible(p?.last_error ? sentence(p.last_error) : `${r.why}.`)],
  ];
  return (
    <div class="card stop" role="group" aria-label="This model cannot be used now">
      <div class="h">
        <Icon name="alert" />
        <b>{r.nothing ? "No model can be reached yet" : "This model cannot be used now"}</b>
      </div>
      <div class="b" tabIndex={0} role="region" aria-label="Why, and what to do">
        <dl class="facts">
          {rows.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
        {r.steps.length > 0 && (
          <div>
            <p class="t2">Next steps</p>
            <ol class="steps">
              {r.steps.map((text, i) => (
                <li key={i}>{visible(sentence(text))}</li>
              ))}
            </ol>
          </div>
        )}
        {refresh.error.value && <p class="c-fail">{sentence(refresh.error.value)}</p>}
      </div>
      <div class="f">
        <a class="btn pri" href={href(["providers"])}>
          Open Providers
        </a>
        <ModelsButton s={s} r={r} text="Choose a model" />
        <Button kind="quiet" icon="retry" disabled={refresh.busy.value} onClick={() => void refresh.run()}>
          Refresh discovery
        </Button>
      </div>
    </div>
  );
}

export function ReadyCompact({ s, r }: { s: Session; r: Readiness }) {
  const refresh = useRefresh();
  const p = r.provider;
  return (
    <div class="card compact" role="group" aria-label="No model is ready">
      <div class="b">
        <p>
          <i class="st fail" aria-hidden="true" /> {visible(r.why)}
        </p>
        <p class="t3 small">
          {[health(r), plural(r.models.length, "discovered model"), p?.models_at && `seen ${since(p.models_at)}`]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {refresh.error.value && <p class="c-fail small">{sentence(refresh.error.value)}</p>}
        <div class="chips">
          {r.models.slice(0, 6).map((c) => (
            <button key={c.provider + c.model} type="button" class="chip" title={c.provider} onClick={() => choose(s, c)}>
              {visible(c.model)}
            </button>
          ))}
          <span class="grow" />
          <Button kind="quiet" icon="retry" disabled={refresh.busy.value} onClick={() => void refresh.run()}>
            Refresh
          </Button>
          <a class="btn" href={href(["providers"])}>
            Open Providers
          </a>
        </div>
      </div>
    </div>
  );
}
