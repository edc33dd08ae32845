// A menu below its button: arrows move, letters jump, Escape closes and gives the focus back.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon";

export interface MenuItem {
  text: string;
  icon?: IconName;
  /** Shown at the right: a key, a number. */
  hint?: string;
  checked?: boolean;
  danger?: boolean;
  disabled?: boolean;
  /** A line above it. */
  split?: boolean;
  act?: () => void;
  href?: string;
  download?: boolean;
}

export function Menu({
  items,
  button,
  name,
  filter,
}: {
  items: MenuItem[] | (() => MenuItem[]);
  /** Draws the button. Call `toggle` on click; `open` says whether the menu is open. */
  button: (toggle: () => void, open: boolean) => ComponentChildren;
  name: string;
  /** With a field to narrow a long menu. */
  filter?: boolean;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const close = (focus = false) => {
    setOpen(false);
    if (focus) root.current?.querySelector<HTMLElement>("button")?.focus();
  };
  useEffect(() => {
    if (!open) return;
    const outside = (e: Event) => !root.current?.contains(e.target as Node) && setOpen(false);
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("focusin", outside, true);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("focusin", outside, true);
    };
  }, [open]);
  return (
    <div class="menu-root" ref={root}>
      {button(() => setOpen(!open), open)}
      {open && <MenuList name={name} items={typeof items === "function" ? items() : items} close={close} filter={filter} />}
    </div>
  );
}

function MenuList({ name, items, close, filter }: { name: string; items: MenuItem[]; close: (focus?: boolean) => void; filter?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [word, setWord] = useState("");
  const shown = word ? items.filter((i) => i.text.toLowerCase().includes(word.toLowerCase())) : items;
  useLayoutEffect(() => {
    const el = box.current!;
    // Keep it on the screen.
    const r = el.getBoundingClientRect();
    if (r.right > innerWidth - 8) el.classList.add("left");
    if (r.bottom > innerHeight - 8 && r.top > innerHeight / 2) el.classList.add("above");
    (el.querySelector<HTMLElement>("input, [aria-checked=true], [role^=menuitem]") ?? el).focus();
  }, []);
  const move = (e: KeyboardEvent) => {
    const all = [...box.current!.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled])")];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to =
      e.key === "ArrowDown" ? at + 1 : e.key === "ArrowUp" ? at - 1 : e.key === "Home" ? 0 : e.key === "End" ? all.length - 1 : undefined;
    if (e.key === "Escape") {
      e.preventDefault();
      e.stopPropagation();
      close(true);
    } else if (e.key === "Tab") close();
    else if (to !== undefined && all.length) {
      e.preventDefault();
      all[(to + all.length) % all.length]?.focus();
    } else if (!filter && e.key.length === 1 && /\S/.test(e.key)) {
      all
        .slice(at + 1)
        .concat(all)
        .find((x) => x.textContent?.trim().toLowerCase().startsWith(e.key.toLowerCase()))
        ?.focus();
    }
  };
  const pick = (item: MenuItem) => {
    if (item.disabled) return;
    close(true);
    item.act?.();
  };
  return (
    <div class="menu" ref={box} tabIndex={-1} onKeyDown={move}>
      {filter && (
        <input
          class="menu-filter"
          type="text"
          placeholder="Filter"
          aria-label={`Filter ${name}`}
          value={word}
          onInput={(e) => setWord(e.currentTarget.value)}
        />
      )}
      {shown.length > 0 && (
        <div role="menu" aria-label={name}>
          {shown.map((item, i) => (
            <MenuRow key={i} item={item} pick={pick} />
          ))}
        </div>
      )}
      {!shown.length && <p class="menu-none">Nothing matches.</p>}
    </div>
  );
}

function MenuRow({ item, pick }: { item: MenuItem; pick: (item: MenuItem) => void }) {
  const inside = (
    <>
      {item.icon ? (
        <Icon name={item.icon} small />
      ) : item.checked !== undefined ? (
        <span class="tick">{item.checked && <Icon name="check" small />}</span>
      ) : null}
      <span class="grow clip">{item.text}</span>
      {item.hint && <span class="t3 small num">{item.hint}</span>}
    </>
  );
  const common = {
    class: `mi${item.danger ? " danger" : ""}${item.split ? " split" : ""}`,
    role: item.checked === undefined ? "menuitem" : "menuitemradio",
    "aria-checked": item.checked,
    "aria-disabled": item.disabled || undefined,
    tabIndex: -1,
  } as const;
  return item.href ? (
    <a {...common} href={item.href} download={item.download} onClick={() => pick(item)}>
      {inside}
    </a>
  ) : (
    <button type="button" {...common} onClick={() => pick(item)}>
      {inside}
    </button>
  );
}
