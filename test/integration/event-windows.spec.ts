import { randomUUID } from 'node:crypto';
import type { Reach } from '../../src/access/index.js';
import { DatabaseUnavailable, type TenantSql } from '../../src/database/index.js';
import type { NewEvent } from '../../src/events/event.js';
import { newEventId } from '../../src/events/event-id.js';
import { EventLog } from '../../src/events/event-log.js';
import type { EventFilters } from '../../src/events/reading/event-filters.js';
import { EventReader } from '../../src/events/reading/event-reader.js';
import type { SearchLimits } from '../../src/events/reading/event-windows.js';
import { ensurePartitions } from '../../src/events/partitions.js';
import { eachDatabase } from '../support/each-database.js';
import { appendRequest, newEvent, violationEvent } from '../support/events.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();
const CALLS = 30;

type Filters = Omit<EventFilters, 'manager'>;

/** Filters: single, combined, negated, and without matches. */
const QUESTIONS: readonly Filters[] = [
  {},
  { type: 'ai.request' },
  { type: 'ai.response', model: 'a' },
  { model: ['a', 'b'] },
  { app: 'chat' },
  { app: 'nobody' },
  { sessionId: 's-1' },
  { sessionId: 's-1', model: 'b' },
  { requestId: 'r-7' },
  { decision: 'block' },
  { decision: 'redact', metadata: { team: 'ads' } },
  { outcome: 'blocked' },
  { outcome: 'redacted' },
  { outcome: 'error' },
  { outcome: 'allowed' },
  { outcome: ['blocked', 'error'] },
  { outcome: 'flagged' },
  { outcome: 'blocked', rule: 'pii.block' },
  { rule: 'pii.block' },
  { rule: 'pii.block', minCostUsd: 0.1 },
  { metadata: { team: 'ads' } },
  { metadata: { team: 'nobody' } },
  { minCostUsd: 0.3 },
  { not: { outcome: 'allowed' } },
  { not: { rule: 'pii.block', model: 'a' } },
  { text: 'number 1' },
  { text: 'number 1', outcome: 'redacted' },
  { text: 'answer', model: 'a' },
  { text: 'nowhere' },
  { from: new Date(NOW_MS - 20 * DAY_MS), to: new Date(NOW_MS - 9 * DAY_MS) },
  { from: new Date(NOW_MS - 20 * DAY_MS), outcome: 'blocked' },
];

eachDatabase('searching the log in windows', (current) => {
  const [accountId, appId] = [randomUUID(), randomUUID()];
  const manager: Reach = { accountId };
  const read = async (filters: Filters, patience: SearchLimits, sql: TenantSql = current().database.sql) => {
    const reader = new EventReader(sql);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; ; pages++) {
      if (pages > 300) throw new Error('there is no end of pages');
      const page = await reader.page({ ...filters, manager, limit: 7 }, cursor, patience);
      seen.push(...page.data.map(({ id }) => id));
      if (page.nextCursor === null) return seen;
      cursor = page.nextCursor;
    }
  };

  beforeAll(async () => {
    const { sql } = current().database;
    for (let weeks = 0; weeks <= 6; weeks++) await ensurePartitions(sql, new Date(NOW_MS - weeks * 7 * DAY_MS));
    await sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [accountId]);
    await sql.query(`INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, $2::uuid, 'chat', now())`, [
      accountId,
      appId,
    ]);
    const log = new EventLog(sql);
    for (const [request, ...later] of calls(accountId, appId)) {
      await log.append(appendRequest(request!));
      for (const event of later) await log.append(appendRequest(event));
    }
  });

  it.each(['events', 'calls'] as const)('finds the same %s as without windows, in either order', async (view) => {
    for (const [index, question] of QUESTIONS.entries()) {
      const filters: Filters = { ...question, view, order: index % 3 === 0 ? 'asc' : 'desc' };
      const patience = index % 2 === 0 ? { ms: 0, rows: 11 } : { ms: Infinity, rows: 5 };
      const atOnce = await read(filters, { ms: Infinity, rows: 100_000 });
      expect({ filters, ids: await read(filters, patience) }).toEqual({ filters, ids: atOnce });
      expect(new Set(atOnce).size).toBe(atOnce.length);
    }
  });

  it('finds the same events and calls even if every second statement times out', async () => {
    let asked = 0;
    const sql = givingUp(current().database.sql, () => asked++ % 2 === 0);
    for (const view of ['events', 'calls'] as const) {
      for (const question of QUESTIONS.filter((_, index) => index % 4 === 1)) {
        const filters: Filters = { ...question, view };
        const atOnce = await read(filters, { ms: Infinity, rows: 100_000 });
        const ids = await read(filters, { ms: 0, endMs: 60_000, rows: 11 }, sql);
        expect({ filters, ids }).toEqual({ filters, ids: atOnce });
      }
    }
    expect(asked).toBeGreaterThan(50);
  });

  it('finds exactly the events that match each filter', async () => {
    const all = await new EventReader(current().database.sql).list({ manager, limit: 200 });
    const expected = (is: (event: (typeof all.data)[number]) => boolean): string[] =>
      all.data.filter(is).map(({ id }) => id);
    const patience = { ms: 0, rows: 9 };
    expect(all.data.length).toBeGreaterThan(50);
    expect(await read({ outcome: 'blocked' }, patience)).toEqual(expected(({ outcome }) => outcome === 'blocked'));
    expect(await read({ outcome: 'flagged' }, patience)).toEqual(expected(({ outcome }) => outcome === 'flagged'));
    expect(await read({ rule: 'pii.block' }, patience)).toEqual(
      expected(({ violations }) => violations.some(({ rule }) => rule === 'pii.block')),
    );
    expect(await read({ text: 'number 1' }, patience)).toEqual(
      expected(({ payload }) => JSON.stringify(payload).includes('number 1')),
    );
  });

  it('reads no large columns for a list of summaries', async () => {
    const columns = new Set<string>();
    const sql = watched(current().database.sql, (row) => Object.keys(row).forEach((name) => columns.add(name)));
    for (const view of ['events', 'calls'] as const) {
      for (const question of QUESTIONS) await read({ ...question, view, fields: 'summary' }, { ms: 0, rows: 100 }, sql);
    }
    expect([...columns].filter((name) => ['payload', 'facts', 'detectors'].includes(name))).toEqual([]);
    expect(columns).toContain('event_id');
  });
});

