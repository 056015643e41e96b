/**
 * Sums of the log that are kept beside it: per minute and hour, per rule and hour, per session. They are written by the
 * statement that stores the events, of the rows that it stores, so they cannot say anything else than the log.
 *
 * A call is counted where it began: with the app, key, model and time of its first event. Each later event of the call
 * takes back what the call counted as before and adds what it counts as now.
 */
import { OUTCOMES } from '../outcome.js';
import { stepOf } from './latency-scale.js';

/** Seconds of the two grains. */
export const GRAINS = [60, 3_600] as const;

/** Types of events that are calls or belong to one, as SQL. */
export const CALL_TYPES = `('ai.request', 'agent.tool_call', 'ai.response', 'ai.error')`;
const ANSWERS = `('ai.response', 'ai.error')`;

const RANK = `array_position(ARRAY[${OUTCOMES.map((outcome) => `'${outcome}'`).join(', ')}]`;

/** The stronger of two outcomes, of which the second may be null. */
export function stronger(own: string, before: string): string {
  return `CASE WHEN ${before} IS NULL OR ${RANK}, ${own}) >= ${RANK}, ${before}) THEN ${own} ELSE ${before} END`;
}

/** Events of one request id that are looked at: a client that gives all its calls one id makes nothing slow. */
const LOOK_BACK = 20;

/**
 * For an answer in `r` (typed columns): the call that it belongs to, and what that call counted as before. The answer of
 * a proxied call names its request; a submitted one has the same request id as the newest `ai.request` before it.
 *
 * @param fromId placeholder of the id from which on requests are looked for
 */
export function callOf(fromId: string): string {
  return `LATERAL (
    SELECT first.id AS root, first.received_at, first.model, first.key_id, first.latency_weir_ms,
           (SELECT l.call_outcome FROM (
              SELECT q.call_id, q.call_outcome, q.id FROM events q
              WHERE q.account_id = r.account_id AND q.request_id = r.request_id AND q.id >= ${fromId}::uuid
              ORDER BY q.id DESC LIMIT ${LOOK_BACK}) l
            WHERE l.call_id = first.id
            ORDER BY ${RANK}, l.call_outcome) DESC LIMIT 1) AS before
    FROM (
      SELECT q.id, q.app_id, q.environment, q.type, q.received_at, q.model, q.key_id, q.latency_weir_ms FROM events q
      WHERE r.type IN ${ANSWERS} AND q.account_id = r.account_id AND q.request_id = r.request_id AND q.id >= ${fromId}::uuid
      ORDER BY q.id DESC LIMIT ${LOOK_BACK}) first
    WHERE first.type = 'ai.request' AND first.app_id = r.app_id AND first.environment = r.environment
      AND (r.parent_id IS NULL OR first.id = r.parent_id)
    ORDER BY first.id DESC LIMIT 1)`;
}

const OUTCOME_COLUMNS = OUTCOMES.map((outcome) => `${outcome}_n`);
const SUMS = ['calls', 'tool_calls', ...OUTCOME_COLUMNS, 'cost_nano_usd', 'prompt_tokens', 'completion_tokens'];

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
];

const MINUTE_OR_HOUR = `to_timestamp(floor(extract(epoch FROM k.at) / g.grain) * g.grain)`;

/** What `event_rollups` is made of, from a relation `k`; see `SUM_EXPRESSIONS`. */
export function rollupRows(relation: string, writer: string): string {
  return `SELECT k.account_id, g.grain, ${MINUTE_OR_HOUR} AS bucket, k.environment, k.app_id, k.model, k.key_id,
      ${writer} AS writer, ${SUM_EXPRESSIONS.map((sum, index) => `${sum} AS ${SUMS[index]}`).join(', ')}
    FROM ${relation} k CROSS JOIN (VALUES (${GRAINS[0]}), (${GRAINS[1]})) AS g (grain)
    GROUP BY 1, 2, 3, 4, 5, 6, 7`;
}

/** Columns of `latency_rollups`: how many calls took how much of Weir's time, in steps of `latency-scale.ts`. */
const LATENCY_KEY = ['account_id', 'grain', 'bucket', 'environment', 'app_id', 'step', 'writer'];

/** What `latency_rollups` is made of: a row per step that is counted (`step`) or no more (`step_before`). */
export function latencyRows(relation: string, writer: string): string {
  return `SELECT k.account_id, g.grain, ${MINUTE_OR_HOUR} AS bucket, k.environment, k.app_id, c.step, ${writer} AS writer,
      sum(c.n) AS n
    FROM ${relation} k CROSS JOIN (VALUES (${GRAINS[0]}), (${GRAINS[1]})) AS g (grain)
    CROSS JOIN LATERAL (VALUES (k.step, 1), (k.step_before, -1)) AS c (step, n)
    WHERE c.step IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6`;
}

