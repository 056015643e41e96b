/** Budgets that have reached their limit, or will reach it before their window ends. */
import type { BudgetCourse, BudgetReader } from '../budgets/index.js';
import type { BudgetState, Environment } from '../core/index.js';
import { itemId, type Item } from './item.js';

/** The number of budgets whose course is examined, the most used first. */
const MOST = 20;
/** The share of a window that must have passed before its pace is meaningful. */
const LEAST_ELAPSED = 0.08;

export async function budgetItems(
  reader: BudgetReader,
  course: BudgetCourse,
  accountId: string,
  environment: Environment,
  nowMs: number,
): Promise<Item[]> {
  const states = await reader.list({ accountId, environment, past: false });
  const candidates = states
    .filter((state) => state.period_id !== null && (state.exceeded_at !== null || isFast(state, nowMs)))
    .sort((a, b) => b.used_ratio - a.used_ratio)
    .slice(0, MOST);
  const items = await Promise.all(
    candidates.map(async (state) => {
      if (state.exceeded_at !== null) return itemOf(state, state.exceeded_at, Date.parse(state.exceeded_at));
      const period = await reader.period(accountId, state.budget, state.period_id ?? undefined, environment);
      if (period === undefined || period === 'several') return undefined;
      const { forecast } = await course.series(period);
      return forecast === null || forecast.reaches_limit_at === null
        ? undefined
        : itemOf(state, forecast.reaches_limit_at, null);
    }),
  );
  return items.filter((item) => item !== undefined);
}

/** Whether the limit will be reached before the end of the window if the pace stays the same. */
function isFast({ window: { start, end }, used_ratio: ratio }: BudgetState, nowMs: number): boolean {
  if (end === null) return false;
  const elapsed = (nowMs - Date.parse(start)) / (Date.parse(end) - Date.parse(start));
  return elapsed >= LEAST_ELAPSED && ratio >= elapsed;
}

function itemOf(state: BudgetState, reachesAt: string, exceededMs: number | null): Item {
  const { budget, environment, period_id: period, scope, on_exceed: onExceed, used_ratio: ratio } = state;
  const isOver = exceededMs !== null;
  return {
    id: itemId('budget_forecast', environment, period ?? '', isOver ? 'over' : 'ahead'),
    kind: 'budget_forecast',
    severity: isOver && onExceed === 'block' ? 'critical' : 'warn',
    environment,
    args: {
      budget,
      scope: Object.entries(scope)
        .map(([name, value]) => `${name}=${value ?? ''}`)
        .join(', '),
      percent: Math.round(ratio * 100),
      reaches_limit_at: reachesAt,
      over: isOver ? 'yes' : 'no',
    },
    ...{ count: null, sinceMs: exceededMs },
    link: `/budgets/${environment}/${encodeURIComponent(budget)}?env=${environment}`,
  };
}
