// A button that copies a text and says so for a moment.
import { useState } from "preact/hooks";
import { IconButton } from "./button";

/** Copies; false where the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function CopyButton({ text, name = "Copy" }: { text: string | (() => string | Promise<string>); name?: string }) {
  const [state, setState] = useState<"" | "Copied" | "Could not copy">("");
  const copy = async (e: MouseEvent) => {
    e.stopPropagation();
    const done = await copyText(typeof text === "function" ? await text() : text);
    setState(done ? "Copied" : "Could not copy");
    setTimeout(() => setState(""), 1500);
  };
  return <IconButton icon={state === "Copied" ? "check" : "copy"} name={state || name} onClick={(e) => void copy(e)} />;
}
