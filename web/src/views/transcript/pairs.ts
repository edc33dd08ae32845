// Calls and their results: some tools keep both in one part, others in two messages. The page shows them as one line,
// where the call is.
import type { Entry } from "../../api/client";
import type { ToolCall } from "../../parts/tool";
import type { Path, PartView } from "../../state/path";
import { liveRun } from "../../state/runs";

/** How far a result is looked for. An agent with more calls in a row is not known. */
const FAR = 100;

/** The result of a call: in the same message, or in one of the next. */
export function resultOf(path: Path, depth: number, call: string): { result: PartView; entry: Entry } | undefined {
  for (let d = depth; d <= Math.min(depth + FAR, path.depth.peek()); d++) {
    const e = path.peek(d);
    if (!e) return undefined;
    const result = e.view?.find((v) => isResult(e, v) && v.call === call);
    if (result) return { result, entry: e };
    // The same name may be given to a call of a later prompt.
    if (d > depth && isPrompt(e)) return undefined;
  }
  return undefined;
}

/** A message of a person. Some tools send results as the user. */
function isPrompt(e: Entry): boolean {
  return e.speaker === "user" && e.kind === "message" && !e.view?.some((v) => isResult(e, v));
}

/** A result by itself, or the tool part of a message that only has results. */
function isResult(e: Entry, v: PartView): boolean {
  return v.kind === "result" || (v.kind === "tool" && e.speaker === "tool");
}

/** Is the call that this result answers on the path? Entries that are not loaded count as if. */
function hasCall(path: Path, depth: number, call: string): boolean {
  for (let d = depth; d >= Math.max(1, depth - FAR); d--) {
    const e = path.peek(d);
    if (!e) return true;
    if (e.view?.some((v) => (v.kind === "call" || (v.kind === "tool" && e.speaker !== "tool")) && v.call === call)) return true;
  }
  return false;
}

/** Results that stand where their call is. */
export function isShownElsewhere(path: Path, depth: number, v: PartView): boolean {
  const e = path.peek(depth);
  if (v.kind === "tool" && e?.speaker !== "tool") return false;
  return (v.kind === "result" || v.kind === "tool") && Boolean(v.call) && hasCall(path, depth, v.call!);
}

export function toolCall(path: Path, depth: number, entry: Entry, call: PartView): ToolCall {
  if (call.kind === "tool" || !call.call) return { call, entry };
  const found = resultOf(path, depth, call.call);
  return { call, entry, result: found?.result, resultEntry: found?.entry, waits: !found && isLive(path, depth) };
}

/** Its run goes on: a call without a result is not lost, it waits. */
function isLive(path: Path, depth: number): boolean {
  if (path.at || !liveRun(path.session)) return false;
  for (let d = path.depth.peek(); d > depth; d--) {
    const e = path.peek(d);
    if (e && isPrompt(e)) return false;
  }
  return true;
}

/** A result whose call is missing is shown by itself. */
export function loneResult(entry: Entry, result: PartView): ToolCall {
  return { call: { ...result, kind: "call", output: undefined, failed: undefined }, entry, result, resultEntry: entry };
}
