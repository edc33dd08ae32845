// The entries of one path, loaded by pages of depths as they are looked at. An entry's depth is its row, so a
// path of 100,000 entries opens anywhere without reading what lies before.
import { signal } from "@preact/signals";
import { api, type Call, type Entry, got, message } from "../api/client";
import { on, type ServerEvent } from "../api/events";

const PAGE = 50;
/** Texts longer than this come cut; "Show all" asks for the part. */
const CUT = 6000;
/** Pages that are kept while they are not looked at. */
const KEPT = 40;

interface Page {
  entries?: Entry[];
  loading?: AbortController;
  used: number;
}

/** Text of a message that is being written, by part. */
export interface LivePart {
  view: PartView;
  bytes: number;
}

export type PartView = NonNullable<Entry["view"]>[number];

const bytesOf = new TextEncoder();

export class Path {
  /** The number of entries on the path. */
  readonly depth = signal(0);
  /** Raised when entries came, changed or went: rows read it. */
  readonly version = signal(0);
  readonly state = signal<"loading" | "ready" | "failed">("loading");
  error = "";
  readonly calls = new Map<string, Call>();
  /** Messages that are being written: entry id to parts. */
  readonly writing = new Map<string, LivePart[]>();
  private pages = new Map<number, Page>();
  private ends: (() => void)[] = [];
  private clock = 0;
  private again: ReturnType<typeof setTimeout> | undefined;
  private gone = false;
  /** Entries came while the tail was being read: the answer may lack them. */
  private missed = false;

  constructor(
    readonly session: string,
    /** "#branch.depth": the path to that entry; undefined: the path to the head, which grows. */
    readonly at: string | undefined,
  ) {
    this.ends = [
      on("message.created", (e) => this.appended(e)),
      on("entry.created", (e) => this.appended(e)),
      on("message.updated", (e) => this.changed(e)),
      on("message.part", (e) => this.grew(e)),
      on("ready", () => this.mayHaveGrown()),
      on("reset", () => this.reload()),
    ];
    void this.loadTail();
  }

  close(): void {
    this.gone = true;
    clearTimeout(this.again);
    for (const end of this.ends) end();
    for (const p of this.pages.values()) p.loading?.abort();
    this.pages.clear();
  }

  /** The entry at a depth, from 1. Undefined while it loads; loading begins by itself. */
  entry(depth: number): Entry | undefined {
    const page = Math.floor((depth - 1) / PAGE);
    const p = this.pages.get(page);
    if (p) p.used = ++this.clock;
    else void this.load(page);
    return p?.entries?.[(depth - 1) % PAGE];
  }

  /** The same without loading. */
  peek(depth: number): Entry | undefined {
    return this.pages.get(Math.floor((depth - 1) / PAGE))?.entries?.[(depth - 1) % PAGE];
  }

  /** Everything is read anew, what is shown first: after a reset, a move of the head, a change of many entries. */
  reload(): void {
    for (const p of this.pages.values()) p.loading?.abort();
    this.pages.clear();
    void this.loadTail();
  }

  private async fetch(from: number | undefined, signal?: AbortSignal) {
    const query = { cut: CUT, calls: true, view: true, deleted: true, limit: PAGE, ...(this.at ? { at: this.at } : {}) };
    return got(
      api.GET("/api/v1/sessions/{id}/entries", {
        params: { path: { id: this.session }, query: from ? { ...query, from } : { ...query, newest: true } },
        signal,
      }),
    );
  }

  /** The last entries, whose answer also says how long the path is. */
  private async loadTail(): Promise<void> {
    try {
      const { items, depth, calls } = await this.fetch(undefined);
      if (this.gone) return;
      this.keepCalls(calls);
      // The tail is cut into pages; a page that is not whole is loaded when it is looked at.
      const first = depth - items.length + 1;
      for (let page = Math.floor((depth - 1) / PAGE); page >= 0 && page * PAGE + 1 >= first; page--) {
        this.pages.set(page, { entries: items.slice(page * PAGE + 1 - first, page * PAGE + 1 - first + PAGE), used: ++this.clock });
      }
      this.depth.value = depth;
      this.state.value = "ready";
      this.catchUp(items);
      this.version.value++;
      if (this.missed) this.mayHaveGrown();
    } catch (e) {
      this.fail(e);
    }
  }

  private async load(page: number): Promise<void> {
    if (this.state.peek() !== "ready") return;
    const p: Page = { loading: new AbortController(), used: ++this.clock };
    this.pages.set(page, p);
    try {
      const { items, depth, calls } = await this.fetch(page * PAGE + 1, p.loading!.signal);
      if (this.pages.get(page) !== p) return;
      p.entries = items;
      p.loading = undefined;
      this.keepCalls(calls);
      if (depth !== this.depth.value) this.depth.value = depth;
      this.forget();
      this.catchUp(items);
      this.version.value++;
    } catch (e) {
      if (this.pages.get(page) !== p) return;
      this.pages.delete(page);
      if (!(e instanceof DOMException)) this.fail(e);
    }
  }

