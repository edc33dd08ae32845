// What a tool call did, in one line: an icon, a verb, a target. One row a kind of tool; a tool that is in no row is
// shown by its own name. The names are those of Claude Code, Codex, opencode, pi, Gemini, Hecate and hygge.
import { type FileDiff, fileDiff, parsePatch } from "../lib/diff";
import type { IconName } from "../ui/icon";

export type Input = Record<string, unknown>;

export interface ToolKind {
  names: RegExp;
  icon: IconName;
  verb: string;
  target: (input: Input) => string;
  /** The changes of files that its input describes. */
  diffs?: (input: Input) => FileDiff[];
  /** Its output is what a program printed. */
  terminal?: boolean;
  /** Its output is a file. */
  file?: boolean;
}

function text(input: Input, ...names: string[]): string {
  for (const n of names) {
    const v = input[n];
    if (typeof v === "string" && v) return v;
    if (Array.isArray(v) && v.every((x) => typeof x === "string") && v.length) return shell(v as string[]);
  }
  return "";
}

/** ["bash", "-lc", "make test"] is `make test` to a reader. */
function shell(argv: string[]): string {
  if (argv.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(argv[0]!) && /^-\w*c$/.test(argv[1]!)) return argv[2]!;
  return argv.map((a) => (/^[\w./:=@%+,-]+$/.test(a) ? a : `'${a.replaceAll("'", "'\\''")}'`)).join(" ");
}

const path = (i: Input) => text(i, "file_path", "filePath", "path", "absolute_path", "notebook_path", "filename", "file", "dir_path");

function editDiffs(input: Input): FileDiff[] {
  const file = path(input);
  const many = Array.isArray(input["edits"]) ? (input["edits"] as Input[]) : [input];
  const out = many.map((e) =>
    fileDiff(
      file,
      text(e, "old_string", "oldString", "old_text", "oldText", "old_str"),
      text(e, "new_string", "newString", "new_text", "newText", "new_str"),
    ),
  );
  return merge(out.filter((f) => f.lines.length));
}

/** Several edits of one file are one block. */
function merge(files: FileDiff[]): FileDiff[] {
  const by = new Map<string, FileDiff>();
  for (const f of files) {
    const have = by.get(f.path);
    if (!have) by.set(f.path, { ...f, status: undefined });
    else {
      have.lines = [...have.lines, { kind: "hunk", text: "" }, ...f.lines];
      have.added += f.added;
      have.removed += f.removed;
    }
  }
  return [...by.values()];
}

function patchDiffs(input: Input): FileDiff[] {
  return parsePatch(text(input, "input", "patch", "patchText", "patch_text", "diff", "command"));
}

function patchTarget(input: Input): string {
  const files = patchDiffs(input);
  return files.length > 1 ? `${files.length} files` : (files[0]?.path ?? path(input));
}

function writeDiffs(input: Input): FileDiff[] {
  const content = text(input, "content", "contents", "text", "file_text");
  return content ? [fileDiff(path(input), "", content, "new")] : [];
}

export const kinds: ToolKind[] = [
  {
    names:
      /^(bash|shell|sh|local_shell|shell_exec|exec|exec_command|run_command|run_shell_command|run_terminal_cmd|terminal|execute|command|git_exec|unified_exec)$/,
    icon: "term",
    verb: "Run",
    terminal: true,
    target: (i) => text(i, "command", "cmd", "script") || text((i["action"] as Input) ?? {}, "command"),
  },
  {
    names: /^(bashoutput|write_stdin|read_output|taskoutput)$/,
    icon: "term",
    verb: "Read output",
    terminal: true,
    target: (i) => text(i, "bash_id", "session_id", "id", "task_id"),
  },
  {
    names: /^(read|read_file|view|cat|open_file|readfile|read_many_files|view_image|notebookread)$/,
    icon: "file",
    verb: "Read",
    file: true,
    target: path,
  },
  {
    names:
      /^(edit|edit_file|file_edit|multiedit|multi_edit|str_replace|str_replace_editor|str_replace_based_edit_tool|replace|search_replace|notebookedit)$/,
    icon: "edit",
    verb: "Edit",
    target: path,
    diffs: editDiffs,
  },
  { names: /^(apply_patch|patch|applypatch)$/, icon: "edit", verb: "Patch", target: patchTarget, diffs: patchDiffs },
  { names: /^(write|write_file|file_write|create_file|create|save)$/, icon: "edit", verb: "Write", target: path, diffs: writeDiffs },
  {
    names: /^(grep|search|ripgrep|rg|search_file_content|codebase_search|grep_search|search_files)$/,
    icon: "search",
    verb: "Search",
    terminal: true,
    target: (i) => text(i, "pattern", "query", "regex", "q"),
  },
  {
    names: /^(glob|find|file_search|find_files)$/,
    icon: "search",
    verb: "Find",
    terminal: true,
    target: (i) => text(i, "pattern", "query", "glob", "name") || path(i),
  },
  {
    names: /^(ls|list|list_dir|list_directory|list_files|tree)$/,
    icon: "folder",
    verb: "List",
    terminal: true,
    target: (i) => path(i) || ".",
  },
  {
    names: /^(webfetch|web_fetch|fetch|http_request|browse|open_url|curl)$/,
    icon: "globe",
    verb: "Fetch",
    target: (i) => text(i, "url", "prompt"),
  },
  {
    names: /^(websearch|web_search|google_web_search|search_web)$/,
    icon: "globe",
    verb: "Search the web",
    target: (i) => text(i, "query", "q"),
  },
  {
    names: /^(task|agent|subagent|spawn_agent|delegate|dispatch_agent|delegate_to_agent)$/,
    icon: "agent",
    verb: "Subagent",
    target: (i) => text(i, "description", "title", "name", "prompt", "message"),
  },
  {
    names: /^(todowrite|todo_write|todoread|todo_read|update_plan|write_todos|todo|plan)$/,
    icon: "todo",
    verb: "Plan",
    target: todoTarget,
  },
  { names: /^(memory|remember|save_memory)$/, icon: "note", verb: "Remember", target: (i) => text(i, "fact", "content", "title") },
];

