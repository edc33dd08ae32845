// What a program printed: the last lines first, all of it on request.
import { useState } from "preact/hooks";
import { parseAnsi } from "../lib/ansi";
import { bytes, count, plural } from "../lib/format";
import { CopyButton } from "../ui/copy";

/** Lines that are shown of a long output. */
const TAIL = 12;

export function Terminal({
  name,
  text,
  fail,
  cut,
  whole,
  all,
}: {
  name: string;
  text: string;
  fail?: boolean;
  /** The full size in bytes when the text came cut. */
  cut?: number;
  /** Reads the full text. */
  whole?: () => Promise<string>;
  /** Show everything at once, as on a run's page. */
  all?: boolean;
}) {
  const [open, setOpen] = useState(Boolean(all));
  const [full, setFull] = useState<string>();
  const [failed, setFailed] = useState(false);
  const shownText = (full ?? text).replace(/\n+$/, "");
  const lines = shownText.split("\n");
  const long = lines.length > TAIL + 3;
  const shown = long && !open ? lines.slice(-TAIL).join("\n") : shownText;
  const showAll = async () => {
    setOpen(true);
    if (!cut || full || !whole) return;
    try {
      setFull(await whole());
    } catch {
      setFailed(true);
    }
  };
  const note =
    cut && !full
      ? `first ${bytes(text.length)} of ${bytes(cut)}`
      : long && !open
        ? `last ${TAIL} of ${count(lines.length)} lines`
        : plural(lines.length, "line");
  return (
    <div class={`blk${fail ? " fail" : ""}`}>
      <div class="h">
        <span>{name}</span>
        <span class="num t3">{shownText ? note : "empty"}</span>
        <span class="grow" />
        <CopyButton text={async () => full ?? (cut && whole ? await whole() : text)} name={`Copy ${name}`} />
      </div>
      {shownText && (
        <pre class="term" tabIndex={0} role="region" aria-label={name}>
          <Ansi text={shown} />
        </pre>
      )}
      {((long && !open) || (cut && !full)) && (
        <div class="f">
          <button type="button" class="t2 link" onClick={() => void showAll()}>
            Show all
          </button>
          {failed && <span class="c-fail">The whole output could not be read.</span>}
        </div>
      )}
    </div>
  );
}

/** Text with the colours of its escape sequences. */
export function Ansi({ text }: { text: string }) {
  return (
    <>
      {parseAnsi(text).map((run, i) =>
        run.style ? (
          <span key={i} class={run.style}>
            {run.text}
          </span>
        ) : (
          run.text
        ),
      )}
    </>
  );
}
