// The parts of a message, in order: texts, thoughts, tools, files.
import { visible } from "../../lib/ansi";
import { Markdown } from "../../lib/markdown";
import { FilePart } from "../../parts/file";
import { bookkeeping, Other } from "../../parts/other";
import { Reasoning } from "../../parts/reasoning";
import { Tool } from "../../parts/tool";
import type { Entry } from "../../api/client";
import type { Path, PartView } from "../../state/path";
import { Folded } from "./folded";
import { WholeText } from "./whole";
import { isShownElsewhere, loneResult, toolCall } from "./pairs";

export interface Shown {
  path: Path;
  depth: number;
  entry: Entry;
}

/** The parts as they are now: a message that is being written is ahead of what was read. */
export function partsOf({ path, entry }: Shown): PartView[] {
  const live = entry.open ? path.writing.get(entry.id) : undefined;
  return live?.length ? live.filter(Boolean).map((p) => p.view) : (entry.view ?? []);
}

export function Parts(s: Shown) {
  const parts = partsOf(s).filter((v) => !isShownElsewhere(s.path, s.depth, v) && !bookkeeping.has(v.type));
  const last = parts.length - 1;
  return (
    <>
      {groups(parts).map((group, i) =>
        group[0]!.tools ? (
          <div key={i} class="tools">
            {group.map((g) => (
              <Tool
                key={g.part.id}
                t={g.part.kind === "result" ? loneResult(s.entry, g.part) : toolCall(s.path, s.depth, s.entry, g.part)}
              />
            ))}
          </div>
        ) : (
          group.map((g) => <OnePart key={g.part.id + g.part.kind} s={s} part={g.part} live={Boolean(s.entry.open) && g.at === last} />)
        ),
      )}
      {s.entry.open && !parts.length && <Caret />}
    </>
  );
}

interface Grouped {
  part: PartView;
  at: number;
  tools: boolean;
}

/** Tool lines that follow each other are one block. */
function groups(parts: PartView[]): Grouped[][] {
  const out: Grouped[][] = [];
  parts.forEach((part, at) => {
    const tools = part.kind === "call" || part.kind === "result" || part.kind === "tool";
    const last = out[out.length - 1];
    if (last && last[0]!.tools === tools) last.push({ part, at, tools });
    else out.push([{ part, at, tools }]);
  });
  return out;
}

function OnePart({ s, part, live }: { s: Shown; part: PartView; live: boolean }) {
  switch (part.kind) {
    case "text":
      return <TextPart s={s} part={part} live={live} />;
    case "reasoning":
      return <Reasoning part={part} live={live} />;
    case "file":
      return <FilePart part={part} />;
    default:
      return part.type === "patch" ? <PatchPart part={part} /> : <Other part={part} />;
  }
}

function TextPart({ s, part, live }: { s: Shown; part: PartView; live: boolean }) {
  const text = part.text ?? "";
  if (!text.trim() && !live) return null;
  if (part.synthetic) return <Folded icon="info" title="Added by the tool" text={text} />;
  const refused = part.type === "refusal";
  return (
    <div
      class={`text-part${refused ? " refused" : ""}${part.ignored ? " ignored" : ""}${live ? " live" : ""}`}
      aria-busy={live || undefined}
    >
      {refused && <p class="c-fail small">Refused</p>}
      {part.ignored && <p class="t3 small">Not sent to the model</p>}
      {part.cut?.text ? <WholeText s={s} part={part} /> : <Markdown text={text} />}
      {live && <Caret />}
    </div>
  );
}

function Caret() {
  return <span class="caret" aria-hidden="true" />;
}

/** The files that an agent says it changed. */
function PatchPart({ part }: { part: PartView }) {
  const raw = (part.raw ?? {}) as { files?: unknown; hash?: unknown };
  const files = Array.isArray(raw.files) ? raw.files.map(String) : [];
  if (!files.length) return <Other part={part} />;
  return (
    <p class="t3 small files-changed">
      Changed:{" "}
      {files.map((f, i) => (
        <span key={i} class="mono">
          {i ? ", " : ""}
          {visible(f)}
        </span>
      ))}
    </p>
  );
}
