// Which words of a text another text does not have at that place.
import { diffTexts } from "../../lib/diff";

/** Pieces of `text`, with whether they differ from `other`. Undefined when the two have little in common. */
export function markChanged(text: string, other: string): [boolean, string][] | undefined {
  if (!text || !other || text === other || text.length + other.length > 8000) return undefined;
  const out: [boolean, string][] = [];
  let same = 0;
  const put = (changed: boolean, t: string) => {
    const last = out[out.length - 1];
    if (last && last[0] === changed) last[1] += t;
    else out.push([changed, t]);
  };
  // Words as lines: the same algorithm finds the shortest script.
  const a = text.match(/\s+|[^\s]+/g) ?? [];
  const b = other.match(/\s+|[^\s]+/g) ?? [];
  const enc = (w: string[]) => w.map((x) => JSON.stringify(x)).join("\n");
  const lines = diffTexts(enc(b), enc(a), 1);
  const full = new Map<number, boolean>();
  for (const l of lines) if (l.kind === "add" && l.new) full.set(l.new, true);
  a.forEach((w, i) => {
    const changed = full.has(i + 1);
    if (!changed) same += w.trim().length;
    put(changed, w);
  });
  return same * 3 >= text.replace(/\s/g, "").length ? out : undefined;
}