/** Calls of six weeks, of all kinds. */
function* calls(accountId: string, appId: string): Generator<NewEvent[]> {
  for (let n = 0; n < CALLS; n++) {
    const receivedAt = new Date(NOW_MS - 42 * DAY_MS + n * (41.5 / CALLS) * DAY_MS);
    const base = {
      accountId,
      appId: n % 5 === 0 ? randomUUID() : appId,
      receivedAt,
      requestId: `r-${n}`,
      sessionId: `s-${n % 6}`,
      model: n % 3 === 0 ? 'b' : 'a',
    };
    const metadata = JSON.stringify({ team: n % 4 === 0 ? 'ads' : 'care' });
    const request = newEvent({ ...base, metadata, payload: JSON.stringify({ text: `number ${n}` }) });
    const violated = violationEvent(request, n % 2 === 0 ? 'pii.block' : 'pii.other').violations;
    const judged: Partial<NewEvent> =
      n % 10 === 0
        ? { decision: 'block', reason: 'policy_violation', violations: violated }
        : n % 7 === 0
          ? { decision: 'redact', violations: violated }
          : n % 9 === 0
            ? { violations: violated }
            : {};
    const made = { ...request, ...judged };
    const later = new Date(receivedAt.getTime() + 60_000);
    const about = { ...base, id: newEventId(later), receivedAt: later };
    const end: NewEvent[] =
      n % 10 === 0
        ? [{ ...violationEvent(made, 'pii.block'), ...about, eventId: about.id }]
        : n % 8 === 0
          ? [newEvent({ ...about, type: 'ai.error', reason: 'timeout', payload: '{"error":"timeout"}' })]
          : [
              newEvent({
                ...about,
                type: 'ai.response',
                costNanoUsd: String(n * 10_000_000),
                payload: `{"text":"answer ${n}"}`,
              }),
            ];
    yield [made, ...end];
  }
}

/** A database whose statements with a time limit fail if `takesTooLong` returns true. */
function givingUp(sql: TenantSql, takesTooLong: () => boolean): TenantSql {
  return {
    ...sql,
    forAccounts: (...ids) => {
      const session = sql.forAccounts(...ids);
      return {
        ...session,
        query: (statement, parameters, options) => {
          if (options?.endAfterMs === undefined || !takesTooLong())
            return session.query(statement, parameters, options);
          return Promise.reject(new DatabaseUnavailable('the database cannot answer (SQLSTATE 57014)', '57014'));
        },
      };
    },
  };
}

function watched(sql: TenantSql, see: (row: object) => void): TenantSql {
  return {
    ...sql,
    forAccounts: (...ids) => {
      const session = sql.forAccounts(...ids);
      return {
        ...session,
        query: async (...parameters) => {
          const rows = await session.query(...parameters);
          rows.forEach(see);
          return rows as never;
        },
      };
    },
  };
}
