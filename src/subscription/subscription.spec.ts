import { admissionStateOf, trialEnd, type Subscription } from './subscription.js';

const START = new Date('2026-03-01T12:00:00Z');
const TERMS = { trialEvents: 100, trialDays: 14 };
const after = (days: number): Date => new Date(START.getTime() + days * 86_400_000);
const subscription = (more: Partial<Subscription>): Subscription => ({
  accountId: 'a',
  state: 'trialing',
  trialStartedAt: START,
  trialEndsAt: null,
  trialEvents: 0,
  periodEndsAt: null,
  endsAt: null,
  stripeCustomerId: null,
  changedAt: START,
  ...more,
});

describe('a subscription', () => {
  it.each([
    ['trialing', {}, 0, 'trialing'],
    ['trialing', { trialEvents: 99 }, 13.99, 'trialing'],
    ['trialing', { trialEvents: 100 }, 1, 'trial_over'],
    ['trialing', {}, 14, 'trial_over'],
    ['trialing', { trialEndsAt: after(30) }, 29, 'trialing'],
    ['trialing', { trialEndsAt: after(2) }, 2, 'trial_over'],
    ['active', { trialEvents: 1_000 }, 400, 'active'],
    ['active', { endsAt: after(30) }, 29.99, 'active'],
    ['active', { endsAt: after(30) }, 30, 'lapsed'],
    ['inactive', { endsAt: after(30) }, 1, 'inactive'],
    ['lapsed', { endsAt: after(30) }, 1, 'lapsed'],
  ] as const)('in state %s with %j has after %d days the admission state %s', (state, more, days, expected) => {
    expect(admissionStateOf(subscription({ state, ...more }), TERMS, after(days))).toBe(expected);
  });

  it('has a trial of the configured number of days, unless its end is set', () => {
    expect(trialEnd(subscription({}), TERMS)).toEqual(after(14));
    expect(trialEnd(subscription({ trialEndsAt: after(1) }), TERMS)).toEqual(after(1));
  });

  it('has no trial if the settings include no events or no days', () => {
    expect(admissionStateOf(subscription({}), { trialEvents: 0, trialDays: 14 }, START)).toBe('trial_over');
    expect(admissionStateOf(subscription({}), { trialEvents: 9, trialDays: 0 }, START)).toBe('trial_over');
  });
});
