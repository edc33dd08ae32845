// A file's change: lines with numbers, changed words marked, colours of its language.
import { useState } from "preact/hooks";
import { visible } from "../lib/ansi";
import type { DiffLine, FileDiff } from "../lib/diff";
import type { Piece } from "../lib/highlight";
import { CopyButton } from "../ui/copy";
import { colouredLines } from "./code";

/** Lines that are shown of a long change. */
const MOST = 60;

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts num">
      {added > 0 && <span class="c-add">+{added}</span>} {removed > 0 && <span class="c-fail">−{removed}</span>}
    </span>
  );
}

export function Diff({ file, all }: { file: FileDiff; all?: boolean }) {
  const [open, setOpen] = useState(Boolean(all));
  const long = file.lines.length > MOST + 10;
  const lines = long && !open ? file.lines.slice(0, MOST) : file.lines;
  const colours = colouredLines(file.path, lines.map((l) => l.text).join("\n"));
  return (
    <div class="blk">
      <div class="h">
        <span class="mono clip" title={file.path}>
          {visible(file.path)}
        </span>
        {file.status && <span class="label">{file.status}</span>}
        <Counts added={file.added} removed={file.removed} />
        <span class="grow" />
        <CopyButton text={() => asText(file)} name="Copy diff" />
      </div>
      {lines.length > 0 && (
        <div class="diff" tabIndex={0} role="region" aria-label={`Diff of ${file.path}`}>
          {lines.map((line, i) => (
            <Line key={i} line={line} colours={colours?.[i]} />
          ))}
        </div>
      )}
      {long && !open && (
        <div class="f">
          <button type="button" class="t2 link" onClick={() => setOpen(true)}>
            Show all {file.lines.length} lines
          </button>
        </div>
      )}
    </div>
  );
}

const signs = { same: "", add: "+", del: "−", hunk: "⋯" } as const;
const names = { same: "", add: "Added", del: "Removed", hunk: "" } as const;

function Line({ line, colours }: { line: DiffLine; colours?: Piece[] }) {
  return (
    <div class={line.kind === "add" ? "a" : line.kind === "del" ? "d" : line.kind === "hunk" ? "hunk" : undefined}>
      <span>{line.old ?? ""}</span>
      <span>{line.new ?? ""}</span>
      <span class="s">
        <span aria-hidden="true">{signs[line.kind]}</span>
        {names[line.kind] && <span class="vh">{names[line.kind]}</span>}
      </span>
      <span>{line.text ? pieces(line, colours) : " "}</span>
    </div>
  );
}

/** The text cut at both the borders of colours and of marks. */
function pieces(line: DiffLine, colours: Piece[] | undefined) {
  const out = [];
  const marks = line.marks ?? [];
  let at = 0;
  let key = 0;
  for (const p of colours ?? [{ text: line.text, style: "" }]) {
    let rest = p.text;
    while (rest) {
      const mark = marks.find(([from, to]) => at < to && at + rest.length > from);
      const inside = mark && at >= mark[0];
      const end = !mark ? rest.length : Math.min(rest.length, (inside ? mark[1] : mark[0]) - at);
      const text = visible(rest.slice(0, end));
      const styled = p.style ? <span class={p.style}>{text}</span> : text;
      out.push(inside ? <em key={key++}>{styled}</em> : <span key={key++}>{styled}</span>);
      at += end;
      rest = rest.slice(end);
    }
  }
  return out;
}

function asText(file: FileDiff): string {
  const sign = { same: " ", add: "+", del: "-", hunk: "@@ " } as const;
  return file.lines.map((l) => sign[l.kind] + l.text).join("\n");
}
