// Prompts that wait for the session, in order. They are the server's: every window shows the same.
import { useSignal } from "@preact/signals";
import { message, type Prompt } from "../../api/client";
import { visible } from "../../lib/ansi";
import { modelName } from "../../lib/format";
import { editPrompt, orderPrompts, queueError, removePrompt } from "../../state/composer";
import { IconButton } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { sentence } from "../../ui/states";

export function Queue({ items }: { items: Prompt[] }) {
  const dragged = useSignal(-1);
  const failed = (e: unknown) => (queueError.value = message(e));
  if (!items.length) return null;
  const move = (from: number, to: number) => {
    if (to < 0 || to >= items.length || from === to) return;
    const list = [...items];
    list.splice(to, 0, ...list.splice(from, 1));
    void orderPrompts(list).catch(failed);
  };
  return (
    <section class="queue" aria-label="Queued next">
      <div class="h">
        <b>Queued next</b> <span>will send when the active run finishes</span>
      </div>
      <ol>
        {items.map((p, i) => (
          <li
            key={p.id}
            draggable
            onDragStart={() => (dragged.value = i)}
            onDragOver={(e) => e.preventDefault()}
            onDrop={(e) => {
              e.preventDefault();
              e.stopPropagation();
              move(dragged.value, i);
            }}
          >
            <span class="grow clip">{visible(p.content.replace(/\s+/g, " "))}</span>
            <span class="t3 small narrow-hide nowrap">{aboutPrompt(p)}</span>
            {items.length > 1 && <IconButton icon="up" name="Move up" disabled={!i} onClick={() => move(i, i - 1)} />}
            {items.length > 1 && (
              <IconButton icon="down" name="Move down" disabled={i === items.length - 1} onClick={() => move(i, i + 1)} />
            )}
            <IconButton
              icon="edit"
              name="Edit"
              onClick={() =>
                ask({
                  title: "Edit the queued prompt",
                  field: { name: "Prompt", value: p.content, rows: 5 },
                  act: "Save",
                  run: (text) => editPrompt(p, text.trim()),
                })
              }
            />
            <IconButton icon="x" name="Remove" onClick={() => void removePrompt(p).catch(failed)} />
          </li>
        ))}
      </ol>
      {queueError.value && (
        <p class="c-fail small" role="alert">
          {sentence(queueError.value)}
        </p>
      )}
    </section>
  );
}

/** Its own settings, as they were when it was queued. */
function aboutPrompt(p: Prompt): string {
  const kind =
    p.runtime_kind === "agent" ? "tools on" : p.runtime_kind === "external" || p.adapter_id ? (p.adapter_id ?? "External") : "tools off";
  return [kind, modelName(p.model)].filter(Boolean).join(" · ");
}
