// The grammars of highlight.js as coloured pieces. Loaded on demand: see highlight.ts.
import { common, createLowlight } from "lowlight";
import type { Piece } from "./highlight";

const low = createLowlight(common);

const styles: [RegExp, string][] = [
  [/hljs-(keyword|built_in|selector-tag|meta|section)/, "k"],
  [/hljs-(string|regexp|addition|symbol|bullet|link)/, "q"],
  [/hljs-(number|literal|variable|template-variable|attr|attribute)/, "c"],
  [/hljs-(title|type|name|class|function|selector-class|selector-id)/, "fn"],
  [/hljs-(comment|quote|deletion)/, "m"],
];

interface Node {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: unknown[];
}

export function colourCode(lang: string, text: string): Piece[] | undefined {
  if (!low.registered(lang)) return undefined;
  const out: Piece[] = [];
  const walk = (node: Node, style: string) => {
    if (node.type === "text") {
      const last = out[out.length - 1];
      if (last && last.style === style) last.text += node.value ?? "";
      else out.push({ text: node.value ?? "", style });
      return;
    }
    const names = Array.isArray(node.properties?.className) ? node.properties.className.join(" ") : "";
    const own = styles.find(([pattern]) => pattern.test(names))?.[1] ?? style;
    for (const child of node.children ?? []) walk(child as Node, own);
  };
  walk(low.highlight(lang, text) as Node, "");
  return out;
}
