-- Returns a period in the form used in events, refusals and reports.
CREATE OR REPLACE FUNCTION budget_shown(p budget_periods) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'account', p.account_id, 'period', p.id, 'environment', p.environment, 'budget', p.budget_id, 'unit', p.unit,
    'per', p.per, 'timezone', p.timezone, 'scope', p.scope_label,
    'start_ms', (extract(epoch FROM p.period_start) * 1000)::bigint,
    'end_ms', (extract(epoch FROM p.period_end) * 1000)::bigint,
    'on_exceed', p.on_exceed, 'limit', p.limit_n::text, 'settled', p.settled_n::text, 'reserved', p.reserved_n::text)
$$;
