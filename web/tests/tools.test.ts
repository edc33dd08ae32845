import { describe, expect, test } from "vitest";
import { kindOf, readOutput } from "../src/parts/tools";

describe("tool lines", () => {
  test.each([
    ["Bash", { command: "make test" }, "Run", "make test"],
    ["shell", { command: ["bash", "-lc", "ls -la"] }, "Run", "ls -la"],
    ["local_shell", { action: { command: ["echo", "a b"] } }, "Run", "echo 'a b'"],
    ["Read", { file_path: "/a/b.c" }, "Read", "/a/b.c"],
    ["edit", { filePath: "x.ts", oldString: "a", newString: "b" }, "Edit", "x.ts"],
    ["apply_patch", { input: "*** Begin Patch\n*** Update File: q.c\n@@\n-a\n+b\n*** End Patch" }, "Patch", "q.c"],
    ["Grep", { pattern: "cacheKey(" }, "Search", "cacheKey("],
    ["Task", { description: "Trace every writer", prompt: "long" }, "Subagent", "Trace every writer"],
    ["mcp__github__create_issue", { title: "Broken" }, "github create_issue", "Broken"],
    ["functions.exec_command", { cmd: "pwd" }, "Run", "pwd"],
    ["never_seen", { what: "thing" }, "never_seen", "thing"],
  ])("%s says what it does and to what", (name, input, verb, target) => {
    const k = kindOf(name);
    expect([k.verb, k.target(input as Record<string, unknown>)]).toEqual([verb, target]);
  });

  test("edits of one file are one block of differences", () => {
    const d = kindOf("MultiEdit").diffs!({
      file_path: "a.c",
      edits: [
        { old_string: "1", new_string: "2" },
        { old_string: "x", new_string: "" },
      ],
    });
    expect(d).toHaveLength(1);
    expect([d[0]!.added, d[0]!.removed]).toEqual([1, 2]);
  });

  test("stdout, stderr and exit codes are found in the shapes of the tools", () => {
    expect(readOutput('{"output":"hi\\n","metadata":{"exit_code":3,"duration_seconds":1.5}}', undefined)).toEqual({
      stdout: "hi\n",
      stderr: undefined,
      exit: 3,
      duration: 1500,
    });
    expect(readOutput("all", { stdout: "o", stderr: "", exitCode: 1 })).toMatchObject({ stdout: "o", stderr: "", exit: 1 });
    expect(readOutput("Exit code: 2\nboom", undefined)).toMatchObject({ exit: 2 });
    expect(readOutput('{"a":1}', undefined)).toMatchObject({ stdout: '{"a":1}', exit: undefined });
    expect(readOutput("{not json", undefined)).toMatchObject({ stdout: "{not json" });
  });
});
