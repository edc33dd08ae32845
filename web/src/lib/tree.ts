// The rows of a session's tree, top to bottom: the path to the head is the trunk, other branches stand where they leave
// it, one level to the right each. Pure and O(n): 10,000 branches are 10,000 rows.

export interface TreeBranch {
  branch: number;
  /** "#branch.depth" it hangs on; null at a root. */
  base: string | null;
  tip: number;
  entries: number;
  messages: number;
  preview: string;
  role?: string | null;
  created?: string | null;
  updated?: string | null;
}

export interface TreeMark {
  at: string | null;
  entry?: string | null;
  kind: string;
  text: string;
  session?: string;
  time?: string | null;
  status?: string;
  messages?: number;
  cost_nano_usd?: number;
}

export interface TreeStop {
  at: string | null;
  entry: string;
  kind: string;
  preview: string;
  time: string | null;
}

export interface TreeRow {
  kind: "stop" | "run" | "branch" | "child";
  level: number;
  /** Branch and depth of the entry it stands for. */
  branch: number;
  depth: number;
  text: string;
  /** run: how many entries are folded; branch: messages on it. */
  count?: number;
  labels: string[];
  role?: string;
  icon?: "compaction" | "branch_summary" | "fork" | "subagent";
  session?: string;
  status?: string;
  time?: string | null;
  head: boolean;
  /** Levels whose line goes on below this row. */
  through: boolean[];
  /** Its own line goes on below this row. */
  goesOn: boolean;
  /** The branch has rows of its own that are folded. */
  folded?: boolean;
}

export interface TreeInput {
  branches: Map<number, TreeBranch>;
  byBase: Map<string, TreeBranch[]>;
  byEntry: Map<string, TreeMark[]>;
  head: string | null;
  /** What was said by the user on the path to the head, oldest first. */
  prompts: TreeStop[];
  /** Entries instead of folded runs. */
  unfolded: boolean;
  /** Branches whose own stops are shown. */
  open: ReadonlySet<number>;
}

interface Segment {
  branch: number;
  from: number;
  to: number;
}

function parse(at: string | null): [number, number] {
  const [b, d] = (at ?? "#0.0").slice(1).split(".");
  return [Number(b), Number(d)];
}

/** The runs of the path to a place, root first. */
function segments(input: TreeInput, at: string | null): Segment[] {
  const out: Segment[] = [];
  let [branch, depth] = parse(at);
  const seen = new Set<number>();
  while (branch && !seen.has(branch)) {
    seen.add(branch);
    const base = parse(input.branches.get(branch)?.base ?? null);
    out.push({ branch, from: base[1] + 1, to: depth });
    [branch, depth] = base;
  }
  return out.reverse();
}

