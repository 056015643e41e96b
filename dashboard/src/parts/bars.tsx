/** Stacked bars over time. Plain SVG: at most 180 buckets, colours from the theme, hatching for what was blocked. */
import { useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { count } from './format.ts';

export interface Series {
  readonly key: string;
  readonly label: string;
  readonly color: string;
  readonly hatched?: boolean;
  readonly values: readonly number[];
}

interface BarsProps {
  readonly label: string;
  readonly buckets: readonly string[];
  readonly stepSeconds: number;
  readonly series: readonly Series[];
  readonly height: number;
  readonly format?: (value: number) => string;
  /** From here on buckets still grow. */
  readonly completeUntil?: string;
  readonly marks?: readonly { readonly at: string; readonly label: string; readonly href: string }[];
  readonly zoom?: (from: string, to: string) => void;
  readonly open?: (from: string, to: string) => void;
  readonly plain?: boolean;
}

const WIDTH = 1000;
const clockOf = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayOf = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const bothOf = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const DAY_SECONDS = 86_400;

export function Bars(props: BarsProps): ReactNode {
  const { label, buckets, series, stepSeconds, height, format = count, plain = false } = props;
  const [at, setAt] = useState<number | null>(null);
  const [asTable, setAsTable] = useState(false);
  const totals = useMemo(
    () => buckets.map((_, index) => series.reduce((total, { values }) => total + (values[index] ?? 0), 0)),
    [buckets, series],
  );
  const top = niceTop(Math.max(0, ...totals));
  const end = (index: number): string =>
    buckets[index + 1] ?? new Date(Date.parse(buckets[index] ?? '') + stepSeconds * 1000).toISOString();
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((before) => Math.min(Math.max(0, (before ?? -1) + step), buckets.length - 1));
    } else if (event.key === 'Enter' && at !== null) props.open?.(buckets[at]!, end(at));
  };
  const summary = `${label}: ${format(totals.reduce((all, value) => all + value, 0))} in all, at most ${format(Math.max(0, ...totals))} at once.`;
  return (
    <figure className={`chart${plain ? ' plain' : ''}`}>
      {!plain && (
        <figcaption className="line">
          <Legend series={series} at={at} bucket={at === null ? undefined : buckets[at]} format={format} />
          <button
            type="button"
            className="button quiet push"
            aria-pressed={asTable}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Show chart' : 'Show table'}
          </button>
        </figcaption>
      )}
      {asTable ? (
        <BarsTable buckets={buckets} series={series} format={format} />
      ) : (
        <div
          className="chart-box"
          role="group"
          aria-label={summary}
          tabIndex={plain ? -1 : 0}
          onKeyDown={press}
          onBlur={() => setAt(null)}
        >
          <Drawing {...props} totals={totals} top={top} at={at} setAt={setAt} end={end} height={height} />
          {!plain && <Axis buckets={buckets} stepSeconds={stepSeconds} />}
          {!plain && <span className="chart-top tab-nums">{format(top)}</span>}
        </div>
      )}
    </figure>
  );
}

interface DrawingProps extends BarsProps {
  readonly totals: readonly number[];
  readonly top: number;
  readonly at: number | null;
  readonly setAt: (at: number | null) => void;
  readonly end: (index: number) => string;
}

