// Differences of two texts by lines, with the changed words of paired lines; and diffs that come as text. Pure.

export interface DiffLine {
  kind: "same" | "add" | "del" | "hunk";
  old?: number;
  new?: number;
  text: string;
  /** Changed ranges of `text`, [from, to). */
  marks?: [number, number][];
}

export interface FileDiff {
  path: string;
  /** Set when a file is created, removed or renamed. */
  status?: "new" | "deleted" | "renamed";
  added: number;
  removed: number;
  lines: DiffLine[];
}

const CONTEXT = 3;
/** Beyond this many differences the texts have little in common: everything old is removed, everything new added. */
const MOST_EDITS = 1500;

type Op = "same" | "add" | "del";

/** The shortest edit script, after Myers. */
function script<T>(a: readonly T[], b: readonly T[]): Op[] {
  const n = a.length;
  const m = b.length;
  const most = Math.min(n + m, MOST_EDITS);
  const size = 2 * most + 2;
  let front = new Int32Array(size);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(front.slice());
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && front[k - 1 + most]! < front[k + 1 + most]!);
      let x = down ? front[k + 1 + most]! : front[k - 1 + most]! + 1;
      let y = x - k;
      while (x < n && y < m && a[x] === b[y]) {
        x++;
        y++;
      }
      front[k + most] = x;
      if (x >= n && y >= m) return walk(trace, d, n, m, most);
    }
  }
  return [...Array<Op>(n).fill("del"), ...Array<Op>(m).fill("add")];
}

function walk(trace: Int32Array[], d: number, n: number, m: number, most: number): Op[] {
  const ops: Op[] = [];
  let x = n;
  let y = m;
  for (; d > 0; d--) {
    const front = trace[d]!;
    const k = x - y;
    const down = k === -d || (k !== d && front[k - 1 + most]! < front[k + 1 + most]!);
    const from = down ? k + 1 : k - 1;
    const fx = front[from + most]!;
    const fy = fx - from;
    while (x > fx && y > fy) {
      ops.push("same");
      x--;
      y--;
    }
    if (down) {
      ops.push("add");
      y--;
    } else {
      ops.push("del");
      x--;
    }
  }
  while (x-- > 0) ops.push("same");
  return ops.reverse();
}

