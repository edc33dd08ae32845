// Stacked bars by day. The table beside the chart is its legend; a bar's numbers are read by hover and by keyboard.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { money, utcDay } from "../../lib/format";

export interface Bar {
  from: string;
  /** In the order of the series, nano-USD. */
  parts: number[];
}

const HEIGHT = 180;
const LEFT = 44;
const BOTTOM = 20;

/** Round steps for the axis: 1, 2, 5 times a power of ten. */
export function axis(most: number): number[] {
  if (most <= 0) return [0];
  const raw = most / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw) ?? raw;
  const out: number[] = [];
  for (let v = 0; v < most + step; v += step) out.push(v);
  return out;
}

/** Whole dollars when the steps are. */
function axisMoney(nano: number, step: number): string {
  return step >= 1e9 ? `$${Math.round(nano / 1e9)}` : money(nano);
}

export function Chart({ bars, names, label }: { bars: Bar[]; names: string[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(640);
  const at = useSignal(-1);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => (width.value = box.current?.clientWidth ?? 640));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  const sums = bars.map((b) => b.parts.reduce((a, c) => a + c, 0));
  const steps = axis(Math.max(...sums, 0));
  const top = steps[steps.length - 1] || 1;
  const y = (v: number) => HEIGHT - (v / top) * (HEIGHT - 8);
  const room = (width.value - LEFT) / Math.max(1, bars.length);
  const thick = Math.max(1, Math.min(28, room - (room > 6 ? 4 : 1)));
  const every = Math.ceil(bars.length / Math.max(2, Math.floor((width.value - LEFT) / 90)));
  const chosen = at.value >= 0 ? bars[at.value] : undefined;
  const move = (e: KeyboardEvent) => {
    const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    e.preventDefault();
    at.value = Math.max(0, Math.min(bars.length - 1, (at.value < 0 ? bars.length : at.value) + by));
  };
  return (
    <div
      class="chart"
      ref={box}
      tabIndex={0}
      role="group"
      aria-label={`${label}. Arrows read the days.`}
      onKeyDown={move}
      onBlur={() => (at.value = -1)}
      onPointerLeave={() => (at.value = -1)}
    >
      <svg width={width.value} height={HEIGHT + BOTTOM} aria-hidden="true">
        {steps.map((v) => (
          <g key={v}>
            <path class="grid" d={`M${LEFT} ${Math.round(y(v)) + 0.5}H${width.value}`} />
            <text class="tick" x={LEFT - 8} y={y(v) + 4} text-anchor="end">
              {axisMoney(v, steps[1] ?? 0)}
            </text>
          </g>
        ))}
        {bars.map((b, i) => {
          const x = LEFT + i * room + (room - thick) / 2;
          let sum = 0;
          return (
            <g key={b.from} class={at.value >= 0 && at.value !== i ? "low" : undefined} onPointerEnter={() => (at.value = i)}>
              <rect x={LEFT + i * room} y="0" width={room} height={HEIGHT} fill="transparent" />
              {b.parts.map((v, k) => {
                if (v <= 0) return null;
                const y1 = y(sum);
                sum += v;
                const h = Math.max(0.5, y1 - y(sum) - 1);
                return <rect key={k} class={`col s${k}`} x={x} y={y(sum)} width={thick} height={h} />;
              })}
              {i % every === 0 && (
                <text class="tick" x={LEFT + i * room + room / 2} y={HEIGHT + 16} text-anchor="middle">
                  {utcDay(b.from)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      {chosen && (
        <div class="tip" role="status" style={{ left: `${Math.min(width.value - 150, Math.max(LEFT, LEFT + at.value * room))}px` }}>
          <b>{utcDay(chosen.from)}</b> {money(sums[at.value] ?? 0)}
          {names.map(
            (n, k) =>
              (chosen.parts[k] ?? 0) > 0 && (
                <span key={n} class="small">
                  <i class={`sw s${k}`} />
                  {n} {money(chosen.parts[k]!)}
                </span>
              ),
          )}
        </div>
      )}
    </div>
  );
}
