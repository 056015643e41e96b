import type { SqlSession } from '../../src/database/index.js';
import { deleteDetached, detachWeek } from '../../src/events/detached-weeks.js';
import { EventReader } from '../../src/events/reading/event-reader.js';
import { tryLockWeeks } from '../../src/events/week-tables.js';
import { tableSums } from '../../src/database/table-sums.js';
import { DatedLog, DAY_MS } from '../support/dated-log.js';
import { eachDatabase } from '../support/each-database.js';

eachDatabase('A week that was detached from the event log', (current) => {
  const log = new DatedLog(() => current().database.sql, '6fc');
  const owner = (): SqlSession => current().database.sql.forMaintenance();
  const detached = async (): Promise<number> =>
    (await owner().query(`SELECT 1 AS one FROM pg_class WHERE relname LIKE 'detached%'`)).length;

  /** Stores an event, and detaches its week. */
  const detachOne = async () => {
    const { startMs } = await log.begin();
    const event = await log.store(log.eventOn(0));
    const table = `events_w${new Date(startMs - 2 * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await owner().transaction((transaction) => detachWeek(transaction, table));
    return event;
  };
  afterEach(() => deleteDetached(current().database.sql, { isUrgent: true }));

  it('is not read, and is part of no comparison of databases', async () => {
    const event = await detachOne();
    expect(await new EventReader(current().database.sql).get({ accountId: event.accountId }, event.id)).toBeNull();
    expect(await detached()).toBe(1);
    const sums = await owner().transaction(tableSums);
    expect(sums.map(({ table }) => table).filter((table) => table.startsWith('detached'))).toEqual([]);
    expect(sums.find(({ table }) => table === 'events')).toMatchObject({ rows: 0 });
  });

  it('is deleted with its indexes, and so is a second one of the same week', async () => {
    const event = await detachOne();
    const indexes = await owner().query(
      `SELECT 1 AS one FROM pg_class WHERE relkind = 'i' AND relname LIKE 'events_w' || to_char($1::timestamptz, 'YYYY') || '%'`,
      [event.receivedAt.toISOString()],
    );
    expect(indexes.length).toBeGreaterThan(1);
    await deleteDetached(current().database.sql, {});
    expect(await detached()).toBe(0);
  });

  it('is kept when the server ends, and deleted by the next run', async () => {
    await detachOne();
    await deleteDetached(current().database.sql, { signal: AbortSignal.abort() });
    expect(await detached()).toBe(1);
    await deleteDetached(current().database.sql, { signal: new AbortController().signal });
    expect(await detached()).toBe(0);
  });

  it('is left to the server that detached it for an hour', async () => {
    await detachOne();
    expect(await deleteDetached(current().database.sql, { isLeftOver: true })).toBe(true);
    expect(await detached()).toBe(1);
    const [table] = await owner().query<{ name: string }>(
      `SELECT relname::text AS name FROM pg_class WHERE relname LIKE 'detached%'`,
    );
    const earlier = table!.name.replace(/\d+$/, (ms) => String(Number(ms) - 3_700_000));
    await owner().query(`ALTER TABLE ${table!.name} RENAME TO ${earlier}`);
    await deleteDetached(current().database.sql, { isLeftOver: true });
    expect(await detached()).toBe(0);
  });

  it('is left to another server that is changing weeks, unless its deletion is urgent', async () => {
    // The embedded database has one connection, so nothing runs beside a transaction.
    if (current().database.kind === 'embedded') return;
    await detachOne();
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const other = owner().transaction(async (transaction) => {
      expect(await tryLockWeeks(transaction)).toBe(true);
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    expect(await deleteDetached(current().database.sql, {})).toBe(false);
    expect(await detached()).toBe(1);
    const urgent = deleteDetached(current().database.sql, { isUrgent: true });
    released.resolve();
    await other;
    expect(await urgent).toBe(true);
    expect(await detached()).toBe(0);
  });
});
