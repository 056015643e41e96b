import { decodeRequest, parseJson } from '../core/index.js';
import type { TenantSql } from '../database/index.js';
import type { NewEvent, SpendingCall } from '../events/index.js';
import type { ReserveCall } from './ledger/ledger-types.js';
import { OpenCalls } from './ledger/open-calls.js';
import { BudgetSpending, type SpendingParts } from './spending.service.js';

describe('the reservation of a proxied call', () => {
  it('is no longer renewed after the end of the call, even if the cost of the call could not be determined', async () => {
    const renewed: string[][] = [];
    const sql = { forAccounts: (...accounts: string[]) => (renewed.push(accounts), { query: () => [] }) };
    const open = new OpenCalls(sql as unknown as TenantSql, () => undefined);
    const cost = {
      priced: () => {
        throw new RangeError('no price can be computed');
      },
    };
    const spending = new BudgetSpending({ open, cost } as unknown as SpendingParts);
    open.add('account', 'call');
    const call = { source: 'proxy' } as SpendingCall;
    const hold = { reservationId: 'call', release: () => Promise.resolve() };
    await expect(spending.ended(call, { type: 'ai.error' } as NewEvent, hold)).rejects.toThrow(RangeError);
    await open.keepUp();
    expect(renewed).toEqual([]);
  });
});

describe('A budget that only records', () => {
  const budget = {
    ...{ id: 'all', scope: [], window: { per: 'total', timezone: 'UTC' } },
    ...{ limit: { unit: 'usd', nanoUsd: '100' }, warnAt: [], onExceed: 'record' },
  };
  /** The reservations for a call. */
  const reserved = async (more: object): Promise<readonly ReserveCall[]> => {
    const calls: ReserveCall[] = [];
    const spending = new BudgetSpending({
      periods: { idOf: () => Promise.resolve('window') },
      reserver: { reserve: (call: ReserveCall) => (calls.push(call), Promise.resolve({ outcome: 'granted' })) },
      open: new OpenCalls({} as TenantSql, () => undefined),
      cost: { atMost: () => Promise.resolve({ usd: 7n, tokens: 9n }) },
      hashOf: () => Promise.resolve((text: string) => new TextEncoder().encode(text)),
    } as unknown as SpendingParts);
    const doc = parseJson(JSON.stringify({ model: 'm', input: 'Hello', ...more }));
    const call = {
      ...{ source: 'proxy', receivedAt: new Date(0), doc, call: decodeRequest('openai.responses', doc) },
      caller: { accountId: 'account', appId: 'app', environment: 'production' },
      policy: { policy: { budgets: [budget], monitor: false } },
      context: { environment: 'production', app: { id: 'app' }, key: { id: 'key' } },
      route: { method: 'POST', path: '/v1/responses', governed: true, baseUrl: 'https://api.example' },
    } as unknown as SpendingCall;
    const event = { id: 'event', receivedAt: call.receivedAt } as NewEvent;
    expect((await spending.reserve(call, { event, enforced: true, addedBytes: 0 })).outcome).toBe('granted');
    return calls;
  };

  it('counts a call in the background, whose end reports no usage, with its upper bound', async () => {
    expect(await reserved({ background: true })).toMatchObject([
      { id: 'event', charges: [{ periodId: 'window', amount: 7n, limit: 100n, blocks: false }] },
    ]);
  });

  it('reserves nothing for a call whose end reports its usage', async () => {
    expect(await reserved({})).toEqual([]);
    expect(await reserved({ background: false })).toEqual([]);
  });
});
