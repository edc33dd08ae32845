// Colours for code. The grammars are loaded when the first code block is seen.
import { signal } from "@preact/signals";

export interface Piece {
  text: string;
  /** One of k (keyword), q (string), c (number, constant), fn (function, type), m (comment), or "". */
  style: string;
}

type Colour = (lang: string, text: string) => Piece[] | undefined;

const colour = signal<Colour | undefined>(undefined);
let asked = false;

/** Larger blocks stay plain. */
const MOST = 60_000;

/** The coloured pieces of a code block; undefined while the grammars load, and for unknown languages. */
export function highlight(lang: string, text: string): Piece[] | undefined {
  if (!lang || text.length > MOST) return undefined;
  if (!asked) {
    asked = true;
    void import("./grammars").then((m) => (colour.value = m.colourCode));
  }
  return colour.value?.(lang, text);
}

const endings: Record<string, string> = {
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  cs: "csharp",
  css: "css",
  diff: "diff",
  go: "go",
  graphql: "graphql",
  html: "xml",
  ini: "ini",
  java: "java",
  js: "javascript",
  jsx: "javascript",
  json: "json",
  kt: "kotlin",
  less: "less",
  lua: "lua",
  md: "markdown",
  mjs: "javascript",
  php: "php",
  pl: "perl",
  py: "python",
  r: "r",
  rb: "ruby",
  rs: "rust",
  scss: "scss",
  sh: "bash",
  sql: "sql",
  svg: "xml",
  swift: "swift",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vb: "vbnet",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
};

/** The language of a file, by its name. */
export function languageOf(path: string): string {
  const name = path.split(/[/\\]/).pop() ?? "";
  if (/^(GNU)?[Mm]akefile$/.test(name)) return "makefile";
  return endings[name.split(".").pop()?.toLowerCase() ?? ""] ?? "";
}
