import type { ReactNode } from 'react';
import type { BudgetSeriesAnswer, BudgetState } from '../api/types.ts';
import { amount, figure } from '../parts/format.ts';
import { BudgetBar } from './budget-bar.tsx';
import { ForecastAmount } from './forecast-amount.tsx';

interface CellsProps {
  readonly budget: BudgetState;
  readonly forecast: BudgetSeriesAnswer['forecast'] | undefined;
}

/** The cells of a table of budgets for the used amount and its bar. */
export function UsedCells({ budget, forecast }: CellsProps): ReactNode {
  const { unit } = budget;
  return (
    <>
      <td className="num">
        {figure(budget.used, unit)} <span className="dim">of {amount(budget.limit, unit)}</span>
      </td>
      <td className="bar-cell">
        <BudgetBar budget={budget} atEnd={forecast?.at_end} />
      </td>
    </>
  );
}

/** The cell for the forecast at the end of the window. */
export function ForecastCell({ budget: { unit }, forecast }: CellsProps): ReactNode {
  return (
    <td className="num" data-label="at the end">
      <ForecastAmount forecast={forecast} unit={unit} />
    </td>
  );
}
