/** Retention that fails, is interrupted, or meets weeks of any size: what is due is deleted in the end, and nothing else. */
import { randomBytes } from 'node:crypto';
import { BudgetLedgerWriter } from '../../src/budgets/ledger/ledger-writer.js';
import type { Environment, LegalHold, Retention } from '../../src/core/index.js';
import { ADVISORY_LOCKS, type SqlRow, type SqlRunner } from '../../src/database/index.js';
import { firstEventIdAt, newEventId } from '../../src/events/event-id.js';
import { EventLog } from '../../src/events/event-log.js';
import type { DeletedCalls, NewEvent } from '../../src/events/event.js';
import { ensurePartitions } from '../../src/events/partitions.js';
import { RetentionKeeper, type RetentionParts } from '../../src/events/retention/retention-keeper.js';
import { DatedLog, DAY_MS } from '../support/dated-log.js';
import { eachDatabase } from '../support/each-database.js';
import { appendRequest, violationEvent } from '../support/events.js';
import { eachStatement } from '../support/sql.js';

const HOUR_MS = 3_600_000;
const LEDGER = new BudgetLedgerWriter({ ledgerEvents: () => undefined, freed: () => undefined });
const IDS_KEPT =
  /^Ids of events that were deleted long ago could not be deleted; they are kept until the next attempt: /;