export function treeRows(input: TreeInput): TreeRow[] {
  const rows: TreeRow[] = [];
  const trunk = segments(input, input.head);
  const onTrunk = new Map(trunk.map((s) => [s.branch, s.to]));
  const prompts = new Map(input.prompts.map((p) => [p.at ?? "", p]));
  const bases = basesByBranch(input);
  const through: boolean[] = [];

  const put = (row: Partial<TreeRow> & Pick<TreeRow, "kind" | "level" | "branch" | "depth" | "text">): void => {
    rows.push({ labels: [], head: false, goesOn: false, ...row, through: through.slice(0, row.level) });
  };

  /** Children that stand on an entry: forks and subagents, then branches. */
  const side = (at: string, level: number, next: number | undefined) => {
    const children = (input.byEntry.get(at) ?? []).filter((m) => m.kind === "fork" || m.kind === "subagent");
    const branches = at ? (input.byBase.get(at) ?? []).filter((b) => b.branch !== next && b.entries > 0) : [];
    children.forEach((m, i) => {
      const [branch, depth] = parse(at || null);
      put({
        kind: "child",
        level: level + 1,
        branch,
        depth,
        text: m.text,
        count: m.messages,
        icon: m.kind as "fork" | "subagent",
        session: m.session,
        status: m.status,
        time: m.time,
        goesOn: i < children.length - 1 || branches.length > 0,
      });
    });
    branches.forEach((b, i) => branchRows(b, level + 1, i < branches.length - 1));
  };

  const branchRows = (b: TreeBranch, level: number, more: boolean) => {
    const stops = stopsOf(bases, b.branch, parse(b.base)[1] + 1, b.tip);
    const inner = stops.some((d) => hasSide(input, b.branch, d));
    const open = input.open.has(b.branch);
    put({
      kind: "branch",
      level,
      branch: b.branch,
      depth: b.tip,
      text: b.preview,
      count: b.messages,
      role: b.role ?? undefined,
      labels: labelsOf(input, b.branch, stops),
      time: b.updated,
      goesOn: more,
      folded: stops.length > 0 && !open,
    });
    through[level] = more;
    if (open) straight(b.branch, parse(b.base)[1] + 1, b.tip, level + 1, undefined, false);
    else if (inner) for (const d of stops) side(`#${b.branch}.${d}`, level, undefined);
    through[level] = false;
  };

  /** The stops of a straight run, with what leaves them. `next`: the branch on which the trunk goes on. */
  const straight = (branch: number, from: number, to: number, level: number, next: number | undefined, goesOn: boolean) => {
    const stops =
      input.unfolded && to - from < 2000 ? Array.from({ length: to - from + 1 }, (_, i) => from + i) : stopsOf(bases, branch, from, to);
    if (!stops.includes(to)) stops.push(to);
    let at = from;
    for (const d of stops) {
      through[level] = true;
      if (d > at) put({ kind: "run", level, branch, depth: d - 1, text: "", count: d - at, goesOn: true });
      const key = `#${branch}.${d}`;
      const marks = input.byEntry.get(key) ?? [];
      const p = prompts.get(key);
      const special = marks.find((m) => m.kind === "compaction" || m.kind === "branch_summary");
      const last = d === to && !goesOn;
      put({
        kind: "stop",
        level,
        branch,
        depth: d,
        text: special ? special.text : (p?.preview ?? ""),
        icon: special?.kind as TreeRow["icon"],
        role: p ? (p.kind === "compaction" ? undefined : "user") : undefined,
        labels: marks.filter((m) => m.kind === "label").map((m) => m.text),
        time: p?.time ?? special?.time,
        head: key === input.head,
        goesOn: !last || hasSide(input, branch, d),
      });
      through[level] = !last;
      side(key, level, d === to ? next : undefined);
      // The branch itself may go on where the trunk has left it.
      const own = input.branches.get(branch);
      if (d === to && own && own.tip > to && onTrunk.has(branch) && level === 0) {
        put({
          kind: "branch",
          level: level + 1,
          branch,
          depth: own.tip,
          text: "",
          count: own.tip - to,
          labels: [],
          goesOn: false,
          time: own.updated,
        });
      }
      at = d + 1;
    }
    through[level] = goesOn;
  };

  trunk.forEach((s, i) => straight(s.branch, s.from, s.to, 0, trunk[i + 1]?.branch, i < trunk.length - 1));
  // Sessions that were started by no entry in particular.
  side("", -1, undefined);
  // Roots that the head is not on.
  for (const b of input.byBase.get("") ?? []) if (!onTrunk.has(b.branch) && b.entries > 0) branchRows(b, 0, false);
  return rows;
}

function hasSide(input: TreeInput, branch: number, depth: number): boolean {
  const at = `#${branch}.${depth}`;
  return (
    (input.byBase.get(at) ?? []).some((b) => b.entries > 0) ||
    (input.byEntry.get(at) ?? []).some((m) => m.kind === "fork" || m.kind === "subagent")
  );
}

function labelsOf(input: TreeInput, branch: number, stops: number[]): string[] {
  return stops.flatMap((d) => (input.byEntry.get(`#${branch}.${d}`) ?? []).filter((m) => m.kind === "label").map((m) => m.text));
}

/** Depths at which branches or marks stand, by branch. */
function basesByBranch(input: TreeInput): Map<number, number[]> {
  const out = new Map<number, Set<number>>();
  const add = (at: string) => {
    const [b, d] = parse(at);
    if (!b) return;
    let set = out.get(b);
    if (!set) out.set(b, (set = new Set()));
    set.add(d);
  };
  for (const at of input.byBase.keys()) if (at) add(at);
  for (const at of input.byEntry.keys()) if (at) add(at);
  for (const p of input.prompts) if (p.at) add(p.at);
  return new Map([...out].map(([b, set]) => [b, [...set].sort((x, y) => x - y)]));
}

function stopsOf(bases: Map<number, number[]>, branch: number, from: number, to: number): number[] {
  return (bases.get(branch) ?? []).filter((d) => d >= from && d <= to);
}
