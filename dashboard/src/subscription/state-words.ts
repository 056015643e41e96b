/** The words for the state of a subscription, the heading of its page. The page shows the next step; payments happen on pages of Stripe. */
import type { Subscription } from '../api/types.ts';
import { counted, onDay } from '../parts/format.ts';

const DAY_MS = 86_400_000;

type State = Pick<Subscription, 'state' | 'trial' | 'period_ends_at' | 'changed_at'>;

/** The state, with the day on which it ends or began. */
export function stateWords(
  { state, trial, period_ends_at: until, changed_at: changed }: State,
  nowMs = Date.now(),
): string {
  switch (state) {
    case 'trialing':
      return trial === null || trial.over
        ? 'The trial is over'
        : `Trial, ${counted(Math.max(0, Math.ceil((Date.parse(trial.ends_at) - nowMs) / DAY_MS)), 'day')} left`;
    case 'active':
      return until === null ? 'Active' : `Active until ${onDay(until)}`;
    case 'inactive':
      return 'Not active';
    case 'lapsed':
      return `A payment failed on ${onDay(changed)}`;
  }
}
