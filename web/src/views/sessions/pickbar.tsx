// What can be done with the selected sessions.
import { archive, attempt, exportUrl, remove, restore, say } from "../../actions";
import { api } from "../../api/client";
import { plural } from "../../lib/format";
import { filter, ids } from "../../state/sessions";
import { Button, IconButton } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { openPurge } from "./purge";
import { picked, pickAll, pickedSessions, stopPicking } from "./picked";

export function PickBar() {
  const n = picked.value.size;
  const trash = Boolean(filter.value.trash);
  const act = (work: () => Promise<unknown>) =>
    void attempt(async () => {
      await work();
      stopPicking();
    });
  return (
    <div class="pickbar" role="toolbar" aria-label="Selected sessions">
      <span class="grow num">{plural(n, "selected", "selected")}</span>
      {n < ids.value.length && (
        <Button kind="quiet" onClick={pickAll}>
          All
        </Button>
      )}
      {trash ? (
        <>
          <IconButton icon="retry" name="Restore" disabled={!n} onClick={() => act(() => restore(pickedSessions()))} />
          <IconButton icon="trash" name="Purge" disabled={!n} onClick={() => openPurge(pickedSessions(), stopPicking)} />
        </>
      ) : (
        <>
          <IconButton icon="tag" name="Label" disabled={!n} onClick={labelAll} />
          <IconButton icon="dl" name="Export" disabled={!n} onClick={exportAll} />
          <IconButton icon="archive" name="Archive" disabled={!n} onClick={() => act(() => archive(pickedSessions()))} />
          <IconButton icon="trash" name="Delete" disabled={!n} onClick={() => act(() => remove(pickedSessions()))} />
        </>
      )}
      <IconButton icon="x" name="Stop selecting" onClick={stopPicking} />
    </div>
  );
}

/** One file each: the browser asks once whether a page may download several. */
function exportAll(): void {
  for (const s of pickedSessions()) {
    const a = document.createElement("a");
    a.href = exportUrl(s, "bough");
    a.download = `${s.slug}.jsonl`;
    a.click();
  }
  stopPicking();
}

function labelAll(): void {
  const all = pickedSessions().filter((s) => s.head);
  ask({
    title: "Label",
    text: "The label goes to the last entry of each selected session.",
    field: { name: "Label" },
    act: "Label",
    run: async (text) => {
      for (const s of all) {
        await api.PUT("/api/v1/sessions/{id}/labels/{entry}", {
          params: { path: { id: s.id, entry: s.head! } },
          body: { label: text.trim() },
        });
      }
      say(plural(all.length, "session labelled", "sessions labelled"));
      stopPicking();
    },
  });
}
