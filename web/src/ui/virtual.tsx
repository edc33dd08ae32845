// A list that draws only what is seen. Rows have any height and may change it: what the reader looks at stays where
// it is. Row heights are known after the first drawing; until then they are estimated.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Heights } from "../lib/heights";

export interface VirtualHandle {
  /** Bring a row into view: at the top, or in the middle. */
  show(index: number, where?: "top" | "middle"): void;
  toEnd(): void;
  /** Is the end of the list in view? */
  atEnd(): boolean;
  /** The first row that is seen. */
  first(): number;
}

interface Props {
  count: number;
  /** Another list begins anew at its end or beginning. */
  id: string;
  estimate: number;
  row: (index: number) => ComponentChildren;
  rowKey: (index: number) => string | number;
  /** Open at the end, and stay there while the list grows. */
  follow?: boolean;
  /** Open at this row instead. */
  start?: number;
  handle?: (h: VirtualHandle) => void;
  /** Called when the seen rows changed. */
  onSeen?: (first: number, last: number, atEnd: boolean) => void;
  class?: string;
  label: string;
  before?: ComponentChildren;
  after?: ComponentChildren;
}

/** Pixels that are drawn above and below the window. */
const MARGIN = 700;
/** Closer to the end than this, the list follows its growth. */
const NEAR = 48;

interface Anchor {
  index: number;
  /** From the row's top to the window's top. */
  offset: number;
  end: boolean;
}

export function Virtual(p: Props) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const me = useRef<Engine | null>(null);
  const [, draw] = useState(0);
  if (!me.current || me.current.id !== p.id) {
    me.current = new Engine(p.id, p.count, p.estimate, p.follow && p.start === undefined ? undefined : (p.start ?? 0));
  }
  const engine = me.current;
  engine.heights.resize(p.count);
  engine.redraw = () => draw((n) => n + 1);
  engine.seen = p.onSeen;

  useLayoutEffect(() => {
    engine.attach(box.current!, inner.current!, spacer.current!);
    p.handle?.(engine);
    return () => engine.detach();
  }, [engine]);
  useLayoutEffect(() => engine.settle());
  useEffect(() => engine.tell());

  const [first, last] = engine.range();
  const rows: ComponentChildren[] = [];
  for (let i = first; i <= last && i < p.count; i++) {
    rows.push(
      <div key={p.rowKey(i)} data-index={i} class="vrow" ref={engine.observe}>
        {p.row(i)}
      </div>,
    );
  }
  const top = engine.heights.before(first);
  const bottom = engine.heights.total() - engine.heights.before(Math.min(last + 1, p.count));
  return (
    <div class={`virtual ${p.class ?? ""}`} ref={box} tabIndex={0} role="region" aria-label={p.label} onScroll={engine.scrolled}>
      <div class="in" ref={inner}>
        {p.before}
        <div ref={spacer} style={{ height: `${top}px` }} />
        {rows}
        <div style={{ height: `${Math.max(0, bottom)}px` }} />
        {p.after}
      </div>
    </div>
  );
}

class Engine implements VirtualHandle {
  readonly heights: Heights;
  redraw: () => void = () => {};
  seen: Props["onSeen"];
  private box: HTMLElement | undefined;
  private spacer: HTMLElement | undefined;
  private anchor: Anchor;
  private drawn: [number, number] = [0, -1];
  private told = "";
  private resizes: ResizeObserver;
  private windows: ResizeObserver;
  private wide = 0;
  /** scrollTop as we set it: a scroll event with this value is our own. */
  private set = -1;
  /** scrollHeight and clientHeight when the window was last put in place. */
  private high = 0;
  private low = 0;

  constructor(
    readonly id: string,
    count: number,
    estimate: number,
    start: number | undefined,
  ) {
    this.heights = new Heights(count, estimate);
    this.anchor = start === undefined ? { index: Math.max(0, count - 1), offset: 0, end: true } : { index: start, offset: 0, end: false };
    this.resizes = new ResizeObserver((entries) => this.measured(entries));
    this.windows = new ResizeObserver(() => this.resized());
  }

