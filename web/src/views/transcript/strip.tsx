// Below an answer: which model, how many tokens, what it cost, how long it took.
import type { Call, Entry, Run } from "../../api/client";
import { RunLink } from "../chat/runs";
import { duration, exactTime, modelName, moneyExact, shortTime, tokens } from "../../lib/format";

export function Strip({ entry, call, run }: { entry: Entry; call?: Call; run?: Run }) {
  const used = call?.used ?? entry.usage;
  const ms = call?.duration_ms ?? entry.duration_ms;
  const model = call?.model || (entry.data as { model?: unknown } | undefined)?.model;
  const name = typeof model === "string" ? model : "";
  const numbers =
    used &&
    [
      used.input + used.cache_read + used.cache_write ? `${tokens(used.input + used.cache_read + used.cache_write)} in` : "",
      used.output ? `${tokens(used.output)} out` : "",
      used.cache_read ? `${tokens(used.cache_read)} cached` : "",
      used.reasoning ? `${tokens(used.reasoning)} reasoning` : "",
    ].filter(Boolean);
  const known = call ? call.cost_known : Boolean(used?.cost_nano_usd);
  const asked = call?.want_model && call.want_model !== call.model ? `, asked for ${call.want_model}` : "";
  return (
    <div class="strip">
      {name && (
        <span class="t2" title={`${call?.provider ? call.provider + "/" : ""}${name}${asked}`}>
          {modelName(name)}
        </span>
      )}
      {numbers && numbers.length > 0 && <span>{numbers.join(" · ")}</span>}
      {used && numbers && numbers.length > 0 && (
        <span title={known ? undefined : "No price is known for this model"}>{known ? moneyExact(used.cost_nano_usd) : "cost ?"}</span>
      )}
      {ms !== undefined && ms > 0 && <span>{duration(ms)}</span>}
      {entry.time && (
        <time dateTime={entry.time} title={exactTime(entry.time)}>
          {shortTime(entry.time)}
        </time>
      )}
      {run && <RunLink run={run} />}
    </div>
  );
}