function splitLines(text: string): string[] {
  if (!text) return [];
  const lines = text.replace(/\r\n/g, "\n").split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/** Skip equal lines at both ends first: most edits of a file are small. */
function lineOps(a: string[], b: string[]): Op[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return [
    ...Array<Op>(head).fill("same"),
    ...script(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...Array<Op>(tail).fill("same"),
  ];
}

/** Compare two texts. `first` is the number of their first line. */
export function diffTexts(before: string, after: string, first = 1): DiffLine[] {
  const a = splitLines(before);
  const b = splitLines(after);
  const all: DiffLine[] = [];
  let i = 0;
  let k = 0;
  for (const op of lineOps(a, b)) {
    if (op === "same") all.push({ kind: "same", old: first + i, new: first + k, text: a[i]! });
    else if (op === "del") all.push({ kind: "del", old: first + i, text: a[i]! });
    else all.push({ kind: "add", new: first + k, text: b[k]! });
    if (op !== "add") i++;
    if (op !== "del") k++;
  }
  return withMarks(nearChanges(all));
}

/** Keep the changes and a few lines around them. */
function nearChanges(all: DiffLine[]): DiffLine[] {
  const keep = new Uint8Array(all.length);
  all.forEach((line, i) => {
    if (line.kind !== "same") keep.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
  });
  const out: DiffLine[] = [];
  all.forEach((line, i) => {
    if (keep[i]) out.push(line);
    else if (i && keep[i - 1] && out.length) out.push({ kind: "hunk", text: "" });
  });
  if (out[out.length - 1]?.kind === "hunk") out.pop();
  return out;
}

/** Mark the changed words where as many lines were added as removed in one place. */
export function withMarks(lines: DiffLine[]): DiffLine[] {
  let i = 0;
  while (i < lines.length) {
    let d = i;
    while (d < lines.length && lines[d]!.kind === "del") d++;
    let a = d;
    while (a < lines.length && lines[a]!.kind === "add") a++;
    if (d > i && a - d === d - i) {
      for (let k = 0; k < d - i; k++) markWords(lines[i + k]!, lines[d + k]!);
    }
    i = Math.max(a, i + 1);
  }
  return lines;
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function markWords(del: DiffLine, add: DiffLine): void {
  const a = words(del.text);
  const b = words(add.text);
  if (a.length + b.length > 400) return;
  const old: [number, number][] = [];
  const fresh: [number, number][] = [];
  let i = 0;
  let k = 0;
  let x = 0;
  let y = 0;
  let same = 0;
  for (const op of script(a, b)) {
    if (op === "same") same += a[i]!.trim().length;
    if (op === "del") extend(old, x, x + a[i]!.length);
    if (op === "add") extend(fresh, y, y + b[k]!.length);
    if (op !== "add") x += a[i++]!.length;
    if (op !== "del") y += b[k++]!.length;
  }
  // Lines with little in common are two different lines; marks would only confuse.
  if (same * 6 < Math.max(del.text.trim().length, add.text.trim().length)) return;
  del.marks = old;
  add.marks = fresh;
}

function extend(ranges: [number, number][], from: number, to: number): void {
  const last = ranges[ranges.length - 1];
  if (last && last[1] === from) last[1] = to;
  else ranges.push([from, to]);
}

export function countLines(lines: DiffLine[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of lines) {
    if (line.kind === "add") added++;
    if (line.kind === "del") removed++;
  }
  return { added, removed };
}

export function fileDiff(path: string, before: string, after: string, status?: FileDiff["status"]): FileDiff {
  const lines = diffTexts(before, after);
  return { path, status: status ?? (before === "" && after !== "" ? "new" : undefined), lines, ...countLines(lines) };
}

/** The files of a unified diff (`diff -u`, git) or of a patch between "*** Begin Patch" and "*** End Patch". */
export function parsePatch(text: string): FileDiff[] {
  return /^\*\*\* Begin Patch/m.test(text) ? parseEnvelope(text) : parseUnified(text);
}

function finish(files: FileDiff[]): FileDiff[] {
  for (const f of files) {
    withMarks(f.lines);
    Object.assign(f, countLines(f.lines));
  }
  return files.filter((f) => f.lines.length || f.status);
}

function newFile(path: string, status?: FileDiff["status"]): FileDiff {
  return { path, status, added: 0, removed: 0, lines: [] };
}

function parseUnified(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  let file: FileDiff | undefined;
  let old = 0;
  let fresh = 0;
  let left = 0; // lines of the hunk that are still to come
  for (const line of text.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/.exec(line);
    if (hunk && file) {
      old = Number(hunk[1]);
      fresh = Number(hunk[3]);
      left = Number(hunk[2] ?? 1) + Number(hunk[4] ?? 1);
      if (file.lines.length) file.lines.push({ kind: "hunk", text: hunk[5]!.trim() });
    } else if (left > 0 && file && line.startsWith("+")) {
      file.lines.push({ kind: "add", new: fresh++, text: line.slice(1) });
      left--;
    } else if (left > 0 && file && line.startsWith("-")) {
      file.lines.push({ kind: "del", old: old++, text: line.slice(1) });
      left--;
    } else if (left > 0 && file && (line.startsWith(" ") || line === "")) {
      file.lines.push({ kind: "same", old: old++, new: fresh++, text: line.slice(1) });
      left -= 2;
    } else if (line.startsWith("diff --git ")) {
      files.push((file = newFile(/ b\/(.*)$/.exec(line)?.[1] ?? "")));
    } else if (line.startsWith("--- ")) {
      const path = strip(line.slice(4));
      if (!file || file.lines.length) files.push((file = newFile(path)));
      if (path === "/dev/null") file.status = "new";
    } else if (line.startsWith("+++ ") && file) {
      const path = strip(line.slice(4));
      if (path === "/dev/null") file.status = "deleted";
      else file.path = path;
    } else if (line.startsWith("new file") && file) file.status = "new";
    else if (line.startsWith("deleted file") && file) file.status = "deleted";
    else if (line.startsWith("rename to ") && file) {
      file.status = "renamed";
      file.path = line.slice(10);
    }
  }
  return finish(files);
}

function strip(path: string): string {
  return path.replace(/\t.*$/, "").replace(/^[ab]\//, "");
}

function parseEnvelope(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  let file: FileDiff | undefined;
  for (const line of text.split("\n")) {
    const head = /^\*\*\* (Add|Update|Delete) File: (.*)$/.exec(line);
    if (head) {
      const status = head[1] === "Add" ? "new" : head[1] === "Delete" ? "deleted" : undefined;
      files.push((file = newFile(head[2]!, status)));
    } else if (line.startsWith("*** Move to: ") && file) {
      file.status = "renamed";
      file.path = line.slice(13);
    } else if (line.startsWith("***") || !file) continue;
    else if (line.startsWith("@@")) {
      if (file.lines.length) file.lines.push({ kind: "hunk", text: line.slice(2).trim() });
    } else if (line.startsWith("+")) file.lines.push({ kind: "add", text: line.slice(1) });
    else if (line.startsWith("-")) file.lines.push({ kind: "del", text: line.slice(1) });
    else file.lines.push({ kind: "same", text: line.slice(1) });
  }
  return finish(files);
}
