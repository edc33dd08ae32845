// A session in the list: two lines, or one for a subagent.
import type { Session } from "../../api/client";
import { visible } from "../../lib/ansi";
import { ago, count, exactTime, modelName, money, oneLine, projectName } from "../../lib/format";
import { toSession } from "../../router";
import { session as open } from "../../state/session";
import { known } from "../../state/sessions";
import { Check } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { pick, picked, picking } from "./picked";

export function titleOf(s: Session): string {
  return visible(s.title || oneLine(s.first_user ?? "", 120)) || "Untitled";
}

/** The state of a session as a shape. Nothing when it rests. */
export function SessionState({ s }: { s: Session }) {
  if (s.status === "busy" || s.last_state === "open") return <i class="st busy" role="img" aria-label="Busy" />;
  if (s.status === "retry") return <i class="st wait" role="img" aria-label="Will try again" />;
  if (s.last_state === "interrupted") return <i class="st cut" role="img" aria-label="Interrupted" />;
  if (s.last_state === "error") return <i class="st fail" role="img" aria-label="Failed" />;
  return <i class="st" />;
}

export function SessionRow({ id, now }: { id: string; now: number }) {
  const s = known(id).value;
  if (!s) return null;
  const chosen = picked.value.has(id);
  const model = modelName(s.last_model || s.model_name);
  const facts = [projectName(s.project), model || s.provider_path].filter(Boolean).join(" · ");
  const numbers = [count(s.messages), s.own.cost_nano_usd || s.calls ? money(s.rolled.cost_nano_usd) : ""].filter(Boolean).join(" · ");
  return (
    <div class="row-box">
      <a
        class={`row${chosen ? " picked" : ""}`}
        href={toSession(s.slug)}
        aria-current={open.value?.id === id ? "page" : undefined}
        data-session={id}
        onClick={(e) => {
          if (picking.value || e.shiftKey) {
            e.preventDefault();
            pick(id, e.shiftKey);
          }
        }}
      >
        {picking.value ? <Check checked={chosen} name={`Select ${titleOf(s)}`} onChange={() => pick(id, false)} /> : <SessionState s={s} />}
        <span class="l">
          <span class="t clip">
            {s.fork_entry && <Icon name="fork" small class="fork-mark" />}
            {titleOf(s)}
          </span>
          <time class="x" dateTime={s.modified ?? s.created ?? ""} title={exactTime(s.modified ?? s.created)}>
            {ago(s.modified ?? s.created, now)}
          </time>
        </span>
        <span class="l">
          <span class="m clip" title={s.project}>
            {visible(facts) || " "}
          </span>
          <span class="x">{numbers}</span>
        </span>
      </a>
    </div>
  );
}

export function SubagentRow({ id }: { id: string }) {
  const s = known(id).value;
  if (!s) return null;
  return (
    <a class="row sub" href={toSession(s.slug)} aria-current={open.value?.id === id ? "page" : undefined}>
      <SessionState s={s} />
      <span class="l">
        <span class="t clip">{titleOf(s)}</span>
        <span class="x">
          {count(s.messages)}
          {s.own.cost_nano_usd ? ` · ${money(s.own.cost_nano_usd)}` : ""}
        </span>
      </span>
    </a>
  );
}
