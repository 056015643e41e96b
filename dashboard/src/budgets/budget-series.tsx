/** The use of a budget over its window, with a forecast for the end. */
import { useNavigate } from '@tanstack/react-router';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import type { BudgetSeriesAnswer, BudgetState } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import { amount, columnAmount, figure, ratio } from '../parts/format.ts';
import { Time } from '../parts/small.tsx';
import { BurnDrawing, isHeld } from './burn-drawing.tsx';
import { Scope } from './scope.tsx';
import { useSeries } from './use-series.ts';

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

interface BurnProps {
  readonly budget: BudgetState;
  readonly series: BudgetSeriesAnswer;
}

function Burn({ budget, series }: BurnProps): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const open = useOpenEvents(budget, series);
  const label = `Used over time, ${amount(budget.used, budget.unit)} of ${amount(budget.limit, budget.unit)}`;
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((before) => Math.min(Math.max(0, (before ?? -1) + step), series.points.length - 1));
    } else if (event.key === 'Enter' && at !== null) open(at);
  };
  return (
    <figure className="chart">
      <figcaption className="line meta">
        <Summary budget={budget} series={series} at={at} />
        <button type="button" className="button quiet push" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Show chart' : 'Show table'}
        </button>
      </figcaption>
      {asTable ? (
        <SeriesTable budget={budget} series={series} />
      ) : (
        <>
          <div
            className="chart-box"
            role="group"
            aria-label={label}
            tabIndex={0}
            onKeyDown={press}
            onBlur={() => setAt(null)}
          >
            <BurnDrawing budget={budget} series={series} at={at} setAt={setAt} open={open} />
          </div>
          <Axis budget={budget} series={series} />
        </>
      )}
    </figure>
  );
}

/** Opens the events between a point and the one before it, with the scope of the budget as filters. */
function useOpenEvents({ environment, scope, window }: BudgetState, { points }: BudgetSeriesAnswer) {
  const navigate = useNavigate();
  return (at: number): void => {
    const to = points[at]?.at;
    // Calls without a value cannot be filtered.
    if (to === undefined || Object.values(scope).includes(null)) return;
    const from = points[at - 1]?.at ?? window.start;
    void navigate({ to: '/events', search: { ...scope, env: environment, range: undefined, from, to } as never });
  };
}

interface SummaryProps extends BurnProps {
  readonly at: number | null;
}

/** The state of the budget now, or at the point under the cursor. */
function Summary({ budget, series: { points, forecast }, at }: SummaryProps): ReactNode {
  const { unit } = budget;
  const point = at === null ? undefined : points[at];
  if (point !== undefined) {
    return (
      <span role="status" className="tab-nums">
        <Time at={point.at} as="table" />: {amount(point.used, unit)} used
        {Number(point.reserved) > 0 && `, ${amount(point.reserved, unit)} reserved`}
      </span>
    );
  }
  return (
    <span>
      <Scope scope={budget.scope} />
      {figure(budget.used, unit)} of {amount(budget.limit, unit)}
      {forecast !== null && `, about ${amount(forecast.at_end, unit)} at the end`}
      {budget.exceeded_at === null && typeof forecast?.reaches_limit_at === 'string' && (
        <span className="amber">
          , reaches the limit <Time at={forecast.reaches_limit_at} as="table" />
        </span>
      )}
    </span>
  );
}

function Axis({ budget, series }: BurnProps): ReactNode {
  return (
    <div className="axis ends tab-nums">
      <Time at={budget.window.start} as="table" />
      <span>
        limit {amount(budget.limit, budget.unit)}, dashed
        {budget.warn_at.length > 0 && `; warns at ${budget.warn_at.map(ratio).join(' and ')}, dotted`}
        {isHeld(series) && '; grey: reserved by running calls'}
      </span>
      {budget.window.end === null ? <span>now</span> : <Time at={budget.window.end} as="table" />}
    </div>
  );
}

/** The same as the drawing, as numbers; the last row is the forecast. */
function SeriesTable({ budget: { unit, window }, series: { points, forecast } }: BurnProps): ReactNode {
  return (
    <div className="chart-table" role="region" aria-label="Table of the chart" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">At</th>
            <th scope="col" className="num">
              Used
            </th>
            <th scope="col" className="num">
              Reserved
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ at, used, reserved }) => (
            <tr key={at}>
              <td>
                <Time at={at} as="table" />
              </td>
              <td className="num">{columnAmount(used, unit)}</td>
              <td className="num">{columnAmount(reserved, unit)}</td>
            </tr>
          ))}
          {forecast !== null && (
            <tr>
              <td>
                Forecast
                {window.end !== null && (
                  <>
                    {' '}
                    for <Time at={window.end} as="table" />
                  </>
                )}
              </td>
              <td className="num">
                {columnAmount(forecast.at_end, unit)}, between {columnAmount(forecast.low, unit)} and{' '}
                {columnAmount(forecast.high, unit)}
              </td>
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
