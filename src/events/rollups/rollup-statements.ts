/**
 * Sums of the log, stored in addition to it: per minute and hour, per rule and hour, per session. The statement that stores the events
 * also writes them, from the stored rows, so they always agree with the log.
 *
 * A call is counted where it began: with the app, key, model and time of its first event. Each later event of the call subtracts the
 * previous outcome of the call and adds its new one.
 */
import { ENFORCING_ACTIONS } from '../../core/index.js';
import { OUTCOMES } from '../outcome.js';
import { stepOf } from './latency-scale.js';

/** Seconds of the two grains. */
export const GRAINS = [60, 3_600] as const;

const RANK = `array_position(ARRAY[${OUTCOMES.map((outcome) => `'${outcome}'`).join(', ')}]`;

/** Maximum number of examined events of one request id, or of one call: a client with the same id for all its calls slows nothing down. */
const LOOK_BACK = 20;

/**
 * The calls that submitted answers belong to, and the outcomes under which these calls are counted: one row per answer (`n`, from 1) whose
 * call is in the log. A submitted answer has the same request id as the newest `ai.request` before it. `$1` to `$4`: accounts, apps,
 * environments and request ids of the answers; `$5`: the lowest id.
 *
 * The request id is compared as a range that contains one value: without statistics (the embedded database has none), PostgreSQL
 * searches for an equal value along the primary key, through all events of a day. Casts are evaluated before joins (`OFFSET 0`),
 * because under row-level security PostgreSQL looks up nothing by a cast of another table's column.
 */
export const CALLS_OF_ANSWERS = `
SELECT r.n::integer AS n, c.root::text AS id, c.event_id, c.received_at::text AS at, c.model, c.key_id, c.outcome
FROM (SELECT n, account_id::uuid AS account_id, app_id::uuid AS app_id, environment, request_id
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
        WITH ORDINALITY AS a (account_id, app_id, environment, request_id, n) OFFSET 0) r
CROSS JOIN LATERAL (
  WITH same AS MATERIALIZED (
    SELECT q.id, q.event_id, q.app_id, q.environment, q.type, q.received_at, q.model, q.key_id, q.call_id, q.call_outcome
    FROM events q
    WHERE q.account_id = r.account_id AND q.request_id >= r.request_id AND q.request_id <= r.request_id AND q.id >= $5::uuid
    ORDER BY q.request_id DESC, q.id DESC LIMIT ${LOOK_BACK})
  SELECT first.id AS root, first.event_id, first.received_at, first.model, first.key_id,
         (SELECT l.call_outcome FROM same l WHERE l.call_id = first.id ORDER BY ${RANK}, l.call_outcome) DESC LIMIT 1) AS outcome
  FROM same first
  WHERE first.type = 'ai.request' AND first.call_id = first.id
    AND first.app_id = r.app_id AND first.environment = r.environment
  ORDER BY first.id DESC LIMIT 1) c`;

/**
 * The same for answers that name their request, as those of proxied calls do: it is found by its primary key, whatever its age and its
 * request id. `$1` to `$4`: accounts, apps, environments and requests of the answers; `$5`: for each answer, the lowest id that an earlier
 * answer to its call can have.
 */
export const CALLS_OF_NAMED_REQUESTS = `
SELECT r.n::integer AS n, c.id::text AS id, c.event_id, c.received_at::text AS at, c.model, c.key_id, s.call_outcome AS outcome
FROM (SELECT n, account_id::uuid AS account_id, app_id::uuid AS app_id, environment, parent_id::uuid AS parent_id, early::uuid AS early
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
        WITH ORDINALITY AS a (account_id, app_id, environment, parent_id, early, n) OFFSET 0) r
CROSS JOIN LATERAL (
  SELECT q.id, q.event_id, q.received_at, q.model, q.key_id, q.call_outcome FROM events q
  WHERE q.account_id = r.account_id AND q.id = r.parent_id AND q.type = 'ai.request' AND q.call_id = q.id
    AND q.app_id = r.app_id AND q.environment = r.environment OFFSET 0) c
CROSS JOIN LATERAL (
  SELECT o.call_outcome
  FROM (SELECT c.call_outcome UNION ALL (
    SELECT l.call_outcome FROM events l
    WHERE l.account_id = r.account_id AND l.call_id >= r.parent_id AND l.call_id <= r.parent_id AND l.call_id <> l.id
      AND l.id >= r.early
    ORDER BY l.call_id DESC, l.id DESC LIMIT ${LOOK_BACK})) o
  ORDER BY ${RANK}, o.call_outcome) DESC LIMIT 1) s`;

