// What is written and chosen in the composer, per session, kept in this browser; and messages that are on their way.
import { effect, signal, type Signal } from "@preact/signals";
import { actionKey, api, got, message, type Prompt, type Session, type Turn, type TurnNew } from "../api/client";
import { on } from "../api/events";
import { type Choice, readiness, type Readiness } from "../lib/ready";
import { titleFrom } from "../lib/slash";
import { needProviders, providers, tools } from "./providers";
import { liveRun, loadRuns, rememberRun } from "./runs";
import { session } from "./session";
import { update } from "./sessions";

export interface Settings {
  target: "chat" | "external";
  tools: boolean;
  provider: string;
  model: string;
  adapter: string;
  workspace: string;
  systemPrompt: string;
  maxOutput: number;
  /** What a run may cost, in USD; 0: any amount. */
  ceiling: number;
}

const usual: Settings = {
  target: "chat",
  tools: false,
  provider: "",
  model: "",
  adapter: "",
  workspace: "",
  systemPrompt: "",
  maxOutput: 0,
  ceiling: 0,
};

// ---- kept in the browser; a browser that refuses loses nothing but this ----

function stored<T>(key: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function store(key: string, value: unknown): void {
  try {
    if (value === undefined || value === "") localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Full, or not allowed.
  }
}

const all = new Map<string, Signal<Settings>>();

/** The settings of a session: those that were chosen, else those of the last choice in any session. */
export function settingsOf(s: Session): Signal<Settings> {
  let one = all.get(s.id);
  if (!one) {
    const own = stored<Partial<Settings>>(`bough.composer.${s.id}`);
    const last = stored<Partial<Settings>>("bough.composer") ?? {};
    const model = s.model_name || s.last_model || last.model || "";
    const provider = s.model_name ? s.model_provider : s.last_model ? (s.last_provider ?? "") : (last.provider ?? "");
    one = signal({ ...usual, tools: last.tools ?? false, provider, model, workspace: s.workspace ?? "", ...own });
    all.set(s.id, one);
  }
  return one;
}

export function setSettings(s: Session, change: Partial<Settings>): void {
  const one = settingsOf(s);
  one.value = { ...one.peek(), ...change };
  store(`bough.composer.${s.id}`, one.peek());
  const { tools: on, provider, model } = one.peek();
  store("bough.composer", { tools: on, provider, model });
}

const drafts = new Map<string, Signal<string>>();

export function draftOf(id: string): Signal<string> {
  let one = drafts.get(id);
  if (!one) drafts.set(id, (one = signal(stored<string>(`bough.draft.${id}`) ?? "")));
  return one;
}

export function setDraft(id: string, text: string): void {
  draftOf(id).value = text;
  store(`bough.draft.${id}`, text);
}

// ---- readiness ----

/** The model that a prompt would go to: the chosen one, or the first that can be used. */
export function choiceOf(s: Session): Choice | undefined {
  const set = settingsOf(s).value;
  if (set.model) {
    const provider = set.provider || providers.value.find((p) => p.models?.some((m) => m.id === set.model))?.name || "";
    if (provider) return { provider, model: set.model };
  }
  const best = providers.value.find((p) => p.default && p.models?.length) ?? providers.value.find((p) => p.models?.length && !p.blocked);
  return best ? { provider: best.name, model: best.models![0]!.id } : set.model ? { provider: "", model: set.model } : undefined;
}

export function readinessOf(s: Session): Readiness {
  return readiness(providers.value, choiceOf(s));
}

/** A session that talked with a model that nobody configured here can be read; only sending needs a model. */
export function canSend(s: Session): boolean {
  return readinessOf(s).ok;
}

// ---- messages on their way ----

export interface Sending {
  key: string;
  session: string;
  text: string;
  files: number;
  /** The entry, once the server has it. */
  entry?: string;
  error?: string;
}

export const sending = signal<Sending[]>([]);

function change(key: string, to: Partial<Sending> | undefined): void {
  sending.value = sending.peek().flatMap((x) => (x.key !== key ? [x] : to ? [{ ...x, ...to }] : []));
}

export const forget = (key: string): void => change(key, undefined);

export interface Attached {
  name: string;
  mime: string;
  url: string;
  size: number;
}

const serversFor = (set: Settings): string[] =>
  tools
    .peek()
    .filter((t) => t.status !== "off" && t.status !== "failed" && (t.name !== "files" || set.workspace))
    .map((t) => t.name);

/** What of the settings goes into a turn. */
export function turnOf(s: Session): TurnNew {
  const set = settingsOf(s).peek();
  const common = {
    ...(set.workspace ? { workspace: set.workspace } : {}),
    ...(set.systemPrompt ? { system_prompt: set.systemPrompt } : {}),
    ...(set.ceiling ? { limits: { cost_usd: set.ceiling } } : {}),
  };
  if (set.target === "external") return { ...common, runtime: "external", adapter: set.adapter };
  const choice = choiceOf(s);
  return {
    ...common,
    provider: choice?.provider,
    model: choice?.model,
    runtime: set.tools ? "agent" : "model",
    ...(set.tools ? { servers: serversFor(set) } : {}),
    ...(set.maxOutput ? { max_output_tokens: set.maxOutput } : {}),
  };
}

/** A turn is a run. Without the stream the answer is always an object. */
async function begin(s: Session, body: TurnNew, key: string | undefined): Promise<Turn> {
  const answer = await got(
    api.POST("/api/v1/sessions/{id}/turns", {
      params: { path: { id: s.id } },
      body,
      ...(key ? { headers: { "Idempotency-Key": key } } : {}),
    }),
  );
  const turn = answer as Turn;
  if (turn.run) rememberRun(turn.run);
  return turn;
}

/** Send a prompt. It is shown at once, and mended when the answer is there. Throws what the server said. */
export async function send(s: Session, text: string, files: Attached[] = [], more: Partial<TurnNew> = {}): Promise<void> {
  const busy = Boolean(liveRun(s.id)) || s.status === "busy";
  const key = actionKey();
  const parts = files.map((f) => ({ type: "file", mime: f.mime, filename: f.name, url: f.url }));
  if (!busy) sending.value = [...sending.peek(), { key, session: s.id, text, files: files.length }];
  try {
    const turn = await begin(
      s,
      { ...turnOf(s), content: text, ...(parts.length ? { parts } : {}), ...(busy ? { queue: true } : {}), ...more },
      busy ? undefined : key,
    );
    change(key, turn.user ? { entry: turn.user } : undefined);
    if (!s.title && s.messages === 0 && text) void nameSession(s, text);
  } catch (e) {
    change(key, undefined);
    void loadRuns(s.id);
    throw e;
  }
}

/** C17: the first prompt names the session. */
async function nameSession(s: Session, text: string): Promise<void> {
  try {
    update(await got(api.PATCH("/api/v1/sessions/{id}", { params: { path: { id: s.id } }, body: { title: titleFrom(text) } })));
  } catch {
    // Busy: the list shows the first prompt instead.
  }
}

export async function stop(s: Session): Promise<void> {
  await api.DELETE("/api/v1/sessions/{id}/turns", { params: { path: { id: s.id } } });
}

/** Answer a prompt again, with what is chosen now: a branch beside the old answer. */
export async function retryPrompt(s: Session, entry: string): Promise<void> {
  await begin(s, { ...turnOf(s), retry: true, at: entry }, actionKey());
}

// ---- the queue ----

export const queue = signal<{ session: string; items: Prompt[] }>({ session: "", items: [] });
export const queueError = signal("");

export async function loadQueue(id: string): Promise<void> {
  try {
    const items = (await got(api.GET("/api/v1/sessions/{id}/queue", { params: { path: { id } } }))).items;
    if (session.peek()?.id === id) queue.value = { session: id, items };
  } catch (e) {
    queueError.value = message(e);
  }
}

const at = (p: Prompt) => ({ params: { path: { id: p.session, prompt: p.id } } });

export async function editPrompt(p: Prompt, content: string): Promise<void> {
  await api.PATCH("/api/v1/sessions/{id}/queue/{prompt}", { ...at(p), body: { content } });
  await loadQueue(p.session);
}

export async function removePrompt(p: Prompt): Promise<void> {
  await api.DELETE("/api/v1/sessions/{id}/queue/{prompt}", at(p));
  await loadQueue(p.session);
}

/** The server can move a prompt to the front: prompts are moved there from the last to the first. */
export async function orderPrompts(list: Prompt[]): Promise<void> {
  const id = list[0]?.session;
  if (!id) return;
  queue.value = { session: id, items: list };
  for (const p of [...list].reverse()) await api.POST("/api/v1/sessions/{id}/queue/{prompt}/promote", at(p));
  await loadQueue(id);
}

on("queue.updated", (e) => {
  const id = String(e["session"]);
  if (session.peek()?.id === id) void loadQueue(id);
});
on("run", (e) => {
  const id = String(e["session"]);
  if (session.peek()?.id === id && queue.peek().items.length) void loadQueue(id);
});
const again = (): void => {
  const s = session.peek();
  if (s) void loadQueue(s.id);
};
on("ready", again);
on("reset", again);

let open = "";
effect(() => {
  const s = session.value;
  if (!s || s.id === open) {
    if (!s) open = "";
    return;
  }
  open = s.id;
  queue.value = { session: s.id, items: [] };
  needProviders();
  void loadRuns(s.id);
  void loadQueue(s.id);
});
