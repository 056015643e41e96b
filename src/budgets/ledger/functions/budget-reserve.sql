-- Reserves an upper bound for each of these calls, in all of its budgets or in none. Returns for each call: 'granted', 'duplicate' (this id
-- was granted before), or the budget that denies the call with the reason: 'budget_exceeded' if the spent amount leaves too little,
-- 'budget_reserved' if only calls in flight hold the amount.
CREATE OR REPLACE FUNCTION budget_reserve(calls jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  ps budget_periods[];
  places jsonb;
  p budget_periods;
  call jsonb;
  charge jsonb;
  amount numeric;
  denying budget_periods;
  is_spent boolean;
  is_over boolean;
  ids jsonb := '{}';
  granted jsonb[] := '{}';
BEGIN
  SELECT coalesce(array_agg(l.b), '{}') INTO ps
    FROM (SELECT DISTINCT q.account_id, q.period_id FROM (
      SELECT (c->>'account')::uuid AS account_id, (e->>'period')::uuid AS period_id
        FROM jsonb_array_elements(calls) c, jsonb_array_elements(c->'charges') e) q ORDER BY 1, 2) k
    CROSS JOIN LATERAL (
      SELECT b FROM budget_periods b WHERE b.account_id = k.account_id AND b.id = k.period_id FOR UPDATE) l;
  SELECT coalesce(jsonb_object_agg(x.account_id || ' ' || x.id, x.ordinality), '{}') INTO places
    FROM unnest(ps) WITH ORDINALITY x;
  FOR call IN SELECT * FROM jsonb_array_elements(calls) LOOP
    PERFORM 1 FROM budget_reservations r WHERE r.account_id = (call->>'account')::uuid AND r.id = (call->>'id')::uuid;
    IF FOUND OR ids ? ((call->>'account') || (call->>'id')) THEN
      RETURN NEXT jsonb_build_object('id', call->>'id', 'outcome', 'duplicate');
      CONTINUE;
    END IF;
    denying := NULL;
    FOR charge IN SELECT * FROM jsonb_array_elements(call->'charges') LOOP
      CONTINUE WHEN NOT (charge->>'blocks')::boolean;
      p := ps[budget_place(places, (call->>'account')::uuid, (charge->>'period')::uuid)];
      amount := charge->>'amount';
      CONTINUE WHEN p.settled_n + p.reserved_n + amount <= (charge->>'limit')::numeric;
      is_over := p.settled_n + amount > (charge->>'limit')::numeric;
      IF denying.id IS NULL OR (NOT is_over, p.budget_id, p.id) < (NOT is_spent, denying.budget_id, denying.id) THEN
        denying := p;
        is_spent := is_over;
      END IF;
    END LOOP;
    IF denying.id IS NOT NULL THEN
      RETURN NEXT jsonb_build_object('id', call->>'id', 'by', budget_shown(denying),
        'outcome', CASE WHEN is_spent THEN 'budget_exceeded' ELSE 'budget_reserved' END);
      CONTINUE;
    END IF;
    FOR charge IN SELECT * FROM jsonb_array_elements(call->'charges') LOOP
      CONTINUE WHEN NOT (charge->>'blocks')::boolean;
      p := ps[budget_place(places, (call->>'account')::uuid, (charge->>'period')::uuid)];
      p.reserved_n := p.reserved_n + (charge->>'amount')::numeric;
      ps[budget_place(places, (call->>'account')::uuid, (charge->>'period')::uuid)] := p;
    END LOOP;
    ids := ids || jsonb_build_object((call->>'account') || (call->>'id'), true);
    granted := granted || call;
    RETURN NEXT jsonb_build_object('id', call->>'id', 'outcome', 'granted');
  END LOOP;
  INSERT INTO budget_reservations (account_id, id, environment, app_id, request_id, source, state, lease_ms, expires_at,
      created_at)
    SELECT (c->>'account')::uuid, (c->>'id')::uuid, c->>'environment', (c->>'app')::uuid, c->>'request_id',
      c->>'source', 'held', (c->>'lease_ms')::integer,
      clock_timestamp() + (c->>'lease_ms')::integer * interval '1 millisecond', clock_timestamp()
    FROM unnest(granted) c;
  INSERT INTO budget_entries (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, created_at)
    SELECT (c->>'account')::uuid, (c->>'id')::uuid, (e->>'period')::uuid, 'held', (e->>'amount')::numeric,
      CASE WHEN (e->>'blocks')::boolean THEN (e->>'amount')::numeric ELSE 0 END, 0, clock_timestamp()
    FROM unnest(granted) c, jsonb_array_elements(c->'charges') e;
  PERFORM budget_write(ps);
END $$;
