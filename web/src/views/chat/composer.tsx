// The composer below a transcript: what is busy, what waits, what is written, and where it goes.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { message, type Run, type Session } from "../../api/client";
import { duration, modelName } from "../../lib/format";
import { offered, slashOf } from "../../lib/slash";
import { href } from "../../router";
import { agents, agentsState } from "../../state/agents";
import {
  type Attached,
  canSend,
  choiceOf,
  draftOf,
  queue,
  readinessOf,
  send,
  setDraft,
  setSettings,
  settingsOf,
  stop,
} from "../../state/composer";
import { providersState, tools } from "../../state/providers";
import { liveRun, runsOf } from "../../state/runs";
import { Button, IconButton, Segments } from "../../ui/button";
import { sentence } from "../../ui/states";
import { AgentMenu, AgentNote } from "./agent";
import { Attachments, upload } from "./attach";
import { RunEnded } from "./ended";
import { ModelMenu } from "./models";
import { MoreMenu } from "./options";
import { Queue } from "./queue";
import { ReadyCompact, ReadyFull, ReadyLine } from "./ready";
import { runSlash, SlashList } from "./slash";

export function Composer({ s, empty }: { s: Session; empty: boolean }) {
  const wants = useSignal(false);
  if (s.deleted || s.status === "archived") return null;
  const set = settingsOf(s).value;
  const external = set.target === "external";
  const ready = external ? Boolean(agents.value.find((a) => a.name === set.adapter)) : canSend(s);
  const asked = external ? agentsState.value !== "loading" : providersState.value !== "loading";
  return (
    <div class="dock" onFocusIn={(e) => e.target instanceof HTMLTextAreaElement && (wants.value = true)}>
      <div class="in">
        <RunEnded s={s} />
        {queue.value.session === s.id && <Queue items={queue.value.items} />}
        {!external && asked && !ready && <Readiness s={s} empty={empty} wants={wants} />}
        {external && <AgentNote s={s} />}
        <Box s={s} ready={ready} asked={asked} />
      </div>
    </div>
  );
}

/** A session that only came from elsewhere is read first: its card opens when a person wants to write. */
function Readiness({ s, empty, wants }: { s: Session; empty: boolean; wants: Signal<boolean> }) {
  const r = readinessOf(s);
  if (empty) return <ReadyCompact s={s} r={r} />;
  if (wants.value || runsOf(s.id).value.length) return <ReadyFull s={s} r={r} />;
  return <ReadyLine s={s} r={r} open={() => (wants.value = true)} />;
}

