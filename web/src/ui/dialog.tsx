// Dialogs: the browser's own element keeps the focus inside, closes with Escape and gives the focus back.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { message } from "../api/client";
import { Button } from "./button";
import { Problem } from "./problem";

export function Dialog({
  title,
  children,
  onClose,
  wide,
  class: extra,
}: {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  wide?: boolean;
  class?: string;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog${wide ? " wide" : ""} ${extra ?? ""}`}
      aria-label={title}
      onClose={onClose}
      onClick={(e) => e.target === ref.current && ref.current?.close()}
    >
      <div class="dialog-in">{children}</div>
    </dialog>
  );
}

// ---- questions ----

interface Ask {
  title: string;
  /** What will happen. */
  text?: ComponentChildren;
  /** A field to fill in, with its first value. */
  field?: { name: string; value?: string; placeholder?: string; rows?: number; optional?: boolean };
  act: string;
  danger?: boolean;
  /** Runs when confirmed; what it throws is shown in the dialog. */
  run: (value: string) => unknown;
}

const asking = signal<Ask | undefined>(undefined);

/** Ask for a text or a confirmation. */
export function ask(question: Ask): void {
  asking.value = question;
}

export function Questions() {
  const q = asking.value;
  return q ? <Question key={q.title + q.act} q={q} close={() => asking.value === q && (asking.value = undefined)} /> : null;
}

function Question({ q, close }: { q: Ask; close: () => void }) {
  const [value, setValue] = useState(q.field?.value ?? "");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const input = form.current?.querySelector<HTMLInputElement>("input, textarea");
    input?.focus();
    input?.select();
  }, []);
  const submit = async (e: Event) => {
    e.preventDefault();
    if (busy) return;
    setBusy(true);
    setError("");
    try {
      await q.run(value);
      close();
    } catch (x) {
      setError(message(x));
      setBusy(false);
    }
  };
  const key = (e: KeyboardEvent) => {
    if (e.key === "Enter" && (e.metaKey || e.ctrlKey)) void submit(e);
  };
  return (
    <Dialog title={q.title} onClose={close}>
      <form ref={form} onSubmit={(e) => void submit(e)} class="question">
        <h2>{q.title}</h2>
        {q.text && <div class="t2">{q.text}</div>}
        {q.field && (
          <label class="stack">
            <span class="t2 small">{q.field.name}</span>
            {q.field.rows ? (
              <textarea
                rows={q.field.rows}
                value={value}
                placeholder={q.field.placeholder}
                onKeyDown={key}
                onInput={(e) => setValue(e.currentTarget.value)}
              />
            ) : (
              <input type="text" value={value} placeholder={q.field.placeholder} onInput={(e) => setValue(e.currentTarget.value)} />
            )}
          </label>
        )}
        <Problem text={error} />
        <div class="dialog-foot">
          <Button kind="quiet" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            kind={q.danger ? "danger" : "pri"}
            disabled={busy || Boolean(q.field && !q.field.optional && !value.trim())}
          >
            {q.act}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
