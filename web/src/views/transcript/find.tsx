// Find in the session: the hits of the full text on its path, one after the other.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, got, type Hit, message, type Session } from "../../api/client";
import { count } from "../../lib/format";
import { go, param, withQuery } from "../../router";
import type { Path } from "../../state/path";
import { IconButton } from "../../ui/button";
import { Icon } from "../../ui/icon";
import type { VirtualHandle } from "../../ui/virtual";

export function Find({ session, path }: { session: Session; path: Path; list: { current?: VirtualHandle } }) {
  const open = param("find") !== undefined;
  const word = useSignal(param("find") ?? "");
  const hits = useSignal<Hit[]>([]);
  const at = useSignal(-1);
  const error = useSignal("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (open) input.current?.focus();
  }, [open]);
  useEffect(() => {
    const query = word.value.trim();
    if (!open || !query) {
      hits.value = [];
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      got(
        api.GET("/api/v1/search", {
          params: { query: { query, session: session.id, path: true, at: path.at, limit: 200 } },
          signal: stop.signal,
        }),
      ).then(
        (a) => {
          // Newest first in the answer; a reader goes down the page.
          hits.value = a.items.filter((h) => h.entry).reverse();
          at.value = hits.value.length - 1;
          error.value = a.refused ?? "";
          show();
        },
        (e: unknown) => !stop.signal.aborted && (error.value = message(e)),
      );
    }, 150);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [word.value, open, session.id, path.at]);
  const show = () => {
    const hit = hits.value[at.value];
    if (hit?.entry) go(withQuery({ entry: hit.entry, find: word.value }), true);
  };
  const step = (by: number) => {
    const n = hits.value.length;
    if (!n) return;
    at.value = (at.value + by + n) % n;
    show();
  };
  if (!open) return null;
  const close = () => go(withQuery({ find: undefined }), true);
  return (
    <search class="find-bar">
      <label class="field grow">
        <Icon name="search" small />
        <input
          ref={input}
          type="text"
          aria-label="Find in session"
          placeholder="Find in session"
          value={word.value}
          onInput={(e) => (word.value = e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter") step(e.shiftKey ? -1 : 1);
            if (e.key === "Escape") close();
          }}
        />
        <span class="t3 small num nowrap" aria-live="polite">
          {error.value ||
            (word.value.trim() ? (hits.value.length ? `${at.value + 1} of ${count(hits.value.length)}` : "nothing found") : "")}
        </span>
      </label>
      <IconButton icon="up" name="Previous" shortcut="Shift Enter" onClick={() => step(-1)} />
      <IconButton icon="down" name="Next" shortcut="Enter" onClick={() => step(1)} />
      <IconButton icon="x" name="Close" shortcut="Esc" onClick={close} />
    </search>
  );
}
