import fc from 'fast-check';
import { AppFigures } from '../../src/apps/app-figures.js';
import { EVENT_LOG_LIMITS, EventLog } from '../../src/events/event-log.js';
import { newEventId } from '../../src/events/event-id.js';
import type { NewEvent } from '../../src/events/event.js';
import { OUTCOMES } from '../../src/events/outcome.js';
import { sumDays } from '../../src/events/rollups/day-sums.js';
import { deleteMinutes } from '../../src/events/rollups/delete-minutes.js';
import { StatsReader, type StatsCell } from '../../src/insight/stats-reader.js';
import { rollupDifferences } from '../support/rollup-check.js';
import { eachDatabase } from '../support/each-database.js';
import { ACCOUNT_ID, APP_ID, appendRequest, newEvent, violationEvent } from '../support/events.js';

const OTHER_APP = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0003';
const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-11-02T00:00:00Z');

const flagged = violationEvent(newEvent(), 'r').violations;
const monitored = flagged.map((violation) => ({ ...violation, enforced: false }));

/** The exceptions that applied to rules in one event: each rule with each exception at most once. */
const excepted = fc.uniqueArray(
  fc.record({
    rule: fc.constantFrom('r', 's'),
    exception: fc.constantFrom('EX-1', 'EX-2'),
    kept: fc.constantFrom('block' as const, 'redact' as const, null),
  }),
  { maxLength: 4, selector: ({ rule, exception }) => `${rule} ${exception}` },
);

/** Large events are stored in a lane of their own, at the same time as the others. */
const text = fc.boolean().map((isLarge) => JSON.stringify(isLarge ? 'large '.repeat(25_000) : 'small'));

/** A random call: its request with an outcome, then up to two answers, each with an outcome and a delay. */
const call = fc.record({
  text,
  minute: fc.integer({ min: 0, max: 300 }),
  app: fc.constantFrom(APP_ID, OTHER_APP),
  model: fc.constantFrom('gpt-4o', 'claude', undefined),
  source: fc.constantFrom('rest' as const, 'proxy' as const),
  session: fc.constantFrom('s-1', 's-2', undefined),
  excepted,
  request: fc.constantFrom('allow', 'flag', 'monitor', 'redact', 'block', 'outage'),
  answers: fc.array(
    fc.record({
      afterMinutes: fc.constantFrom(0, 1, 70),
      type: fc.constantFrom('ai.response' as const, 'ai.error' as const),
      outcome: fc.constantFrom('allow', 'flag', 'redact', 'block'),
      excepted,
      text,
      cost: fc.option(fc.integer({ min: 0, max: 1_000_000_000 }), { nil: undefined }),
      weirMs: fc.double({ min: 0, max: 4_000, noNaN: true }),
    }),
    { maxLength: 2 },
  ),
  weirMs: fc.double({ min: 0, max: 50, noNaN: true }),
});

function judged(outcome: string): Partial<NewEvent> {
  switch (outcome) {
    case 'flag':
      return { violations: flagged };
    case 'monitor':
      return { violations: monitored };
    case 'redact':
      return { decision: 'redact', violations: flagged };
    case 'block':
      return { decision: 'block', reason: 'content_policy_violation', violations: flagged };
    case 'outage':
      return { decision: 'block', reason: 'guardrail_unavailable' };
    default:
      return {};
  }
}

type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

let calls = 0;

/** The events of a call in the order in which they are stored. */
function eventsOf(each: Call): NewEvent[] {
  const at = new Date(START_MS + each.minute * 60_000);
  const common = {
    appId: each.app,
    source: each.source,
    requestId: `call-${(calls += 1)}`,
    ...(each.model === undefined ? { model: undefined } : { model: each.model }),
    ...(each.session === undefined ? {} : { sessionId: each.session }),
  } as Partial<NewEvent>;
  const id = newEventId(at);
  const request = newEvent({
    ...common,
    ...judged(each.request),
    ...(each.excepted.length === 0 ? {} : { excepted: each.excepted }),
    id,
    eventId: id,
    receivedAt: at,
    payload: each.text,
    latencyMs: { weir: each.weirMs },
  });
  const ends = each.source === 'proxy' ? each.answers.slice(0, 1) : each.answers;
  const answers = ends.map(({ afterMinutes, type, outcome, cost, weirMs, text: payload, excepted: letGo }) => {
    const receivedAt = new Date(at.getTime() + afterMinutes * 60_000 + 1);
    const answerId = newEventId(receivedAt);
    return newEvent({
      ...{
        ...common,
        ...judged(outcome),
        ...(letGo.length === 0 ? {} : { excepted: letGo }),
        type,
        id: answerId,
        eventId: answerId,
        receivedAt,
        payload,
        latencyMs: { weir: weirMs },
      },
      ...(cost === undefined ? {} : { costNanoUsd: String(cost) }),
      usage: { promptTokens: 7, completionTokens: 3 },
      ...(each.source === 'proxy' ? { parentId: request.id } : {}),
    } as Partial<NewEvent>);
  });
  return [request, ...answers];
}

