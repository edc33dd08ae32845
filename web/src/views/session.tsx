// The open session: its bar, its transcript, its panel.
import { archive, attempt, exportUrl, fork, remove, rename, restore, unarchive } from "../actions";
import { api, type Session } from "../api/client";
import { moneyExact, tokens } from "../lib/format";
import { go, href, param, sessionName, toList, withQuery } from "../router";
import { branchName, laneOf, outline } from "../state/outline";
import { split } from "../state/path";
import { error, path, retry, session, state } from "../state/session";
import { known } from "../state/sessions";
import { Button, IconButton } from "../ui/button";
import { ask } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { Menu, type MenuItem } from "../ui/menu";
import { Failed, Void } from "../ui/states";
import { Composer } from "./chat/composer";
import { Panel, panelTab, togglePanel } from "./panel/panel";
import { openPurge } from "./sessions/purge";
import { SessionState, titleOf } from "./sessions/row";
import { Transcript } from "./transcript/transcript";

export function SessionView() {
  const s = session.value;
  const p = path.value;
  return (
    <>
      <section class="main" aria-label="Session">
        {!sessionName.value ? (
          <Nothing />
        ) : s && p && state.value === "ready" ? (
          <>
            <Bar s={s} />
            {s.deleted && <DeletedNote s={s} />}
            <Transcript key={p.session + (p.at ?? "")} session={s} path={p} />
            {!p.at && <Composer key={s.id} s={s} empty={p.state.value === "ready" && !p.depth.value} />}
          </>
        ) : state.value === "loading" ? null : state.value === "failed" ? (
          <Failed what="The session" error={error.value} retry={retry} />
        ) : (
          <Void
            icon="search"
            title={state.value === "gone" ? "This session was purged" : "There is no such session"}
            actions={
              <a class="btn" href={toList()}>
                All sessions
              </a>
            }
          >
            <p>{error.value}</p>
          </Void>
        )}
      </section>
      {s && state.value === "ready" && <Panel session={s} />}
    </>
  );
}

function Nothing() {
  return (
    <Void icon="sessions" title="Choose a session">
      <p>
        <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>/</kbd> searches all text, <kbd>Ctrl</kbd> <kbd>K</kbd> finds
        commands, <kbd>?</kbd> shows all keys.
      </p>
    </Void>
  );
}

function Bar({ s }: { s: Session }) {
  const all = s.rolled.input + s.rolled.output + s.rolled.cache_read + s.rolled.cache_write;
  const tab = panelTab();
  const parent = s.parent ? known(s.parent).value : undefined;
  return (
    <div class="bar">
      <a class="ib back" href={toList()} aria-label="Back to the sessions">
        <Icon name="back" />
      </a>
      {s.kind === "subagent" && s.parent && (
        <a class="t2 nowrap crumb" href={href(["sessions", parent?.slug ?? s.parent])} title="Back to the session that started it">
          {parent ? titleOf(parent) : "Parent"} <span class="t3">/</span>
        </a>
      )}
      <SessionState s={s} />
      <h2 class="clip" title={titleOf(s)}>
        {titleOf(s)}
      </h2>
      {s.status === "archived" && <span class="label">archived</span>}
      <BranchChip s={s} />
      <span class="grow" />
      <span class="t3 small num nowrap wide-only">
        {tokens(all)} tokens · {moneyExact(s.rolled.cost_nano_usd)}
      </span>
      <IconButton
        icon="search"
        name="Find in session"
        onClick={() => go(withQuery({ find: param("find") === undefined ? " " : undefined }), true)}
      />
      <span class="narrow-hide">
        <IconButton icon="fork" name="Fork" onClick={() => fork(s)} />
      </span>
      <Menu
        name="Session"
        items={() => sessionMenu(s)}
        button={(toggle, open) => <IconButton icon="dots" name="Session menu" popup expanded={open} onClick={toggle} />}
      />
      <span class="pbtn">
        <IconButton icon="panel" name="Tree, Context, Info" pressed={Boolean(tab)} onClick={togglePanel} />
      </span>
    </div>
  );
}

