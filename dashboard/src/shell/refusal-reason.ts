import type { Subscription } from '../api/types.ts';

/** Why the calls of an account are refused, as the end of a sentence; null if its subscription admits them. */
export function refusalReason({
  billing,
  state,
  trial,
}: Pick<Subscription, 'billing' | 'state' | 'trial'>): string | null {
  if (billing === 'off') return null;
  switch (state) {
    case 'active':
      return null;
    case 'trialing':
      return trial?.over === true ? 'the trial has ended' : null;
    case 'inactive':
      return 'the account has no active subscription';
    case 'lapsed':
      return 'the subscription has lapsed';
  }
}
