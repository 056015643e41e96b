/** The search for proxied calls without an end, after the clock of the database was wrong, or after an outage. */
import { GapSweeper } from '../../src/events/gap-sweeper.js';
import { firstEventIdAt } from '../../src/events/event-id.js';
import { EventLog } from '../../src/events/event-log.js';
import { ACCOUNT_ID, appendRequest, newEvent } from '../support/events.js';
import { eachDatabase } from '../support/each-database.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A call is searched this long after its longest duration. */
const GRACE_MS = 5 * MINUTE_MS;

eachDatabase('The search for calls without an end', (current) => {
  beforeAll(() =>
    current().database.sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [
      ACCOUNT_ID,
    ]),
  );

  const owned = (statement: string, parameter: string) =>
    current().database.sql.forMaintenance().query(statement, [parameter]);
  /** A proxied call that began this long ago and has no end. */
  const openCall = async (agoMs: number): Promise<string> => {
    const event = newEvent({ source: 'proxy', receivedAt: new Date(Date.now() - agoMs) });
    await new EventLog(current().database.sql).append(appendRequest(event));
    return event.id;
  };
  const searchedTo = (agoMs: number) =>
    owned('UPDATE call_gap_sweeps SET swept_to = $1::text::uuid', firstEventIdAt(Date.now() - agoMs));
  /** Searches the calls that began before this time. @returns the numbers of ended calls, and failures */
  const searchUntil = async (agoMs: number): Promise<readonly unknown[]> => {
    const reports: unknown[] = [];
    const { sql } = current().database;
    await new GapSweeper({
      ...{ sql, log: new EventLog(sql), longestCallMs: agoMs - GRACE_MS },
      ended: (calls) => reports.push(calls),
      failed: (reason) => reports.push(reason),
    }).tick();
    return reports;
  };
  const endsOf = (id: string) => owned('SELECT type, reason FROM events WHERE parent_id = $1::uuid', id);
  const GAP = [{ type: 'ai.error', reason: 'log_gap' }];

  it.each([
    ['a day', 24 * HOUR_MS],
    ['three minutes', 3 * MINUTE_MS],
  ])('finds the calls that began after a clock that was %s ahead was set back', async (_, aheadMs) => {
    await searchedTo(HOUR_MS - aheadMs);
    expect(await searchUntil(HOUR_MS)).toEqual([]);
    const call = await openCall(HOUR_MS - MINUTE_MS);
    expect(await searchUntil(HOUR_MS / 2)).toEqual([1]);
    expect(await endsOf(call)).toEqual(GAP);
    expect(await searchUntil(HOUR_MS / 2)).toEqual([]);
  });

  it('finds all calls of an outage of two days in one run', async () => {
    await searchedTo(47 * HOUR_MS);
    const calls = [await openCall(46 * HOUR_MS), await openCall(20 * HOUR_MS), await openCall(2 * HOUR_MS)];
    expect(await searchUntil(HOUR_MS)).toEqual([1, 1, 1]);
    expect(await Promise.all(calls.map(endsOf))).toEqual([GAP, GAP, GAP]);
  });
});
