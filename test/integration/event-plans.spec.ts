/** The rows that the database reads for a page of the list, from the plans of the statements that the service sends. */
import { randomUUID } from 'node:crypto';
import type { SqlParameter, SqlRow, TenantSql } from '../../src/database/index.js';
import type { EventFilters } from '../../src/events/reading/event-filters.js';
import { EventFigures } from '../../src/events/reading/event-figures.js';
import { EventReader } from '../../src/events/reading/event-reader.js';
import { ensurePartitions } from '../../src/events/partitions.js';
import { OUTCOMES } from '../../src/events/index.js';
import { sumDays } from '../../src/events/rollups/day-sums.js';
import { StatsReader } from '../../src/insight/stats-reader.js';
import { eachDatabase } from '../support/each-database.js';
import { fillWithEvents } from '../support/many-events.js';

const EVENTS = 6_000;
const WINDOW = 100;
/** The rows of the window, the ids at its end and the rows shown, but not the rest of the log. */
const MAY_READ = 4 * WINDOW;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Rows of the log that a plan has read, and those of them that it read without an index. */
function readBy(plan: Plan): { rows: number; unindexed: number } {
  const isOfLog = plan['Relation Name']?.startsWith('events') === true;
  const own = isOfLog ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] : 0;
  const sum = { rows: own, unindexed: plan['Node Type'].includes('Seq Scan') ? own : 0 };
  for (const inner of (plan.Plans ?? []).map(readBy)) {
    sum.rows += inner.rows;
    sum.unindexed += inner.unindexed;
  }
  return sum;
}

/** The partitions of the log that a plan has read. */
function tablesOf(plan: Plan): string[] {
  const own = plan['Actual Loops'] > 0 && plan['Relation Name']?.startsWith('events') ? [plan['Relation Name']] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(tablesOf)];
}

/** Adds the number of rows that a plan has read to the sums by table. */
function addRead(read: Record<string, number>, plan: Plan): void {
  const table = plan['Relation Name'];
  if (table?.endsWith('_rollups') === true) {
    const each = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
    read[table] = Math.round((read[table] ?? 0) + each * plan['Actual Loops']);
  }
  for (const inner of plan.Plans ?? []) addRead(read, inner);
}

