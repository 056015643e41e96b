/** Checks that the rollups agree exactly with the log. */
import type { SqlExecutor, SqlRow } from '../../src/database/index.js';
import { firstEventIdAt } from '../../src/events/event-id.js';
import { DAY_SECONDS, isHourOutsideDaySum } from '../../src/events/rollups/day-sums.js';
import {
  countedStep,
  EXCEPTION_SUMS,
  exceptionRows,
  latencyRows,
  ROLLUP_SUMS,
  rollupRows,
  ruleRows,
  sessionRows,
} from '../../src/events/rollups/rollup-statements.js';

/** The maximum time between a request and its answer; see `src/events/append-statement.ts`. */
const LATE_MS = 25 * 3_600_000;

/** Events of the log that belong to calls that began between `$2` and `$3`, in the form from which rollups are computed. */
const SCANNED = `(
  SELECT s.*, ${countedStep({ type: 's.type', source: 's.source', outcome: 's.after', isRoot: 's.is_root', ms: 's.latency_weir_ms' })}
  FROM (
    SELECT e.account_id, e.type, e.app_id, e.environment, e.source, e.call_id = e.id AS is_root, e.call_before AS before,
           e.call_outcome AS after, coalesce(r.received_at, e.received_at) AS at,
           coalesce(CASE WHEN e.call_id = e.id THEN e.model ELSE r.model END, '') AS model,
           coalesce(r.key_id, e.key_id) AS key_id, e.cost_nano_usd, e.prompt_tokens, e.completion_tokens,
           e.latency_weir_ms
    FROM events e
    LEFT JOIN events r ON r.account_id = e.account_id AND r.id = e.call_id AND e.call_id <> e.id
    WHERE e.account_id = $1::uuid AND e.call_id IS NOT NULL AND e.id >= $4::uuid AND e.id < $5::uuid) s
  WHERE s.at >= $2::timestamptz AND s.at < $3::timestamptz)`;

const KEPT = ['grain', 'bucket', 'environment', 'app_id', 'model', 'key_id'];

/** Days as queries read them: their own rows and those of hours that are not yet summed into their day. */
const wholeDays = (table: string): string => `(
  SELECT t.*, date_trunc('day', t.bucket, 'UTC') AS day FROM ${table} t
  WHERE t.account_id = $1::uuid AND t.bucket >= $2::timestamptz AND t.bucket < $3::timestamptz
    AND (t.grain = ${DAY_SECONDS} OR (${isHourOutsideDaySum('t')})))`;

const sumsOf = (columns: readonly string[]): string => columns.map((sum) => `sum(${sum}) AS ${sum}`).join(', ');

const CALLS = `
WITH scanned AS (${rollupRows(SCANNED, '0')}), kept AS (
  SELECT ${KEPT.join(', ')}, ${sumsOf(ROLLUP_SUMS)}
  FROM event_rollups
  WHERE account_id = $1::uuid AND bucket >= $2::timestamptz AND bucket < $3::timestamptz AND grain < ${DAY_SECONDS}
  GROUP BY ${KEPT.join(', ')})
SELECT (coalesce(s.bucket, k.bucket))::text AS bucket, coalesce(s.grain, k.grain) AS grain
FROM scanned s FULL JOIN kept k USING (${KEPT.join(', ')})
WHERE (${ROLLUP_SUMS.map((sum) => `s.${sum}`).join(', ')}) IS DISTINCT FROM
      (${ROLLUP_SUMS.map((sum) => `k.${sum}`).join(', ')})
ORDER BY 1, 2 LIMIT 100`;

const DAY = ['environment', 'app_id', 'model', 'key_id'];