  attach(box: HTMLElement, inner: HTMLElement, spacer: HTMLElement): void {
    this.box = box;
    this.spacer = spacer;
    this.windows.observe(box);
    this.windows.observe(inner);
    this.settle();
    this.redraw();
  }

  detach(): void {
    this.resizes.disconnect();
    this.windows.disconnect();
    this.box = undefined;
  }

  private resized(): void {
    const w = this.box?.clientWidth ?? 0;
    const changed = w !== this.wide;
    this.wide = w;
    this.settle();
    if (changed) this.redraw();
  }

  /** Where the rows begin below the top of the scrolled content. */
  private head(): number {
    return this.spacer?.offsetTop ?? 0;
  }

  range(): [number, number] {
    const height = this.box?.clientHeight ?? 900;
    const n = this.heights.length;
    if (!n) return [0, -1];
    const top = this.anchor.end ? this.heights.total() - height : this.heights.before(this.anchor.index) + this.anchor.offset;
    this.drawn = [this.heights.at(Math.max(0, top - MARGIN)), this.heights.at(top + height + MARGIN)];
    return this.drawn;
  }

  observe = (el: HTMLElement | null): void => {
    if (el) this.resizes.observe(el);
  };

  private measured(entries: ResizeObserverEntry[]): void {
    let changed = false;
    for (const e of entries) {
      const el = e.target as HTMLElement;
      if (!el.isConnected) {
        this.resizes.unobserve(el);
        continue;
      }
      const i = Number(el.dataset["index"]);
      if (i < this.heights.length && this.heights.set(i, el.offsetHeight)) changed = true;
    }
    if (!changed) return;
    this.settle();
    this.redraw();
  }

  /** Put the window where the anchor says. */
  settle(): void {
    const box = this.box;
    if (!box) return;
    const to = this.anchor.end
      ? box.scrollHeight - box.clientHeight
      : this.head() + this.heights.before(this.anchor.index) + this.anchor.offset;
    if (Math.abs(box.scrollTop - to) >= 1) {
      box.scrollTop = to;
      this.set = box.scrollTop;
    }
    this.high = box.scrollHeight;
    this.low = box.clientHeight;
  }

  scrolled = (): void => {
    const box = this.box;
    if (!box || box.scrollTop === this.set) return;
    // Rows that grew or shrank moved the window, not the reader: the end stays in view.
    if (this.anchor.end && (box.scrollHeight !== this.high || box.clientHeight !== this.low)) {
      this.settle();
      return;
    }
    this.set = -1;
    const y = Math.max(0, box.scrollTop - this.head());
    const index = this.heights.at(y);
    const end = box.scrollHeight - box.clientHeight - box.scrollTop < NEAR;
    this.anchor = { index, offset: y - this.heights.before(index), end };
    const [first, last] = this.drawn;
    const bottom = this.heights.at(y + box.clientHeight);
    // Draw again before the reader reaches the last drawn row.
    if ((first > 0 && index - first < 2) || (last < this.heights.length - 1 && last - bottom < 2)) this.redraw();
    else this.tell();
  };

  tell(): void {
    const box = this.box;
    if (!box || !this.heights.length) return;
    const y = Math.max(0, box.scrollTop - this.head());
    const first = this.heights.at(y);
    const last = this.heights.at(y + box.clientHeight);
    const now = `${first} ${last} ${this.atEnd()}`;
    if (now === this.told) return;
    this.told = now;
    this.seen?.(first, last, this.atEnd());
  }

  // ---- for the views ----

  show(index: number, where: "top" | "middle" = "top"): void {
    const height = this.box?.clientHeight ?? 0;
    const offset = where === "top" ? -12 : -Math.max(0, (height - this.heights.size(index)) / 2);
    this.anchor = { index, offset, end: false };
    this.redraw();
    // Rows that were only estimated are measured now; look again once they are drawn.
    requestAnimationFrame(() => {
      this.settle();
      this.redraw();
    });
  }

  toEnd(): void {
    this.anchor = { index: Math.max(0, this.heights.length - 1), offset: 0, end: true };
    this.redraw();
  }

  atEnd(): boolean {
    return this.anchor.end;
  }

  first(): number {
    return this.anchor.index;
  }
}