eachDatabase('a run of the retention', (current) => {
  let accountId: string;
  let other: string;
  let startMs: number;
  beforeEach(async () => {
    ({ accountId, other, startMs } = await log.begin());
  });

  const sql = (): SqlRunner => current().database.sql;
  const log = new DatedLog(sql, '6fc');
  const owned = <Row extends SqlRow>(statement: string, parameters: readonly string[] = []): Promise<Row[]> =>
    sql().forMaintenance().query<Row>(statement, parameters);
  const ofAccount = (table: string): Promise<SqlRow[]> =>
    owned(`SELECT 1 AS one FROM ${table} WHERE account_id = $1::uuid`, [accountId]);
  const isThere = async ({ id }: NewEvent): Promise<boolean> =>
    (await owned('SELECT 1 AS one FROM events WHERE id = $1::uuid', [id])).length > 0;

  /** A keeper on this day of the test, for the production of the account. */
  const keeperOn = (day: number, retention: Partial<Retention>, changes: Partial<RetentionParts> = {}) => {
    const reports: string[] = [];
    const keeper = new RetentionKeeper({
      ...{ sql: sql(), ledger: LEDGER, report: (message: string) => reports.push(message) },
      inForce: {
        read: () =>
          Promise.resolve((id: string, place: Environment) =>
            id === accountId && place === 'production' ? { holds: [], ...retention } : undefined,
          ),
      },
      now: () => new Date(startMs + day * DAY_MS),
      ...changes,
    });
    return { keeper, reports };
  };
  const keepOn = async (...of: Parameters<typeof keeperOn>): Promise<string[]> => {
    const { keeper, reports } = keeperOn(...of);
    await keeper.keep();
    return reports;
  };
  const storeAll = async (events: readonly NewEvent[]): Promise<void> => {
    const together = new EventLog(sql());
    await Promise.all(events.map((event) => together.append(appendRequest(event))));
  };

  describe('on a week whose ids have to be deleted', () => {
    /** An event with an id that is deleted on day 405. */
    const storeOld = async (): Promise<void> => {
      await log.store(log.eventOn(0));
      expect(await keepOn(60, { recordsDays: 20 })).toEqual([]);
      expect([await ofAccount('events'), await ofAccount('event_ids')]).toEqual([[], [{ one: 1 }]]);
    };

    it('deletes newer events even if the ids cannot be deleted', async () => {
      await storeOld();
      const newer = await log.store(log.eventOn(370));
      await ensurePartitions(sql(), newer.receivedAt);
      await owned(
        `CREATE OR REPLACE FUNCTION no_ids() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'down'; END $$`,
      );
      await owned('CREATE TRIGGER no_ids BEFORE DELETE ON event_ids FOR EACH STATEMENT EXECUTE FUNCTION no_ids()');
      const reports = await keepOn(405, { recordsDays: 20 });
      await owned('DROP TRIGGER no_ids ON event_ids');
      expect(reports).toEqual([expect.stringMatching(IDS_KEPT)]);
      expect(await isThere(newer)).toBe(false);
      expect(await keepOn(405, { recordsDays: 20 })).toEqual([]);
      // That of the newer event.
      expect(await ofAccount('event_ids')).toHaveLength(1);
    });

    it('does not lose ids if another server that deletes them is killed', async () => {
      // On the embedded database there is only one server.
      if (current().kind === 'embedded') return;
      await storeOld();
      const another = await current().openAnother();
      const killed = another.sql.forMaintenance().transaction(async (transaction) => {
        await transaction.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.eventIds})`);
        await transaction.query('DELETE FROM event_ids WHERE account_id = $1::uuid', [accountId]);
        expect(await keepOn(405, { recordsDays: 20 })).toEqual([]);
        throw new Error('killed');
      });
      await expect(killed).rejects.toThrow('killed');
      expect([await ofAccount('event_ids'), await ofAccount('event_weeks')]).toEqual([[{ one: 1 }], [{ one: 1 }]]);
      expect(await keepOn(405, { recordsDays: 20 })).toEqual([]);
      expect([await ofAccount('event_ids'), await ofAccount('event_weeks')]).toEqual([[], []]);
    });

    it('deletes the ids of all other events while one is held, and that one after the hold', async () => {
      const hold = { id: 'LH-1', because: 'a lawsuit', match: { session: 's_7' }, untilMs: startMs + 410 * DAY_MS };
      await storeAll(Array.from({ length: 1_100 }, () => log.eventOn(0)));
      await log.store(log.eventOn(0, { sessionId: 's_7' }));
      const { keeper, reports } = keeperOn(406, { recordsDays: 20, holds: [hold] });
      await keeper.keep();
      await keeper.keep();
      expect([await ofAccount('event_ids'), await ofAccount('event_weeks')]).toEqual([[{ one: 1 }], [{ one: 1 }]]);
      expect([...reports, ...(await keepOn(411, { recordsDays: 20, holds: [hold] }))]).toEqual([]);
      expect([await ofAccount('event_ids'), await ofAccount('event_weeks')]).toEqual([[], []]);
    });
  });

  it('reports how many weeks could not be deleted, until they are', async () => {
    await log.store(log.eventOn(0));
    await log.store(log.eventOn(0, { accountId: other }));
    const newer = await log.store(log.eventOn(14));
    let isDown = true;
    const failing = eachStatement(sql(), (statement) => {
      if (isDown && statement.includes('CREATE TABLE') && statement.includes('_next')) throw new Error('down');
    });
    const { keeper, reports } = keeperOn(60, { recordsDays: 20 }, { sql: failing });
    await keeper.keep();
    expect([reports.length, keeper.weeksDue, await isThere(newer)]).toEqual([1, 1, false]);
    isDown = false;
    await keeper.keep();
    expect([reports.length, keeper.weeksDue, await ofAccount('events')]).toEqual([1, 0, []]);
  });

  it.each([
    [61, "61 s ahead of the database's"],
    [-90, "90 s behind the database's"],
  ])('deletes nothing while the clock of the server is %i s ahead', async (seconds, what) => {
    const event = await log.store(log.eventOn(0));
    const clockAheadMs = (): number => seconds * 1_000;
    expect(await keepOn(60, { recordsDays: 20 }, { clockAheadMs })).toEqual([
      `Events due for deletion are kept while the clock of this server is ${what}.`,
    ]);
    expect(await isThere(event)).toBe(true);
    expect(await keepOn(60, { recordsDays: 20 }, { clockAheadMs: () => 60_000 })).toEqual([]);
    expect(await isThere(event)).toBe(false);
  });

  it('stops in the middle of a week when the server is shut down, and leaves the week unchanged', async () => {
    const events = [log.eventOn(0), log.eventOn(0, { environment: 'staging' }), log.eventOn(0, { accountId: other })];
    for (const event of events) await log.store(event);
    let copies = 0;
    const stops: Promise<void>[] = [];
    const stopping = eachStatement(sql(), (statement) => {
      if (!/INSERT INTO events_w\d+_next/.test(statement)) return;
      copies += 1;
      stops.push(keeper.stop());
    });
    const { keeper, reports } = keeperOn(60, { recordsDays: 20 }, { sql: stopping });
    await keeper.keep();
    await Promise.all(stops);
    expect([copies, reports]).toEqual([1, []]);
    expect(await Promise.all(events.map(isThere))).toEqual([true, true, true]);
    expect(await keepOn(60, { recordsDays: 20 })).toEqual([]);
    expect(await Promise.all(events.map(isThere))).toEqual([false, true, true]);
  });

  it('copies large events one by one', async () => {
    const large = JSON.stringify({ text: randomBytes(4_500_000).toString('base64') });
    await log.store(log.eventOn(0));
    for (let n = 0; n < 3; n++) await log.store(log.eventOn(n, { environment: 'staging', payload: large }));
    let copies = 0;
    const counted = eachStatement(sql(), (statement) => {
      if (/INSERT INTO events_w\d+_next/.test(statement)) copies += 1;
    });
    expect(await keepOn(60, { recordsDays: 20 }, { sql: counted })).toEqual([]);
    const left = await owned<{ n: number }>(
      'SELECT length(payload::text) AS n FROM events WHERE account_id = $1::uuid',
      [accountId],
    );
    expect(left).toEqual(Array.from({ length: 3 }, () => ({ n: large.length })));
    expect(copies).toBeGreaterThanOrEqual(3);
  }, 60_000);

  it('keeps the held calls of a week with many events, with their violations', async () => {
    const hold: LegalHold = { id: 'LH-1', because: 'a lawsuit', match: { session: 's_7' }, untilMs: Infinity };
    const events = Array.from({ length: 450 }, (_, n) =>
      log.eventOn(n / 200, n % 150 === 149 ? { sessionId: 's_7' } : { sessionId: `s-${n}` }),
    );
    await storeAll(events);
    const [held] = events.filter(({ sessionId }) => sessionId === 's_7');
    const said = { ...violationEvent(held!, 'pii.flag'), accountId, id: newEventId(new Date(startMs + 2.5 * DAY_MS)) };
    await log.store(said);
    expect(await keepOn(60, { recordsDays: 20, holds: [hold] })).toEqual([]);
    expect(await ofAccount('events')).toHaveLength(4);
    expect(await isThere(said)).toBe(true);
    const counted = await owned('SELECT held::integer AS held FROM event_weeks WHERE account_id = $1::uuid', [
      accountId,
    ]);
    expect(counted).toEqual([{ held: 4 }]);
  });

  describe('on the ledger', () => {
    const PERIOD = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6fc901';
    const entry = async (source: string, answer: string): Promise<void> => {
      await owned(
        `INSERT INTO budget_periods (account_id, id, environment, budget_id, unit, per, scope, scope_label, timezone,
           period_start, on_exceed, limit_n, warn_at, settled_n)
         VALUES ($1::uuid, $2::uuid, 'production', 'team', 'usd', 'total', $1, '{}', 'UTC', now(), 'record', 1000, '{}', 7)`,
        [accountId, PERIOD],
      );
      await owned(
        `INSERT INTO budget_entries (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, event_id, created_at)
         VALUES ($1::uuid, $3::uuid, $2::uuid, 'event', 7, 0, 7, $4::uuid, now())`,
        [accountId, PERIOD, source, answer],
      );
    };
    const entries = (): Promise<SqlRow[]> =>
      owned('SELECT kind, settled_n::text AS settled FROM budget_entries WHERE account_id = $1::uuid', [accountId]);

    it('combines the cost of a call that was answered weeks later when the request is deleted', async () => {
      const request = await log.store(log.eventOn(0));
      const answer = await log.store(log.eventOn(56));
      await entry(request.id, answer.id);
      expect(await keepOn(60, { recordsDays: 20 })).toEqual([]);
      expect([await isThere(answer), await entries()]).toEqual([true, [{ kind: 'estimate', settled: '7' }]]);
    });

    it('keeps the cost of a call whose answer of the next week is kept', async () => {
      const request = await log.store(log.eventOn(4.99));
      const answer = await log.store(log.eventOn(5.01));
      await entry(request.id, answer.id);
      expect(await keepOn(26, { recordsDays: 20 })).toEqual([]);
      expect([await isThere(request), await entries()]).toEqual([false, [{ kind: 'event', settled: '7' }]]);
      expect(await keepOn(33, { recordsDays: 20 })).toEqual([]);
      expect([await isThere(answer), await entries()]).toEqual([false, [{ kind: 'estimate', settled: '7' }]]);
    });

    it('reads only the calls since the previous week of the environment', async () => {
      await log.store(log.eventOn(0));
      await log.store(log.eventOn(21));
      const asked: DeletedCalls[] = [];
      const ledger = { ...LEDGER, forget: (_: unknown, of: DeletedCalls) => Promise.resolve(void asked.push(of)) };
      expect(await keepOn(60, { recordsDays: 20 }, { ledger: ledger as never })).toEqual([]);
      const endMs = startMs + 5 * DAY_MS;
      expect(asked.map(({ afterId, beforeId }) => [afterId, beforeId])).toEqual([
        ['00000000-0000-0000-0000-000000000000', firstEventIdAt(endMs)],
        [firstEventIdAt(endMs - 25 * HOUR_MS), firstEventIdAt(endMs + 21 * DAY_MS)],
      ]);
    });
  });
});
