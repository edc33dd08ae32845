// The cost ceiling of a run: one that stopped at it goes on with a higher one.
import { actionKey, api, got, type Run, type Turn } from "../../api/client";
import { ask } from "../../ui/dialog";

export function usdOf(text: string): number {
  const usd = Number(text.trim().replace(/^\$/, ""));
  if (!(usd > 0)) throw new Error("Write an amount in USD");
  return usd;
}

export const overCeiling = (run: Run): boolean => run.error_code === "budget" && run.limits.cost_nano_usd > 0;

/** Go on with a run, with a higher ceiling if it stopped at its own: then that is asked for. */
export async function resumeRun(run: Run, begun: (turn: Turn) => void): Promise<void> {
  const resume = async (cost?: number) =>
    begun(
      await got(
        api.POST("/api/v1/runs/{run}/resume", {
          params: { path: { run: run.id } },
          body: cost ? { limits: { cost_usd: cost } } : {},
          headers: { "Idempotency-Key": actionKey() },
        }),
      ),
    );
  if (!overCeiling(run)) return resume();
  ask({
    title: "Raise the cost ceiling",
    text: `The run stopped at $${run.limits.cost_usd}. What it has cost counts on.`,
    field: { name: "New ceiling in USD", value: String(run.limits.cost_usd * 2) },
    act: "Resume",
    run: (text) => resume(usdOf(text)),
  });
}
