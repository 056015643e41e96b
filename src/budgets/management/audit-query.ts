/**
 * The three sums of every window, each from its own rows: the budget's own figure, the ledger's entries, and the events
 * that the entries name. Tokens of an event are counted as `usageParts` counts them.
 */
const EVENT_TOKENS = `greatest(coalesce(v.prompt_tokens, 0),
    coalesce(v.cache_read_tokens, 0) + coalesce(v.cache_write_tokens, 0)) + coalesce(v.completion_tokens, 0)
  + CASE WHEN coalesce(v.reasoning_tokens, 0) > coalesce(v.completion_tokens, 0) THEN v.reasoning_tokens ELSE 0 END`;

export const AUDIT_QUERY = `
SELECT p.budget_id AS budget, p.environment, p.id::text AS period_id, p.scope_label::text AS scope, p.unit,
  (extract(epoch FROM p.period_start) * 1000)::double precision AS start_ms,
  p.settled_n::text AS usage, p.reserved_n::text AS reserved,
  coalesce(sum(n.settled_n), 0)::text AS ledger,
  coalesce(sum(n.reserved_n), 0)::text AS held,
  coalesce(sum(CASE p.unit WHEN 'usd' THEN v.cost_nano_usd ELSE ${EVENT_TOKENS} END)
    FILTER (WHERE n.kind = 'event' AND v.id IS NOT NULL), 0)::text AS events,
  coalesce(sum(n.settled_n) FILTER (WHERE n.kind = 'estimate'), 0)::text AS estimated,
  coalesce(sum(n.settled_n) FILTER (WHERE n.kind = 'adjustment'), 0)::text AS adjusted,
  count(*) FILTER (WHERE n.kind = 'event' AND v.id IS NULL)::integer AS missing_events
FROM budget_periods p
LEFT JOIN budget_entries n ON n.account_id = p.account_id AND n.period_id = p.id
LEFT JOIN events v ON v.account_id = n.account_id AND v.id = n.event_id
WHERE p.account_id = $1::uuid
GROUP BY p.account_id, p.id
ORDER BY p.environment, p.budget_id, p.period_start, p.id`;

/** Calls that the log knows to have ended, and the ledger does not. */
export const UNSETTLED_QUERY = `
SELECT count(*)::integer AS count FROM budget_reservations r
WHERE r.account_id = $1::uuid AND r.resolved_at IS NULL AND r.source = 'proxy' AND EXISTS (
  SELECT 1 FROM events v
  WHERE v.account_id = r.account_id AND v.request_id = r.request_id AND v.parent_id = r.id
    AND v.type IN ('ai.response', 'ai.error'))`;
