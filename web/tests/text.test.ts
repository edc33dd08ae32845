import { describe, expect, test } from "vitest";
import { parseAnsi, plain, visible } from "../src/lib/ansi";
import { ago, bytes, duration, modelName, money, moneyExact, percent, plural, projectName, timeGroup, tokens } from "../src/lib/format";

describe("terminal output", () => {
  test("colours and weights are kept, everything else of escape sequences is left out", () => {
    expect(parseAnsi("\x1b[1;31mno\x1b[0m ok \x1b[38;5;2mgreen\x1b[39m")).toEqual([
      { text: "no", style: "bold c1" },
      { text: " ok ", style: "" },
      { text: "green", style: "c2" },
    ]);
    expect(parseAnsi("a\x1b[2J\x1b[10;20Hb\x1b]0;title\x07c\x1b]8;;http://x\x1b\\d\x1b(Be")).toEqual([{ text: "abcde", style: "" }]);
  });

  test("an unfinished sequence does not swallow the text behind it", () => {
    expect(
      parseAnsi("a\x1b")
        .map((r) => r.text)
        .join(""),
    ).toBe("a");
    expect(
      parseAnsi("a\x1b[31")
        .map((r) => r.text)
        .join(""),
    ).toContain("a");
  });

  test("a carriage return overwrites its line", () => {
    expect(parseAnsi("10 %\r50 %\r100 %\nnext\r\n")[0]!.text).toBe("100 %\nnext\n");
  });

  test("24-bit colours do not eat the codes behind them", () => {
    expect(parseAnsi("\x1b[38;2;1;2;3;1mx")).toEqual([{ text: "x", style: "bold" }]);
  });

  test("a line without colours has no escape sequence", () => {
    expect(plain("\x1b[31mERRO\x1b[0m[0031] got\x07 it")).toBe("ERRO[0031] got\u2407 it");
  });
  test("control characters and bidirectional overrides become visible", () => {
    expect(visible("a\x00\x07b\x7f")).toBe("a\u2400\u2407b\u2421");
    expect(visible("safe\u202egnp.exe")).toBe("safe⟨202e⟩gnp.exe");
    expect(visible("tab\tline\n")).toBe("tab\tline\n");
  });
});

describe("numbers for people", () => {
  test("money to what matters", () => {
    expect([0, 20_000, 4_200_000, 31_000_000, 412_700_000, 12_400_000_000, 1_234_000_000_000].map(money)).toEqual([
      "$0",
      "<$0.0001",
      "$0.0042",
      "$0.0310",
      "$0.41",
      "$12.40",
      "$1,234",
    ]);
    expect(moneyExact(412_700_000)).toBe("$0.4127");
    expect(money(-4_200_000)).toBe("-$0.0042");
  });

  test("tokens, bytes, durations", () => {
    expect([612, 1000, 12_345, 148_214, 999_960, 1_200_000].map(tokens)).toEqual(["612", "1k", "12.3k", "148.2k", "1M", "1.2M"]);
    expect([40, 3200, 58_000, 124_000, 3_780_000].map(duration)).toEqual(["40 ms", "3.2 s", "58 s", "2 min 4 s", "1 h 3 min"]);
    expect([512, 188_416, 2_202_009].map(bytes)).toEqual(["512 B", "184 KB", "2.1 MB"]);
    expect(percent(1, 1000)).toBe("<1 %");
    expect(plural(1, "entry", "entries") + plural(2, "entry", "entries")).toBe("1 entry2 entries");
  });

  test("times are relative, then days, then dates", () => {
    const now = new Date(2026, 10, 17, 12, 0).getTime();
    const at = (...a: [number, number, number, number, number]) => new Date(...a).toISOString();
    expect(ago(at(2026, 10, 17, 11, 59), now)).toBe("1 min");
    expect(ago(at(2026, 10, 17, 9, 0), now)).toBe("3 h");
    expect(ago(at(2026, 10, 16, 9, 0), now)).toBe("1 d");
    expect(ago(at(2026, 10, 11, 9, 0), now)).toBe("Wed");
    expect(ago(at(2026, 9, 2, 9, 0), now)).toBe("2 Oct");
    expect(ago(at(2025, 9, 2, 9, 0), now)).toBe("2 Oct 2025");
    expect(["Today", "Yesterday", "Last week", "October", "October 2025"]).toEqual(
      [at(2026, 10, 17, 0, 1), at(2026, 10, 16, 23, 0), at(2026, 10, 12, 0, 0), at(2026, 9, 2, 0, 0), at(2025, 9, 2, 0, 0)].map((t) =>
        timeGroup(t, now),
      ),
    );
  });

  test("names of models and projects are short", () => {
    expect(
      ["claude-sonnet-4-5-20250929", "anthropic/claude-opus-4-1", "gpt-5.1", "openai/gpt-4o-2024-08-06", "qwen3-coder"].map(modelName),
    ).toEqual(["sonnet-4.5", "opus-4.1", "gpt-5.1", "gpt-4o", "qwen3-coder"]);
    expect(projectName("/srv/shop/")).toBe("shop");
  });
});
