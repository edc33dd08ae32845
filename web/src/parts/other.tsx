// A part that no view knows, as the JSON it is.
import { useSignal } from "@preact/signals";
import { visible } from "../lib/ansi";
import type { PartView } from "../state/path";
import { Icon } from "../ui/icon";
import { Coloured } from "./code";

/** Parts that only keep the books of a tool: shown where somebody looks for them, not in the text. */
export const bookkeeping = new Set(["step-start", "step-finish", "snapshot", "compaction"]);

export function Other({ part }: { part: PartView }) {
  const open = useSignal(false);
  const json = JSON.stringify(part.raw ?? {}, null, 2);
  return (
    <div class="tool">
      <button type="button" class="line" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name="info" />
        <span class="verb">{visible(part.type)}</span>
        <span class="what t3">{visible(JSON.stringify(part.raw ?? {}))}</span>
      </button>
      {open.value && (
        <div class="open">
          <pre class="term" tabIndex={0} role="region" aria-label={`Part ${part.type}`}>
            <Coloured lang="json" text={json} />
          </pre>
        </div>
      )}
    </div>
  );
}
