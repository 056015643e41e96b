import type { TenantSql } from '../database/index.js';
import type { NewEvent, SpendingCall } from '../events/index.js';
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