  private fail(e: unknown): void {
    if (this.gone) return;
    this.error = message(e);
    if (this.state.peek() !== "ready") this.state.value = "failed";
    // What is shown stays; the rest is asked for again.
    clearTimeout(this.again);
    this.again = setTimeout(() => (this.state.peek() === "ready" ? this.version.value++ : void this.loadTail()), 3000);
  }

  /** Messages that were being written before this page looked: what was written so far is asked for once. */
  private catchUp(entries: Entry[]): void {
    for (const e of entries) {
      if (!e.open || this.writing.has(e.id)) continue;
      this.writing.set(e.id, []);
      got(
        api.GET("/api/v1/sessions/{id}/messages/{entry}", { params: { path: { id: this.session, entry: e.id }, query: { view: true } } }),
      ).then(
        (f) => {
          if (this.gone || this.writing.get(e.id)?.length) return;
          this.writing.set(
            e.id,
            (f.view ?? []).map((view) => ({ view, bytes: bytesOf.encode(view.text ?? "").length })),
          );
          this.draw();
        },
        () => this.writing.delete(e.id),
      );
    }
  }

  private keepCalls(calls: Record<string, Call> | undefined): void {
    for (const [id, call] of Object.entries(calls ?? {})) this.calls.set(id, call);
  }

  private forget(): void {
    if (this.pages.size <= KEPT) return;
    const old = [...this.pages].filter(([, p]) => p.entries).sort((a, b) => a[1].used - b[1].used);
    for (const [page] of old.slice(0, this.pages.size - KEPT)) this.pages.delete(page);
  }

  // ---- live ----

  private isMine(e: ServerEvent): boolean {
    return e["session"] === this.session;
  }

  /** A new entry behind the head: only the last page changes. Elsewhere it is another branch's. */
  private appended(e: ServerEvent): void {
    if (!this.isMine(e) || this.at) return;
    if (this.state.peek() !== "ready") {
      this.missed = true;
      return;
    }
    const entry = e["message"] as Entry | undefined;
    const last = this.peek(this.depth.value);
    if (entry && last && !follows(last, entry)) {
      this.later();
      return;
    }
    this.refresh(this.depth.value + 1);
  }

  /** Events before the stream began, or while the tail was read, were not seen: look at the end again. */
  private mayHaveGrown(): void {
    this.missed = this.state.peek() !== "ready";
    if (!this.missed && !this.at) this.refresh(this.depth.value + 1);
  }

  private changed(e: ServerEvent): void {
    if (!this.isMine(e)) return;
    const entry = e["message"] as Entry | undefined;
    if (!entry) return;
    const depth = Number(entry.at?.split(".")[1] ?? 0);
    if (this.peek(depth)?.id === entry.id || depth >= this.depth.value) this.refresh(depth);
  }

  /** Read one page again without emptying it. */
  private refresh(depth: number): void {
    const page = Math.floor((depth - 1) / PAGE);
    this.pages.get(page)?.loading?.abort();
    const old = this.pages.get(page)?.entries;
    void this.load(page).then(() => this.prune());
    const now = this.pages.get(page);
    if (now && old && !now.entries) now.entries = old;
  }

  /** Entries that were sealed are no longer being written. */
  private prune(): void {
    for (const p of this.pages.values()) {
      for (const entry of p.entries ?? []) if (!entry.open) this.writing.delete(entry.id);
    }
  }

  /** The head may have moved to another branch: look once things are quiet. */
  private later(): void {
    clearTimeout(this.again);
    this.again = setTimeout(() => this.reload(), 300);
  }

  private grew(e: ServerEvent): void {
    if (!this.isMine(e)) return;
    const id = String(e["message"]);
    const index = Number(e["index"]);
    let parts = this.writing.get(id);
    if (!parts) this.writing.set(id, (parts = []));
    if (e.type === "message.part.updated") {
      parts[index] = { view: e["view"] as PartView, bytes: Number(e["offset"]) };
    } else {
      const part = parts[index];
      const delta = String(e["delta"]);
      const size = bytesOf.encode(delta).length;
      // A piece that was seen already comes again after a reconnect.
      if (!part || Number(e["offset"]) !== part.bytes) return;
      parts[index] = { view: { ...part.view, text: (part.view.text ?? "") + delta }, bytes: part.bytes + size };
    }
    this.draw();
  }

  private drawing = false;
  /** At most once a frame, however fast the text comes. */
  private draw(): void {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.version.value++;
    });
  }
}

/** Is b the entry directly behind a on the same branch, or the first one of a branch that begins there? */
function follows(a: Entry, b: Entry): boolean {
  const [ab, ad] = split(a.at);
  const [bb, bd] = split(b.at);
  return bd === ad + 1 && (ab === bb || bb > ab);
}

export function split(at: string | null | undefined): [number, number] {
  const [b, d] = (at ?? "#0.0").slice(1).split(".");
  return [Number(b), Number(d)];
}