eachDatabase('A page of the list of events', (current) => {
  const [accountId, appId] = [randomUUID(), randomUUID()];
  /** An account whose events are calls. */
  const callerId = randomUUID();

  beforeAll(async () => {
    const { database } = current();
    await database.sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [
      accountId,
    ]);
    await fillWithEvents(database, { accountId, appId, events: EVENTS });
    await ensurePartitions(database.sql, new Date());
    await database.sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [
      callerId,
    ]);
    await fillWithEvents(database, { accountId: callerId, appId, events: 3 * WINDOW });
    const owner = database.sql.forMaintenance();
    await owner.query('UPDATE events SET call_id = id WHERE account_id = $1::uuid', [callerId]);
    await owner.query('ANALYZE events');
  });

  /** Reads a page and explains each statement of it. */
  const readFor = async (filters: Omit<EventFilters, 'manager'>): Promise<{ rows: number; unindexed: number }> => {
    const total = { rows: 0, unindexed: 0 };
    const sql = explained(current().database.sql, (plan) => {
      const { rows, unindexed } = readBy(plan);
      total.rows += rows;
      total.unindexed += unindexed;
    });
    const query = { ...filters, manager: { accountId }, limit: 20, fields: 'summary' } as const;
    await new EventReader(sql).page(query, undefined, { ms: 0, rows: WINDOW });
    return total;
  };

  it.each<[string, Omit<EventFilters, 'manager'>]>([
    ['no filter is given', {}],
    ['nothing matches', { model: 'nobody' }],
    ['no metadata matches', { metadata: { team: 'nobody' } }],
    ['no call ended in an error', { type: 'ai.error' }],
    ['no rule fired', { rule: 'no.rule' }],
    ['two common values never occur together', { model: 'gpt-4o', provider: 'anthropic' }],
    ['no text matches', { text: 'nowhere' }],
    ['calls are listed', { view: 'calls', not: { outcome: 'allowed' } }],
    ['calls are filtered by a property of an event', { view: 'calls', minCostUsd: 1_000 }],
    ['the oldest come first', { model: 'nobody', order: 'asc' }],
  ])('reads at most a window of the log when %s', async (_, filters) => {
    const { rows, unindexed } = await readFor(filters);
    expect(unindexed).toBe(0);
    expect(rows).toBeLessThanOrEqual(MAY_READ);
  });

  it.each<[string, Omit<EventFilters, 'manager'>]>([
    ['of events', {}],
    ['of calls', { view: 'calls' }],
  ])('reads no weeks without matching events when it counts values %s that contain a text', async (_, filters) => {
    // The last statement counts the values; those before it find the rows to count.
    let touched: readonly string[] = [];
    const sql = explained(current().database.sql, (plan) => (touched = tablesOf(plan)));
    const query = { ...filters, manager: { accountId: callerId }, text: 'messages' };
    const { of, data } = await new EventFigures(sql).facets(query, ['model', 'outcome', 'rule'], 5, {
      ms: 0,
      rows: WINDOW,
    });
    expect({ of, model: data['model'] }).toEqual({
      of: WINDOW,
      model: [{ value: 'gpt-4o', label: null, count: WINDOW }],
    });
    const empty = await current().database.sql.query<{ name: string }>(
      `SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'events'::regclass AND c.relname > 'events_w' || to_char(now() + interval '7 days', 'YYYYMMDD')`,
    );
    expect(empty.length).toBeGreaterThan(1);
    expect(touched).not.toEqual([]);
    expect(empty.filter(({ name }) => touched.includes(name))).toEqual([]);
  });

  it('includes statistics that read one row per summed day, and no rows of minutes or of other times', async () => {
    const { database } = current();
    const owner = database.sql.forMaintenance();
    const dayMs = 86_400_000;
    const toMs = Math.floor(Date.now() / dayMs) * dayMs;
    const keys = `$1::uuid, g.grain, to_timestamp($2::text::double precision - n * g.grain), 'production', $3::uuid`;
    const filled = `FROM (VALUES (60, 6000), (3600, 2000)) g (grain, many) CROSS JOIN LATERAL generate_series(1, g.many) n`;
    for (const [table, columns, values] of [
      [
        'event_rollups',
        `model, key_id, writer, calls, tool_calls, ${OUTCOMES.map((outcome) => `${outcome}_n`).join(', ')}, cost_nano_usd, prompt_tokens, completion_tokens`,
        `'m', 'k', 0, 1, 0, ${OUTCOMES.map((outcome) => (outcome === 'allowed' ? 1 : 0)).join(', ')}, 5, 1, 1`,
      ],
      ['latency_rollups', 'step, writer, n', '3, 0, 1'],
    ] as const) {
      await owner.query(
        `INSERT INTO ${table} (account_id, grain, bucket, environment, app_id, ${columns}) SELECT ${keys}, ${values} ${filled}`,
        [accountId, String(toMs / 1_000), appId],
      );
      await owner.query(`ANALYZE ${table}`);
    }
    const read: Record<string, number> = {};
    const reader = new StatsReader(explained(database.sql, (plan) => addRead(read, plan)));
    const range = { fromMs: toMs - 5 * dayMs, toMs, stepSeconds: 86_400 };
    const filter = { manager: { accountId } };
    expect((await reader.cells(filter, range)).map(({ at, calls }) => [at, calls])).toEqual(
      [0, 1, 2, 3, 4].map((at) => [at, 24]),
    );
    const latencies = await reader.latencies(filter, range, { by: 'app' });
    expect(latencies.map(({ counts }) => counts)).toEqual([0, 1, 2, 3, 4].map(() => [0, 0, 0, 24]));
    expect(read).toEqual({ event_rollups: 5 * 24, latency_rollups: 5 * 24 });
    for (const table of Object.keys(read)) delete read[table];
    expect(await sumDays(database.sql, new Date(toMs + 2 * dayMs))).toBe(84);
    for (const table of ['event_rollups', 'latency_rollups']) await owner.query(`ANALYZE ${table}`);
    expect((await reader.cells(filter, range)).map(({ at, calls }) => [at, calls])).toEqual(
      [0, 1, 2, 3, 4].map((at) => [at, 24]),
    );
    expect(read).toEqual({ event_rollups: 5 });
    // From noon to three o'clock: a piece of twelve hours, one of three days and one of three hours.
    const bent = { fromMs: range.fromMs + dayMs / 2, toMs: toMs - dayMs + 3 * 3_600_000, stepSeconds: 3_600 };
    for (const table of Object.keys(read)) delete read[table];
    expect((await reader.totals(filter, bent)).map(({ calls }) => calls)).toEqual([12, 72, 3]);
    expect((await reader.totalLatencies(filter, bent)).map(({ counts }) => counts[3])).toEqual([12, 72, 3]);
    expect(read).toEqual({ event_rollups: 12 + 3 + 3, latency_rollups: 12 + 3 + 3 });
  });

  it('reads the complete log if the window is as large as the log', async () => {
    const { database } = current();
    const seen: number[] = [];
    const sql = explained(database.sql, (plan) => seen.push(readBy(plan).rows));
    const filters = { manager: { accountId }, model: 'nobody' };
    await new EventReader(sql).page(filters, undefined, { ms: 0, rows: EVENTS });
    expect(Math.max(...seen)).toBeGreaterThanOrEqual(EVENTS - 1);
  });
});

function explained(sql: TenantSql, see: (plan: Plan) => void): TenantSql {
  return {
    ...sql,
    forAccounts: (...ids) => {
      const session = sql.forAccounts(...ids);
      const query = async <Row extends SqlRow>(statement: string, parameters?: readonly SqlParameter[]) => {
        const [row] = await session.query<{ 'QUERY PLAN': unknown }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
          parameters,
        );
        const plans = row!['QUERY PLAN'];
        const [{ Plan: plan }] = (typeof plans === 'string' ? JSON.parse(plans) : plans) as [{ Plan: Plan }];
        see(plan);
        return session.query<Row>(statement, parameters);
      };
      return { ...session, query };
    },
  };
}
