// The external agent of a session: which one, how it is, what to do next.
import { useSignal } from "@preact/signals";
import { message, type Session } from "../../api/client";
import { visible } from "../../lib/ansi";
import { agents, agentsState, probe, probes } from "../../state/agents";
import { setSettings, settingsOf } from "../../state/composer";
import { Terminal } from "../../parts/terminal";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Menu } from "../../ui/menu";
import { sentence } from "../../ui/states";
import { AgentOptions } from "./agent_options";

export function AgentMenu({ s }: { s: Session }) {
  const set = settingsOf(s).value;
  return (
    <Menu
      name="External agents"
      items={agents.value.map((a) => ({
        text: a.title || a.name,
        hint: a.installed ? "" : "not installed",
        checked: a.name === set.adapter,
        act: () => setSettings(s, { adapter: a.name }),
      }))}
      button={(toggle, open) => (
        <button type="button" class="btn quiet" aria-haspopup="menu" aria-expanded={open} disabled={!agents.value.length} onClick={toggle}>
          <span class="clip">{set.adapter || "Choose an agent"}</span>
          <Icon name="down" small />
        </button>
      )}
    />
  );
}

export function AgentNote({ s }: { s: Session }) {
  const error = useSignal("");
  const busy = useSignal(false);
  const set = settingsOf(s).value;
  const a = agents.value.find((x) => x.name === set.adapter);
  if (agentsState.value === "loading") return null;
  if (agentsState.value === "none") {
    return (
      <div class="card" role="group" aria-label="External Agent">
        <div class="b">
          <p>
            No external agent is configured. A section <code>[agent "name"]</code> in the server's configuration adds one.
          </p>
        </div>
      </div>
    );
  }
  if (!a) {
    return (
      <div class="card" role="group" aria-label="External Agent">
        <div class="b">
          <p class="t2">Another program does the work, in a folder. Choose which one:</p>
          <div class="chips">
            {agents.value.map((x) => (
              <button key={x.name} type="button" class="chip" onClick={() => setSettings(s, { adapter: x.name })}>
                {visible(x.title || x.name)}
              </button>
            ))}
          </div>
        </div>
      </div>
    );
  }
  const test = async () => {
    busy.value = true;
    error.value = "";
    try {
      await probe(a.name);
    } catch (e) {
      error.value = message(e);
    }
    busy.value = false;
  };
  const p = probes.value[a.name];
  const facts = [a.installed ? "installed" : "not installed", p?.version, p && `reached ${p.stage}`, p?.status, `asks: ${a.approve}`]
    .filter(Boolean)
    .join(" · ");
  const next = p?.hint || (!a.installed ? a.install : p?.status === "auth_required" ? a.login : "");
  return (
    <div class="card" role="group" aria-label="External Agent">
      <div class="b row">
        <span class="grow">
          <b>{visible(a.title || a.name)}</b> <span class="t3 small">{visible(facts)}</span>
          {next && <span class="t2 block">{visible(next)}</span>}
          {(error.value || p?.error) && <span class="c-fail block">{visible(sentence(error.value || p!.error))}</span>}
          {p?.stderr && <Terminal name="stderr" text={p.stderr} fail />}
          {a.approve === "allow" && <span class="c-fail block">Auto-approval is on for {visible(a.title || a.name)}.</span>}
          <AgentOptions s={s} />
          <span class="t3 small block">What it asks permission for is its own choice.</span>
        </span>
        <Button disabled={busy.value} onClick={() => void test()}>
          {busy.value ? "Testing" : "Test"}
        </Button>
      </div>
    </div>
  );
}
