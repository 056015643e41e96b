import { randomUUID } from 'node:crypto';
import type { LedgerStep } from '../core/index.js';
import type { SqlRow, SqlSession, TenantSql } from '../database/index.js';
import { ACCOUNT_ID, appendRequest, newEvent } from '../../test/support/events.js';
import { prepareAppend } from './append-statement.js';
import { BatchWriter } from './batch-writer.js';
import type { LedgerWriter, NewEvent } from './event.js';

/** A batch of one event that settles an amount, with its id and answer; and how it was stored. */
async function stored(changes: Partial<NewEvent>) {
  const ways: string[] = [];
  const settle: LedgerStep = { do: 'settle', accountId: ACCOUNT_ID, eventId: 'event', reservationId: randomUUID() };
  const batch = [prepareAppend({ ...appendRequest(newEvent(changes)), ledger: [settle] })];
  const query = <Row extends SqlRow>() =>
    Promise.resolve(batch.map(({ rowId }) => ({ row_id: rowId })) as unknown as Row[]);
  const session: SqlSession = {
    query,
    transaction: (work) => {
      ways.push('in a transaction');
      return work({ query, enter: () => Promise.resolve() });
    },
  };
  const written = { children: [], lost: new Set<string>(), committed: () => undefined };
  const ledger: LedgerWriter = {
    write: () => Promise.resolve(written),
    writeWith: () => {
      ways.push('in one message');
      return Promise.resolve(written);
    },
    forget: () => Promise.resolve(undefined),
  };
  const sql: TenantSql = { forAccounts: () => session, forDuty: () => session };
  const { winners } = await new BatchWriter(sql, () => undefined, ledger).write(batch, 'main');
  return { ways, isWinner: winners.has(batch[0]?.rowId ?? '') };
}

describe('An event with effects on budgets', () => {
  it('is stored with them in one message if the service has made its id, which no earlier event can have', async () => {
    expect(await stored({})).toEqual({ ways: ['in one message'], isWinner: true });
  });

  it('is stored before them if its client has chosen its id, so that a repetition has no effect', async () => {
    expect(await stored({ eventId: 'evt_1' })).toEqual({ ways: ['in a transaction'], isWinner: true });
  });

  it('is stored before them if its client has sent the id of an earlier event of the service', async () => {
    expect(await stored({ eventId: newEvent().id })).toEqual({ ways: ['in a transaction'], isWinner: true });
  });
});
