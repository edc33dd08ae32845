// A text behind its first line.
import { useSignal } from "@preact/signals";
import { visible } from "../../lib/ansi";
import { oneLine } from "../../lib/format";
import { Markdown } from "../../lib/markdown";
import { Icon, type IconName } from "../../ui/icon";

export function Folded({ icon, title, text }: { icon: IconName; title: string; text: string }) {
  const open = useSignal(false);
  return (
    <>
      <button type="button" class="fold wide" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name={open.value ? "down" : icon} small />
        <span class="nowrap">{title}</span>
        {!open.value && <span class="t3 clip">{visible(oneLine(text, 160))}</span>}
      </button>
      {open.value && (
        <div class="think">
          <Markdown text={text} />
        </div>
      )}
    </>
  );
}