/** Compares days with their hours; the statement above compares the hours with the log. */
const DAYS = `
WITH scanned AS (
  SELECT date_trunc('day', bucket, 'UTC') AS day, ${DAY.join(', ')}, ${sumsOf(ROLLUP_SUMS)}
  FROM event_rollups
  WHERE account_id = $1::uuid AND bucket >= $2::timestamptz AND bucket < $3::timestamptz AND grain = 3600
  GROUP BY day, ${DAY.join(', ')}), kept AS (
  SELECT day, ${DAY.join(', ')}, ${sumsOf(ROLLUP_SUMS)} FROM ${wholeDays('event_rollups')} d GROUP BY day, ${DAY.join(', ')})
SELECT coalesce(s.day, k.day)::text AS bucket, ${DAY_SECONDS} AS grain
FROM scanned s FULL JOIN kept k USING (day, ${DAY.join(', ')})
WHERE (${ROLLUP_SUMS.map((sum) => `s.${sum}`).join(', ')}) IS DISTINCT FROM
      (${ROLLUP_SUMS.map((sum) => `k.${sum}`).join(', ')})
ORDER BY 1 LIMIT 100`;

const LATENCY_DAYS = `
WITH scanned AS (
  SELECT date_trunc('day', bucket, 'UTC') AS day, environment, app_id, step, sum(n) AS n FROM latency_rollups
  WHERE account_id = $1::uuid AND bucket >= $2::timestamptz AND bucket < $3::timestamptz AND grain = 3600
  GROUP BY 1, 2, 3, 4), kept AS (
  SELECT day, environment, app_id, step, sum(n) AS n FROM ${wholeDays('latency_rollups')} d GROUP BY 1, 2, 3, 4)
SELECT coalesce(s.day, k.day)::text AS bucket, ${DAY_SECONDS} AS grain
FROM scanned s FULL JOIN kept k USING (day, environment, app_id, step)
WHERE coalesce(s.n, 0) <> coalesce(k.n, 0)
ORDER BY 1 LIMIT 100`;

const LATENCIES = `
WITH scanned AS (${latencyRows(SCANNED, '0')}), kept AS (
  SELECT grain, bucket, environment, app_id, step, sum(n) AS n FROM latency_rollups
  WHERE account_id = $1::uuid AND bucket >= $2::timestamptz AND bucket < $3::timestamptz
    AND grain < ${DAY_SECONDS}
  GROUP BY 1, 2, 3, 4, 5)
SELECT coalesce(s.bucket, k.bucket)::text AS bucket, coalesce(s.grain, k.grain) AS grain
FROM scanned s FULL JOIN kept k USING (grain, bucket, environment, app_id, step)
WHERE coalesce(s.n, 0) <> coalesce(k.n, 0)
ORDER BY 1, 2 LIMIT 100`;

const RULES = `
WITH scanned AS (${ruleRows(
  `(SELECT e.account_id, e.environment, e.app_id, e.rules[1] AS rule, e.received_at,
      e.violations->0->>'action' AS action, (e.violations->0->>'enforced')::boolean AS enforced
    FROM events e WHERE e.account_id = $1::uuid AND e.type = 'policy.violation'
      AND e.received_at >= $2::timestamptz AND e.received_at < $3::timestamptz AND e.id >= $4::uuid AND e.id < $5::uuid)`,
  '0',
)}), kept AS (
  SELECT environment, rule, hour, app_id, sum(hits) AS hits, sum(enforced) AS enforced, sum(monitored) AS monitored,
         sum(blocked) AS blocked, sum(redacted) AS redacted
  FROM rule_rollups WHERE account_id = $1::uuid AND hour >= $2::timestamptz AND hour < $3::timestamptz
  GROUP BY 1, 2, 3, 4)
SELECT coalesce(s.hour, k.hour)::text AS bucket, 3600 AS grain
FROM scanned s FULL JOIN kept k USING (environment, rule, hour, app_id)
WHERE (s.hits, s.enforced, s.monitored, s.blocked, s.redacted)
  IS DISTINCT FROM (k.hits, k.enforced, k.monitored, k.blocked, k.redacted)
ORDER BY 1 LIMIT 100`;

const EXCEPTION = ['environment', 'exception', 'rule', 'hour', 'app_id'];
const EXCEPTED = [...EXCEPTION_SUMS, 'first_at', 'last_at'];

