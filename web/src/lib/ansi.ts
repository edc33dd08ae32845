// Terminal output as runs of text with colours. Colours and weights are kept; every other escape sequence is left
// out, a carriage return overwrites its line as it would in a terminal, and other control characters are made visible.

export interface Run {
  text: string;
  /** Names of CSS classes: bold, dim, italic, underline, c1 (red) to c6 (cyan). */
  style: string;
}

/* eslint-disable no-control-regex */
// CSI, OSC (ended by BEL or ST), DCS and the like, then two-character escapes.
const escapes =
  /\x1b\[([0-9;:?<=>!]*)([ -/]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[PX^_][^\x1b]*(?:\x1b\\|$)|\x1b[ -/]*[0-~]|\x1b/g;
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Control characters and bidirectional overrides as visible symbols. */
export function visible(text: string): string {
  return text.replace(controls, (c) => {
    const code = c.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\u27e8${code.toString(16)}\u27e9`;
  });
}

/** One line of text without colours: escape sequences are left out. */
export function plain(text: string): string {
  return visible(text.replace(escapes, ""));
}

export function parseAnsi(text: string): Run[] {
  const runs: Run[] = [];
  const state = { bold: false, dim: false, italic: false, underline: false, colour: 0 };
  let last = 0;
  const put = (piece: string) => {
    if (!piece) return;
    const style = [
      state.bold && "bold",
      state.dim && "dim",
      state.italic && "italic",
      state.underline && "underline",
      state.colour ? `c${state.colour}` : "",
    ]
      .filter(Boolean)
      .join(" ");
    const end = runs[runs.length - 1];
    if (end && end.style === style) end.text += piece;
    else runs.push({ text: piece, style });
  };
  text = overwrite(text);
  for (const m of text.matchAll(escapes)) {
    put(visible(text.slice(last, m.index)));
    last = m.index + m[0].length;
    if (m[3] === "m" && !m[2]) applySgr(state, m[1] ?? "");
  }
  put(visible(text.slice(last)));
  return runs;
}

/** Of a line that was written several times after carriage returns, the last writing is seen. */
function overwrite(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => {
      const at = line.lastIndexOf("\r", line.length - 2);
      return (at < 0 ? line : line.slice(at + 1)).replace(/\r$/, "");
    })
    .join("\n");
}

interface State {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  colour: number;
}

function applySgr(state: State, params: string): void {
  const codes = params.split(/[;:]/).map((p) => Number(p || 0));
  for (let i = 0; i < codes.length; i++) {
    const c = codes[i]!;
    if (c === 0) Object.assign(state, { bold: false, dim: false, italic: false, underline: false, colour: 0 });
    else if (c === 1) state.bold = true;
    else if (c === 2) state.dim = true;
    else if (c === 3) state.italic = true;
    else if (c === 4) state.underline = true;
    else if (c === 22) state.bold = state.dim = false;
    else if (c === 23) state.italic = false;
    else if (c === 24) state.underline = false;
    else if (c === 39) state.colour = 0;
    else if (c >= 31 && c <= 36) state.colour = c - 30;
    else if (c >= 91 && c <= 96) state.colour = c - 90;
    else if (c === 30 || c === 37 || c === 90 || c === 97) state.colour = 0;
    else if (c === 38 || c === 48) {
      // 256 and 24-bit colours: only the first 16 have a counterpart in the palette.
      const indexed = codes[i + 1] === 5;
      const n = codes[i + 2] ?? 0;
      if (c === 38) state.colour = indexed && n >= 1 && n <= 6 ? n : indexed && n >= 9 && n <= 14 ? n - 8 : 0;
      i += indexed ? 2 : 4;
    }
  }
}