const OUTCOME_COLUMNS = OUTCOMES.map((outcome) => `${outcome}_n`);
const SUMS = [
  ...['calls', 'tool_calls', ...OUTCOME_COLUMNS, 'cost_nano_usd', 'prompt_tokens', 'completion_tokens'],
  // Calls that the cost leaves out, because the price of their tokens is unknown.
  'unpriced_n',
];

/** Columns of `event_rollups`. */
export const ROLLUP_KEY = ['account_id', 'grain', 'bucket', 'environment', 'app_id', 'model', 'key_id', 'writer'];
export const ROLLUP_SUMS: readonly string[] = SUMS;

/**
 * The sums over a relation `k` of events that belong to calls: `is_root`, `type`, `before`, `after`, `cost_nano_usd`,
 * `prompt_tokens`, `completion_tokens`.
 */
const SUM_EXPRESSIONS: readonly string[] = [
  `count(*) FILTER (WHERE k.is_root)`,
  `count(*) FILTER (WHERE k.is_root AND k.type = 'agent.tool_call')`,
  ...OUTCOMES.map(
    (each) => `count(*) FILTER (WHERE k.after = '${each}') - count(*) FILTER (WHERE k.before = '${each}')`,
  ),
  'coalesce(sum(k.cost_nano_usd), 0)',
  'coalesce(sum(k.prompt_tokens), 0)::bigint',
  'coalesce(sum(k.completion_tokens), 0)::bigint',
  'count(*) FILTER (WHERE k.cost_nano_usd IS NULL AND coalesce(k.prompt_tokens, k.completion_tokens) IS NOT NULL)',
];

const MINUTE_OR_HOUR = `to_timestamp(floor(extract(epoch FROM k.at) / g.grain) * g.grain)`;

/** The rows of `event_rollups`, from a relation `k`; see `SUM_EXPRESSIONS`. */
export function rollupRows(relation: string, writer: string): string {
  return `SELECT k.account_id, g.grain, ${MINUTE_OR_HOUR} AS bucket, k.environment, k.app_id, k.model, k.key_id,
      ${writer} AS writer, ${SUM_EXPRESSIONS.map((sum, index) => `${sum} AS ${SUMS[index]}`).join(', ')}
    FROM ${relation} k CROSS JOIN (VALUES (${GRAINS[0]}), (${GRAINS[1]})) AS g (grain)
    GROUP BY 1, 2, 3, 4, 5, 6, 7`;
}

/** Columns of `latency_rollups`: the number of calls for each step of `latency-scale.ts`, by Weir's own time. */
export const LATENCY_KEY = ['account_id', 'grain', 'bucket', 'environment', 'app_id', 'step', 'writer'];

/** The rows of `latency_rollups`: one per step. */
export function latencyRows(relation: string, writer: string): string {
  return `SELECT k.account_id, g.grain, ${MINUTE_OR_HOUR} AS bucket, k.environment, k.app_id, k.step, ${writer} AS writer,
      count(*) AS n
    FROM ${relation} k CROSS JOIN (VALUES (${GRAINS[0]}), (${GRAINS[1]})) AS g (grain)
    WHERE k.step IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6`;
}

const SESSION_KEY = ['account_id', 'environment', 'app_id', 'session_id'];
/** Maximum number of models stored per session. */
const MODELS = 20;

