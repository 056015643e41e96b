import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { BudgetSeriesAnswer, BudgetState } from '../api/types.ts';

const MINUTE_MS = 60_000;

/** The use of a budget over its window so far, and a forecast. A window without calls has no forecast. */
export function useSeries({ budget, period_id: period }: BudgetState, isWanted = true) {
  const isThere = useFeature('budgets.series');
  return useQuery({
    queryKey: ['budget-series', period],
    queryFn: () =>
      get<BudgetSeriesAnswer>(`/v1/budgets/${encodeURIComponent(budget)}/series`, { period_id: period ?? '' }),
    enabled: isThere && isWanted && period !== null,
    staleTime: MINUTE_MS,
  });
}
