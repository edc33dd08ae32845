// How numbers, times, names and sizes are written. Pure; every view uses these.

const group = new Intl.NumberFormat("en-US");

/** 1234567 as "1,234,567". */
export function count(n: number): string {
  return group.format(n);
}

/** "1 message", "2 messages". */
export function plural(n: number, one: string, many = one + "s"): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Nano-USD as people compare it: $0, $0.0042, $0.41, $12.40, $1,234. */
export function money(nano: number): string {
  const usd = nano / 1e9;
  const size = Math.abs(usd);
  if (nano === 0) return "$0";
  if (size < 0.00005) return usd < 0 ? "-<$0.0001" : "<$0.0001";
  const digits = size >= 1000 ? 0 : size >= 0.095 ? 2 : 4;
  const text = size.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return (usd < 0 ? "-$" : "$") + text;
}

/** Four digits behind the point below $100: for one session or one call. */
export function moneyExact(nano: number): string {
  const usd = Math.abs(nano) / 1e9;
  if (nano === 0 || usd >= 100 || usd < 0.00005) return money(nano);
  return (nano < 0 ? "-$" : "$") + usd.toFixed(4);
}

/** 612, 12.3k, 148.2k, 1.2M. */
export function tokens(n: number): string {
  if (n < 1000) return String(n);
  if (n < 999_950) return trim(n / 1000) + "k";
  if (n < 999_950_000) return trim(n / 1e6) + "M";
  return trim(n / 1e9) + "G";
}

function trim(n: number): string {
  return n.toFixed(1).replace(/\.0$/, "");
}

/** 40 ms, 3.2 s, 58 s, 2 min 4 s, 1 h 3 min. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min${s % 60 ? ` ${s % 60} s` : ""}`;
  const min = Math.round(s / 60);
  return `${Math.floor(min / 60)} h${min % 60 ? ` ${min % 60} min` : ""}`;
}

/** 512 B, 184 KB, 2.1 MB. */
export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let at = 0;
  while (n >= 1000 && at < units.length - 1) {
    n /= 1024;
    at++;
  }
  return `${at && n < 10 ? n.toFixed(1) : Math.round(n)} ${units[at]}`;
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function startOfDay(t: number): number {
  const d = new Date(t);
  return new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
}

/** now, 4 min, 3 h, 1 d, Wed, 12 Nov, 12 Nov 2025. The exact time goes into a title: exactTime(). */
export function ago(time: string | null | undefined, now = Date.now()): string {
  if (!time) return "";
  const t = Date.parse(time);
  const s = (now - t) / 1000;
  if (s < 45) return "now";
  if (s < 3570) return `${Math.max(1, Math.round(s / 60))} min`;
  const nights = Math.round((startOfDay(now) - startOfDay(t)) / 86_400_000);
  if (s < 86_400 && nights <= 1) return `${Math.round(s / 3600)} h`;
  if (nights < 2) return "1 d";
  const d = new Date(t);
  if (nights < 7) return days[d.getDay()]!;
  const text = `${d.getDate()} ${months[d.getMonth()]}`;
  return d.getFullYear() === new Date(now).getFullYear() ? text : `${text} ${d.getFullYear()}`;
}

/** just now, 4 min ago. */
export function since(time: string | null | undefined, now = Date.now()): string {
  const text = ago(time, now);
  return text === "now" ? "just now" : text && `${text} ago`;
}

/** Tue 17 Nov 2026, 14:02:10. */
export function exactTime(time: string | null | undefined): string {
  if (!time) return "";
  const d = new Date(time);
  return `${days[d.getDay()]} ${d.getDate()} ${months[d.getMonth()]} ${d.getFullYear()}, ${clock(time, true)}`;
}

/** 14:02. */
export function clock(time: string, seconds = false): string {
  const d = new Date(time);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(d.getHours())}:${two(d.getMinutes())}${seconds ? ":" + two(d.getSeconds()) : ""}`;
}

/** 14:02 today, Tue 14:02 within a week, else 12 Nov. */
export function shortTime(time: string, now = Date.now()): string {
  const nights = Math.round((startOfDay(now) - startOfDay(Date.parse(time))) / 86_400_000);
  if (nights <= 0) return clock(time);
  if (nights < 7) return `${days[new Date(time).getDay()]} ${clock(time)}`;
  return ago(time, now);
}

/** The head of a group in a list by time: Today, Yesterday, Last week, November, December 2025. */
export function timeGroup(time: string | null | undefined, now = Date.now()): string {
  if (!time) return "Undated";
  const nights = Math.round((startOfDay(now) - startOfDay(Date.parse(time))) / 86_400_000);
  if (nights <= 0) return "Today";
  if (nights === 1) return "Yesterday";
  if (nights < 8) return "Last week";
  const d = new Date(time);
  const month = d.toLocaleString("en-US", { month: "long" });
  return d.getFullYear() === new Date(now).getFullYear() ? month : `${month} ${d.getFullYear()}`;
}

/** 12 Nov, from a day "2026-11-12" in UTC. */
export function utcDay(day: string): string {
  const d = new Date(day);
  return `${d.getUTCDate()} ${months[d.getUTCMonth()]}`;
}

/** claude-sonnet-4-5-20250929 as sonnet-4.5, openai/gpt-5.1 as gpt-5.1. The whole name goes into a title. */
export function modelName(name: string | null | undefined): string {
  if (!name) return "";
  return name
    .replace(/^.*\//, "")
    .replace(/^claude-/, "")
    .replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "")
    .replace(/(\d)-(\d)(?=$|[^\d])/, "$1.$2");
}

/** The last segment of a directory. */
export function projectName(project: string | null | undefined): string {
  if (!project) return "";
  const at = project.replace(/[/\\]+$/, "").split(/[/\\]/);
  return at[at.length - 1] || project;
}

/** One line of text, without Markdown marks at its beginning, at most n characters. */
export function oneLine(text: string, n = 140): string {
  const line = text
    .replace(/^[#>*\-\s]+/, "")
    .replace(/\*\*|__|`/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > n ? line.slice(0, n - 1).trimEnd() + "…" : line;
}

/** Share of a whole: 84 %, <1 %. */
export function percent(part: number, whole: number): string {
  if (!whole) return "0 %";
  const p = (part / whole) * 100;
  return p > 0 && p < 1 ? "<1 %" : `${Math.round(p)} %`;
}
