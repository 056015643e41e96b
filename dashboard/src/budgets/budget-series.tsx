/** The use of a budget over its window, with a forecast for the end. */
import type { ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import type { BudgetSeriesAnswer, BudgetState } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import { amount, figure, ratio } from '../parts/format.ts';
import { Time } from '../parts/small.tsx';
import { Scope } from './scope.tsx';
import { useSeries } from './use-series.ts';

const WIDTH = 1000;
const HEIGHT = 160;

export function BudgetSeries({ budget }: { readonly budget: BudgetState }): ReactNode {
  const isThere = useFeature('budgets.series');
  const series = useSeries(budget);
  // No request is sent before the first call is charged to the budget.
  if (!isThere || budget.period_id === null) return null;
  return (
    <Block what="the spending over time" query={series} height={220}>
      {(found) => <Burn budget={budget} series={found} />}
    </Block>
  );
}

function Burn({
  budget,
  series: { points, forecast },
}: {
  readonly budget: BudgetState;
  readonly series: BudgetSeriesAnswer;
}): ReactNode {
  const start = Date.parse(budget.window.start);
  const end = budget.window.end === null ? Date.now() : Date.parse(budget.window.end);
  const limit = Number(budget.limit);
  const top = Math.max(limit, Number(budget.used), Number(forecast?.high ?? 0)) * 1.05 || 1;
  const x = (at: number): number => ((at - start) / Math.max(1, end - start)) * WIDTH;
  const y = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const last = points.at(-1);
  const pointAt = (at: string, value: number): string => `${x(Date.parse(at)).toFixed(1)},${y(value).toFixed(1)}`;
  const isHeld = points.some(({ reserved }) => Number(reserved) > 0);
  const held = [
    ...points.map(({ at, used, reserved }) => pointAt(at, Number(used) + Number(reserved))),
    ...points.toReversed().map(({ at, used }) => pointAt(at, Number(used))),
  ].join(' ');
  return (
    <figure className="chart">
      <figcaption className="line meta">
        <span>
          <Scope scope={budget.scope} />
          {figure(budget.used, budget.unit)} of {amount(budget.limit, budget.unit)}
          {forecast !== null && `, about ${amount(forecast.at_end, budget.unit)} at the end`}
          {budget.exceeded_at === null && typeof forecast?.reaches_limit_at === 'string' && (
            <span className="amber">
              , reaches the limit <Time at={forecast.reaches_limit_at} as="table" />
            </span>
          )}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width="100%"
        height={HEIGHT}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Used over time, ${amount(budget.used, budget.unit)} of ${amount(budget.limit, budget.unit)}`}
      >
        <line
          x1="0"
          x2={WIDTH}
          y1={y(limit)}
          y2={y(limit)}
          stroke="var(--block-chart)"
          strokeDasharray="4 4"
          vectorEffect="non-scaling-stroke"
        />
        {forecast !== null && last !== undefined && (
          <polygon
            points={`${x(Date.parse(last.at))},${y(Number(last.used))} ${WIDTH},${y(Number(forecast.low))} ${WIDTH},${y(Number(forecast.high))}`}
            fill="var(--accent)"
            opacity="0.18"
          />
        )}
        {isHeld && <polygon points={held} fill="var(--fg-3)" opacity="0.35" />}
        {budget.warn_at.map((share) => (
          <line
            key={share}
            x1="0"
            x2={WIDTH}
            y1={y(limit * share)}
            y2={y(limit * share)}
            stroke="var(--flag-chart)"
            strokeDasharray="1 5"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        <polyline
          points={points.map(({ at, used }) => pointAt(at, Number(used))).join(' ')}
          fill="none"
          stroke="var(--accent)"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <div className="axis ends tab-nums">
        <Time at={budget.window.start} as="table" />
        <span>
          limit {amount(budget.limit, budget.unit)}, dashed
          {budget.warn_at.length > 0 && `; warns at ${budget.warn_at.map(ratio).join(' and ')}, dotted`}
          {isHeld && '; grey: reserved by running calls'}
        </span>
        {budget.window.end === null ? <span>now</span> : <Time at={budget.window.end} as="table" />}
      </div>
    </figure>
  );
}
