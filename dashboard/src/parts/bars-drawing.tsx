/** Components shared by pages: charts, dialogs, forms, formats. They do not know any route of the API. */

/** The drawn part of a chart: stacked bars, or lines if values cannot be added. */
import { useRef, useState, type PointerEvent, type ReactNode } from 'react';

export interface Series {
  readonly key: string;
  readonly label: string;
  readonly color: string;
  readonly hatched?: boolean;
  /** Null: no measurement in this bucket. */
  readonly values: readonly (number | null)[];
}

/** A marked point in time, with a link to the page about it. */
export interface ChartMark {
  readonly at: string;
  readonly label: string;
  readonly words: string;
  readonly href: string;
}

export interface BarsProps {
  readonly label: string;
  readonly buckets: readonly string[];
  readonly stepSeconds: number;
  readonly series: readonly Series[];
  readonly height: number;
  readonly format?: (value: number) => string;
  /** Buckets from this time on are still incomplete. */
  readonly completeUntil?: string;
  readonly marks?: readonly ChartMark[];
  readonly zoom?: (from: string, to: string) => void;
  readonly open?: (from: string, to: string) => void;
  readonly plain?: boolean;
  /** Default: stacked bars. */
  readonly as?: 'bars' | 'lines';
}

const WIDTH = 1000;

interface DrawingProps extends BarsProps {
  readonly totals: readonly number[];
  readonly top: number;
  readonly at: number | null;
  readonly setAt: (at: number | null) => void;
  readonly end: (index: number) => string;
}

export function Drawing(props: DrawingProps): ReactNode {
  const { buckets, series, height, top, totals, at, end, completeUntil, as } = props;
  const { box, from, handlers } = usePointer(props);
  const step = WIDTH / Math.max(1, buckets.length);
  return (
    <svg
      ref={box}
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      width="100%"
      preserveAspectRatio="none"
      aria-hidden="true"
      {...handlers}
    >
      <Hatch id="hatch" />
      <GridLines height={height} />
      {as === 'lines' ? (
        <Lines series={series} step={step} y={(value) => height - (value / top) * height} />
      ) : (
        <Columns {...{ buckets, series, height, top, totals, end, step, completeUntil }} />
      )}
      {at !== null && <rect x={at * step} width={step} y="0" height={height} fill="var(--fg)" opacity="0.06" />}
      {from !== null && at !== null && (
        <rect
          x={Math.min(from, at) * step}
          width={(Math.abs(at - from) + 1) * step}
          y="0"
          height={height}
          fill="var(--accent)"
          opacity="0.18"
        />
      )}
    </svg>
  );
}

/** The pointer moves the cursor, opens a bucket, and drags over several of them; `from` is the bucket in which the drag began. */
function usePointer({ buckets, setAt, end, zoom, open }: DrawingProps) {
  const box = useRef<SVGSVGElement>(null);
  const [from, setFrom] = useState<number | null>(null);
  const indexAt = (event: PointerEvent): number => {
    const { left, width } = box.current!.getBoundingClientRect();
    return Math.min(Math.max(0, Math.floor(((event.clientX - left) / width) * buckets.length)), buckets.length - 1);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent): void => {
      // Other buttons open the menu of the browser.
      if (event.button !== 0) return;
      setFrom(indexAt(event));
      // A drag may end beside the chart, which is the way to select everything up to its end.
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent): void => setAt(indexAt(event)),
    onPointerUp: (event: PointerEvent): void => {
      if (from === null) return;
      const to = indexAt(event);
      const [first, last] = [Math.min(from, to), Math.min(Math.max(from, to), buckets.length - 1)];
      setFrom(null);
      if (first === last) open?.(buckets[first]!, end(first));
      else zoom?.(buckets[first]!, end(last));
    },
    onPointerCancel: (): void => setFrom(null),
    onPointerLeave: (): void => {
      setAt(null);
      setFrom(null);
    },
  };
  return { box, from, handlers };
}

function GridLines({ height }: { readonly height: number }): ReactNode {
  return [0.25, 0.5, 0.75, 1].map((line) => (
    <line
      key={line}
      x1="0"
      x2={WIDTH}
      y1={height * (1 - line) + 0.5}
      y2={height * (1 - line) + 0.5}
      stroke="var(--line)"
      vectorEffect="non-scaling-stroke"
    />
  ));
}

/** The pattern of blocked calls. Each drawing has its own: one in a hidden or removed drawing would not be painted. */
export function Hatch({ id }: { readonly id: string }): ReactNode {
  return (
    <defs>
      <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="5" height="5" fill="var(--block-chart)" />
        <rect width="1.6" height="5" fill="var(--bg)" opacity="0.45" />
      </pattern>
    </defs>
  );
}

interface ColumnsProps extends Pick<
  DrawingProps,
  'buckets' | 'series' | 'height' | 'top' | 'totals' | 'end' | 'completeUntil'
> {
  readonly step: number;
}

function Columns({ buckets, series, height, top, totals, end, step, completeUntil }: ColumnsProps): ReactNode {
  return buckets.map((bucket, index) => {
    let floor = height;
    const isOpen = completeUntil !== undefined && end(index) > completeUntil;
    return (
      <g key={bucket} opacity={isOpen ? 0.6 : 1}>
        {(totals[index] ?? 0) > 0 &&
          series.map(({ key, values, color, hatched }) => {
            const tall = ((values[index] ?? 0) / top) * height;
            floor -= tall;
            return tall === 0 ? null : (
              <rect
                key={key}
                x={index * step + step * 0.08}
                width={step * 0.84}
                y={floor}
                height={tall}
                fill={hatched === true ? 'url(#hatch)' : color}
              />
            );
          })}
      </g>
    );
  });
}

interface LinesProps {
  readonly series: readonly Series[];
  readonly step: number;
  readonly y: (value: number) => number;
}

/** A null is a gap; a value between two gaps is drawn as a short stroke, so that it is visible. */
function Lines({ series, step, y }: LinesProps): ReactNode {
  return series.map(({ key, color, values }) => {
    const strokes = values.flatMap((value, index) => {
      if (value === null) return [];
      const [before, after] = [values[index - 1] ?? null, values[index + 1] ?? null];
      const [x, at] = [(index + 0.5) * step, y(value)];
      if (before === null && after === null) return [`M${x - step * 0.3} ${at}h${step * 0.6}`];
      return [`${before === null ? 'M' : 'L'}${x} ${at}`];
    });
    return (
      <path
        key={key}
        d={strokes.join('')}
        fill="none"
        stroke={color}
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
      />
    );
  });
}
