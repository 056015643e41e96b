import type { ReactNode } from 'react';
import type { BudgetSeriesAnswer, BudgetState } from '../api/types.ts';
import { amount, figure, ratio } from '../parts/format.ts';
import { None } from '../parts/small.tsx';

interface ForecastProps {
  readonly forecast: BudgetSeriesAnswer['forecast'] | undefined;
  readonly unit: BudgetState['unit'];
}

/** The forecast amount at the end of a window; amber if the limit is reached before. */
export function ForecastAmount({ forecast, unit }: ForecastProps): ReactNode {
  if (forecast === null || forecast === undefined) return <None />;
  return (
    <span
      className={forecast.reaches_limit_at === null ? '' : 'amber'}
      title={`${ratio(0.8)} interval: between ${amount(forecast.low, unit)} and ${amount(forecast.high, unit)}`}
    >
      {figure(forecast.at_end, unit)}
    </span>
  );
}
