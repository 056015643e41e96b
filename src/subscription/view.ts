import type { z } from 'zod';
import type { SUBSCRIPTION } from './api-schemas.js';
import { admissionStateOf, trialEnd, type Subscription, type TrialTerms } from './subscription.js';

/** A subscription in the format for account management. */
export function subscriptionView(
  subscription: Subscription,
  terms: TrialTerms & { readonly enabled: boolean },
  now: Date,
): z.infer<typeof SUBSCRIPTION> {
  const state = admissionStateOf(subscription, terms, now);
  const trialing = subscription.state === 'trialing';
  return {
    state: !terms.enabled ? 'active' : state === 'trial_over' ? 'trialing' : state,
    billing: terms.enabled ? 'on' : 'off',
    trial:
      trialing && terms.enabled
        ? {
            started_at: subscription.trialStartedAt.toISOString(),
            ends_at: trialEnd(subscription, terms).toISOString(),
            events_used: subscription.trialEvents,
            events_included: terms.trialEvents,
            over: state === 'trial_over',
          }
        : null,
    period_ends_at: subscription.periodEndsAt?.toISOString() ?? null,
    changed_at: subscription.changedAt.toISOString(),
  };
}
