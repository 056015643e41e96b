import type { FastifyRequest } from 'fastify';
import { AccountController } from './account.controller.js';
import { ACCOUNT } from './me-schema.js';

const START = new Date('2026-03-01T12:00:00Z');
const DAY_MS = 86_400_000;
const ID = '0198c0de-0000-7000-8000-000000000001';

/** The state of the subscription in the answer, this many days after the start. */
async function stateOf(state: string, days: number, enabled: boolean, endsAt: Date | null = null) {
  const subscription = { accountId: ID, state, trialStartedAt: START, trialEndsAt: null, trialEvents: 0 };
  const controller = new AccountController(
    { authorize: () => Promise.resolve({ accountId: ID, actor: { kind: 'person', id: ID } }) } as never,
    { account: () => Promise.resolve({ id: ID, email: 'jane@example.com', emailVerified: true }) },
    { find: () => Promise.resolve(null) },
    { find: () => Promise.resolve({ ...subscription, periodEndsAt: null, endsAt, changedAt: START } as never) },
    { billing: { enabled, trialEvents: 100, trialDays: 14 } } as never,
    { now: () => new Date(START.getTime() + days * DAY_MS) },
  );
  return ACCOUNT.parse(await controller.account({} as FastifyRequest)).account.subscription;
}

describe('The account that a client reads', () => {
  it.each(['trialing', 'active', 'inactive', 'lapsed'])(
    'has its subscription, here %s, while billing is on',
    async (state) => {
      expect(await stateOf(state, 1, true)).toBe(state);
    },
  );

  it.each(['trialing', 'active', 'inactive', 'lapsed'])(
    'is active without billing, even if stored as %s',
    async (state) => {
      expect(await stateOf(state, 400, false)).toBe('active');
    },
  );

  it('is lapsed as soon as its paid time is over', async () => {
    const end = new Date(START.getTime() + 30 * DAY_MS);
    expect([await stateOf('active', 29, true, end), await stateOf('active', 30, true, end)]).toEqual([
      'active',
      'lapsed',
    ]);
  });
});
