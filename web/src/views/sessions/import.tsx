// Files of other tools, dropped on the list or chosen: one after the other, with progress, problems line by line, and
// links to what came in.
import { type Signal, signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { access, type Imported } from "../../api/client";
import { visible } from "../../lib/ansi";
import { bytes, plural } from "../../lib/format";
import { toSession } from "../../router";
import { loadList } from "../../state/sessions";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";

interface Upload {
  file: File;
  state: "waiting" | "sending" | "reading" | "done" | "failed";
  sent: number;
  error?: string;
  came?: Imported;
}

const uploads = signal<Upload[]>([]);
const shown = signal(false);
let running = false;

export function openImport(): void {
  shown.value = true;
}

/** Handlers for an element that files can be dropped on. */
export function dropTarget(over: Signal<boolean>) {
  const files = (e: DragEvent) => e.dataTransfer?.types.includes("Files");
  return {
    onDragOver: (e: DragEvent) => {
      if (!files(e)) return;
      e.preventDefault();
      over.value = true;
    },
    onDragLeave: (e: DragEvent) => {
      if (!(e.currentTarget as Element).contains(e.relatedTarget as Node | null)) over.value = false;
    },
    onDrop: (e: DragEvent) => {
      if (!files(e)) return;
      e.preventDefault();
      over.value = false;
      add([...(e.dataTransfer?.files ?? [])]);
    },
  };
}

function add(files: File[]): void {
  if (!files.length) return;
  uploads.value = [...uploads.value, ...files.map((file): Upload => ({ file, state: "waiting", sent: 0 }))];
  shown.value = true;
  void run();
}

function change(u: Upload, to: Partial<Upload>): Upload {
  const next = { ...u, ...to };
  uploads.value = uploads.value.map((x) => (x === u ? next : x));
  return next;
}

async function run(): Promise<void> {
  if (running) return;
  running = true;
  for (;;) {
    const u = uploads.value.find((x) => x.state === "waiting");
    if (!u) break;
    await send(u);
    void loadList();
  }
  running = false;
}

/** XMLHttpRequest, because fetch does not tell how much was sent. */
function send(u: Upload): Promise<void> {
  return new Promise((done) => {
    let now = change(u, { state: "sending" });
    const x = new XMLHttpRequest();
    x.open("POST", `/api/v1/import?name=${encodeURIComponent(u.file.name)}`);
    x.setRequestHeader("Content-Type", "application/octet-stream");
    x.upload.onprogress = (e) => (now = change(now, { sent: e.loaded }));
    x.upload.onload = () => (now = change(now, { state: "reading", sent: u.file.size }));
    x.onerror = () => {
      change(now, { state: "failed", error: "the server cannot be reached" });
      done();
    };
    x.onload = () => {
      if (x.status === 401) access.value = "signed-out";
      change(now, x.status < 300 ? { state: "done", came: JSON.parse(x.responseText) as Imported } : { state: "failed", error: reason(x) });
      done();
    };
    x.send(u.file);
  });
}

function reason(x: XMLHttpRequest): string {
  try {
    return (JSON.parse(x.responseText) as { error: { message: string } }).error.message;
  } catch {
    return `the server answered ${x.status}`;
  }
}

export function ImportDialog() {
  const input = useRef<HTMLInputElement>(null);
  if (!shown.value) return null;
  const list = uploads.value;
  const busy = list.some((u) => u.state !== "done" && u.state !== "failed");
  const close = () => {
    shown.value = false;
    uploads.value = uploads.value.filter((u) => u.state !== "done" && u.state !== "failed");
  };
  return (
    <Dialog title="Import" wide onClose={close}>
      <div class="question">
        <h2>Import</h2>
        <p class="t2">
          Session files of pi, Claude Code, Codex, opencode, hygge and Hecate, AI SDK and OpenAI messages, and our own exports. The format
          is found by the contents; a file that was imported before adds only what is new.
        </p>
        <input
          ref={input}
          class="vh"
          type="file"
          multiple
          tabIndex={-1}
          aria-label="Files to import"
          onChange={(e) => add([...(e.currentTarget.files ?? [])])}
        />
        <ul class="uploads" aria-live="polite">
          {list.map((u, i) => (
            <UploadRow key={i} u={u} />
          ))}
        </ul>
        <div class="dialog-foot">
          <Button icon="up" onClick={() => input.current?.click()}>
            Choose files
          </Button>
          <span class="grow" />
          <Button kind={list.length && !busy ? "pri" : "quiet"} onClick={close}>
            {busy ? "Hide" : "Close"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function UploadRow({ u }: { u: Upload }) {
  const part = u.file.size ? Math.round((u.sent / u.file.size) * 100) : 100;
  const problems = u.came?.problems ?? [];
  return (
    <li>
      <div class="row-x">
        <Icon name="file" small />
        <span class="clip">{u.file.name}</span>
        <span class="t3 small num">{bytes(u.file.size)}</span>
        <span class="grow" />
        <span class="t3 small">{stateOf(u, part)}</span>
        {u.came?.session && (
          <a class="btn" href={toSession(u.came.session)} onClick={() => (shown.value = false)}>
            Open
          </a>
        )}
      </div>
      {u.state === "sending" && <progress max={100} value={part} aria-label={`Sending ${u.file.name}`} />}
      {u.error && (
        <p class="c-fail small" role="alert">
          {u.error}
        </p>
      )}
      {problems.length > 0 && (
        <details class="small" open={problems.length < 4}>
          <summary>{plural(problems.length + (u.came?.more_problems ?? 0), "problem")}</summary>
          <ul class="problems mono">
            {problems.map((p, i) => (
              <li key={i}>
                {p.line ? `line ${p.line}: ` : ""}
                {visible(p.text)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function stateOf(u: Upload, part: number): string {
  switch (u.state) {
    case "sending":
      return `${part} %`;
    case "reading":
      return "importing";
    case "waiting":
      return "waiting";
    case "failed":
      return "";
    case "done":
      return u.came ? summary(u.came) : "";
  }
}

function summary(came: Imported): string {
  const what = came.added ? `${plural(came.added, "entry", "entries")} in ${plural(came.sessions, "session")}` : "nothing new";
  return `${came.format ?? ""}: ${what}`;
}
