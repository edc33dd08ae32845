// Commands that begin with a slash in the composer. Pure.

export interface Slash {
  name: string;
  about: string;
  /** What is written behind it; "": nothing. */
  takes: string;
}

export const slashes: Slash[] = [
  { name: "compact", about: "Summarise what was said so far", takes: "" },
  { name: "fork", about: "Go on in a new session", takes: "title" },
  { name: "label", about: "Name the last entry in the tree", takes: "text" },
  { name: "model", about: "Choose another model", takes: "name" },
  { name: "remember", about: "Keep something for this session", takes: "text" },
];

/** The command of a text, with what is written behind it; undefined: it is a prompt. "/etc/hosts" is a prompt. */
export function slashOf(text: string): { name: string; rest: string } | undefined {
  const m = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  return m && slashes.some((s) => s.name === m[1]) ? { name: m[1]!, rest: (m[2] ?? "").trim() } : undefined;
}

/** Commands that can still be meant while a name is typed. */
export function offered(text: string): Slash[] {
  const m = /^\/([a-z]*)$/.exec(text);
  return m ? slashes.filter((s) => s.name.startsWith(m[1]!)) : [];
}

/** C17: a title from the first prompt. */
export function titleFrom(prompt: string): string {
  const text = prompt.replace(/\s+/g, " ").trim();
  if (!text) return "New chat";
  const letters = [...text];
  return letters.length <= 48 ? text : letters.slice(0, 45).join("") + "...";
}
