// What can be done with an entry: a small bar at its top right, seen on hover and focus.
import type { Session } from "../../api/client";
import { attempt, deleteEntry, editAndBranch, fork, label, moveHead, rememberText, restoreEntry, say } from "../../actions";
import { go, href, param, withQuery } from "../../router";
import { canSend, retryPrompt } from "../../state/composer";
import { outline } from "../../state/outline";
import { split } from "../../state/path";
import { session } from "../../state/session";
import { IconButton } from "../../ui/button";
import { CopyButton, copyText } from "../../ui/copy";
import { Menu, type MenuItem } from "../../ui/menu";
import { partsOf, type Shown } from "./parts";
import { openPick } from "./pick";

/** The words of an entry, as one would paste them elsewhere. */
export function plainText(s: Shown): string {
  const own = partsOf(s)
    .filter((v) => v.kind === "text" && v.text)
    .map((v) => v.text!);
  if (own.length) return own.join("\n\n");
  return partsOf(s)
    .map((v) => v.output ?? "")
    .filter(Boolean)
    .join("\n\n");
}

export function linkTo(s: Session, entry: string): string {
  return location.origin + href(["sessions", s.slug], { entry });
}

async function copyLink(s: Session, entry: string): Promise<void> {
  say((await copyText(linkTo(s, entry))) ? "Link copied" : linkTo(s, entry));
}

/** Compare what follows here with another branch: the first pick marks one side, the second opens the comparison. */
export function compareFrom(s: Session, at: string): void {
  const [branch, depth] = split(at);
  const here = `${s.slug}:${branch}.${depth}`;
  const first = param("compare");
  if (first && first !== here) go(href(["compare"], { one: first, other: here }));
  else {
    go(withQuery({ compare: here }), true);
    say("Now choose “Compare” on an entry of another branch");
  }
}

export function labelOf(at: string | null | undefined): string {
  return outline.value?.byEntry.get(at ?? "")?.find((m) => m.kind === "label")?.text ?? "";
}

/** The prompt that is answered again: this one, or the one before this answer. */
function retryable({ path, depth, entry }: Shown): string | undefined {
  if (entry.kind !== "message" || path.at) return undefined;
  if (entry.speaker === "user") return entry.id;
  if (entry.speaker !== "assistant") return undefined;
  for (let d = depth - 1; d > Math.max(0, depth - 100); d--) {
    const e = path.peek(d);
    if (e?.kind === "message" && e.speaker === "user") return e.id;
  }
  return undefined;
}

/** The same commands for the menu, the keys and the palette. */
export function entryCommands(s: Session, shown: Shown): Record<string, (() => void) | undefined> {
  const e = shown.entry;
  const user = e.kind === "message" && e.speaker === "user";
  const own = e.session === s.id;
  return {
    f: () => fork(s, e.id),
    l: () => label(s, e, labelOf(e.at)),
    c: () => compareFrom(s, e.at ?? ""),
    b: () => void attempt(() => moveHead(s.id, e.id)),
    e: user ? () => editAndBranch(s, e, plainText(shown)) : undefined,
    r: retryable(shown) ? () => void attempt(() => retryPrompt(s, retryable(shown)!)) : undefined,
    y: () => void copyText(plainText(shown)).then((ok) => say(ok ? "Copied" : "Could not copy")),
    x: own ? () => void (e.deleted ? restoreEntry(s.id, e.id) : deleteEntry(s.id, e.id)) : undefined,
  };
}

export function Actions({ s }: { s: Shown }) {
  const open = session.value;
  if (!open || s.entry.open) return null;
  const e = s.entry;
  const commands = entryCommands(open, s);
  const more: MenuItem[] = [
    { text: "Branch here: move the head", icon: "head", hint: "b", act: commands["b"] },
    ...(e.deleted ? [] : [{ text: "Put onto a branch…", icon: "swap" as const, act: () => openPick(open, e) }]),
    { text: "Remember", icon: "note", act: () => rememberText(open, plainText(s)) },
    { text: "Copy id", icon: "copy", act: () => void copyText(e.id) },
    ...(commands["x"]
      ? [{ text: e.deleted ? "Restore" : "Delete", icon: "trash" as const, hint: "x", danger: !e.deleted, split: true, act: commands["x"] }]
      : []),
  ];
  return (
    <div class="acts" role="toolbar" aria-label="Entry">
      <CopyButton text={() => plainText(s)} />
      <IconButton icon="link" name="Link" onClick={() => void copyLink(open, e.id)} />
      {commands["e"] && (
        <IconButton icon="edit" name={canSend(open) ? "Edit and resend" : "Edit and branch"} shortcut="e" onClick={commands["e"]} />
      )}
      {commands["r"] && canSend(open) && <IconButton icon="retry" name="Retry" shortcut="r" onClick={commands["r"]} />}
      <IconButton icon="fork" name="Fork here" shortcut="f" onClick={commands["f"]} />
      <IconButton icon="tag" name="Label" shortcut="l" onClick={commands["l"]} />
      <IconButton icon="compare" name="Compare from here" shortcut="c" onClick={commands["c"]} />
      <Menu
        name="More actions"
        items={more}
        button={(toggle, isOpen) => <IconButton icon="dots" name="More" expanded={isOpen} popup onClick={toggle} />}
      />
    </div>
  );
}
