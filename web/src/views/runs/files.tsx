// The files that a run changed: what changed in them, and the way back.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type ChangedFile, got, message, type Run } from "../../api/client";
import { visible } from "../../lib/ansi";
import { type FileDiff, parsePatch } from "../../lib/diff";
import { plural } from "../../lib/format";
import { Counts, Diff } from "../../parts/diff";
import { ended } from "../../state/runs";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { sentence } from "../../ui/states";

export function FilesChanged({ run }: { run: Run }) {
  const files = useSignal<ChangedFile[]>([]);
  const diffs = useSignal<FileDiff[] | undefined>(undefined);
  const error = useSignal("");
  const reverted = useSignal(false);
  const to = { params: { path: { run: run.id } } };
  useEffect(() => {
    if (!run.workspace || !ended(run)) return;
    got(api.GET("/api/v1/runs/{run}/files", to)).then(
      (a) => (files.value = a.items),
      () => {}, // no git: nothing is known of its files
    );
  }, [run.id, run.status]);
  if (!files.value.length) return null;
  const show = async () => {
    try {
      const a = await got(api.GET("/api/v1/runs/{run}/diff", to));
      diffs.value = parsePatch(a.diff);
    } catch (e) {
      error.value = message(e);
    }
  };
  const revert = (paths?: string[]) =>
    ask({
      title: "Revert",
      text: paths ? `The changes of this run in ${paths[0]} are taken back.` : "All changes of this run are taken back, and no others.",
      act: "Revert",
      danger: true,
      run: async () => {
        const a = await got(api.POST("/api/v1/runs/{run}/revert", { ...to, body: paths ? { paths } : {} }));
        reverted.value = a.reverted;
      },
    });
  return (
    <section aria-label="Files changed">
      <h2 class="row-x">
        {plural(files.value.length, "file")} changed <span class="grow" />
        {!diffs.value && <Button onClick={() => void show()}>Show diff</Button>}
        <Button kind="danger" onClick={() => revert()}>
          Revert all
        </Button>
      </h2>
      {reverted.value && <p role="status">Reverted.</p>}
      {error.value && (
        <p class="c-fail" role="alert">
          {sentence(error.value)}
        </p>
      )}
      <ul class="files-list">
        {files.value.map((f) => (
          <li key={f.path} class="row-x">
            <span class="mono small clip grow">{visible(f.path)}</span>
            <span class="t3 small">{f.status}</span>
            <Counts added={f.additions} removed={f.deletions} />
            <Button kind="quiet" onClick={() => revert([f.path])}>
              Revert
            </Button>
          </li>
        ))}
      </ul>
      {diffs.value?.map((f, i) => (
        <Diff key={i} file={f} />
      ))}
    </section>
  );
}
