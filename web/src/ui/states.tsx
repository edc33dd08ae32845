// What a view shows when it has nothing to show: empty, loading, failed, offline, denied.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./button";
import { Icon, type IconName } from "./icon";

export function Void({
  icon,
  title,
  children,
  actions,
}: {
  icon?: IconName;
  title: string;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <div class="void">
      {icon && (
        <span class="pic">
          <Icon name={icon} />
        </span>
      )}
      <h2>{title}</h2>
      {children && <div class="void-text">{children}</div>}
      {actions && <div class="go">{actions}</div>}
    </div>
  );
}

export function Failed({ what, error, retry }: { what: string; error: string; retry?: () => void }) {
  return (
    <Void
      icon="alert"
      title={`${what} could not be read`}
      actions={
        retry && (
          <Button icon="retry" onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      <p role="alert">{sentence(error)}</p>
    </Void>
  );
}

/** The server's messages begin with a small letter. */
export function sentence(text: string): string {
  const t = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(t) ? t : t + ".";
}

/** Grey lines with the height of rows, after 200 ms: fast answers show nothing. */
export function Skeleton({ rows, height }: { rows: number; height: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const t = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(t);
  }, []);
  if (!late) return null;
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} style={{ height: `${height}px` }}>
          <i style={{ width: `${50 + ((i * 37) % 40)}%` }} />
        </div>
      ))}
    </div>
  );
}