/** Which branch is shown, and the others. */
function BranchChip({ s }: { s: Session }) {
  const o = outline.value;
  if (!o || o.branches.size < 2) return null;
  const [branch, depth] = split(param("at") ? `#${param("at")}` : s.head);
  const now = o.branches.get(branch);
  const items = (): MenuItem[] => [
    { text: "head", icon: "head", checked: !param("at"), act: () => go(withQuery({ at: undefined, entry: undefined })) },
    ...[...o.branches.values()]
      .filter((b) => b.session === s.id && b.entries > 0)
      .slice(-200)
      .reverse()
      .map((b) => ({
        text: branchName(o, b).slice(0, 80),
        hint: String(b.messages),
        checked: Boolean(param("at")) && b.branch === branch,
        act: () => go(withQuery({ at: `${b.branch}.${b.tip}`, entry: undefined })),
      })),
  ];
  return (
    <span class="narrow-hide">
      <Menu
        name="Branches"
        filter
        items={items}
        button={(toggle, open) => (
          <button type="button" class="chip" aria-haspopup="menu" aria-expanded={open} onClick={toggle}>
            <i class={`dot8 bg${laneOf(o, branch, depth)}`} />
            <span class="clip">{param("at") && now ? branchName(o, now) : "head"}</span>
            <Icon name="down" small />
          </button>
        )}
      />
    </span>
  );
}

export function sessionMenu(s: Session): MenuItem[] {
  const archived = s.status === "archived";
  return [
    { text: "Rename", icon: "edit", act: () => rename(s) },
    { text: "Fork at the head", icon: "fork", act: () => fork(s) },
    { text: "Compact", icon: "compact", act: () => compact(s) },
    {
      text: param("details") ? "Hide details" : "Show details",
      icon: "eye",
      act: () => go(withQuery({ details: param("details") ? undefined : 1 }), true),
    },
    { text: "Export for bough", icon: "dl", split: true, href: exportUrl(s, "bough"), download: true },
    { text: "Export as Markdown", icon: "dl", href: exportUrl(s, "markdown"), download: true },
    { text: "Export as HTML", icon: "dl", href: exportUrl(s, "html"), download: true },
    { text: "Export for pi", icon: "dl", href: exportUrl(s, "pi"), download: true },
    { text: "Export for Claude Code", icon: "dl", href: exportUrl(s, "claude-code"), download: true },
    { text: "Export for Codex", icon: "dl", href: exportUrl(s, "codex"), download: true },
    { text: "Export for opencode", icon: "dl", href: exportUrl(s, "opencode"), download: true },
    {
      text: archived ? "Unarchive" : "Archive",
      icon: "archive",
      split: true,
      disabled: s.status === "busy",
      act: () => void attempt(() => (archived ? unarchive([s]) : archive([s]))),
    },
    s.deleted
      ? { text: "Restore", icon: "retry", act: () => void attempt(() => restore([s])) }
      : { text: "Delete", icon: "trash", danger: true, act: () => void attempt(() => remove([s])) },
    { text: "Purge", icon: "trash", danger: true, act: () => openPurge([s]) },
  ];
}

/** A summary in one's own words. Summaries by a model come with chat. */
function compact(s: Session): void {
  ask({
    title: "Compact",
    text: "Contexts begin with this summary instead of everything before the head. Nothing is deleted.",
    field: { name: "Summary", rows: 8 },
    act: "Compact",
    run: async (summary) => {
      await api.POST("/api/v1/sessions/{id}/markers", { params: { path: { id: s.id } }, body: { summary } });
      path.value?.reload();
    },
  });
}

function DeletedNote({ s }: { s: Session }) {
  return (
    <div class="strip-note">
      <Icon name="trash" small />
      <span class="grow">This session is in the trash.</span>
      <Button onClick={() => void attempt(() => restore([s]))}>Restore</Button>
      <Button kind="danger" onClick={() => openPurge([s])}>
        Purge
      </Button>
    </div>
  );
}
