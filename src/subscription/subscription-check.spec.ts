import { DatabaseUnavailable } from '../database/index.js';
import { SubscriptionCheck } from './subscription-check.js';
import type { Subscription } from './subscription.js';
import type { TrialClaim } from './trial-counter.js';

const NOW = new Date('2026-03-10T00:00:00Z');
const TRIALING: Subscription = {
  accountId: 'a',
  state: 'trialing',
  trialStartedAt: new Date('2026-03-01T00:00:00Z'),
  trialEndsAt: null,
  trialEvents: 5,
  periodEndsAt: null,
  endsAt: null,
  stripeCustomerId: null,
  changedAt: NOW,
};

function stepFor(
  known: Partial<Subscription> | null | Error,
  taken: TrialClaim = 'granted',
  later?: Partial<Subscription>,
) {
  const calls: string[] = [];
  let asked = 0;
  const find = (): Promise<Subscription | null> => {
    asked += 1;
    if (known instanceof Error) return Promise.reject(known);
    return Promise.resolve(known === null ? null : { ...TRIALING, ...(asked > 1 ? later : known) });
  };
  const counter = {
    take: () => (calls.push('take'), Promise.resolve(taken)),
    giveBack: () => void calls.push('give back'),
  };
  const step = new SubscriptionCheck({ find }, counter, { trialEvents: 10, trialDays: 14 }, () => NOW);
  return { calls, admit: () => step.admit({ caller: { accountId: 'a' } }) };
}

describe('the subscription of a caller', () => {
  it('admits calls if it is active, and counts nothing', async () => {
    const { calls, admit } = stepFor({ state: 'active' });
    expect(await admit()).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it('admits a call during the trial, counts it, and reverses the count on a rollback', async () => {
    const { calls, admit } = stepFor({});
    (await admit())?.();
    expect(calls).toEqual(['take', 'give back']);
  });

  it.each([
    [{ state: 'inactive' }, 'subscription_inactive'],
    [{ state: 'lapsed' }, 'subscription_lapsed'],
    [{ state: 'active', endsAt: NOW }, 'subscription_lapsed'],
    [{ trialEvents: 10 }, 'trial_limit_reached'],
    [{ trialEndsAt: NOW }, 'trial_limit_reached'],
    [null, 'subscription_inactive'],
  ] as const)('refuses %j with %s', async (known, type) => {
    const { calls, admit } = stepFor(known);
    await expect(admit()).rejects.toMatchObject({ type, options: {} });
    expect(calls).toEqual([]);
  });

  it('refuses calls after the last event of the trial', async () => {
    await expect(stepFor({}, 'used_up').admit()).rejects.toMatchObject({ type: 'trial_limit_reached' });
  });

  it('is read again if the trial has ended by the time the call is counted', async () => {
    expect(await stepFor({}, 'not_trialing', { state: 'active' }).admit()).toBeUndefined();
    await expect(stepFor({}, 'not_trialing', { state: 'inactive' }).admit()).rejects.toMatchObject({
      type: 'subscription_inactive',
    });
  });

  it('is reported as an outage, never as a missing payment, if it cannot be read', async () => {
    await expect(stepFor(new DatabaseUnavailable('away')).admit()).rejects.toMatchObject({
      type: 'unavailable',
      options: { retryAfterSeconds: 1 },
    });
  });
});
