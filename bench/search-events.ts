import type { Database, SqlSession } from '../src/database/index.js';
import { firstEventIdAt } from '../src/events/event-id.js';
import { ensurePartitions } from '../src/events/partitions.js';
import { sumDays } from '../src/events/rollups/day-sums.js';
import {
  countedStep,
  latencyRows,
  ROLLUP_SUMS,
  rollupRows,
  ruleRows,
  sessionRows,
} from '../src/events/rollups/rollup-statements.js';
import { COMMON_CALLS, RARE_CALLS, RETRIED } from './search-templates.js';

/**
 * A year of an account's log: copies of calls that the service has stored, with new times, ids, requests and sessions, and the rollup
 * sums, computed from the log by the statements of the service. `event_ids` has no rows for them, since these events are never retried.
 */
export interface YearOfEvents {
  readonly accountId: string;
  readonly events: number;
  readonly months: number;
  /** End of the period. */
  readonly now: Date;
}

const DAY_MS = 86_400_000;
const MONTH_MS = 30.4 * DAY_MS;
/** Calls copied by one statement: a multiple of seven, since a session has seven calls. */
const BATCH_CALLS = 14_000;
/** Batches copied concurrently. */
const LANES = 2;
/** Maximum time from the request of a call to its last event. */
const CALL_MS = 1_000;

/** Copies calls of the log up to the given number of events. @returns the actual number of events */
export async function seedYear(database: Database, { accountId, events, months, now }: YearOfEvents): Promise<number> {
  const sql = database.sql.forMaintenance();
  const startMs = now.getTime() - months * MONTH_MS;
  for (let ms = startMs; ms < now.getTime() + 7 * DAY_MS; ms += 7 * DAY_MS) {
    await ensurePartitions(database.sql, new Date(ms));
  }
  await inOne(
    sql,
    TEMPLATES.map((statement) => ({ statement, parameters: [] })),
  );
  const [made] = await sql.query<{ calls: number; rows: number }>(
    'SELECT count(DISTINCT nr)::integer AS calls, count(*)::integer AS rows FROM bench_templates',
  );
  if (made?.calls !== COMMON_CALLS + RARE_CALLS) throw new Error(`${made?.calls} calls were recorded`);
  const calls = Math.round((events * made.calls) / made.rows);
  const stepMs = (now.getTime() - startMs) / calls;
  const copy = await copyStatement(sql);
  let batch = 0;
  const lane = async (): Promise<void> => {
    for (let own = batch++; own * BATCH_CALLS < calls; own = batch++) {
      const from = own * BATCH_CALLS;
      const to = Math.min(calls, from + BATCH_CALLS);
      const [fromMs, toMs] = [Math.floor(startMs + from * stepMs), Math.floor(startMs + to * stepMs)];
      const bounds = [fromMs, toMs, toMs + CALL_MS].map(firstEventIdAt);
      await inOne(sql, [
        { statement: copy, parameters: [String(startMs), String(stepMs), String(from), String(to - 1)] },
        { statement: SCANNED, parameters: [accountId, ...bounds] },
        ...sumsOf(own).map((statement) => ({ statement, parameters: [] })),
        { statement: ruleSums(own), parameters: [accountId, ...bounds.slice(0, 2)] },
      ]);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const table of ['bench_templates', 'bench_rows']) await sql.query(`DROP TABLE ${table}`);
  await sumDays(database.sql, now);
  await lookedOver(database);
  const [row] = await sql.query<{ n: number }>(
    `SELECT count(*)::double precision AS n FROM events WHERE account_id = $1::uuid`,
    [accountId],
  );
  return row?.n ?? 0;
}

/**
 * Brings the tables into the state after autovacuum, which analyses the partitions of the log but never the partitioned table itself.
 */
async function lookedOver(database: Database): Promise<void> {
  const partitions = await database.sql.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass`,
  );
  const sums = ['event_rollups', 'latency_rollups', 'rule_rollups', 'session_rollups'];
  for (const table of [...partitions.map(({ name }) => name), ...sums]) {
    await database.sql.query(`VACUUM ANALYZE ${table}`);
  }
}

interface Step {
  readonly statement: string;
  readonly parameters: readonly string[];
}

/** Runs the steps in one transaction without nested-loop joins, which PostgreSQL would choose for lack of table statistics. */
function inOne(sql: SqlSession, steps: readonly Step[]): Promise<void> {
  return sql.transaction(async (transaction) => {
    await transaction.query(`SELECT set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true)`);
    for (const { statement, parameters } of steps) await transaction.query(statement, parameters);
  });
}

/** Creates the template tables: the rows of the log by call, numbered within the call, each with the number of its parent. */
const TEMPLATES = [
  `CREATE UNLOGGED TABLE bench_rows AS
   SELECT substr(r.request_id, 5)::integer % ${RETRIED} AS nr, row_number() OVER (PARTITION BY r.id ORDER BY e.id)::integer AS ord,
     CASE e.type WHEN 'ai.request' THEN 0 WHEN 'policy.violation' THEN 1 ELSE 800 END AS after_ms, e.*
   FROM events e LEFT JOIN events p ON p.account_id = e.account_id AND p.id = e.parent_id
   JOIN events r ON r.account_id = e.account_id AND r.id = coalesce(e.call_id, p.call_id)
   WHERE r.call_outcome <> 'unavailable'`,
  `CREATE UNLOGGED TABLE bench_templates AS
   SELECT b.*, p.ord AS parent_ord, p.after_ms AS parent_after_ms
   FROM bench_rows b LEFT JOIN bench_rows p ON p.id = b.parent_id`,
  'CREATE INDEX ON bench_templates (nr)',
  'ANALYZE bench_templates',
];

const id = (ord: string, afterMs: string): string =>
  `(lpad(to_hex(c.ms + ${afterMs}), 12, '0') || '7' || lpad(to_hex(${ord}), 3, '0') || '8' || lpad(to_hex(c.n), 15, '0'))::uuid`;

/** The columns in which a copy differs from its template. */
const OWN: Readonly<Record<string, string>> = {
  id: id('t.ord', 't.after_ms'),
  event_id: `'copy-' || c.n || '-' || t.ord`,
  call_id: `CASE WHEN t.call_id IS NOT NULL THEN ${id('1', '0')} END`,
  parent_id: `CASE WHEN t.parent_id IS NOT NULL THEN ${id('t.parent_ord', 't.parent_after_ms')} END`,
  request_id: `'req-' || c.n`,
  session_id: `'s-' || c.n / 7`,
  received_at: 'to_timestamp((c.ms + t.after_ms) / 1000.0)',
};

const dice = (value: string): string => `(hashint4(${value}) & 2147483647)`;

/** `$1` start and `$2` step in milliseconds, `$3` to `$4` numbers of calls. Payloads are copied without decompression. */
async function copyStatement(sql: SqlSession): Promise<string> {
  const columns = await sql.query<{ name: string }>(
    `SELECT attname::text AS name FROM pg_attribute WHERE attrelid = 'events'::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  const names = columns.map(({ name }) => name);
  return `INSERT INTO events (${names.join(', ')})
    SELECT ${names.map((name) => OWN[name] ?? `t.${name}`).join(', ')}
    FROM (SELECT n, floor($1::text::double precision + n * $2::text::double precision)::bigint AS ms,
            CASE WHEN ${dice('n + 1')} % 1000000 < 20 THEN ${COMMON_CALLS} + ${dice('n')} % ${RARE_CALLS}
              ELSE ${dice('n')} % ${COMMON_CALLS} END AS nr
          FROM generate_series($3::text::integer, $4::text::integer) n OFFSET 0) c
    JOIN bench_templates t ON t.nr = c.nr`;
}