/** The rows of `session_rollups`. */
export function sessionRows(relation: string): string {
  return `SELECT k.account_id, k.environment, k.app_id, k.session_id, min(k.own_at) AS first_at, max(k.own_at) AS last_at,
      coalesce((array_agg(DISTINCT k.own_model) FILTER (WHERE k.own_model IS NOT NULL))[1:${MODELS}], '{}') AS models,
      ${SUM_EXPRESSIONS.map((sum, index) => `${sum} AS ${SUMS[index]}`).join(', ')}
    FROM ${relation} k WHERE k.session_id IS NOT NULL
    GROUP BY 1, 2, 3, 4`;
}

/** Adds the values of an insert to those of the existing row `t`. */
export const addedSums = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = t.${column} + excluded.${column}`).join(', ');

/** The sums, other than those of calls, that a batch changes. */
export interface AdditionalSums {
  readonly sessions: boolean;
  readonly rules: boolean;
  readonly exceptions: boolean;
}

/**
 * The parts of the storing statement that update the sums; `k`, `v` and `x` are its relations of calls, of violations, and of events to
 * which an exception was applied.
 */
export function rollupParts(writer: string, { sessions, rules, exceptions }: AdditionalSums): string {
  return [
    callSums(writer),
    ...(sessions ? [SESSION_SUMS] : []),
    ...(rules ? [ruleSums(writer)] : []),
    ...(exceptions ? [exceptionSums(writer)] : []),
  ].join(', ');
}

const callSums = (writer: string): string => `rolled AS (
  INSERT INTO event_rollups AS t (${ROLLUP_KEY.join(', ')}, ${SUMS.join(', ')})
  SELECT * FROM (${rollupRows('k', writer)}) n ORDER BY ${ROLLUP_KEY.join(', ')}
  ON CONFLICT (${ROLLUP_KEY.join(', ')}) DO UPDATE SET ${addedSums(SUMS)}
), latencies AS (
  INSERT INTO latency_rollups AS t (${LATENCY_KEY.join(', ')}, n)
  SELECT * FROM (${latencyRows('k', writer)}) n ORDER BY ${LATENCY_KEY.join(', ')}
  ON CONFLICT (${LATENCY_KEY.join(', ')}) DO UPDATE SET n = t.n + excluded.n
)`;

const SESSION_SUMS = `in_session AS (
  INSERT INTO session_rollups AS t (${SESSION_KEY.join(', ')}, first_at, last_at, models, ${SUMS.join(', ')})
  SELECT * FROM (${sessionRows('k')}) n ORDER BY ${SESSION_KEY.join(', ')}
  ON CONFLICT (${SESSION_KEY.join(', ')}) DO UPDATE SET first_at = least(t.first_at, excluded.first_at),
    last_at = greatest(t.last_at, excluded.last_at), ${addedSums(SUMS)},
    models = CASE WHEN t.models @> excluded.models THEN t.models
      ELSE (SELECT (array_agg(DISTINCT m))[1:${MODELS}] FROM unnest(t.models || excluded.models) m) END
)`;

const RULE_KEY = ['account_id', 'environment', 'rule', 'hour', 'app_id', 'writer'];
const RULE_SUMS = ['hits', 'enforced', 'monitored', 'blocked', 'redacted'];

const ruleSums = (writer: string): string => `of_rules AS (
  INSERT INTO rule_rollups AS t (${RULE_KEY.join(', ')}, ${RULE_SUMS.join(', ')}, first_at, last_at)
  SELECT * FROM (${ruleRows('v', writer)}) n ORDER BY ${RULE_KEY.join(', ')}
  ON CONFLICT (${RULE_KEY.join(', ')}) DO UPDATE SET ${addedSums(RULE_SUMS)},
    first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)
)`;

const EXCEPTION_KEY = ['account_id', 'environment', 'exception', 'rule', 'hour', 'app_id', 'writer'];
/** Columns of `exception_rollups` that are added up. */
export const EXCEPTION_SUMS: readonly string[] = ['excepted', 'kept', 'hits', 'kept_hits'];

const exceptionSums = (writer: string): string => `of_exceptions AS (
  INSERT INTO exception_rollups AS t (${EXCEPTION_KEY.join(', ')}, ${EXCEPTION_SUMS.join(', ')}, first_at, last_at)
  SELECT * FROM (${exceptionRows('x', writer)}) n ORDER BY ${EXCEPTION_KEY.join(', ')}
  ON CONFLICT (${EXCEPTION_KEY.join(', ')}) DO UPDATE SET ${addedSums(EXCEPTION_SUMS)},
    first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)
)`;

/**
 * The rows of `exception_rollups`, from a relation `x` of events that have `excepted`. Summed over exceptions, `excepted` and `kept` are
 * the numbers of a rule. Summed over rules, `hits` and `kept_hits` are the numbers of an exception, for which an event counts once,
 * regardless of the number of rules to which the exception was applied in the event.
 */
export function exceptionRows(relation: string, writer: string): string {
  const nth = (same: string): string => `row_number() OVER (PARTITION BY x.id, o.exception${same} ORDER BY o.nth) = 1`;
  return `SELECT e.account_id, e.environment, e.exception, e.rule, date_trunc('hour', e.received_at, 'UTC') AS hour, e.app_id,
      ${writer} AS writer, count(*) AS excepted, count(*) FILTER (WHERE e.is_kept) AS kept,
      count(*) FILTER (WHERE e.is_first) AS hits,
      count(*) FILTER (WHERE e.is_kept AND e.is_first_of_kind) AS kept_hits,
      min(e.received_at) AS first_at, max(e.received_at) AS last_at
    FROM (SELECT x.account_id, x.environment, x.app_id, x.received_at, o.exception, o.rule, o.kept IS NOT NULL AS is_kept,
                 ${nth('')} AS is_first, ${nth(', o.kept IS NOT NULL')} AS is_first_of_kind
          FROM ${relation} x CROSS JOIN LATERAL (
            SELECT l.one->>'exception' AS exception, l.one->>'rule' AS rule, l.one->>'kept' AS kept, l.nth
            FROM json_array_elements(x.excepted) WITH ORDINALITY AS l (one, nth)) o) e
    GROUP BY 1, 2, 3, 4, 5, 6`;
}

/** The rows of `rule_rollups`, from a relation `v` of `policy.violation` events. */
export function ruleRows(relation: string, writer: string): string {
  return `SELECT v.account_id, v.environment, v.rule, date_trunc('hour', v.received_at, 'UTC') AS hour, v.app_id,
      ${writer} AS writer, count(*) AS hits, count(*) FILTER (WHERE v.enforced) AS enforced,
      count(*) FILTER (WHERE NOT v.enforced AND v.action IN (${ENFORCING_ACTIONS.map((action) => `'${action}'`).join(', ')})) AS monitored,
      count(*) FILTER (WHERE v.enforced AND v.action = 'block') AS blocked,
      count(*) FILTER (WHERE v.enforced AND v.action = 'redact') AS redacted,
      min(v.received_at) AS first_at, max(v.received_at) AS last_at
    FROM ${relation} v WHERE v.rule IS NOT NULL GROUP BY 1, 2, 3, 4, 5`;
}

/** Whether the latency of an event counts: that of the first event of a call; of a proxied call, that of its end, which has the whole. */
export function countsLatency({ type, source, outcome, isRoot }: Omit<CountedColumns, 'ms'>): string {
  const isEnd = `(${type} <> 'ai.request' OR ${outcome} IN ('blocked', 'unavailable'))`;
  return `CASE WHEN ${source} <> 'rest' THEN ${isEnd} ELSE ${isRoot} END`;
}

/** The latency step of an event, null for none. */
export function countedStep({ ms, ...columns }: CountedColumns): string {
  return `CASE WHEN ${countsLatency(columns)} THEN ${stepOf(ms)} END AS step`;
}

/** Names of columns, or expressions. */
interface CountedColumns {
  readonly type: string;
  readonly source: string;
  readonly outcome: string;
  readonly isRoot: string;
  readonly ms: string;
}