function Box({ s, ready, asked }: { s: Session; ready: boolean; asked: boolean }) {
  const set = settingsOf(s).value;
  const text = draftOf(s.id).value;
  const files = useSignal<Attached[]>([]);
  const error = useSignal("");
  const working = useSignal(false);
  const over = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const run = liveRun(s.id);
  const busy = Boolean(run) || s.status === "busy";
  const external = set.target === "external";
  const off = asked && !ready;
  const target = external ? set.adapter : modelName(choiceOf(s)?.model);

  useEffect(() => grow(field.current), [text, s.id]);

  const add = async (list: Iterable<File>) => {
    error.value = "";
    working.value = true;
    try {
      for (const f of list) files.value = [...files.value, await upload(f)];
    } catch (e) {
      error.value = message(e);
    }
    working.value = false;
  };
  const submit = async () => {
    const content = text.trim();
    if ((!content && !files.value.length) || working.value) return;
    error.value = "";
    const command = slashOf(content);
    if (!command && off) return;
    const sent = files.value;
    working.value = true;
    setDraft(s.id, "");
    files.value = [];
    try {
      if (command) await runSlash(s, command.name, command.rest);
      else await send(s, content, sent);
    } catch (e) {
      error.value = message(e);
      // What was written is not lost, and what was written since is not overwritten.
      if (!draftOf(s.id).peek()) setDraft(s.id, content);
      if (!files.value.length) files.value = sent;
    }
    working.value = false;
    field.current?.focus();
  };
  const key = (e: KeyboardEvent) => {
    if (e.isComposing) return;
    const menu = offered(text);
    if (e.key === "Tab" && menu.length && text.startsWith("/")) {
      e.preventDefault();
      setDraft(s.id, `/${menu[0]!.name} `);
    } else if (e.key === "Enter" && !e.shiftKey) {
      e.preventDefault();
      if (menu.length && !slashOf(text)) setDraft(s.id, `/${menu[0]!.name} `);
      else void submit();
    } else if (e.key === "Escape") {
      e.stopPropagation();
      field.current?.blur();
    }
  };
  const paste = (e: ClipboardEvent) => {
    if (e.clipboardData?.files.length) {
      e.preventDefault();
      void add(e.clipboardData.files);
    }
  };
  const drop = (e: DragEvent) => {
    over.value = false;
    if (!e.dataTransfer?.files.length) return;
    e.preventDefault();
    e.stopPropagation();
    void add(e.dataTransfer.files);
  };
  return (
    <form
      class={`composer${off ? " off" : ""}${over.value ? " over" : ""}`}
      aria-label="Composer"
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
      onDragOver={(e) => {
        e.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => (over.value = false)}
      onDrop={drop}
    >
      {busy && <State s={s} run={run} />}
      <SlashList text={text} pick={(name) => (setDraft(s.id, `/${name} `), field.current?.focus())} />
      <textarea
        ref={field}
        rows={1}
        aria-label="Message"
        value={text}
        placeholder={off ? "Choose a model that is available" : busy ? "Queue a prompt" : target ? `Message ${target}` : "Message"}
        onInput={(e) => setDraft(s.id, e.currentTarget.value)}
        onKeyDown={key}
        onPaste={paste}
      />
      <Attachments files={files.value} remove={(i) => (files.value = files.value.filter((_, k) => k !== i))} />
      {error.value && (
        <p class="composer-error c-fail" role="alert">
          {sentence(error.value)}
        </p>
      )}
      <div class="foot">
        <Segments
          name="Target"
          value={set.target}
          options={[
            ["chat", "Chat"],
            ["external", "External Agent"],
          ]}
          onPick={(target) => setSettings(s, { target })}
        />
        {!external && <ToolsSwitch s={s} />}
        {external ? <AgentMenu s={s} /> : <ModelMenu s={s} />}
        <span class="end">
          <MoreMenu s={s} />
          <AttachButton add={add} disabled={off || busy} />
          <Button type="submit" kind="pri" disabled={(off && !slashOf(text)) || (!text.trim() && !files.value.length)}>
            {busy ? "Queue" : "Send"}
          </Button>
        </span>
      </div>
    </form>
  );
}

/** As high as its text, up to a third of the window. */
function grow(el: HTMLTextAreaElement | null): void {
  if (!el) return;
  el.style.height = "auto";
  el.style.height = `${Math.min(el.scrollHeight, innerHeight / 3)}px`;
}

function ToolsSwitch({ s }: { s: Session }) {
  const on = settingsOf(s).value.tools;
  const some = tools.value.length > 0;
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={on}
      disabled={!some && !on}
      title={
        some
          ? on
            ? "The model may use tools; changes are asked for"
            : "One answer of the model, without tools"
          : "This server has no tools"
      }
      onClick={() => setSettings(s, { tools: !on })}
    >
      <i aria-hidden="true" />
      {on ? "tools on" : "tools off"}
    </button>
  );
}

const states = { queued: "Queued", running: "Running", awaiting_approval: "Awaiting approval" } as const;

/** C21: the whole session is busy, whoever began it. */
function State({ s, run }: { s: Session; run?: Run }) {
  const error = useSignal("");
  const now = useSignal(Date.now());
  useEffect(() => {
    const t = setInterval(() => (now.value = Date.now()), 1000);
    return () => clearInterval(t);
  }, []);
  const word = run ? (states[run.status as keyof typeof states] ?? "Busy") : "Busy";
  const since = run?.started ?? run?.created;
  const waits = queue.value.session === s.id ? queue.value.items.length : 0;
  const end = async () => {
    try {
      await stop(s);
    } catch (e) {
      error.value = message(e);
    }
  };
  return (
    <div class="state">
      <i class={`st ${run?.status === "awaiting_approval" ? "wait" : run?.status === "queued" ? "queue" : "busy"}`} aria-hidden="true" />
      <span role="status">{run?.cancel ? "Stopping" : word}</span>
      <span class="t3 small num">
        {[
          since && now.value > Date.parse(since) ? duration(Math.floor((now.value - Date.parse(since)) / 1000) * 1000 || 1000) : "",
          run?.limits.turns ? `${run.turns}/${run.limits.turns} turns` : "",
          waits ? `${waits} queued` : "",
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
      {error.value && <span class="c-fail small clip">{sentence(error.value)}</span>}
      <span class="grow" />
      {run && (
        <a class="btn quiet" href={href(["runs", run.id])}>
          Open task
        </a>
      )}
      {run && (
        <Button icon="stop" onClick={() => void end()}>
          Stop
        </Button>
      )}
    </div>
  );
}

function AttachButton({ add, disabled }: { add: (files: Iterable<File>) => void; disabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(e) => {
          add(e.currentTarget.files ?? []);
          e.currentTarget.value = "";
        }}
      />
      <IconButton icon="clip" name="Attach files" disabled={disabled} onClick={() => input.current?.click()} />
    </>
  );
}
