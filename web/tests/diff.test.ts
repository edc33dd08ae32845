import { describe, expect, test } from "vitest";
import { diffTexts, fileDiff, parsePatch } from "../src/lib/diff";

const shape = (lines: { kind: string; text: string }[]) =>
  lines.map((l) => ({ same: " ", add: "+", del: "-", hunk: "@" })[l.kind] + l.text);

describe("differences of texts", () => {
  test("an inserted, a removed and a changed line are found with their numbers", () => {
    const d = diffTexts("a\nb\nc\nd", "a\nx\nb\nD");
    expect(shape(d)).toEqual([" a", "+x", " b", "-c", "-d", "+D"]);
    expect(d[1]).toMatchObject({ kind: "add", new: 2 });
    expect(d[3]).toMatchObject({ kind: "del", old: 3 });
  });

  test("equal texts have no lines, and only lines near a change are kept", () => {
    expect(diffTexts("a\nb", "a\nb")).toEqual([]);
    const before = Array.from({ length: 100 }, (_, i) => `line ${i}`);
    const after = [...before];
    after[10] = "changed";
    after[80] = "changed too";
    const d = diffTexts(before.join("\n"), after.join("\n"));
    expect(d.filter((l) => l.kind === "hunk")).toHaveLength(1);
    expect(d.length).toBe(2 * 8 + 1);
  });

  test("changed words of paired lines are marked, lines with nothing in common are not", () => {
    const d = diffTexts('return sku + ":" + cur', 'return t.ID + sku + ":" + cur.ISO()');
    expect(d[0]!.marks).toEqual([]);
    expect(d[1]!.marks!.map(([a, b]) => d[1]!.text.slice(a, b))).toEqual(["t.ID + ", ".ISO()"]);
    expect(diffTexts("alpha beta", "gamma delta")[0]!.marks).toBeUndefined();
  });

  test("CRLF and a missing last newline are no differences", () => {
    expect(diffTexts("a\r\nb\r\n", "a\nb")).toEqual([]);
  });

  test("texts that share nothing are replaced as a whole and end soon", () => {
    const a = Array.from({ length: 4000 }, (_, i) => `a${i}`).join("\n");
    const b = Array.from({ length: 4000 }, (_, i) => `b${i}`).join("\n");
    const d = diffTexts(a, b);
    expect(d).toHaveLength(8000);
  });

  test("every shown line is where it says, and the added and removed ones make up the difference", () => {
    let seed = 3;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
    for (let i = 0; i < 500; i++) {
      const text = () => Array.from({ length: 1 + random(14) }, () => "abc"[random(3)]!);
      const a = text();
      const b = text();
      const d = diffTexts(a.join("\n"), b.join("\n"));
      for (const l of d) {
        if (l.old) expect(a[l.old - 1]).toBe(l.text);
        if (l.new) expect(b[l.new - 1]).toBe(l.text);
      }
      const n = (kind: string) => d.filter((l) => l.kind === kind).length;
      expect(n("add") - n("del")).toBe(b.length - a.length);
    }
  });
});

describe("patches", () => {
  test("a unified diff of several files is read, with new and deleted ones", () => {
    const files = parsePatch(
      "diff --git a/x.c b/x.c\nindex 1..2 100644\n--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,3 @@ int main\n a\n-b\n+B\n c\n" +
        "diff --git a/new.c b/new.c\nnew file mode 100644\n--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+one\n" +
        "diff --git a/old.c b/old.c\ndeleted file mode 100644\n--- a/old.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n",
    );
    expect(files.map((f) => [f.path, f.status, f.added, f.removed])).toEqual([
      ["x.c", undefined, 1, 1],
      ["new.c", "new", 1, 0],
      ["old.c", "deleted", 0, 1],
    ]);
    expect(files[0]!.lines[1]).toMatchObject({ kind: "del", old: 2, text: "b" });
  });

  test("a line that begins with dashes inside a hunk is content", () => {
    const [f] = parsePatch("--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+-- new comment\n x\n");
    expect(shape(f!.lines)).toEqual(["--- old comment", "+-- new comment", " x"]);
  });

  test("a patch in an envelope is read", () => {
    const files = parsePatch(
      "*** Begin Patch\n*** Update File: a.txt\n@@\n ctx\n-old\n+new\n*** Add File: b.txt\n+hello\n*** Delete File: c.txt\n*** End Patch",
    );
    expect(files.map((f) => [f.path, f.status, f.added, f.removed])).toEqual([
      ["a.txt", undefined, 1, 1],
      ["b.txt", "new", 1, 0],
      ["c.txt", "deleted", 0, 0],
    ]);
  });

  test("text that is no patch has no files", () => {
    expect(parsePatch("hello\nworld")).toEqual([]);
  });

  test("a new file is one block of added lines", () => {
    const f = fileDiff("n.txt", "", "a\nb\n");
    expect([f.status, f.added, f.removed]).toEqual(["new", 2, 0]);
  });
});
