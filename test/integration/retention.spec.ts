import { createHash } from 'node:crypto';
import { BudgetLedgerWriter } from '../../src/budgets/ledger/ledger-writer.js';
import type { Environment, LegalHold, Retention } from '../../src/core/index.js';
import type { SqlRow, SqlRunner } from '../../src/database/index.js';
import type { RetentionOf } from '../../src/deployments/index.js';
import type { NewEvent } from '../../src/events/event.js';
import { EventLog } from '../../src/events/event-log.js';
import { newEventId } from '../../src/events/event-id.js';
import { ensurePartitions } from '../../src/events/partitions.js';
import { EventReader } from '../../src/events/reading/event-reader.js';
import { reopenPartOf } from '../../src/events/retention/week-parts.js';
import { RetentionKeeper } from '../../src/events/retention/retention-keeper.js';
import { DatedLog, DAY_MS } from '../support/dated-log.js';
import { eachDatabase } from '../support/each-database.js';
import { APP_ID, violationEvent } from '../support/events.js';

const LEDGER = new BudgetLedgerWriter({ ledgerEvents: () => undefined, freed: () => undefined });

eachDatabase('the retention of events', (current) => {
  let accountId: string;
  let other: string;
  let year: number;
  let startMs: number;
  beforeEach(async () => {
    ({ accountId, other, year, startMs } = await log.begin());
  });

  const sql = (): SqlRunner => current().database.sql;
  const log = new DatedLog(sql, '6fa');
  const owned = <Row extends SqlRow>(statement: string, parameters: readonly string[] = []): Promise<Row[]> =>
    sql().forMaintenance().query<Row>(statement, parameters);
  const kept = (retention: Partial<Retention> | 'unknown', environment: Environment = 'production'): RetentionOf => {
    return (id, place) =>
      id === accountId && place === environment
        ? retention === 'unknown'
          ? 'unknown'
          : { holds: [], ...retention }
        : undefined;
  };
  /** @returns the reported messages */
  const keepOn = async (day: number, retentionOf: RetentionOf): Promise<string[]> => {
    const reports: string[] = [];
    const now = (): Date => new Date(startMs + day * DAY_MS);
    const report = (message: string): number => reports.push(message);
    await new RetentionKeeper({
      sql: sql(),
      inForce: { read: async () => retentionOf },
      ledger: LEDGER,
      report,
      now,
    }).keep();
    return reports;
  };
  const read = async (event: NewEvent) => new EventReader(sql()).get({ accountId: event.accountId }, event.id);
  const payloadOf = async ({ id }: NewEvent): Promise<string | null | undefined> => {
    const [row] = await owned<{ payload: string | null }>(
      'SELECT payload::text AS payload FROM events WHERE id = $1::uuid',
      [id],
    );
    return row?.payload;
  };
  const isThere = async (event: NewEvent): Promise<boolean> => (await payloadOf(event)) !== undefined;
  const count = async (statement: string, parameters: readonly string[]): Promise<number> =>
    (await owned<{ n: number }>(`SELECT count(*)::integer AS n FROM ${statement}`, parameters))[0]!.n;

  /** Stores an event whose answer contains a text. `again` finds the answer as a retry does. */
  const storeAnswered = async (day: number, environment: Environment) => {
    const eventId = `evt-${year}`;
    const event = log.eventOn(day, { eventId, decision: 'redact', environment });
    const body = `{"event_id":"${eventId}","decision":"redact","payload":{"prompt":"mail [EMAIL_1]"}}`;
    const fingerprint = createHash('sha256').update('x').digest();
    const idempotency = { fingerprint, answer: { status: 200, body } };
    await new EventLog(sql()).append({ event, children: [], idempotency });
    const again = (): Promise<unknown> => new EventLog(sql()).remembered(APP_ID, environment, eventId, accountId);
    return { event, again };
  };

  it('deletes texts after their retention period, and keeps the other fields of each event', async () => {
    const [old, fresh] = [await log.store(log.eventOn(0)), await log.store(log.eventOn(14))];
    expect(await keepOn(34.9, kept({ contentDays: 30 }))).toEqual([]);
    expect(await payloadOf(old)).toBe('{"messages":[{"role":"user","content":"Hello"}]}');
    expect(await keepOn(35, kept({ contentDays: 30 }))).toEqual([]);
    expect(await payloadOf(old)).toBeNull();
    expect(await payloadOf(fresh)).toContain('Hello');
    const [row] = await owned<{ found: number }>(
      `SELECT count(*)::integer AS found FROM events WHERE id = $1::uuid AND metadata_index @> '{"user_id":["u_1"]}'
       AND decision = 'allow' AND facts IS NOT NULL`,
      [old.id],
    );
    expect(row).toEqual({ found: 1 });
  });

  it('drops a whole week when the records of all accounts in it have expired', async () => {
    const event = log.eventOn(0);
    await log.store(
      event,
      [violationEvent(event, 'pii.block')].map((child) => ({ ...child, accountId, id: newEventId(event.receivedAt) })),
    );
    const partition = `events_w${new Date(startMs - 2 * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
    const tables = (): Promise<number> => count(`pg_class WHERE relname LIKE '%' || $1 || '%'`, [partition]);
    expect(await tables()).toBeGreaterThan(0);
    expect(await keepOn(60, kept({ recordsDays: 40 }))).toEqual([]);
    expect(await tables()).toBe(0);
    expect(await isThere(event)).toBe(false);
    expect(await count('events WHERE account_id = $1::uuid', [accountId])).toBe(0);
  });

  it('does not change events of other accounts or environments', async () => {
    const mine = await log.store(log.eventOn(0));
    const staging = await log.store(log.eventOn(0, { environment: 'staging' }));
    const others = await log.store(log.eventOn(0, { accountId: other }));
    const before = await Promise.all(
      [staging, others].map(({ id }) =>
        owned('SELECT to_jsonb(e)::text AS row FROM events e WHERE id = $1::uuid', [id]),
      ),
    );
    expect(await keepOn(60, kept({ recordsDays: 10 }))).toEqual([]);
    expect(await isThere(mine)).toBe(false);
    const after = await Promise.all(
      [staging, others].map(({ id }) =>
        owned('SELECT to_jsonb(e)::text AS row FROM events e WHERE id = $1::uuid', [id]),
      ),
    );
    expect(after).toEqual(before);
    expect(after.every((rows) => rows.length === 1)).toBe(true);
  });

  it('keeps events whose retention is unknown', async () => {
    const event = await log.store(log.eventOn(0));
    await keepOn(500, kept('unknown'));
    await keepOn(500, () => undefined);
    expect(await payloadOf(event)).toContain('Hello');
  });

  describe('with a hold', () => {
    const hold = (match: Readonly<Record<string, string>>, untilDay = 200): LegalHold => ({
      ...{ id: 'LH-1', match, because: 'a lawsuit' },
      untilMs: startMs + untilDay * DAY_MS,
    });

    it.each([
      ['metadata', { 'metadata.user_id': 'u_7' }, { metadata: '{"user_id":"u_7"}' }],
      ['session', { session: 's_7' }, { sessionId: 's_7' }],
      ['app', { app: '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0077' }, { appId: '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0077' }],
      ['decision', { decision: 'block' }, { decision: 'block' }],
    ] as const)('by %s keeps matching events with their texts, and no others', async (_by, match, named) => {
      const [held, free] = [await log.store(log.eventOn(0, named)), await log.store(log.eventOn(0))];
      const retention = kept({ contentDays: 10, recordsDays: 20, holds: [hold(match)] });
      expect(await keepOn(20, retention)).toEqual([]);
      expect(await payloadOf(free)).toBeNull();
      expect(await keepOn(60, retention)).toEqual([]);
      expect(await payloadOf(held)).toContain('Hello');
      expect(await read(held)).toMatchObject({ id: held.id });
      expect(await isThere(free)).toBe(false);
      expect(
        await owned('SELECT held::integer AS held FROM event_weeks WHERE account_id = $1::uuid', [accountId]),
      ).toEqual([{ held: 1 }]);
    });

    it('keeps the whole call: its answer in the next week, and its violations', async () => {
      const request = log.eventOn(4.99, { sessionId: 's_7' });
      const said = { ...violationEvent(request, 'pii.flag'), accountId, id: newEventId(request.receivedAt) };
      await log.store(request, [said]);
      const answer = await log.store(
        log.eventOn(5.01, {
          type: 'ai.response',
          parentId: request.id,
          metadata: undefined,
          sessionId: undefined,
        } as never),
      );
      await keepOn(100, kept({ recordsDays: 20, holds: [hold({ session: 's_7' })] }));
      expect(await Promise.all([request, said, answer].map(isThere))).toEqual([true, true, true]);
    });

    it('deletes the held events after the hold has ended', async () => {
      const held = await log.store(log.eventOn(0, { sessionId: 's_7' }));
      const retention = kept({ contentDays: 10, recordsDays: 20, holds: [hold({ session: 's_7' }, 90)] });
      await keepOn(60, retention);
      expect(await payloadOf(held)).toContain('Hello');
      await keepOn(91, retention);
      expect(await isThere(held)).toBe(false);
    });

    it('deletes the events of each of several holds when that hold has ended', async () => {
      const [one, two] = [
        await log.store(log.eventOn(0, { sessionId: 's_1' })),
        await log.store(log.eventOn(0, { sessionId: 's_2' })),
      ];
      const both = [hold({ session: 's_1' }, 90), { ...hold({ session: 's_2' }, 120), id: 'LH-2' }];
      const retention = kept({ recordsDays: 20, holds: both });
      expect([...(await keepOn(60, retention)), ...(await keepOn(91, retention))]).toEqual([]);
      expect([await isThere(one), await isThere(two)]).toEqual([false, true]);
      expect(await keepOn(121, retention)).toEqual([]);
      expect(await isThere(two)).toBe(false);
    });
  });

  it('follows a policy that changes to a shorter or longer period', async () => {
    const [first, second] = [await log.store(log.eventOn(0)), await log.store(log.eventOn(14))];
    await keepOn(60, kept({ recordsDays: 400 }));
    expect(await isThere(first)).toBe(true);
    await keepOn(60, kept({ recordsDays: 45 }));
    expect([await isThere(first), await isThere(second)]).toEqual([false, true]);
    await keepOn(300, kept({ recordsDays: 400 }));
    expect(await isThere(second)).toBe(true);
  });

  it('does not rewrite a week in which nothing is due', async () => {
    await log.store(log.eventOn(0));
    await log.store(log.eventOn(0, { environment: 'staging' }));
    const oid = (): Promise<SqlRow[]> =>
      owned(`SELECT max(inhrelid::bigint)::text AS oid FROM pg_inherits WHERE inhparent = 'events'::regclass`);
    await keepOn(60, kept({ recordsDays: 20 }));
    const before = await oid();
    await keepOn(61, kept({ recordsDays: 20 }));
    expect(await oid()).toEqual(before);
  });

  it('leaves a week unchanged when it is interrupted, and continues the next time', async () => {
    const event = await log.store(log.eventOn(0));
    await log.store(log.eventOn(0, { environment: 'staging' }));
    await owned(
      `CREATE FUNCTION fail_${year}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'down'; END $$`,
    );
    await owned(`CREATE TRIGGER failing BEFORE UPDATE ON event_weeks FOR EACH ROW EXECUTE FUNCTION fail_${year}()`);
    const reports = await keepOn(60, kept({ recordsDays: 20 }));
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatch(
      /^Events in events_w\d{8} that are due for deletion could not be deleted; they are kept until the next attempt: /,
    );
    expect(await payloadOf(event)).toContain('Hello');
    await owned('DROP TRIGGER failing ON event_weeks');
    expect(await keepOn(60, kept({ recordsDays: 20 }))).toEqual([]);
    expect(await isThere(event)).toBe(false);
    await log.store(log.eventOn(0));
  });

  it('deletes expired events in every environment, and drops the week when the events of all accounts have expired', async () => {
    const expired: RetentionOf = (id) => (id === accountId ? { holds: [], recordsDays: 40 } : undefined);
    const [production, staging] = [log.eventOn(0), log.eventOn(1, { environment: 'staging' })];
    await log.store(production);
    await log.store(staging);
    const others = await log.store(log.eventOn(1, { accountId: other }));
    const week = `events_w${new Date(startMs - 2 * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
    // The records that an interrupted archive run and a restored week leave behind.
    for (const state of ['writing', 'written', 'restored'])
      await owned(
        `INSERT INTO archive_parts (account_id, id, environment, week, state, object_key, first_id, last_id, events, created_at, state_at)
         VALUES ($1::uuid, gen_random_uuid(), 'production', $2, $3, '', $4::uuid, $4::uuid, 1, now(), now())`,
        [accountId, week, state, production.id],
      );
    const archived = (): Promise<unknown> => owned('SELECT DISTINCT state FROM archive_parts WHERE week = $1', [week]);
    expect(await keepOn(60, expired)).toEqual([]);
    expect(await Promise.all([production, staging, others].map(isThere))).toEqual([false, false, true]);
    expect(await archived()).toHaveLength(3);
    expect(await keepOn(60, (id, place) => expired(id === other ? accountId : id, place))).toEqual([]);
    expect(await isThere(others)).toBe(false);
    expect(await archived()).toEqual([{ state: 'deleting' }]);
  });

  it('keeps an event if its environment appeared in the week only after retention had read the week', async () => {
    await log.store(log.eventOn(0));
    expect(await keepOn(20, kept({ recordsDays: 40 }))).toEqual([]);
    const late = await log.store(log.eventOn(1, { environment: 'staging' }));
    expect(await keepOn(60, kept({ recordsDays: 40 }))).toEqual([]);
    expect(await isThere(late)).toBe(true);
  });

  it('deletes an event that is stored after the retention of its week was applied', async () => {
    await log.store(log.eventOn(0));
    await log.store(log.eventOn(0, { accountId: other }));
    expect(await keepOn(60, kept({ recordsDays: 20 }))).toEqual([]);
    const late = await log.store(log.eventOn(1));
    await reopenPartOf(sql(), late, new Date(startMs + 60 * DAY_MS));
    expect(await keepOn(61, kept({ recordsDays: 20 }))).toEqual([]);
    expect(await isThere(late)).toBe(false);
  });

  it('deletes an event that is stored after its week was dropped, as soon as the week has a partition again', async () => {
    const expired: RetentionOf = (id) => (id === accountId ? { holds: [], recordsDays: 20 } : undefined);
    await log.store(log.eventOn(0));
    expect(await keepOn(60, expired)).toEqual([]);
    const late = await log.store(log.eventOn(1));
    await reopenPartOf(sql(), late, new Date(startMs + 60 * DAY_MS));
    expect(await keepOn(61, expired)).toEqual([]);
    expect(await isThere(late)).toBe(true);
    await ensurePartitions(sql(), new Date(startMs + 61 * DAY_MS));
    expect(await keepOn(61, expired)).toEqual([]);
    expect(await isThere(late)).toBe(false);
  });

  it('reads a week as a whole although one of its events is stored late before that', async () => {
    const event = await log.store(log.eventOn(0, { environment: 'staging' }));
    await reopenPartOf(sql(), await log.store(log.eventOn(4.9)), new Date(startMs + 5.1 * DAY_MS));
    expect(await keepOn(60, kept({ recordsDays: 20 }, 'staging'))).toEqual([]);
    expect(await isThere(event)).toBe(false);
  });

  it('deletes sessions and individual costs with the events, but no sums', async () => {
    const event = await log.store(log.eventOn(0, { sessionId: 's_9' }));
    const period = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6fb001'.replace('b001', `b${String(year - 2030).padStart(3, '0')}`);
    await owned(
      `INSERT INTO budget_periods (account_id, id, environment, budget_id, unit, per, scope, scope_label, timezone,
         period_start, on_exceed, limit_n, warn_at, settled_n)
       VALUES ($1::uuid, $2::uuid, 'production', 'team', 'usd', 'total', $2, '{}', 'UTC', now(), 'record', 1000, '{}', 7)`,
      [accountId, period],
    );
    await owned(
      `INSERT INTO budget_entries (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, event_id, created_at)
       VALUES ($1::uuid, $3::uuid, $2::uuid, 'event', 7, 0, 7, $3::uuid, now())`,
      [accountId, period, event.id],
    );
    expect(await count('session_rollups WHERE account_id = $1::uuid', [accountId])).toBe(1);
    expect(await keepOn(60, kept({ recordsDays: 20 }))).toEqual([]);
    expect(await count('session_rollups WHERE account_id = $1::uuid', [accountId])).toBe(0);
    expect(
      await owned(
        `SELECT kind, event_id, settled_n::text AS settled, source_id = period_id AS summed FROM budget_entries WHERE account_id = $1::uuid`,
        [accountId],
      ),
    ).toEqual([{ kind: 'estimate', event_id: null, settled: '7', summed: true }]);
    expect(await count('event_rollups WHERE account_id = $1::uuid', [accountId])).toBeGreaterThan(0);
  });

  it('deletes text and id of an answer if its environment appeared in the week only after retention had read the week', async () => {
    const expired: RetentionOf = (id) => (id === accountId ? { holds: [], recordsDays: 40 } : undefined);
    await log.store(log.eventOn(0));
    expect(await keepOn(20, expired)).toEqual([]);
    const { event, again } = await storeAnswered(1, 'staging');
    expect(await keepOn(60, expired)).toEqual([]);
    expect(await isThere(event)).toBe(false);
    expect(await again()).toMatchObject({ id: event.id, body: '@gone' });
    expect(await keepOn(60, expired)).toEqual([]);
    expect(await keepOn(405, expired)).toEqual([]);
    expect(await again()).toBeNull();
    expect(await count('event_weeks WHERE account_id = $1::uuid', [accountId])).toBe(0);
  });

  it('keeps ids without texts for 400 days, and then deletes them', async () => {
    const { event, again } = await storeAnswered(0, 'production');
    const retention = kept({ contentDays: 10, recordsDays: 20 });
    await keepOn(60, retention);
    expect(await isThere(event)).toBe(false);
    expect(await again()).toMatchObject({ id: event.id, body: '@gone' });
    expect(await keepOn(404.9, retention)).toEqual([]);
    expect(await again()).not.toBeNull();
    expect(await keepOn(405, retention)).toEqual([]);
    expect(await again()).toBeNull();
    expect(await count('event_weeks WHERE account_id = $1::uuid', [accountId])).toBe(0);
  });
});
