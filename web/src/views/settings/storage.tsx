// The store: what it is, how large, when it was last backed up and checked.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { api, got, message } from "../../api/client";
import { ago, bytes, count, exactTime, plural } from "../../lib/format";
import { Button } from "../../ui/button";
import { Failed, Skeleton } from "../../ui/states";
import { Problem } from "../../ui/problem";

type Info = Awaited<ReturnType<typeof load>>;
type Check = Awaited<ReturnType<typeof fsck>>;

function load() {
  return got(api.GET("/api/v1/store"));
}

function fsck() {
  return got(api.POST("/api/v1/store/fsck", { params: { query: { level: "quick" } } }));
}

function stats() {
  return got(api.GET("/api/v1/store/stats"));
}

export function StoragePage() {
  const info = useSignal<Info | undefined>(undefined);
  const counts = useSignal<Awaited<ReturnType<typeof stats>> | undefined>(undefined);
  const error = useSignal("");
  const checking = useSignal(false);
  const check = useSignal<Check | undefined>(undefined);
  const checkError = useSignal("");
  const read = () =>
    void load().then(
      (i) => ((info.value = i), (error.value = "")),
      (e: unknown) => (error.value = message(e)),
    );
  useEffect(read, []);
  const run = async () => {
    checking.value = true;
    checkError.value = "";
    try {
      check.value = await fsck();
      read();
    } catch (e) {
      checkError.value = message(e);
    }
    checking.value = false;
  };
  const i = info.value;
  if (error.value && !i) return <Failed what="The store" error={error.value} retry={read} />;
  if (!i) return <Skeleton rows={6} height={32} />;
  const rows: [string, ComponentChildren][] = [
    ["Kept in", i.backend === "sqlite" ? <span class="mono">{i.path}</span> : i.backend],
    ["Size", i.file_bytes ? `${bytes(i.file_bytes)}${i.wal_bytes ? `, and ${bytes(i.wal_bytes)} in the write-ahead log` : ""}` : undefined],
    ["Changes", count(i.last_no)],
    ["Not indexed yet", i.text_pending ? plural(i.text_pending, "change") : undefined],
    ["Schema", i.schema],
    [
      "Last backup",
      i.last_backup ? (
        <span title={exactTime(i.last_backup.time)}>
          {ago(i.last_backup.time)} ago, {i.last_backup.verified ? "verified" : "not verified"}
        </span>
      ) : (
        <span class="c-wait">
          never. <code>bough backup FILE</code> makes one while the server runs.
        </span>
      ),
    ],
    [
      "Last check",
      i.last_fsck ? (
        <span title={exactTime(i.last_fsck.time)}>
          {ago(i.last_fsck.time)} ago, {i.last_fsck.level}: {plural(i.last_fsck.errors, "error")}, {plural(i.last_fsck.warnings, "warning")}
        </span>
      ) : (
        "never"
      ),
    ],
    ["Retention", "Nothing is removed by itself. Deleted sessions stay in the trash until they are purged."],
  ];
  return (
    <>
      <section class="sect">
        <h2>Store</h2>
        <dl class="facts">
          {rows.map(
            ([name, value]) =>
              value !== undefined && (
                <>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </>
              ),
          )}
        </dl>
      </section>
      <section class="sect">
        <h2>Check</h2>
        <p class="t2">
          A quick check proves what can be proved without reading every entry. <code>bough fsck</code> reads all of them.
        </p>
        <div class="row-x">
          <Button disabled={checking.value} onClick={() => void run()}>
            {checking.value ? "Checking" : "Check now"}
          </Button>
          <Button
            kind="quiet"
            onClick={() =>
              void stats().then(
                (s) => (counts.value = s),
                () => {},
              )
            }
          >
            Count everything
          </Button>
        </div>
        <Problem text={checkError.value} />
        {check.value && (
          <p role="status">
            {plural(check.value.errors, "error")}, {plural(check.value.warnings, "warning")} in {plural(check.value.sessions, "session")},{" "}
            {plural(check.value.branches, "branch", "branches")}, {plural(check.value.records, "record")}.
          </p>
        )}
        {counts.value && (
          <dl class="facts num">
            <dt>Sessions</dt>
            <dd>
              {count(counts.value.sessions)}
              {counts.value.deleted_sessions ? `, ${count(counts.value.deleted_sessions)} in the trash` : ""}
            </dd>
            <dt>Entries</dt>
            <dd>
              {count(counts.value.entries)} on {plural(counts.value.branches, "branch", "branches")}
            </dd>
            <dt>Content</dt>
            <dd>{bytes(counts.value.content_bytes)}</dd>
            <dt>Attachments</dt>
            <dd>
              {count(counts.value.attachments)}, {bytes(counts.value.attachment_bytes)}
            </dd>
          </dl>
        )}
      </section>
      <section class="sect">
        <h2>Export</h2>
        <p class="t2">
          Everything as JSON Lines, byte for byte; <code>bough import</code> reads it back.
        </p>
        <a class="btn" href="/api/v1/export?format=bough" download="bough.jsonl">
          Export everything
        </a>
      </section>
    </>
  );
}
