import { useQuery } from '@tanstack/react-query';
import { MINUTE_MS, polled, useFeature } from '../api/queries.ts';
import type { BudgetSeriesAnswer, BudgetState } from '../api/types.ts';

/** The series of this number of the most used windows are requested for a list, with a separate request each. */
export const MAX_REQUESTED = 20;

/** The use of a budget over its window so far, and a forecast. A window without calls has no forecast. */
export function useSeries({ budget, period_id: period }: BudgetState, isWanted = true) {
  const isThere = useFeature('budgets.series');
  const path = `/v1/budgets/${encodeURIComponent(budget)}/series`;
  return useQuery({
    ...polled<BudgetSeriesAnswer>(['budget-series', period], path, { period_id: period ?? '' }),
    enabled: isThere && isWanted && period !== null,
    staleTime: MINUTE_MS,
  });
}