/** Temporary table from which the sums are computed: the events before `$4` of all calls that begin from `$2` on and before `$3`. */
const SCANNED = `CREATE TEMPORARY TABLE bench_counted ON COMMIT DROP AS
  SELECT s.*, ${countedStep({ type: 's.type', source: 's.source', outcome: 's.after', isRoot: 's.is_root', ms: 's.latency_weir_ms' })}
  FROM (SELECT e.account_id, e.type, e.app_id, e.environment, e.source, e.session_id, e.call_id = e.id AS is_root,
          e.call_before AS before, e.call_outcome AS after, r.received_at AS at, e.received_at AS own_at, r.model,
          e.model AS own_model, r.key_id, e.cost_nano_usd, e.prompt_tokens, e.completion_tokens, e.latency_weir_ms
        FROM events e JOIN events r ON r.account_id = e.account_id AND r.id = e.call_id
        WHERE e.account_id = $1::uuid AND e.call_id IS NOT NULL AND r.id >= $2::uuid AND r.id < $3::uuid
          AND e.id >= $2::uuid AND e.id < $4::uuid) s`;
const VIOLATED = `(SELECT e.account_id, e.environment, e.app_id, e.rules[1] AS rule, e.received_at,
    e.violations->0->>'action' AS action, (e.violations->0->>'enforced')::boolean AS enforced
  FROM events e WHERE e.account_id = $1::uuid AND e.type = 'policy.violation' AND e.id >= $2::uuid AND e.id < $3::uuid)`;

/** Each batch writes its own rows of sums, as each process of the service does, since adjacent batches share a minute and an hour. */
const writerOf = (batch: number): string => String(batch % 30_000);

const sumsOf = (batch: number): readonly string[] => [
  `INSERT INTO event_rollups ${rollupRows('bench_counted', writerOf(batch))}`,
  `INSERT INTO latency_rollups ${latencyRows('bench_counted', writerOf(batch))}`,
  `INSERT INTO session_rollups (account_id, environment, app_id, session_id, first_at, last_at, models, ${ROLLUP_SUMS.join(', ')})
   ${sessionRows('bench_counted')}`,
];
const ruleSums = (batch: number): string => `INSERT INTO rule_rollups ${ruleRows(VIOLATED, writerOf(batch))}`;
