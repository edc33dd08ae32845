// The list of sessions: search, filters, groups by time, several at once, trash, files dropped on it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { newSession } from "../../actions";
import { count, timeGroup } from "../../lib/format";
import { go, href, toList, withQuery } from "../../router";
import { children, filter, ids, known, listError, listState, loadList, loadMore, more, total } from "../../state/sessions";
import { Button, IconButton } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Menu } from "../../ui/menu";
import { Failed, Skeleton, Void } from "../../ui/states";
import { Virtual, type VirtualHandle } from "../../ui/virtual";
import { SearchHits } from "../search/hits";
import { Filters } from "./filters";
import { dropTarget, openImport } from "./import";
import { PickBar } from "./pickbar";
import { picking, startPicking } from "./picked";
import { SessionRow, SubagentRow } from "./row";

/** The clock of relative times: once a minute is enough. */
export function useNow(): number {
  const now = useSignal(Date.now());
  useEffect(() => {
    const t = setInterval(() => (now.value = Date.now()), 60_000);
    return () => clearInterval(t);
  }, []);
  return now.value;
}

export function SessionList() {
  const f = filter.value;
  const over = useSignal(false);
  return (
    <section class={`list${over.value ? " over" : ""}`} aria-label="Sessions" {...dropTarget(over)}>
      <div class="bar">
        <h2>{f.trash ? "Trash" : "Sessions"}</h2>
        {total.value !== undefined && !f.q && <span class="t3 small num">{count(total.value)}</span>}
        <span class="grow" />
        {f.trash ? (
          <Button kind="quiet" onClick={() => go(href(["sessions"]))}>
            Back
          </Button>
        ) : (
          <>
            <Menu
              name="List"
              items={[
                { text: "Select several", icon: "check", act: startPicking },
                { text: "Import files", icon: "up", act: openImport },
                { text: "Newest activity first", checked: !f.sort, split: true, act: () => go(withQuery({ sort: undefined })) },
                { text: "Newest session first", checked: f.sort === "created", act: () => go(withQuery({ sort: "created" })) },
                { text: "Most expensive first", checked: f.sort === "cost", act: () => go(withQuery({ sort: "cost" })) },
                { text: "Trash", icon: "trash", split: true, act: () => go(href(["sessions"], { trash: 1 })) },
              ]}
              button={(toggle, open) => <IconButton icon="dots" name="List menu" popup expanded={open} onClick={toggle} />}
            />
            <IconButton icon="plus" name="New session" shortcut="n" onClick={newSession} />
          </>
        )}
      </div>
      <SearchField />
      {f.q ? <SearchHits query={f.q} /> : <Rows />}
      {picking.value && <PickBar />}
      {over.value && (
        <div class="drop-note" aria-hidden="true">
          <Icon name="up" />
          Drop to import
        </div>
      )}
    </section>
  );
}

function SearchField() {
  const input = useRef<HTMLInputElement>(null);
  const q = filter.value.q ?? "";
  const typed = useSignal(q);
  useEffect(() => {
    if (document.activeElement !== input.current) typed.value = q;
  }, [q]);
  useEffect(() => {
    // Typing replaces the address: Back leaves the search at once.
    const t = setTimeout(() => typed.value !== q && go(withQuery({ q: typed.value || undefined }), true), 120);
    return () => clearTimeout(t);
  }, [typed.value]);
  return (
    <div class="find">
      <label class="field">
        <Icon name="search" small />
        <input
          ref={input}
          id="search"
          type="search"
          aria-label="Search all text"
          placeholder="Search all text"
          autocomplete="off"
          value={typed.value}
          onInput={(e) => (typed.value = e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Escape") {
              typed.value = "";
              input.current?.blur();
            }
            if (e.key === "ArrowDown" || e.key === "Enter") {
              e.preventDefault();
              document.querySelector<HTMLElement>(".list .row, .list .hit a")?.focus();
            }
          }}
        />
        {!typed.value && <kbd>/</kbd>}
      </label>
      <Filters />
    </div>
  );
}

type Line = { head: string } | { id: string } | { sub: string };

/** Heads of groups, sessions and their subagents, as one list of lines. */
function linesOf(now: number): Line[] {
  const out: Line[] = [];
  let head = "";
  for (const id of ids.value) {
    const s = known(id).peek();
    const group =
      filter.value.sort === "cost" ? "" : timeGroup(filter.value.sort === "created" ? s?.created : (s?.modified ?? s?.created), now);
    if (group && group !== head) out.push({ head: (head = group) });
    out.push({ id });
    for (const sub of children.value.get(id) ?? []) out.push({ sub });
  }
  return out;
}

function Rows() {
  const now = useNow();
  const lines = linesOf(now);
  const list = useRef<VirtualHandle | undefined>(undefined);
  const f = filter.value;
  if (listState.value === "failed" && !lines.length)
    return <Failed what="The sessions" error={listError.value} retry={() => void loadList()} />;
  if (listState.value === "loading" && !lines.length)
    return (
      <div class="rows">
        <Skeleton rows={9} height={48} />
      </div>
    );
  if (!lines.length) return <EmptyList filtered={Object.keys(f).some((k) => k !== "sort")} trash={Boolean(f.trash)} />;
  return (
    <Virtual
      id={JSON.stringify(f)}
      class="rows"
      label={f.trash ? "List of deleted sessions" : "List of sessions"}
      count={lines.length + (more.value ? 1 : 0)}
      estimate={48}
      handle={(h) => {
        list.current = h;
      }}
      onSeen={(_, last) => last >= lines.length - 10 && void loadMore()}
      rowKey={(i) => {
        const l = lines[i];
        return !l ? "more" : "head" in l ? `h ${l.head}` : "id" in l ? l.id : `s ${l.sub}`;
      }}
      row={(i) => {
        const l = lines[i];
        if (!l)
          return (
            <button type="button" class="row-more t3" onClick={() => void loadMore()}>
              Loading more
            </button>
          );
        if ("head" in l) return <h3>{l.head}</h3>;
        return "id" in l ? <SessionRow id={l.id} now={now} /> : <SubagentRow id={l.sub} />;
      }}
    />
  );
}

function EmptyList({ filtered, trash }: { filtered: boolean; trash: boolean }) {
  if (trash) {
    return (
      <Void icon="trash" title="The trash is empty">
        <p>Deleted sessions stay here until they are restored or purged.</p>
      </Void>
    );
  }
  if (filtered) {
    return (
      <Void icon="search" title="No session matches" actions={<Button onClick={() => go(href(["sessions"]))}>Clear filters</Button>}>
        <p>Filters and times are in the address: Back undoes the last change.</p>
      </Void>
    );
  }
  return (
    <Void
      icon="sessions"
      title="No sessions yet"
      actions={
        <>
          <Button kind="pri" icon="up" onClick={openImport}>
            Import files
          </Button>
          <Button onClick={newSession}>New session</Button>
        </>
      }
    >
      <p>
        <code>bough import</code> finds what pi, Claude Code, Codex and opencode left on this machine. Their files can also be dropped here.
      </p>
    </Void>
  );
}

export function listHref(): string {
  return toList();
}
