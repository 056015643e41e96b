/** The number of calls that a budget refused in its window, with a link to them. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { BudgetState } from '../api/types.ts';
import { useEventCount } from '../events/use-count.ts';
import { fixedSpan } from '../shell/span.ts';

interface RefusedProps {
  readonly budget: BudgetState;
  /** All listed budgets: if another budget has the same scope, its refusals must not be counted for this one. */
  readonly others: readonly BudgetState[];
}

export function Refused({ budget, others }: RefusedProps): ReactNode {
  const filters = budget.on_exceed === 'block' && budget.period_id !== null ? filtersOf(budget, others) : null;
  return filters === null ? null : <Counted budget={budget} filters={filters} />;
}

interface CountedProps {
  readonly budget: BudgetState;
  readonly filters: Readonly<Record<string, string>>;
}

function Counted({ budget: { environment, window, exceeded_at: exceeded }, filters }: CountedProps): ReactNode {
  const { at } = useEventCount({ ...filters, environment }, fixedSpan(window.start, undefined));
  // The event that reports the reached limit is not a refusal.
  const refused = at === undefined ? 0 : at.count - (exceeded === null ? 0 : 1);
  if (at === undefined || refused <= 0) return null;
  const words = `${refused.toLocaleString()}${at.capped ? '+' : ''} ${refused === 1 ? 'call' : 'calls'} refused`;
  const search = { ...filters, env: environment, from: window.start, to: window.end ?? undefined, view: 'events' };
  return (
    <>
      {' '}
      <Link to="/events" search={search as never} className="link nowrap">
        {words}
      </Link>
    </>
  );
}

/** Filters for the events of the budget's refusals; null if its scope cannot be filtered. */
function filtersOf({ budget, scope }: BudgetState, others: readonly BudgetState[]): Record<string, string> | null {
  const filters: Record<string, string> = { type: 'budget.exceeded' };
  for (const [key, value] of Object.entries(scope)) {
    if (value === null) return null;
    filters[key] = value;
  }
  if (others.some((other) => other.budget !== budget)) filters['q'] = budget;
  return filters;
}
