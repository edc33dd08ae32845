import { describe, expect, test } from "vitest";
import { type TreeBranch, type TreeInput, type TreeMark, treeRows } from "../src/lib/tree";

function branch(branch: number, base: string | null, tip: number, preview = `b${branch}`): TreeBranch {
  const from = Number((base ?? "#0.0").split(".")[1]);
  return { branch, base, tip, entries: tip - from, messages: tip - from, preview };
}

function input(branches: TreeBranch[], head: string, marks: TreeMark[] = [], more: Partial<TreeInput> = {}): TreeInput {
  const by = <T>(list: T[], key: (t: T) => string) => {
    const m = new Map<string, T[]>();
    for (const x of list) m.set(key(x), [...(m.get(key(x)) ?? []), x]);
    return m;
  };
  return {
    branches: new Map(branches.map((b) => [b.branch, b])),
    byBase: by(branches, (b) => b.base ?? ""),
    byEntry: by(marks, (m) => m.at ?? ""),
    head,
    prompts: [],
    unfolded: false,
    open: new Set(),
    ...more,
  };
}

const short = (i: TreeInput) =>
  treeRows(i).map(
    (r) => `${"  ".repeat(r.level)}${r.kind} ${r.branch}.${r.depth}${r.head ? " head" : ""}${r.kind === "run" ? ` x${r.count}` : ""}`,
  );

describe("rows of the tree", () => {
  test("a straight session is a run and its head", () => {
    expect(short(input([branch(1, null, 10)], "#1.10"))).toEqual(["run 1.9 x9", "stop 1.10 head"]);
  });

  test("branches stand where they leave the trunk, one level to the right", () => {
    const rows = short(input([branch(1, null, 10), branch(2, "#1.4", 6), branch(3, "#2.5", 9)], "#1.10"));
    expect(rows).toEqual(["run 1.3 x3", "stop 1.4", "  branch 2.6", "    branch 3.9", "run 1.9 x5", "stop 1.10 head"]);
  });

  test("the trunk goes over to the branch of the head, and what it left is shown", () => {
    const rows = short(input([branch(1, null, 10), branch(2, "#1.4", 6)], "#2.6"));
    expect(rows).toEqual(["run 1.3 x3", "stop 1.4", "  branch 1.10", "run 2.5 x1", "stop 2.6 head"]);
  });

  test("labels, compactions, forks and subagents are stops with what hangs on them", () => {
    const marks: TreeMark[] = [
      { at: "#1.2", kind: "label", text: "works" },
      { at: "#1.5", kind: "compaction", text: "summary" },
      { at: "#1.7", kind: "fork", text: "another way", session: "S", messages: 3 },
      { at: "#1.7", kind: "subagent", text: "look it up", session: "T", messages: 2 },
    ];
    const rows = treeRows(input([branch(1, null, 8)], "#1.8", marks));
    expect(rows.map((r) => r.kind)).toEqual(["run", "stop", "run", "stop", "run", "stop", "child", "child", "stop"]);
    expect(rows[1]!.labels).toEqual(["works"]);
    expect(rows[3]!.icon).toBe("compaction");
    expect(rows[6]).toMatchObject({ icon: "fork", session: "S", level: 1 });
  });

  test("a folded branch opens into its own stops", () => {
    const marks: TreeMark[] = [{ at: "#2.6", kind: "label", text: "good" }];
    const i = input([branch(1, null, 10), branch(2, "#1.4", 8)], "#1.10", marks);
    expect(treeRows(i).find((r) => r.branch === 2)).toMatchObject({ folded: true, labels: ["good"] });
    const open = short({ ...i, open: new Set([2]) });
    expect(open).toContain("    stop 2.6");
    expect(open).toContain("    stop 2.8");
  });

  test("every level above a row that goes on has its line", () => {
    const rows = treeRows(input([branch(1, null, 10), branch(2, "#1.4", 6), branch(3, "#1.4", 7), branch(4, "#2.5", 9)], "#1.10"));
    const nested = rows.find((r) => r.branch === 4)!;
    expect(nested.level).toBe(2);
    expect(nested.through).toEqual([true, true]);
    const last = rows.find((r) => r.branch === 3)!;
    expect(last.goesOn).toBe(false);
  });

  test("other roots are shown, empty branches are not", () => {
    const rows = short(input([branch(1, null, 3), branch(2, null, 2), branch(3, "#1.2", 2)], "#1.3"));
    expect(rows).toEqual(["run 1.1 x1", "stop 1.2", "stop 1.3 head", "branch 2.2"]);
  });

  test("a circle of damaged branches ends", () => {
    const a = branch(1, "#2.1", 3);
    const b = branch(2, "#1.1", 3);
    expect(treeRows(input([a, b], "#1.3")).length).toBeGreaterThan(0);
  });

  test("10,000 branches are 10,000 rows", () => {
    const all = [branch(1, null, 1000), ...Array.from({ length: 10_000 }, (_, i) => branch(i + 2, `#1.${(i % 999) + 1}`, (i % 999) + 3))];
    expect(treeRows(input(all, "#1.1000")).filter((r) => r.kind === "branch")).toHaveLength(10_000);
  });
});
