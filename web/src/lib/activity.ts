// Words for the rows of a run. The order and what is hidden are the server's (C23). Pure.
import type { Activity } from "../api/client";

const tools: [RegExp, string][] = [
  [/^shell_exec$/, "Ran shell"],
  [/^git_exec$/, "Ran git"],
  [/^(read_file|files_read)$/, "Read file"],
  [/^(list_dir|files_list)$/, "Listed files"],
  [/^(files_search)$/, "Searched files"],
  [/^(write|edit|file_write|file_edit|apply_patch|files_write|files_edit)$/, "Edited file"],
];

/** "Ran shell", "Edited file"; the name where there are no words for it. */
export function toolLabel(name: string): string {
  const known = tools.find(([names]) => names.test(name))?.[1];
  if (known) return known;
  const ran = /^(.+)_exec$/.exec(name);
  return ran ? `Ran ${ran[1]}` : name;
}

export function label(a: Activity): { verb: string; what: string } {
  if (a.type === "tool_call") {
    const detail = a.detail === a.title ? "" : a.detail;
    return { verb: toolLabel(a.kind || a.title), what: detail };
  }
  if (a.type === "approval") return { verb: a.title || "Approval", what: a.detail };
  return { verb: a.title || a.type.replaceAll("_", " "), what: a.detail };
}

/** What a step wrote to its streams. Those of another step are never shown with it. */
export function streamsOf(items: Activity[], a: Activity): { stdout?: Activity; stderr?: Activity } {
  if (!a.step) return {};
  const of = (kind: string) => items.find((x) => x.type === "artifact" && x.kind === kind && x.step === a.step);
  return { stdout: of("stdout"), stderr: of("stderr") };
}

const words: Record<string, string> = {
  queued: "Queued",
  running: "Running",
  awaiting_approval: "Awaiting approval",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

export function statusWord(status: string): string {
  return words[status] ?? status;
}
