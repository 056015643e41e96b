/** The effect of a subscription on a call at a given time. Pure: it reads no clock and no table. */
import type { SubscriptionState } from '../database/index.js';

/** What is kept of an account's subscription. */
export interface Subscription {
  readonly accountId: string;
  readonly state: SubscriptionState;
  readonly trialStartedAt: Date;
  /** Null: as many days after its start as the settings say. */
  readonly trialEndsAt: Date | null;
  /** Calls that the trial has counted. */
  readonly trialEvents: number;
  /** What has been paid for, as it is shown. */
  readonly periodEndsAt: Date | null;
  /** When an active subscription lapses by itself; null: never. */
  readonly endsAt: Date | null;
  readonly stripeCustomerId: string | null;
  readonly changedAt: Date;
}

/** What a trial includes. */
export interface TrialTerms {
  readonly trialEvents: number;
  readonly trialDays: number;
}

/** Whether calls are let in. */
export type Standing = 'active' | 'trialing' | 'trial_over' | 'inactive' | 'lapsed';

const DAY_MS = 86_400_000;

/** When the trial ends, unless its events are used up before. */
export function trialEnd({ trialStartedAt, trialEndsAt }: Subscription, { trialDays }: TrialTerms): Date {
  return trialEndsAt ?? new Date(trialStartedAt.getTime() + trialDays * DAY_MS);
}

/** How an account stands at a moment. */
export function standingOf(subscription: Subscription, terms: TrialTerms, now: Date): Standing {
  switch (subscription.state) {
    case 'active':
      return subscription.endsAt !== null && subscription.endsAt <= now ? 'lapsed' : 'active';
    case 'trialing':
      return subscription.trialEvents >= terms.trialEvents || trialEnd(subscription, terms) <= now
        ? 'trial_over'
        : 'trialing';
    case 'inactive':
    case 'lapsed':
      return subscription.state;
  }
}