const EXCEPTIONS = `
WITH scanned AS (${exceptionRows(
  `(SELECT e.account_id, e.id, e.environment, e.app_id, e.excepted, e.received_at
    FROM events e WHERE e.account_id = $1::uuid AND e.excepted IS NOT NULL
      AND e.received_at >= $2::timestamptz AND e.received_at < $3::timestamptz AND e.id >= $4::uuid AND e.id < $5::uuid)`,
  '0',
)}), kept AS (
  SELECT ${EXCEPTION.join(', ')}, ${EXCEPTION_SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(', ')},
         min(first_at) AS first_at, max(last_at) AS last_at
  FROM exception_rollups WHERE account_id = $1::uuid AND hour >= $2::timestamptz AND hour < $3::timestamptz
  GROUP BY ${EXCEPTION.join(', ')})
SELECT coalesce(s.hour, k.hour)::text AS bucket, 3600 AS grain
FROM scanned s FULL JOIN kept k USING (${EXCEPTION.join(', ')})
WHERE (${EXCEPTED.map((sum) => `s.${sum}`).join(', ')}) IS DISTINCT FROM (${EXCEPTED.map((sum) => `k.${sum}`).join(', ')})
ORDER BY 1 LIMIT 100`;

const SESSION = ['environment', 'app_id', 'session_id'];
const SESSION_SUMS = ['first_at', 'last_at', 'models', ...ROLLUP_SUMS];

const SESSIONS = `
WITH scanned AS (${sessionRows(`(
  SELECT e.account_id, e.environment, e.app_id, e.session_id, e.type, e.call_id = e.id AS is_root, e.call_before AS before,
         e.call_outcome AS after, e.received_at AS own_at, e.model AS own_model, e.cost_nano_usd, e.prompt_tokens,
         e.completion_tokens
  FROM events e WHERE e.account_id = $1::uuid AND e.call_id IS NOT NULL)`)}), kept AS (
  SELECT * FROM session_rollups WHERE account_id = $1::uuid)
SELECT coalesce(s.session_id, k.session_id) AS session
FROM scanned s FULL JOIN kept k USING (${SESSION.join(', ')})
WHERE (${SESSION_SUMS.map((sum) => `s.${sum}`).join(', ')}) IS DISTINCT FROM
      (${SESSION_SUMS.map((sum) => `k.${sum}`).join(', ')})
ORDER BY 1 LIMIT 100`;

/** Finds the sessions whose rollups differ from the log. @throws DatabaseError | DatabaseUnavailable */
export async function sessionDifferences(sql: SqlExecutor, accountId: string): Promise<string[]> {
  const rows = await sql.query<{ readonly session: string }>(SESSIONS, [accountId]);
  return rows.map(({ session }) => session);
}

/** A minute, an hour or a day whose rollups differ from the log. */
export interface RollupDifference extends SqlRow {
  readonly bucket: string;
  readonly grain: number;
}

/**
 * Compares the rollups of complete days with the log.
 *
 * @param sql one snapshot, in the account's scope
 * @param from inclusive, `to` exclusive: both at midnight, UTC
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function rollupDifferences(
  sql: SqlExecutor,
  accountId: string,
  from: Date,
  to: Date,
): Promise<RollupDifference[]> {
  const bounds = [firstEventIdAt(from.getTime() - LATE_MS), firstEventIdAt(to.getTime() + LATE_MS)];
  const parameters = [accountId, from.toISOString(), to.toISOString(), ...bounds];
  const differences: RollupDifference[] = [];
  for (const statement of [CALLS, LATENCIES, RULES, EXCEPTIONS]) {
    differences.push(...(await sql.query<RollupDifference>(statement, parameters)));
  }
  for (const statement of [DAYS, LATENCY_DAYS]) {
    differences.push(...(await sql.query<RollupDifference>(statement, parameters.slice(0, 3))));
  }
  return differences;
}
