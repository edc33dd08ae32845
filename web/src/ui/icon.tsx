// The icons: 16 by 16, drawn with the text colour. One row an icon.
import type { JSX } from "preact";

const shapes = {
  agent: () => (
    <>
      <circle cx="4" cy="4" r="1.8" />
      <circle cx="12" cy="12" r="1.8" />
      <path d="M4 5.8V9c0 1.7 1.3 3 3 3h3.2" />
    </>
  ),
  alert: () => (
    <>
      <path d="M8 2.2 14.3 13.2H1.7zM8 6.5v3M8 11.3h.01" />
    </>
  ),
  archive: () => (
    <>
      <path d="M2.5 3h11v2.8h-11zM3.5 5.8v7.2h9V5.8M6.5 8.5h3" />
    </>
  ),
  back: () => (
    <>
      <path d="M9.5 4 5.5 8l4 4" />
    </>
  ),
  bell: () => (
    <>
      <path d="M8 2.2a3.8 3.8 0 0 0-3.8 3.8c0 3-1.4 4.3-1.4 4.3h10.4s-1.4-1.3-1.4-4.3A3.8 3.8 0 0 0 8 2.2zM6.8 12.8a1.3 1.3 0 0 0 2.4 0" />
    </>
  ),
  book: () => (
    <>
      <path d="M3 3.2c1.8-.5 3.5-.3 5 .8 1.5-1.1 3.2-1.3 5-.8v9c-1.8-.5-3.5-.3-5 .8-1.5-1.1-3.2-1.3-5-.8zM8 4v9" />
    </>
  ),
  check: () => (
    <>
      <path d="m3 8.5 3.3 3.3L13 4.8" />
    </>
  ),
  chev: () => (
    <>
      <path d="m6 4 4 4-4 4" />
    </>
  ),
  clip: () => (
    <>
      <path d="m12.8 7.4-5 5a3 3 0 0 1-4.3-4.3l5.3-5.3a2 2 0 0 1 2.9 2.9l-5.3 5.2a1 1 0 0 1-1.4-1.4l4.6-4.6" />
    </>
  ),
  columns: () => (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.3" />
      <path d="M8 3v10" />
    </>
  ),
  compact: () => (
    <>
      <path d="M3 8h10M8 1.8v3.4M6.2 3.6 8 5.3l1.8-1.7M8 14.2v-3.4M6.2 12.4 8 10.7l1.8 1.7" />
    </>
  ),
  compare: () => (
    <>
      <path d="M5.5 2.5v11M10.5 2.5v11M1.8 5h3.7M10.5 5h3.7M1.8 8.5h3.7M10.5 11h3.7" />
    </>
  ),
  copy: () => (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.3" />
      <path d="M3.5 10.5h-1v-8h8v1" />
    </>
  ),
  cost: () => (
    <>
      <path d="M2.5 13.5h11M4.2 11V8M8 11V3M11.8 11V5.5" />
    </>
  ),
  dl: () => (
    <>
      <path d="M8 2.5v7.5M4.7 7 8 10.2 11.3 7M3 13.3h10" />
    </>
  ),
  dots: () => (
    <>
      <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2" />
    </>
  ),
  down: () => (
    <>
      <path d="m4 6 4 4 4-4" />
    </>
  ),
  edit: () => (
    <>
      <path d="m3 13 .6-2.8 7.4-7.4 2.2 2.2-7.4 7.4z" />
    </>
  ),
  expand: () => (
    <>
      <path d="M5 6.5 8 3.5l3 3M5 9.5l3 3 3-3" />
    </>
  ),
  eye: () => (
    <>
      <path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  file: () => (
    <>
      <path d="M4 1.8h5l3.2 3.2v9.2H4zM9 1.8V5h3.2" />
    </>
  ),
  folder: () => (
    <>
      <path d="M2 4c0-.6.4-1 1-1h3.2l1.5 1.7H13c.6 0 1 .4 1 1V12c0 .6-.4 1-1 1H3c-.6 0-1-.4-1-1z" />
    </>
  ),
  fork: () => (
    <>
      <circle cx="4" cy="3.5" r="1.6" />
      <circle cx="12" cy="3.5" r="1.6" />
      <circle cx="4" cy="12.5" r="1.6" />
      <path d="M4 5.1v5.8M12 5.1C12 8.5 4 7 4 10.5" />
    </>
  ),
  globe: () => (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M2.5 8h11M8 2.3c2 1.7 2.8 3.6 2.8 5.7S10 12 8 13.7C6 12 5.2 10.1 5.2 8S6 4 8 2.3" />
    </>
  ),
  head: () => (
    <>
      <circle cx="8" cy="8" r="5.2" />
      <circle cx="8" cy="8" r="2" fill="currentColor" stroke="none" />
    </>
  ),
  img: () => (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.3" />
      <circle cx="5.7" cy="6.5" r="1.1" />
      <path d="m3 12 3.8-3.3 2.2 1.8 2.2-2L14 11" />
    </>
  ),
  info: () => (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M8 7.3v3.5M8 5.2h.01" />
    </>
  ),
  key: () => (
    <>
      <circle cx="5.3" cy="10.7" r="2.8" />
      <path d="m7.3 8.7 5.7-5.7M10.8 5.2l1.7 1.7" />
    </>
  ),
  link: () => (
    <>
      <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.8-.8" />
    </>
  ),
  list: () => (
    <>
      <path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01" />
    </>
  ),
  lock: () => (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1.3" />
      <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
    </>
  ),
  logo: () => (
    <>
      <path d="M8 14.5V8.2" />
      <path d="M8 10.5c0-3 4.2-2.2 4.2-5.4" />
      <path d="M8 8.6C8 6.2 3.8 7 3.8 3.9" />
      <circle cx="12.2" cy="3.6" r="1.5" />
      <circle cx="3.8" cy="2.4" r="1.5" />
    </>
  ),
  moon: () => (
    <>
      <path d="M13.2 9.6A5.5 5.5 0 0 1 6.4 2.8a5.5 5.5 0 1 0 6.8 6.8z" />
    </>
  ),
  note: () => (
    <>
      <path d="M3 2.5h10v7.5l-3.5 3.5H3zM9.5 13.5V10H13" />
    </>
  ),
  off: () => (
    <>
      <path d="M2 2l12 12M3 7.2A7.5 7.5 0 0 1 5.6 5.5M13 7.2a7.5 7.5 0 0 0-4.7-2.1M5.5 9.8a4 4 0 0 1 3-1M8 12.5h.01" />
    </>
  ),
  panel: () => (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.5" />
      <path d="M10 3v10" />
    </>
  ),
  play: () => (
    <>
      <path d="M5 3.2v9.6l7.5-4.8z" />
    </>
  ),
  plus: () => (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  providers: () => (
    <>
      <path d="M6 1.8v3M10 1.8v3M4 4.8h8v2.7a4 4 0 0 1-8 0zM8 11.5v2.8" />
    </>
  ),
  retry: () => (
    <>
      <path d="M13 8a5 5 0 1 1-1.6-3.7L13 5.7M13 2.5v3.2H9.8" />
    </>
  ),
  runs: () => (
    <>
      <path d="M1.5 8h2.7l2-5 3.4 10 2-5h2.9" />
    </>
  ),
  search: () => (
    <>
      <circle cx="7" cy="7" r="4.3" />
      <path d="m10.3 10.3 3.2 3.2" />
    </>
  ),
  sessions: () => (
    <>
      <path d="M2.5 4.2c0-.9.8-1.7 1.7-1.7h7.6c.9 0 1.700.8 1.7 1.7v5.1c0 .9-.8 1.7-1.7 1.7H7.2L4.3 13.5V11c-1 0-1.8-.8-1.8-1.7z" />
    </>
  ),
  settings: () => (
    <>
      <path d="M2 4.5h6.5M12 4.5h2M2 11.5h2M7.5 11.5H14" />
      <circle cx="10.2" cy="4.5" r="1.7" />
      <circle cx="5.8" cy="11.5" r="1.7" />
    </>
  ),
  stop: () => (
    <>
      <rect x="4" y="4" width="8" height="8" rx="1.5" fill="currentColor" stroke="none" />
    </>
  ),
  store: () => (
    <>
      <ellipse cx="8" cy="4" rx="5" ry="1.8" />
      <path d="M3 4v8c0 1 2.2 1.8 5 1.8s5-.8 5-1.8V4M3 8c0 1 2.2 1.8 5 1.8S13 9 13 8" />
    </>
  ),
  sun: () => (
    <>
      <circle cx="8" cy="8" r="2.7" />
      <path d="M8 1.8v1.5M8 12.7v1.5M1.8 8h1.5M12.7 8h1.5M3.6 3.6l1.1 1.1M11.3 11.3l1.1 1.1M12.4 3.6l-1.1 1.1M4.7 11.3l-1.1 1.1" />
    </>
  ),
  swap: () => (
    <>
      <path d="M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13" />
    </>
  ),
  tag: () => (
    <>
      <path d="M2.5 2.5h5.3l5.9 5.9-5.3 5.3-5.9-5.9z" />
      <path d="M5.3 5.3h.01" stroke-width="2" />
    </>
  ),
  term: () => (
    <>
      <path d="m3 4.5 3.5 3.5L3 11.5M8.5 12h4.5" />
    </>
  ),
  think: () => (
    <>
      <path d="M6 12.5h4M6.5 14.3h3M8 1.8a4.3 4.3 0 0 0-2.5 7.8c.4.300.6.700.6 1.2h3.8c0-.5.2-.9.6-1.2A4.3 4.3 0 0 0 8 1.8z" />
    </>
  ),
  todo: () => (
    <>
      <path d="m2.5 4.2 1 1 1.8-2M8 4.5h5.5M2.5 10.7l1 1 1.8-2M8 11h5.5" />
    </>
  ),
  tool: () => (
    <>
      <path d="M13.5 4.3a3.3 3.3 0 0 1-4.3 4.2L5 12.7a1.2 1.2 0 0 1-1.7-1.7l4.2-4.2a3.3 3.3 0 0 1 4.2-4.3L9.8 4.4l.4 1.4 1.400.4z" />
    </>
  ),
  trash: () => (
    <>
      <path d="M2.8 4.2h10.4M6.3 4V2.5h3.4V4M4 4.2l.6 9.3h6.8l.6-9.3M6.7 7v3.8M9.3 7v3.8" />
    </>
  ),
  up: () => (
    <>
      <path d="M8 13.5V6M4.7 9 8 5.8 11.3 9M3 2.7h10" />
    </>
  ),
  x: () => (
    <>
      <path d="m4 4 8 8M12 4l-8 8" />
    </>
  ),
  zoomin: () => (
    <>
      <circle cx="7" cy="7" r="4.3" />
      <path d="m10.3 10.3 3.2 3.2M5.2 7h3.6M7 5.2v3.6" />
    </>
  ),
  zoomout: () => (
    <>
      <circle cx="7" cy="7" r="4.3" />
      <path d="m10.3 10.3 3.2 3.2M5.2 7h3.6" />
    </>
  ),
} satisfies Record<string, () => JSX.Element>;

export type IconName = keyof typeof shapes;

/** Icons are decoration: the button or the row beside them has the name. */
export function Icon({ name, small, class: extra }: { name: IconName; small?: boolean; class?: string }) {
  return (
    <svg class={`i${small ? " s" : ""}${extra ? " " + extra : ""}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]()}
    </svg>
  );
}
