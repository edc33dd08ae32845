// What the model thought: one line, the text on request.
import { useSignal } from "@preact/signals";
import { duration } from "../lib/format";
import { Markdown } from "../lib/markdown";
import type { PartView } from "../state/path";
import { Icon } from "../ui/icon";

export function Reasoning({ part, live }: { part: PartView; live?: boolean }) {
  const open = useSignal(false);
  const time = part.time as { start?: number; end?: number } | undefined;
  const ms = time?.start && time.end ? time.end - time.start : undefined;
  const text = part.text ?? "";
  const title = live ? "Thinking" : ms ? `Thought for ${duration(ms)}` : "Thought";
  if (!text.trim()) {
    return (
      <span class="fold still">
        <Icon name="think" small />
        {title} <span class="t3">{live ? "" : "hidden by the provider"}</span>
      </span>
    );
  }
  return (
    <>
      <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name={open.value ? "down" : "chev"} small />
        {title}
      </button>
      {open.value && (
        <div class="think">
          <Markdown text={text} />
        </div>
      )}
    </>
  );
}