const SESSION_KEY = ['account_id', 'environment', 'app_id', 'session_id'];
/** Models of one session that are kept. */
const MODELS = 20;

function sessionRows(relation: string): string {
  return `SELECT k.account_id, k.environment, k.app_id, k.session_id, min(k.own_at) AS first_at, max(k.own_at) AS last_at,
      coalesce((array_agg(DISTINCT k.own_model) FILTER (WHERE k.own_model IS NOT NULL))[1:${MODELS}], '{}') AS models,
      ${SUM_EXPRESSIONS.map((sum, index) => `${sum} AS ${SUMS[index]}`).join(', ')}
    FROM ${relation} k WHERE k.session_id IS NOT NULL
    GROUP BY 1, 2, 3, 4`;
}

const added = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = t.${column} + excluded.${column}`).join(', ');

/** The parts of the storing statement that keep the sums; `k` and `v` are its relations of calls and of violations. */
export function rollupParts(writer: string): string {
  return `rolled AS (
  INSERT INTO event_rollups AS t (${ROLLUP_KEY.join(', ')}, ${SUMS.join(', ')})
  SELECT * FROM (${rollupRows('k', writer)}) n ORDER BY ${ROLLUP_KEY.join(', ')}
  ON CONFLICT (${ROLLUP_KEY.join(', ')}) DO UPDATE SET ${added(SUMS)}
), latencies AS (
  INSERT INTO latency_rollups AS t (${LATENCY_KEY.join(', ')}, n)
  SELECT * FROM (${latencyRows('k', writer)}) n ORDER BY ${LATENCY_KEY.join(', ')}
  ON CONFLICT (${LATENCY_KEY.join(', ')}) DO UPDATE SET n = t.n + excluded.n
), in_session AS (
  INSERT INTO session_rollups AS t (${SESSION_KEY.join(', ')}, first_at, last_at, models, ${SUMS.join(', ')})
  SELECT * FROM (${sessionRows('k')}) n ORDER BY ${SESSION_KEY.join(', ')}
  ON CONFLICT (${SESSION_KEY.join(', ')}) DO UPDATE SET first_at = least(t.first_at, excluded.first_at),
    last_at = greatest(t.last_at, excluded.last_at), ${added(SUMS)},
    models = CASE WHEN t.models @> excluded.models THEN t.models
      ELSE (SELECT (array_agg(DISTINCT m))[1:${MODELS}] FROM unnest(t.models || excluded.models) m) END
), of_rules AS (
  INSERT INTO rule_rollups AS t (${RULE_KEY.join(', ')}, ${RULE_SUMS.join(', ')}, first_at, last_at)
  SELECT * FROM (${ruleRows('v', writer)}) n ORDER BY ${RULE_KEY.join(', ')}
  ON CONFLICT (${RULE_KEY.join(', ')}) DO UPDATE SET ${added(RULE_SUMS)},
    first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)
)`;
}

const RULE_KEY = ['account_id', 'environment', 'rule', 'hour', 'app_id', 'writer'];
const RULE_SUMS = ['hits', 'enforced', 'monitored', 'blocked', 'redacted'];

/** What `rule_rollups` is made of, from a relation `v` of `policy.violation` events. */
export function ruleRows(relation: string, writer: string): string {
  return `SELECT v.account_id, v.environment, v.rule, date_trunc('hour', v.received_at, 'UTC') AS hour, v.app_id,
      ${writer} AS writer, count(*) AS hits, count(*) FILTER (WHERE v.enforced) AS enforced,
      count(*) FILTER (WHERE NOT v.enforced AND v.action IN ('block', 'redact')) AS monitored,
      count(*) FILTER (WHERE v.enforced AND v.action = 'block') AS blocked,
      count(*) FILTER (WHERE v.enforced AND v.action = 'redact') AS redacted,
      min(v.received_at) AS first_at, max(v.received_at) AS last_at
    FROM ${relation} v WHERE v.rule IS NOT NULL GROUP BY 1, 2, 3, 4, 5`;
}

/** The step of an event's own latency, and the one that it takes the place of; the end of a proxied call knows all of it. */
export function latencySteps(own: string, first: string): string {
  const ends = `(NOT is_root AND source = 'proxy')`;
  return `CASE WHEN is_root OR ${ends} THEN ${stepOf(own)} END AS step,
    CASE WHEN ${ends} THEN ${stepOf(first)} END AS step_before`;
}
