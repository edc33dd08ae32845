// Buttons, with and without a text, and links that look like them.
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon";

interface Common {
  onClick?: (e: MouseEvent) => void;
  disabled?: boolean;
  class?: string;
}

/** An icon alone. Its name is what a screen reader says and a tooltip shows. */
export function IconButton({
  icon,
  name,
  pressed,
  expanded,
  popup,
  shortcut,
  ...rest
}: Common & { icon: IconName; name: string; pressed?: boolean; expanded?: boolean; popup?: boolean; shortcut?: string }) {
  return (
    <button
      type="button"
      class={`ib ${rest.class ?? ""}`}
      aria-label={name}
      title={shortcut ? `${name} (${shortcut})` : name}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-haspopup={popup ? "menu" : undefined}
      disabled={rest.disabled}
      onClick={rest.onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

export function Button({
  children,
  kind,
  type = "button",
  icon,
  ...rest
}: Common & { children: ComponentChildren; kind?: "pri" | "quiet" | "danger"; type?: "button" | "submit"; icon?: IconName }) {
  return (
    <button type={type} class={`btn ${kind ?? ""} ${rest.class ?? ""}`} disabled={rest.disabled} onClick={rest.onClick}>
      {icon && <Icon name={icon} small />}
      {children}
    </button>
  );
}

/** One of a few: 7 d, 30 d, 90 d. */
export function Segments<T extends string>({
  name,
  value,
  options,
  onPick,
}: {
  name: string;
  value: T;
  options: [T, string][];
  onPick: (v: T) => void;
}) {
  return (
    <div class="seg" role="group" aria-label={name}>
      {options.map(([v, text]) => (
        <button key={v} type="button" aria-pressed={v === value} onClick={() => onPick(v)}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** A check box in our own size. */
export function Check({ checked, name, onChange }: { checked: boolean; name: string; onChange: (on: boolean) => void }) {
  return (
    <input
      type="checkbox"
      class="box"
      checked={checked}
      aria-label={name}
      onClick={(e) => e.stopPropagation()}
      onChange={(e) => onChange(e.currentTarget.checked)}
    />
  );
}
