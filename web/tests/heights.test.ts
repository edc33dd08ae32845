import { describe, expect, test } from "vitest";
import { Heights } from "../src/lib/heights";

describe("heights", () => {
  test("positions are sums of the heights before, and rows are found by position", () => {
    const h = new Heights(5, 10);
    h.set(1, 30);
    expect([0, 1, 2, 5].map((i) => h.before(i))).toEqual([0, 10, 40, 70]);
    expect([0, 9, 10, 39, 40, 69, 70, 1000].map((y) => h.at(y))).toEqual([0, 0, 1, 1, 2, 4, 4, 4]);
    expect(h.total()).toBe(70);
  });

  test("rows of height 0 are passed over", () => {
    const h = new Heights(4, 10);
    h.set(1, 0);
    h.set(2, 0);
    expect(h.at(10)).toBe(3);
    expect(h.before(3)).toBe(10);
  });

  test("a list that grows keeps what was measured, one that shrinks forgets the rest", () => {
    const h = new Heights(3, 10);
    h.set(2, 50);
    h.resize(100);
    expect(h.total()).toBe(70 + 97 * 10);
    expect(h.measured(2)).toBe(true);
    h.resize(2);
    h.resize(3);
    expect(h.size(2)).toBe(10);
    expect(h.total()).toBe(30);
  });

  test("the sums are those of a plain array after many random changes", () => {
    let seed = 7;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
    const h = new Heights(257, 20);
    const plain = Array<number>(257).fill(20);
    for (let i = 0; i < 5000; i++) {
      const at = random(257);
      plain[at] = random(200);
      h.set(at, plain[at]!);
    }
    let sum = 0;
    for (let i = 0; i < 257; i++) {
      expect(h.before(i)).toBe(sum);
      if (plain[i]) expect(h.at(sum)).toBe(i);
      sum += plain[i]!;
    }
    expect(h.total()).toBe(sum);
  });
});
