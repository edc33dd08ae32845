// The entry that keys act on: j and k move it.
import { signal } from "@preact/signals";
import type { Path } from "../../state/path";
import type { VirtualHandle } from "../../ui/virtual";
import { isEmpty } from "./entry";
import type { Shown } from "./parts";

class Cursor {
  readonly depth = signal(0);
  private path: Path | undefined;
  private list: () => VirtualHandle | undefined = () => undefined;

  attach(path: Path, list: () => VirtualHandle | undefined): void {
    this.path = path;
    this.list = list;
    this.depth.value = 0;
  }

  detach(): void {
    this.path = undefined;
  }

  shown(): Shown | undefined {
    const entry = this.path?.peek(this.depth.value);
    return entry && this.path ? { path: this.path, depth: this.depth.value, entry } : undefined;
  }

  /** To the next entry that shows something. */
  move(by: 1 | -1): void {
    const path = this.path;
    if (!path) return;
    const last = path.depth.peek();
    let d = this.depth.value || (by > 0 ? (this.list()?.first() ?? 0) : last + 1);
    for (d += by; d >= 1 && d <= last; d += by) {
      const entry = path.entry(d);
      if (!entry || !isEmpty({ path, depth: d, entry })) break;
    }
    if (d < 1 || d > last) return;
    this.depth.value = d;
    this.focus();
  }

  /** Give the keyboard focus to the entry, once it is drawn. */
  focus(): void {
    const d = this.depth.value;
    const find = () => document.querySelector<HTMLElement>(`[data-depth="${d}"]`);
    const el = find();
    if (el && isInView(el)) el.focus({ preventScroll: true });
    else {
      this.list()?.show(d - 1, "middle");
      setTimeout(() => find()?.focus({ preventScroll: true }), 60);
    }
  }
}

function isInView(el: HTMLElement): boolean {
  const r = el.getBoundingClientRect();
  return r.top >= 44 && r.bottom <= innerHeight;
}

export const current = new Cursor();