function Drawing({
  buckets,
  series,
  height,
  top,
  totals,
  at,
  setAt,
  end,
  zoom,
  open,
  completeUntil,
  marks = [],
}: DrawingProps): ReactNode {
  const box = useRef<SVGSVGElement>(null);
  const [from, setFrom] = useState<number | null>(null);
  const step = WIDTH / Math.max(1, buckets.length);
  const indexAt = (event: PointerEvent): number => {
    const { left, width } = box.current!.getBoundingClientRect();
    return Math.min(Math.max(0, Math.floor(((event.clientX - left) / width) * buckets.length)), buckets.length - 1);
  };
  const release = (event: PointerEvent): void => {
    if (from === null) return;
    const to = indexAt(event);
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    setFrom(null);
    if (first === last) open?.(buckets[first]!, end(first));
    else zoom?.(buckets[first]!, end(last));
  };
  const start = Date.parse(buckets[0] ?? '');
  const span = Date.parse(end(buckets.length - 1)) - start;
  return (
    <svg
      ref={box}
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      width="100%"
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerDown={(event) => setFrom(indexAt(event))}
      onPointerMove={(event) => setAt(indexAt(event))}
      onPointerUp={release}
      onPointerLeave={() => {
        setAt(null);
        setFrom(null);
      }}
    >
      <defs>
        <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" fill="var(--block-chart)" />
          <rect width="1.6" height="5" fill="var(--bg)" opacity="0.45" />
        </pattern>
      </defs>
      {[0.25, 0.5, 0.75, 1].map((line) => (
        <line
          key={line}
          x1="0"
          x2={WIDTH}
          y1={height * (1 - line) + 0.5}
          y2={height * (1 - line) + 0.5}
          stroke="var(--line)"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {buckets.map((bucket, index) => {
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
      })}
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
      {marks.map(({ at: when, label }) => {
        const x = ((Date.parse(when) - start) / span) * WIDTH;
        return (
          <line
            key={label}
            x1={x}
            x2={x}
            y1="0"
            y2={height}
            stroke="var(--fg-3)"
            strokeDasharray="3 3"
            vectorEffect="non-scaling-stroke"
          >
            <title>{label}</title>
          </line>
        );
      })}
    </svg>
  );
}

interface LegendProps {
  readonly series: readonly Series[];
  readonly at: number | null;
  readonly bucket: string | undefined;
  readonly format: (value: number) => string;
}

function Legend({ series, at, bucket, format }: LegendProps): ReactNode {
  return (
    <span className="legend">
      {series.map(({ key, label, color, hatched, values }) => (
        <span key={key} className="line tight nowrap">
          <svg width="10" height="10" aria-hidden="true">
            <rect width="10" height="10" rx="2" fill={hatched === true ? 'url(#hatch)' : color} />
          </svg>
          {label}
          {at !== null && <b className="tab-nums">{format(values[at] ?? 0)}</b>}
        </span>
      ))}
      {bucket !== undefined && <span className="dim tab-nums">{bothOf.format(new Date(bucket))}</span>}
    </span>
  );
}

function Axis({
  buckets,
  stepSeconds,
}: {
  readonly buckets: readonly string[];
  readonly stepSeconds: number;
}): ReactNode {
  const isLong = buckets.length * stepSeconds > 2 * DAY_SECONDS;
  const format = isLong ? dayOf : clockOf;
  const ticks = isLong ? newDays(buckets) : [...buckets.keys()];
  const every = Math.ceil(ticks.length / MOST_TICKS);
  return (
    <div className="axis tab-nums" aria-hidden="true">
      {ticks
        .filter((at, nth) => nth % every === 0 && at <= buckets.length * LAST_TICK)
        .map((at) => (
          <span
            key={buckets[at]}
            ref={(element) => element?.style.setProperty('inset-inline-start', `${(100 * at) / buckets.length}%`)}
          >
            {format.format(new Date(buckets[at]!))}
          </span>
        ))}
    </div>
  );
}

const MOST_TICKS = 7;
/** Further right a label would leave the chart. */
const LAST_TICK = 0.93;

/** Buckets in which a day begins, as whoever looks counts days. */
function newDays(buckets: readonly string[]): number[] {
  const days = buckets.map((bucket) => dayOf.format(new Date(bucket)));
  return [...days.keys()].filter((at) => at > 0 && days[at] !== days[at - 1]);
}

function BarsTable({
  buckets,
  series,
  format,
}: Pick<BarsProps, 'buckets' | 'series'> & { readonly format: (value: number) => string }): ReactNode {
  return (
    <div className="chart-table" role="region" aria-label="Table of the chart" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ key, label }) => (
              <th key={key} scope="col" className="num">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, index) => (
            <tr key={bucket}>
              <td className="tab-nums">{bothOf.format(new Date(bucket))}</td>
              {series.map(({ key, values }) => (
                <td key={key} className="num">
                  {format(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The next of 1, 2, 4, 5, 8, 10 times a power of ten: grid lines stand at whole numbers. */
function niceTop(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  const found = [1, 2, 4, 5, 8, 10].find((each) => each * power >= value) ?? 10;
  return found * power;
}
