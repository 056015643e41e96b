import { decodeRequest, parseJson, type Usage } from '../core/index.js';
import type { TenantSql } from '../database/index.js';
import type { NewEvent, SpendingCall } from '../events/index.js';
import { CallCost } from './call-cost.js';
import type { ReserveCall } from './ledger/ledger-types.js';
import { OpenCalls } from './ledger/open-calls.js';
import { TokenCounter } from './prices/token-counter.js';
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

const BUDGET = {
  ...{ id: 'all', scope: [], window: { per: 'total', timezone: 'UTC' } },
  ...{ limit: { unit: 'usd', nanoUsd: '100' }, warnAt: [], onExceed: 'record' },
};

/** A proxied call to OpenAI's responses. @param more members of its body */
function callWith(more: object): SpendingCall {
  const doc = parseJson(JSON.stringify({ model: 'm', input: 'Hello', ...more }));
  return {
    ...{ source: 'proxy', receivedAt: new Date(0), doc, call: decodeRequest('openai.responses', doc) },
    caller: { accountId: 'account', appId: 'app', environment: 'production' },
    policy: { policy: { budgets: [BUDGET], prices: {}, monitor: false } },
    context: { environment: 'production', app: { id: 'app' }, key: { id: 'key' } },
    route: { method: 'POST', path: '/v1/responses', governed: true, baseUrl: 'https://api.example' },
  } as unknown as SpendingCall;
}

describe('A budget that only records', () => {
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
    const call = callWith(more);
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

describe('The end of a call with a reservation', () => {
  const price = { version: 't', input: { base: 1_000_000n }, output: { base: 1_000_000n } };
  const spending = new BudgetSpending({
    open: new OpenCalls({} as TenantSql, () => undefined),
    cost: new CallCost({ priceOf: () => price }, new TokenCounter()),
    metrics: { unpriced: () => undefined },
  } as unknown as SpendingParts);
  const hold = { reservationId: 'call', release: () => Promise.resolve() };
  const endOf = (more: object, type: 'ai.response' | 'ai.error', usage?: Usage) =>
    spending.ended(callWith(more), { id: 'end', type, model: 'm', ...(usage && { usage }) } as NewEvent, hold);
  const settled = { do: 'settle', accountId: 'account', eventId: 'end', reservationId: 'call' };
  const part: Usage = { promptTokens: 10, completionTokens: 1, estimated: true };

  it.each([{ background: true }, { deferred: true }])(
    'leaves the upper bound counted if its answer was cut off, but is generated further: %j',
    async (more) => {
      for (const type of ['ai.response', 'ai.error'] as const) {
        const { event, ledger } = await endOf(more, type, part);
        expect(ledger).toEqual([settled]);
        expect(event).toEqual({ id: 'end', type, model: 'm' });
      }
    },
  );

  it('counts the received part of any other answer that was cut off', async () => {
    const { event, ledger } = await endOf({ stream: true }, 'ai.response', part);
    expect(ledger).toEqual([{ ...settled, usd: 11n, tokens: 11n }]);
    expect(event).toMatchObject({ usage: part, costNanoUsd: '11' });
  });

  it('counts the tokens that the provider reported for a call in the background', async () => {
    const usage = { promptTokens: 10, completionTokens: 20 };
    const { ledger } = await endOf({ background: true, stream: true }, 'ai.response', usage);
    expect(ledger).toEqual([{ ...settled, usd: 30n, tokens: 30n }]);
  });

  it('costs nothing if the provider answered with an error, also to a call in the background', async () => {
    const { ledger } = await endOf({ background: true }, 'ai.error');
    expect(ledger).toEqual([{ do: 'release', accountId: 'account', reservationId: 'call' }]);
  });
});
