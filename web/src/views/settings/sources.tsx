// Files that were imported, and who follows them.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, got, message, type Source } from "../../api/client";
import { on } from "../../api/events";
import { visible } from "../../lib/ansi";
import { bytes, percent } from "../../lib/format";
import { Button } from "../../ui/button";
import { Failed, Skeleton, Void } from "../../ui/states";
import { openImport } from "../sessions/import";

export function SourcesPage() {
  const found = useSignal<Source[] | undefined>(undefined);
  const error = useSignal("");
  const load = () =>
    void got(api.GET("/api/v1/sources", { params: { query: {} } })).then(
      (a) => {
        found.value = a.items;
        error.value = "";
      },
      (e: unknown) => (error.value = message(e)),
    );
  useEffect(() => {
    load();
    return on("store.updated", (e) => e["what"] === "source" && load());
  }, []);
  if (error.value && !found.value) return <Failed what="The sources" error={error.value} retry={() => load()} />;
  if (!found.value) return <Skeleton rows={5} height={32} />;
  return (
    <section class="sect">
      <h2>
        Import sources
        <span class="grow" />
        <Button icon="up" onClick={openImport}>
          Import files
        </Button>
      </h2>
      <p class="t2">
        <code>bough import --follow</code> watches the directories of other tools and keeps up while they write. Sources are never changed.
      </p>
      {!found.value.length ? (
        <Void icon="file" title="Nothing was imported yet" />
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" class="r">
                Size
              </th>
              <th scope="col" class="r">
                Read
              </th>
              <th scope="col" class="r narrow-hide">
                Followed
              </th>
            </tr>
          </thead>
          <tbody>
            {found.value.map((s) => (
              <tr key={s.path}>
                <td class="mono wrap clip" title={s.path}>
                  {visible(s.path)}
                </td>
                <td class="r nowrap">{bytes(s.size)}</td>
                <td class="r nowrap">{s.offset >= s.size ? "all" : percent(s.offset, s.size)}</td>
                <td class="r t3 nowrap narrow-hide">{s.owner ? "now" : ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
