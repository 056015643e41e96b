-- Returns the row of a budget's window for one scope, creates it on first use, and updates its limit from the definition. If the time zone
-- changes, the current window keeps its end, and the next window begins there. At the end of a call ('is_end'), an existing row stays as it
-- is: the call may have begun under an older definition.
CREATE OR REPLACE FUNCTION budget_period(d jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  found_row budget_periods;
  now_at timestamptz := to_timestamp((d->>'now_ms')::double precision / 1000);
  starts timestamptz := to_timestamp((d->>'start_ms')::double precision / 1000);
  ends timestamptz := to_timestamp((d->>'end_ms')::double precision / 1000);
  warnings numeric[] := ARRAY(SELECT w::numeric FROM jsonb_array_elements_text(d->'warn_at') w);
BEGIN
  FOR attempt IN 1..2 LOOP
    SELECT * INTO found_row FROM budget_periods p
      WHERE p.account_id = (d->>'account')::uuid AND p.environment = d->>'environment' AND p.budget_id = d->>'budget'
        AND p.unit = d->>'unit' AND p.per = d->>'per' AND p.scope = d->>'scope'
        AND p.period_start <= now_at AND (p.period_end IS NULL OR p.period_end > now_at)
      ORDER BY p.period_start DESC LIMIT 1;
    EXIT WHEN FOUND;
    SELECT greatest(starts, max(p.period_end)) INTO starts FROM budget_periods p
      WHERE p.account_id = (d->>'account')::uuid AND p.environment = d->>'environment' AND p.budget_id = d->>'budget'
        AND p.unit = d->>'unit' AND p.per = d->>'per' AND p.scope = d->>'scope' AND p.period_end <= now_at;
    INSERT INTO budget_periods (account_id, environment, budget_id, unit, per, scope, scope_label, timezone,
        period_start, period_end, on_exceed, limit_n, warn_at)
      VALUES ((d->>'account')::uuid, d->>'environment', d->>'budget', d->>'unit', d->>'per', d->>'scope',
        (d->'scope_label')::json, d->>'timezone', starts, ends, d->>'on_exceed', (d->>'limit')::numeric, warnings)
      ON CONFLICT DO NOTHING;
  END LOOP;
  IF found_row.id IS NULL THEN RAISE EXCEPTION 'no period holds the instant' USING ERRCODE = 'data_exception'; END IF;
  IF (d->>'is_end')::boolean IS NOT TRUE AND (found_row.limit_n, found_row.warn_at, found_row.on_exceed)
      IS DISTINCT FROM ((d->>'limit')::numeric, warnings, d->>'on_exceed') THEN
    UPDATE budget_periods p SET limit_n = (d->>'limit')::numeric, warn_at = warnings, on_exceed = d->>'on_exceed'
      WHERE p.account_id = found_row.account_id AND p.id = found_row.id RETURNING p.* INTO found_row;
  END IF;
  RETURN budget_shown(found_row);
END $$;
