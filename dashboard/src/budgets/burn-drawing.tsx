/** The drawing of a budget's use: the used amount as a line, its limits, the reserved part, and the forecast as a cone. */
import type { MouseEvent, ReactNode } from 'react';
import type { BudgetSeriesAnswer, BudgetState } from '../api/types.ts';

const WIDTH = 1000;
const HEIGHT = 160;

interface BurnProps {
  readonly budget: BudgetState;
  readonly series: BudgetSeriesAnswer;
  /** The index of the point under the cursor. */
  readonly at: number | null;
  readonly setAt: (at: number | null) => void;
  /** Opens the events before a point. */
  readonly open: (at: number) => void;
}

interface Scale {
  readonly x: (at: string) => number;
  readonly y: (value: number) => number;
}

function scaleOf({ window, limit, used }: BudgetState, { forecast }: BudgetSeriesAnswer): Scale {
  const start = Date.parse(window.start);
  const end = window.end === null ? Date.now() : Date.parse(window.end);
  const top = Math.max(Number(limit), Number(used), Number(forecast?.high ?? 0)) * 1.05 || 1;
  return {
    x: (at) => ((Date.parse(at) - start) / Math.max(1, end - start)) * WIDTH,
    y: (value) => HEIGHT - (value / top) * HEIGHT,
  };
}

/** For the eye only: its frame has a label, and the table has the numbers. */
export function BurnDrawing({ budget, series, at, setAt, open }: BurnProps): ReactNode {
  const { points, forecast } = series;
  const { x, y } = scaleOf(budget, series);
  const limit = Number(budget.limit);
  const last = points.at(-1);
  const cursor = at === null ? undefined : points[at];
  const pointAt = (time: string, value: number): string => `${x(time).toFixed(1)},${y(value).toFixed(1)}`;
  const held = [
    ...points.map(({ at: time, used, reserved }) => pointAt(time, Number(used) + Number(reserved))),
    ...points.toReversed().map(({ at: time, used }) => pointAt(time, Number(used))),
  ].join(' ');
  const hover = ({ clientX, currentTarget }: MouseEvent<SVGSVGElement>): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setAt(
      nearest(
        points.map((point) => x(point.at)),
        ((clientX - left) / Math.max(1, width)) * WIDTH,
      ),
    );
  };
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width="100%"
      height={HEIGHT}
      preserveAspectRatio="none"
      aria-hidden="true"
      onMouseMove={hover}
      onMouseLeave={() => setAt(null)}
      onClick={() => {
        if (at !== null) open(at);
      }}
    >
      <Level y={y(limit)} color="var(--block-chart)" dashes="4 4" />
      {forecast !== null && last !== undefined && (
        <polygon
          points={`${x(last.at)},${y(Number(last.used))} ${WIDTH},${y(Number(forecast.low))} ${WIDTH},${y(Number(forecast.high))}`}
          fill="var(--accent)"
          opacity="0.18"
        />
      )}
      {isHeld(series) && <polygon points={held} fill="var(--fg-3)" opacity="0.35" />}
      {budget.warn_at.map((share) => (
        <Level key={share} y={y(limit * share)} color="var(--flag-chart)" dashes="1 5" />
      ))}
      <polyline
        points={points.map(({ at: time, used }) => pointAt(time, Number(used))).join(' ')}
        fill="none"
        stroke="var(--accent)"
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
      />
      {cursor !== undefined && <Cursor x={x(cursor.at)} />}
    </svg>
  );
}

function Cursor({ x }: { readonly x: number }): ReactNode {
  return <line x1={x} x2={x} y1="0" y2={HEIGHT} stroke="var(--fg-2)" vectorEffect="non-scaling-stroke" />;
}

function Level({
  y,
  color,
  dashes,
}: {
  readonly y: number;
  readonly color: string;
  readonly dashes: string;
}): ReactNode {
  return (
    <line x1="0" x2={WIDTH} y1={y} y2={y} stroke={color} strokeDasharray={dashes} vectorEffect="non-scaling-stroke" />
  );
}

/** Whether running calls have reserved a part of the budget at some point. */
export const isHeld = ({ points }: BudgetSeriesAnswer): boolean => points.some(({ reserved }) => Number(reserved) > 0);

/** The index of the value that is closest to a given one; null if there are none. */
function nearest(values: readonly number[], to: number): number | null {
  return values.reduce<number | null>(
    (found, value, index) =>
      found === null || Math.abs(value - to) < Math.abs((values[found] ?? 0) - to) ? index : found,
    null,
  );
}
