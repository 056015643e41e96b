/**
 * The routes that read and correct budgets. They change amounts only by entries with a reason.
 */
import { notArchived } from '../../events/index.js';

/** Tokens of an event, counted as `usageParts` counts them. */
const EVENT_TOKENS = `greatest(coalesce(v.prompt_tokens, 0),
    coalesce(v.cache_read_tokens, 0) + coalesce(v.cache_write_tokens, 0)) + coalesce(v.completion_tokens, 0)
  + CASE WHEN coalesce(v.reasoning_tokens, 0) > coalesce(v.completion_tokens, 0) THEN v.reasoning_tokens ELSE 0 END`;

/** An entry whose event is not in the log. */
const ABSENT = `n.kind = 'event' AND v.id IS NULL`;
const IS_LOST = notArchived('n.account_id', 'n.event_id');

/**
 * The three sums of every window, each from its own rows: the budget's own figure, the ledger's entries, and the events that the
 * entries refer to. The archive is not read: an archived event counts with the amount of its entry.
 */
export const AUDIT_QUERY = `
WITH counted AS MATERIALIZED (
  SELECT n.period_id, sum(n.settled_n) AS ledger, sum(n.reserved_n) AS held,
    sum(v.cost_nano_usd) FILTER (WHERE n.kind = 'event') AS usd,
    sum(${EVENT_TOKENS}) FILTER (WHERE n.kind = 'event' AND v.id IS NOT NULL) AS tokens,
    sum(n.settled_n) FILTER (WHERE n.kind = 'estimate') AS estimated,
    sum(n.settled_n) FILTER (WHERE n.kind = 'adjustment') AS adjusted,
    sum(n.settled_n) FILTER (WHERE ${ABSENT} AND NOT (${IS_LOST})) AS archived,
    count(*) FILTER (WHERE ${ABSENT} AND ${IS_LOST})::integer AS missing_events
  FROM budget_entries n
  LEFT JOIN events v ON v.account_id = n.account_id AND v.id = n.event_id
  WHERE n.account_id = $1::uuid
  GROUP BY n.period_id)
SELECT p.budget_id AS budget, p.environment, p.id::text AS period_id, p.scope_label::text AS scope, p.unit,
  (extract(epoch FROM p.period_start) * 1000)::double precision AS start_ms,
  p.settled_n::text AS usage, p.reserved_n::text AS reserved,
  coalesce(c.ledger, 0)::text AS ledger, coalesce(c.held, 0)::text AS held,
  (coalesce(CASE p.unit WHEN 'usd' THEN c.usd ELSE c.tokens END, 0) + coalesce(c.archived, 0))::text AS events,
  coalesce(c.estimated, 0)::text AS estimated, coalesce(c.adjusted, 0)::text AS adjusted,
  coalesce(c.missing_events, 0) AS missing_events
FROM budget_periods p
LEFT JOIN counted c ON c.period_id = p.id
WHERE p.account_id = $1::uuid
ORDER BY p.environment, p.budget_id, p.period_start, p.id`;

/** Calls that have ended in the log but not in the ledger, of one environment (`$2`) or of all (null). */
export const UNSETTLED_QUERY = `
SELECT count(*)::integer AS count FROM budget_reservations r
WHERE r.account_id = $1::uuid AND r.resolved_at IS NULL AND r.source = 'proxy' AND EXISTS (
  SELECT 1 FROM events v
  WHERE v.account_id = r.account_id AND v.request_id = r.request_id AND v.parent_id = r.id
    AND ($2::text IS NULL OR v.environment = $2) AND v.type IN ('ai.response', 'ai.error'))`;
