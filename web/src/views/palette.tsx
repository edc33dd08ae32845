// Ctrl K: sessions, commands, and the full text of everything, in one list.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, got, type Hit, type Session } from "../api/client";
import { type Command, commands } from "../commands";
import { ago, projectName } from "../lib/format";
import { go, href, toSession } from "../router";
import { ids, known } from "../state/sessions";
import { Dialog } from "../ui/dialog";
import { Icon, type IconName } from "../ui/icon";
import { iconOf, Snippet } from "./search/hits";
import { titleOf } from "./sessions/row";

export const paletteOpen = signal(false);

interface Row {
  group: string;
  icon: IconName;
  text: string;
  note?: string;
  hit?: Hit;
  key?: string;
  act: () => void;
}

export function Palette() {
  return paletteOpen.value ? <Open /> : null;
}

function sessionRow(s: Session): Row {
  return {
    group: "Sessions",
    icon: s.fork_entry ? "fork" : s.kind === "subagent" ? "agent" : "sessions",
    text: titleOf(s),
    note: [projectName(s.project), ago(s.modified ?? s.created)].filter(Boolean).join(" · "),
    act: () => go(href(["sessions", s.slug])),
  };
}

function Open() {
  const word = useSignal("");
  const found = useSignal<Session[]>([]);
  const hits = useSignal<Hit[]>([]);
  const at = useSignal(0);
  /** The word whose sessions are known. Enter before that waits for them. */
  const answered = useSignal("");
  const entered = useSignal(false);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const q = word.value.trim();
    if (!q) {
      answered.value = "";
      found.value = [];
      hits.value = [];
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      got(api.GET("/api/v1/sessions", { params: { query: { query: q, limit: 6, order: "modified" } }, signal: stop.signal })).then(
        (a) => {
          found.value = a.items;
          answered.value = q;
        },
        () => (answered.value = q),
      );
      got(api.GET("/api/v1/search", { params: { query: { query: q, limit: 6 } }, signal: stop.signal })).then(
        (a) => (hits.value = a.items),
        () => {},
      );
    }, 100);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [word.value]);
  const rows = rowsOf(word.value.trim(), found.value, hits.value);
  useEffect(() => {
    if (entered.value && answered.value === word.value.trim()) pick(rows[at.value]);
  }, [answered.value, entered.value]);
  const close = () => (paletteOpen.value = false);
  const pick = (r: Row | undefined) => {
    if (!r) return;
    close();
    r.act();
  };
  const key = (e: KeyboardEvent) => {
    const by = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
    if (by && rows.length) {
      e.preventDefault();
      at.value = (at.value + by + rows.length) % rows.length;
      list.current?.querySelectorAll("[role=option]")[at.value]?.scrollIntoView({ block: "nearest" });
    } else if (e.key === "Enter") {
      e.preventDefault();
      entered.value = true;
    }
  };
  return (
    <Dialog title="Command palette" class="pal" onClose={close}>
      <label class="pin">
        <Icon name="search" />
        <input
          type="text"
          autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="pal-list"
          aria-activedescendant={rows.length ? `pal-${at.value}` : undefined}
          aria-label="Search sessions and commands"
          placeholder="Sessions, commands, any text"
          value={word.value}
          onInput={(e) => {
            word.value = e.currentTarget.value;
            at.value = 0;
            entered.value = false;
          }}
          onKeyDown={key}
        />
        <kbd>esc</kbd>
      </label>
      <ul class="pb" id="pal-list" role="listbox" aria-label="Results" ref={list}>
        {rows.map((r, i) => (
          <>
            {r.group !== rows[i - 1]?.group && (
              <li key={`g${i}`} class="pg" role="presentation">
                {r.group}
              </li>
            )}
            <li
              key={i}
              id={`pal-${i}`}
              class={`po${i === at.value ? " cur" : ""}`}
              role="option"
              aria-selected={i === at.value}
              onPointerMove={() => (at.value = i)}
              onClick={() => pick(r)}
            >
              <Icon name={r.icon} />
              <span class="clip">{r.hit ? <Snippet hit={r.hit} /> : r.text}</span>
              {r.note && <span class="t3 small clip">{r.note}</span>}
              <span class="grow" />
              {r.key && r.key.split(" ").map((k, n) => <kbd key={n}>{k}</kbd>)}
            </li>
          </>
        ))}
        {!rows.length && <li class="t3 po">Nothing matches.</li>}
      </ul>
    </Dialog>
  );
}

function rowsOf(word: string, found: Session[], hits: Hit[]): Row[] {
  const fits = (c: Command) =>
    !word ||
    word
      .toLowerCase()
      .split(/\s+/)
      .every((w) => c.text.toLowerCase().includes(w));
  const recent = word
    ? found
    : ids.value
        .slice(0, 5)
        .map((id) => known(id).value)
        .filter((s): s is Session => Boolean(s));
  return [
    ...recent.map(sessionRow),
    ...commands()
      .filter(fits)
      .slice(0, word ? 8 : 12)
      .map((c): Row => ({ group: "Commands", icon: c.icon, text: c.text, key: c.key, act: c.act })),
    ...hits.map((h): Row => ({
      group: "Text",
      icon: iconOf(h),
      text: h.snippet,
      hit: h,
      note: h.title || h.slug,
      act: () => go(toSession(h.slug, { entry: h.entry || undefined })),
    })),
    ...(word
      ? [{ group: "Text", icon: "search" as const, text: `All hits for “${word}”`, act: () => go(href(["search"], { q: word })) }]
      : []),
  ];
}
