// Approvals that wait, of all sessions: a bell in the rail, and a tray with their cards.
import { signal } from "@preact/signals";
import { href } from "../../router";
import { waiting } from "../../state/runs";
import { known, refresh } from "../../state/sessions";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { titleOf } from "../sessions/row";
import { ApprovalCard } from "./approval";

export const trayOpen = signal(false);

export function Bell() {
  const n = waiting.value.length;
  return (
    <button
      type="button"
      class={`push bell${n ? " on" : ""}`}
      title="Approvals (g a)"
      aria-label={n ? `Approvals: ${n} waiting` : "Approvals: none waiting"}
      onClick={() => (trayOpen.value = true)}
    >
      <Icon name="bell" />
      {n > 0 && (
        <span class="n" aria-hidden="true">
          {n > 99 ? "99+" : n}
        </span>
      )}
    </button>
  );
}

export function Tray() {
  if (!trayOpen.value) return null;
  return (
    <Dialog title="Approvals" wide onClose={() => (trayOpen.value = false)}>
      <div class="tray">
        <h2>Approvals</h2>
        {!waiting.value.length && <p class="t2">Nothing waits for you.</p>}
        {waiting.value.map((a) => (
          <ApprovalCard key={a.id} a={a} session={<SessionLink id={a.session} />} />
        ))}
      </div>
    </Dialog>
  );
}

function SessionLink({ id }: { id: string }) {
  const s = known(id).value;
  if (!s) void refresh(id);
  return (
    <a href={href(["sessions", s?.slug ?? id])} onClick={() => (trayOpen.value = false)}>
      {s ? titleOf(s) : "Review"}
    </a>
  );
}