function todoTarget(input: Input): string {
  const list = (input["todos"] ?? input["plan"] ?? input["items"]) as Input[] | undefined;
  if (!Array.isArray(list)) return "";
  const done = list.filter((t) => /^(completed|done)$/.test(text(t, "status", "state"))).length;
  const now = list.find((t) => /^in.progress$/.test(text(t, "status", "state")));
  return `${done} of ${list.length} done${now ? `, now: ${text(now, "content", "step", "title", "description")}` : ""}`;
}

/** mcp__github__create_issue is the tool create_issue of the server github. */
export function mcpName(name: string): { server: string; tool: string } | undefined {
  const m = /^mcp__([^_].*?)__(.+)$/.exec(name);
  return m ? { server: m[1]!, tool: m[2]! } : undefined;
}

const other: ToolKind = {
  names: /./,
  icon: "tool",
  verb: "",
  target: (i) => {
    const first = Object.values(i).find((v) => typeof v === "string" && v);
    return typeof first === "string" ? first : "";
  },
};

export function kindOf(name: string): ToolKind {
  // Tools of bough itself have their server in front: files_read, shell_run, demo_edit.
  const plain = name
    .toLowerCase()
    .replace(/^.*[.:/]/, "")
    .replace(/^(files|shell|demo|bough)_/, "");
  const kind = kinds.find((k) => k.names.test(plain));
  if (kind) return kind;
  const mcp = mcpName(name);
  return { ...other, verb: mcp ? `${mcp.server} ${mcp.tool}` : name || "Tool" };
}

// ---- outputs ----

export interface Output {
  stdout: string;
  stderr?: string;
  exit?: number;
  duration?: number;
}

/** Programs' outputs come as text, or as JSON with the streams apart. */
export function readOutput(output: string, details: unknown): Output {
  const from = (o: Input, fallback: string): Output => {
    const meta = (o["metadata"] ?? {}) as Input;
    const number = (...vs: unknown[]) => vs.find((v): v is number => typeof v === "number");
    const seconds = number(meta["duration_seconds"]);
    return {
      stdout: typeof o["stdout"] === "string" ? o["stdout"] : typeof o["output"] === "string" ? o["output"] : fallback,
      stderr: typeof o["stderr"] === "string" ? o["stderr"] : undefined,
      exit: number(o["exit_code"], o["exitCode"], o["exit"], o["code"], meta["exit_code"], meta["exit"]),
      duration: number(o["duration_ms"], o["durationMs"]) ?? (seconds === undefined ? undefined : seconds * 1000),
    };
  };
  if (details && typeof details === "object" && ("stdout" in details || "exitCode" in details || "exit_code" in details)) {
    return from(details as Input, output);
  }
  if (/^\s*\{/.test(output)) {
    try {
      const o = JSON.parse(output) as Input;
      if (["stdout", "stderr", "exit_code", "exitCode"].some((k) => k in o) || ("output" in o && "metadata" in o)) return from(o, output);
    } catch {
      // Not JSON after all.
    }
  }
  const exit = /^(?:Exit code:?|Process exited with code|exit status) (\d+)$/m.exec(output.slice(0, 200) + "\n" + output.slice(-200));
  return { stdout: output, exit: exit ? Number(exit[1]) : undefined };
}
