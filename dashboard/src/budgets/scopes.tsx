import type { ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import type { BudgetState } from '../api/types.ts';
import { Empty } from '../parts/block.tsx';
import { amount, ratio } from '../parts/format.ts';
import { Time } from '../parts/small.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { ForecastCell, UsedCells } from './budget-cells.tsx';
import { Scope } from './scope.tsx';
import { MAX_REQUESTED, useSeries } from './use-series.ts';

interface ScopesProps {
  readonly list: readonly BudgetState[];
  /** The window that the rest of the page is about. */
  readonly chosen: string | null | undefined;
  readonly choose: (period: string | null) => void;
  readonly adjust: (budget: BudgetState) => void;
}

/** The windows of a budget, one row each. */
export function Scopes({ list, chosen, choose, adjust }: ScopesProps): ReactNode {
  const hasForecast = useFeature('budgets.series');
  if (list.length === 0) return <Empty>This budget has no spending in this window.</Empty>;
  return (
    <table className="table fold">
      <TableHead
        columns={[
          'Scope',
          'Window',
          { label: 'Used', className: 'num' },
          { label: 'Share', hidden: true },
          { label: 'Left', className: 'num' },
          ...(hasForecast ? [{ label: 'Forecast', className: 'num' } as const] : []),
          'State',
          { label: 'Actions', hidden: true },
        ]}
      />
      <tbody>
        {list.map((each, index) => (
          <ScopeRow
            key={`${each.period_id ?? ''}${JSON.stringify(each.scope)}`}
            budget={each}
            hasForecast={hasForecast}
            isRequested={index < MAX_REQUESTED && !hasEnded(each)}
            isChosen={list.length > 1 && each.period_id === chosen}
            choose={choose}
            adjust={adjust}
          />
        ))}
      </tbody>
    </table>
  );
}

/** A window that has ended has no forecast. */
const hasEnded = ({ window: { end } }: BudgetState): boolean => end !== null && Date.parse(end) <= Date.now();

interface RowProps extends Pick<ScopesProps, 'choose' | 'adjust'> {
  readonly budget: BudgetState;
  readonly hasForecast: boolean;
  /** Whether the forecast of the window is requested. */
  readonly isRequested: boolean;
  readonly isChosen: boolean;
}

function ScopeRow({ budget, hasForecast, isRequested, isChosen, choose, adjust }: RowProps): ReactNode {
  const { unit } = budget;
  const forecast = useSeries(budget, hasForecast && isRequested).data?.forecast;
  return (
    <tr>
      <td>
        <button
          type="button"
          className={`link plain${isChosen ? ' strong' : ''}`}
          aria-pressed={isChosen}
          onClick={() => choose(budget.period_id)}
        >
          <Scope scope={budget.scope} />
        </button>
      </td>
      <td className="dim">
        since <Time at={budget.window.start} as="table" />
      </td>
      <UsedCells budget={budget} forecast={forecast} />
      <td className="num" data-label="left">
        {amount(budget.remaining, unit)}
      </td>
      {hasForecast && <ForecastCell budget={budget} forecast={forecast} />}
      <td>
        <State budget={budget} />
      </td>
      <td className="num">
        {budget.period_id !== null && (
          <button type="button" className="button" onClick={() => adjust(budget)}>
            Adjust
          </button>
        )}
      </td>
    </tr>
  );
}

function State({ budget: { exceeded_at: exceeded, warned, used_ratio: used } }: Pick<RowProps, 'budget'>): ReactNode {
  const last = warned.at(-1);
  if (exceeded !== null)
    return (
      <span className="red">
        exceeded since <Time at={exceeded} as="table" />
      </span>
    );
  if (last !== undefined)
    return (
      <span className="amber">
        warned at {ratio(last.ratio)}, <Time at={last.at} as="table" />
      </span>
    );
  return <span className="dim">{ratio(used)}</span>;
}
