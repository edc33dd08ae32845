// A prompt that was sent and is not stored yet.
import { visible } from "../../lib/ansi";
import { plural } from "../../lib/format";
import type { Sending } from "../../state/composer";

export function PendingRow({ m }: { m: Sending }) {
  return (
    <div class="lane l1">
      <article class="e user" aria-label="You, being sent" aria-busy="true">
        <i class="dot" aria-hidden="true" />
        <div class="body">
          <div class="text-part">
            <p class="pre">{visible(m.text)}</p>
            {m.files > 0 && <p class="t3 small">{plural(m.files, "file")}</p>}
          </div>
        </div>
      </article>
    </div>
  );
}
