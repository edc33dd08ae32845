// Numbers of a run that are computed from what it left.
import { api, got, type Run } from "../../api/client";

/** How long it took, or has taken. */
export function lengthOf(r: Run): number | undefined {
  const from = Date.parse(r.started ?? r.created ?? "");
  const to = r.ended ? Date.parse(r.ended) : Date.now();
  return Number.isNaN(from) ? undefined : Math.max(0, to - from);
}

const depthOf = (at: string): number => Number(at.split(".")[1] ?? 0);
const PAGE = 200;

/** The calls of its entries, in nano-USD. */
export async function costOf(r: Run): Promise<number | undefined> {
  if (!r.first || !r.last) return undefined;
  let sum = 0;
  try {
    for (let from = depthOf(r.first); from <= depthOf(r.last); from += PAGE) {
      const a = await got(
        api.GET("/api/v1/sessions/{id}/entries", {
          params: { path: { id: r.session }, query: { at: r.last, from, limit: PAGE, calls: true, cut: 256, view: true } },
        }),
      );
      for (const c of Object.values(a.calls ?? {})) sum += c.used.cost_nano_usd;
    }
    return sum;
  } catch {
    return undefined;
  }
}
