// A block of code with its language, colours and a copy button.
import { visible } from "../lib/ansi";
import { highlight, languageOf, type Piece } from "../lib/highlight";
import { CopyButton } from "../ui/copy";

export function CodeBlock({ lang, text, title }: { lang: string; text: string; title?: string }) {
  const name =
    lang
      .trim()
      .split(/[\s{,:]/)[0]
      ?.toLowerCase() ?? "";
  return (
    <figure class="blk code">
      <figcaption class="h">
        <span class="clip">{title ?? (name || "text")}</span>
        <span class="grow" />
        <CopyButton text={text} name="Copy code" />
      </figcaption>
      <pre class="term" tabIndex={0} role="region" aria-label={`Code${name ? `, ${name}` : ""}`}>
        <Coloured lang={name} text={text} />
      </pre>
    </figure>
  );
}

export function Coloured({ lang, text }: { lang: string; text: string }) {
  const pieces = highlight(lang, text);
  return <>{pieces ? pieces.map(piece) : visible(text)}</>;
}

function piece(p: Piece, i: number) {
  return p.style ? (
    <span key={i} class={p.style}>
      {visible(p.text)}
    </span>
  ) : (
    visible(p.text)
  );
}

/** The pieces of a coloured file, line by line. */
export function colouredLines(path: string, text: string): Piece[][] | undefined {
  const pieces = highlight(languageOf(path), text);
  if (!pieces) return undefined;
  const lines: Piece[][] = [[]];
  for (const p of pieces) {
    p.text.split("\n").forEach((part, i) => {
      if (i) lines.push([]);
      if (part) lines[lines.length - 1]!.push({ text: part, style: p.style });
    });
  }
  return lines;
}
