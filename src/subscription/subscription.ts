/** The effect of a subscription on a call at a given time. Pure: it reads no clock and no table. */
import type { SubscriptionState } from '../database/index.js';

/** The stored state of an account's subscription. */
export interface Subscription {
  readonly accountId: string;
  readonly state: SubscriptionState;
  readonly trialStartedAt: Date;
  /** Null: the configured number of days after its start. */
  readonly trialEndsAt: Date | null;
  /** Number of calls counted in the trial. */
  readonly trialEvents: number;
  /** End of the paid period, for display. */
  readonly periodEndsAt: Date | null;
  /** The time when an active subscription lapses automatically; null: never. */
  readonly endsAt: Date | null;
  readonly stripeCustomerId: string | null;
  readonly changedAt: Date;
}

/** The events and days included in a trial. */
export interface TrialTerms {
  readonly trialEvents: number;
  readonly trialDays: number;
}

/** The state that determines whether calls are admitted. */
export type AdmissionState = 'active' | 'trialing' | 'trial_over' | 'inactive' | 'lapsed';

const DAY_MS = 86_400_000;

/** The end of the trial, unless its events are used up before. */
export function trialEnd({ trialStartedAt, trialEndsAt }: Subscription, { trialDays }: TrialTerms): Date {
  return trialEndsAt ?? new Date(trialStartedAt.getTime() + trialDays * DAY_MS);
}

/** The state of an account at a given time. */
export function admissionStateOf(subscription: Subscription, terms: TrialTerms, now: Date): AdmissionState {
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