eachDatabase('The rollups of the log', (current) => {
  const differences = () =>
    current()
      .database.sql.forAccounts(ACCOUNT_ID)
      .transaction((sql) => rollupDifferences(sql, ACCOUNT_ID, new Date(START_MS), new Date(START_MS + 24 * HOUR_MS)));
  const totals = async () => {
    const columns = ['calls', ...OUTCOMES.map((each) => `${each}_n`), 'cost_nano_usd', 'prompt_tokens'];
    const [row] = await current()
      .database.sql.forAccounts(ACCOUNT_ID)
      .query<Record<string, string>>(
        `SELECT ${columns.map((each) => `sum(${each})::text AS ${each}`).join(', ')} FROM event_rollups
         WHERE account_id = $1::uuid AND grain = 60`,
        [ACCOUNT_ID],
      );
    return row!;
  };

  it('equal the log for concurrent, late and duplicate events of any writer, whenever days are summed up', async () => {
    const { sql } = current().database;
    const other = (await current().openAnother()).sql;
    const limits = { ...EVENT_LOG_LIMITS, largeBeside: true };
    const logs = [new EventLog(sql, limits), new EventLog(other, limits)];
    let summed = 0;
    const sumUp = async (by: typeof sql): Promise<void> => void (summed += await sumDays(by, new Date()));
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (made) => {
        const append = async (events: readonly NewEvent[], log: EventLog) => {
          for (const event of events) {
            const children = event.violations.map((violation) => ({
              ...violationEvent(event, violation.rule),
              violations: [violation],
              receivedAt: event.receivedAt,
              id: newEventId(event.receivedAt),
            }));
            const request = appendRequest(event, children);
            await Promise.all([log.append(request), log.append(request)]);
          }
        };
        const appends = made.map((each, index) => append(eventsOf(each), logs[index % 2]!));
        await Promise.all([sumUp(sql), ...appends, sumUp(other)]);
        expect(await differences()).toEqual([]);
      }),
      { numRuns: Number(process.env['WEIR_TEST_RUNS'] ?? 15) },
    );
    const sums = await totals();
    const outcomes = OUTCOMES.map((each) => Number(sums[`${each}_n`]));
    expect(outcomes.reduce((sum, count) => sum + count, 0)).toBe(Number(sums['calls']));
    expect(Math.min(...outcomes)).toBeGreaterThanOrEqual(0);
    expect(summed).toBeGreaterThan(0);
  });

  it('of a range have the same sums by days, hours and minutes', async () => {
    const { sql } = current().database;
    const reader = new StatsReader(sql);
    const filter = { manager: { accountId: ACCOUNT_ID } };
    const added = (cells: readonly StatsCell[]) => ({
      calls: cells.reduce((sum, { calls }) => sum + calls, 0),
      blocked: cells.reduce((sum, { outcomes }) => sum + outcomes.blocked, 0),
      cost: cells.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n),
    });
    const minute = fc.integer({ min: -2 * 24 * 60, max: 2 * 24 * 60 });
    await sumDays(sql, new Date());
    await fc.assert(
      fc.asyncProperty(minute, fc.integer({ min: 1, max: 500 }), async (from, minutes) => {
        const range = { fromMs: START_MS + from * 60_000, toMs: START_MS + (from + minutes) * 60_000, stepSeconds: 60 };
        expect(added(await reader.totals(filter, range))).toEqual(added(await reader.cells(filter, range)));
      }),
      { numRuns: 20, examples: [[-90, 24 * 60 + 200]] },
    );
    const days = { fromMs: START_MS - 24 * HOUR_MS, toMs: START_MS + 24 * HOUR_MS, stepSeconds: 86_400 };
    const byDay = await reader.cells(filter, days);
    expect(byDay.map(({ at }) => at)).toEqual([1]);
    expect(added(byDay)).toEqual(added(await reader.cells(filter, { ...days, stepSeconds: 3_600 })));
    expect(byDay[0]!.calls).toBeGreaterThan(0);
  });

  it('sum up a day only when hardly any late event is expected', async () => {
    const { sql } = current().database;
    const at = new Date(START_MS + 3 * 24 * HOUR_MS);
    await new EventLog(sql).append(appendRequest(newEvent({ receivedAt: at })));
    const days = async () =>
      (await sql.forMaintenance().query('SELECT 1 AS one FROM event_rollups WHERE grain = 86400')).length;
    const before = await days();
    expect(await sumDays(sql, new Date(at.getTime() + 3 * 24 * HOUR_MS - 1))).toBe(0);
    expect(await days()).toBe(before);
    expect(await sumDays(sql, new Date(at.getTime() + 3 * 24 * HOUR_MS))).toBe(1);
    expect(await days()).toBe(before + 1);
  });

  it('are deleted by the minute after 71 days, and stay by the hour', async () => {
    const { sql } = current().database;
    const appId = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0004';
    const at = new Date(START_MS - 30 * 24 * HOUR_MS);
    await new EventLog(sql).append(appendRequest(newEvent({ receivedAt: at, appId, latencyMs: { weir: 1 } })));
    const range = { fromMs: at.getTime(), toMs: at.getTime() + HOUR_MS };
    const calls = async (stepSeconds: number) => {
      const filter = { manager: { accountId: ACCOUNT_ID }, app: appId };
      const cells = await new StatsReader(sql).cells(filter, { ...range, stepSeconds });
      return cells.reduce((sum, { calls: each }) => sum + each, 0);
    };
    const lastEventAt = () => new AppFigures(sql).lastEventAt({ accountId: ACCOUNT_ID }, appId);
    const deletedAt = new Date(at.getTime() + 71 * 24 * HOUR_MS);
    expect(await deleteMinutes(sql, deletedAt)).toBe(0);
    expect([await calls(60), await calls(3_600), await lastEventAt()]).toEqual([1, 1, at]);
    expect(await deleteMinutes(sql, new Date(deletedAt.getTime() + 1))).toBe(2);
    expect([await calls(60), await calls(3_600), await lastEventAt()]).toEqual([0, 1, at]);
  });

  it('count a call once, with its strongest outcome, at the time when it began', async () => {
    const before = await totals();
    const log = new EventLog(current().database.sql);
    const at = new Date(START_MS + 10 * HOUR_MS);
    const request = newEvent({ source: 'proxy', requestId: 'the-one', receivedAt: at, latencyMs: { weir: 1 } });
    await log.append(appendRequest(request));
    const answer = newEvent({
      ...{
        type: 'ai.response',
        source: 'proxy',
        requestId: 'the-one',
        parentId: request.id,
        costNanoUsd: '1234567890123',
      },
      ...{ ...judged('block'), receivedAt: new Date(at.getTime() + 90_000), latencyMs: { weir: 3 } },
    } as Partial<NewEvent>);
    await log.append(appendRequest(answer));
    const after = await totals();
    const grown = (name: string) => BigInt(after[name]!) - BigInt(before[name]!);
    expect([grown('calls'), grown('blocked_n'), grown('allowed_n'), grown('cost_nano_usd')]).toEqual([
      1n,
      1n,
      0n,
      1234567890123n,
    ]);
    expect(await differences()).toEqual([]);
  });

  it('count a call once if its events are stored in one statement', async () => {
    const before = await totals();
    const log = new EventLog(current().database.sql);
    const at = new Date(START_MS + 11 * HOUR_MS);
    const event = (changes: Partial<NewEvent>) =>
      log.append(appendRequest(newEvent({ requestId: 'all-at-once', receivedAt: at, ...changes })));
    // The first statement is already running, so all other events wait for the second.
    const others = [event({ requestId: 'another' }), event({}), event({ type: 'ai.error' })];
    await Promise.all([...others, event({ type: 'ai.response', ...judged('block') }), event({ type: 'ai.response' })]);
    const after = await totals();
    const grown = (name: string) => Number(after[name]!) - Number(before[name]!);
    expect([grown('calls'), grown('allowed_n'), grown('blocked_n'), grown('error_n')]).toEqual([2, 1, 1, 0]);
    expect(await differences()).toEqual([]);
  });

  it('count an event once per exception, however many rules the exception applied to', async () => {
    const at = new Date(START_MS + 9 * HOUR_MS);
    const letGo = (rule: string, exception: string, kept: 'block' | null) => ({ rule, exception, kept });
    const event = newEvent({
      receivedAt: at,
      excepted: [
        letGo('a', 'EX-7', null),
        letGo('b', 'EX-7', 'block'),
        letGo('b', 'EX-8', 'block'),
        letGo('c', 'EX-7', 'block'),
      ],
    });
    const later = newEvent({ receivedAt: new Date(at.getTime() + 5_000), excepted: [letGo('a', 'EX-7', null)] });
    const log = new EventLog(current().database.sql);
    await log.append(appendRequest(event));
    await log.append(appendRequest(later));
    const sums = (of: string) =>
      current()
        .database.sql.forAccounts(ACCOUNT_ID)
        .query(
          `SELECT ${of} AS name, sum(excepted)::integer AS excepted, sum(kept)::integer AS kept, sum(hits)::integer AS hits,
                  sum(kept_hits)::integer AS kept_hits, min(first_at) = $3::timestamptz AS is_first
           FROM exception_rollups WHERE account_id = $1::uuid AND hour = $2::timestamptz GROUP BY 1 ORDER BY 1`,
          [ACCOUNT_ID, at.toISOString(), at.toISOString()],
        );
    const row = (name: string, ...[all, kept, hits, keptHits]: number[]) => ({
      ...{ name, excepted: all, kept, hits, kept_hits: keptHits, is_first: true },
    });
    expect(await sums('exception')).toEqual([row('EX-7', 4, 2, 2, 1), row('EX-8', 1, 1, 1, 1)]);
    expect((await sums('rule')).map(({ name, excepted: all, kept }) => [name, all, kept])).toEqual([
      ['a', 2, 0],
      ['b', 2, 2],
      ['c', 1, 1],
    ]);
    expect(await differences()).toEqual([]);
  });

  it('are reported if they differ from the log', async () => {
    const sql = current().database.sql;
    await sql.forAccounts(ACCOUNT_ID).transaction(async (transaction) => {
      await transaction.query(
        `UPDATE event_rollups SET blocked_n = blocked_n + 1 WHERE account_id = $1::uuid AND grain = 60 AND bucket = (
           SELECT min(bucket) FROM event_rollups WHERE account_id = $1::uuid AND grain = 60)`,
        [ACCOUNT_ID],
      );
    });
    expect((await differences()).length).toBeGreaterThan(0);
    await sql.forAccounts(ACCOUNT_ID).query(
      `UPDATE event_rollups SET blocked_n = blocked_n - 1
      WHERE account_id = $1::uuid AND grain = 60 AND bucket = (
        SELECT min(bucket) FROM event_rollups WHERE account_id = $1::uuid AND grain = 60)`,
      [ACCOUNT_ID],
    );
    expect(await differences()).toEqual([]);
    for (const [table, sum] of [
      ['event_rollups', 'calls'],
      ['latency_rollups', 'n'],
    ] as const) {
      const change = (sign: '+' | '-') =>
        sql.forAccounts(ACCOUNT_ID).query(
          `UPDATE ${table} SET ${sum} = ${sum} ${sign} 1 WHERE account_id = $1::uuid AND grain = 86400
             AND bucket = $2::timestamptz`,
          [ACCOUNT_ID, new Date(START_MS).toISOString()],
        );
      await change('+');
      expect(new Set((await differences()).map(({ grain }) => grain))).toEqual(new Set([86_400]));
      await change('-');
      expect(await differences()).toEqual([]);
    }
    await sql
      .forAccounts(ACCOUNT_ID)
      .query(
        `UPDATE exception_rollups SET kept_hits = kept_hits + 1 WHERE account_id = $1::uuid AND exception = 'EX-8'`,
        [ACCOUNT_ID],
      );
    expect((await differences()).length).toBe(1);
  });
});
