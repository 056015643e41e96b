/**
 * Stacked bars over time, or lines if values cannot be added. Plain SVG: at most 180 buckets, colours from the theme, hatching for blocked
 * calls.
 */
import { useRouter } from '@tanstack/react-router';
import { useMemo, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { Drawing, Hatch, type BarsProps, type ChartMark, type Series } from './bars-drawing.tsx';
import { count, dayTime } from './format.ts';
import { UserText } from './text.tsx';
import { zoned } from './zone.ts';

const clockOf = zoned({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayOf = zoned({ day: 'numeric', month: 'short' });
const DAY_SECONDS = 86_400;

export function Bars(props: BarsProps): ReactNode {
  const { label, buckets, series, stepSeconds, height, format = count, plain = false } = props;
  const [chosen, setAt] = useState<number | null>(null);
  // A range that moves on may have one bucket less than when the cursor was set.
  const at = chosen === null ? null : Math.min(chosen, buckets.length - 1);
  const [asTable, setAsTable] = useState(false);
  const isLines = props.as === 'lines';
  const totals = useTotals(buckets, series, isLines);
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
  const most = `highest value ${format(Math.max(0, ...totals))}.`;
  const summary = `${label}: ${isLines ? '' : `${format(totals.reduce((all, value) => all + value, 0))} in total, `}${most}`;
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
          <Marks marks={props.marks ?? []} buckets={buckets} stepSeconds={stepSeconds} />
        </div>
      )}
    </figure>
  );
}

/** The height of each bucket: the sum of its values, or for lines the highest one. */
function useTotals(buckets: readonly string[], series: readonly Series[], isLines: boolean): readonly number[] {
  return useMemo(
    () =>
      buckets.map((_, index) => {
        const there = series.map(({ values }) => values[index] ?? 0);
        return isLines ? Math.max(0, ...there) : there.reduce((total, value) => total + value, 0);
      }),
    [buckets, series, isLines],
  );
}

/** The marks of the chart: each has a line and a number that links to its page. */
function Marks({
  marks,
  buckets,
  stepSeconds,
}: {
  readonly marks: readonly ChartMark[];
  readonly buckets: readonly string[];
  readonly stepSeconds: number;
}): ReactNode {
  const { history } = useRouter();
  const start = Date.parse(buckets[0] ?? '');
  const span = buckets.length * stepSeconds * 1000;
  /** Keeps the loaded data; with a key for a new tab or window, the browser follows the link itself. */
  const follow = (event: MouseEvent, href: string): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(href);
  };
  return apart(marks, start, span).map(({ at, label, words, href }) => (
    <a
      key={words}
      className={`chart-mark tab-nums${Date.parse(at) - start > span * LAST_TICK ? ' late' : ''}`}
      href={href}
      onClick={(event) => follow(event, href)}
      title={words}
      aria-label={words}
      ref={(element) =>
        element?.style.setProperty('inset-inline-start', `${(100 * (Date.parse(at) - start)) / Math.max(1, span)}%`)
      }
    >
      {label}
    </a>
  ));
}

/** Numbers closer to each other than this share of the chart's width would overlap. */
const NEAR = 0.035;

/** Merges marks that are close together: into a label with the first and last number, and the words of each. */
function apart(marks: readonly ChartMark[], startMs: number, spanMs: number): readonly ChartMark[] {
  const groups: ChartMark[][] = [];
  const place = ({ at }: ChartMark): number => (Date.parse(at) - startMs) / spanMs;
  for (const mark of marks.toSorted((left, right) => place(left) - place(right))) {
    const group = groups.at(-1);
    if (group === undefined || place(mark) - place(group[0]!) > NEAR) groups.push([mark]);
    else group.push(mark);
  }
  return groups.map((group) => {
    const [first, last] = [group[0]!, group.at(-1)!];
    if (first === last) return first;
    const label = first.label === last.label ? first.label : `${first.label}–${last.label}`;
    // The accessible name begins with the visible label, as voice control requires.
    return { ...last, label, words: `${label}: ${group.map(({ words }) => words).join('. ')}` };
  });
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
            {hatched === true && <Hatch id="hatch-of-legend" />}
            <rect width="10" height="10" rx="2" fill={hatched === true ? 'url(#hatch-of-legend)' : color} />
          </svg>
          <UserText text={label} cut />
          {at !== null && <b className="tab-nums">{shown(values[at], format)}</b>}
        </span>
      ))}
      {bucket !== undefined && <span className="dim tab-nums">{dayTime.format(new Date(bucket))}</span>}
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
/** A label further right than this share would leave the chart. */
const LAST_TICK = 0.93;

/** Indices of the buckets in which a day begins, in the displayed time zone. */
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
                <UserText text={label} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, index) => (
            <tr key={bucket}>
              <td className="tab-nums">{dayTime.format(new Date(bucket))}</td>
              {series.map(({ key, values }) => (
                <td key={key} className="num">
                  {shown(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const shown = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null ? '–' : format(value ?? 0);

/** Rounds up to 1, 2, 4, 5, 8 or 10 times a power of ten, so that grid lines are at whole numbers. */
function niceTop(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  const found = [1, 2, 4, 5, 8, 10].find((each) => each * power >= value) ?? 10;
  return found * power;
}
