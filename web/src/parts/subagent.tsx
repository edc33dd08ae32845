// The session that a tool call started, and the way to it.
import { computed, signal } from "@preact/signals";
import type { Session } from "../api/client";
import { money, plural } from "../lib/format";
import { toSession } from "../router";
import { Icon } from "../ui/icon";

/** Sessions spawned by the open session, by the id of the call that spawned them. Filled by the session's state. */
export const spawned = signal<Map<string, Session>>(new Map());

export function useSubagent(call: string): Session | undefined {
  return computed(() => (call ? spawned.value.get(call) : undefined)).value;
}

export function SubagentLink({ child }: { child: Session }) {
  return (
    <a class="subagent-link" href={toSession(child.slug)}>
      <Icon name="agent" small />
      <span class="grow clip">{child.title || child.first_user || child.slug}</span>
      <span class="t3 small num nowrap">
        {plural(child.messages, "message")} · {money(child.own.cost_nano_usd)}
      </span>
      <span class="t2 small">Open</span>
    </a>
  );
}
