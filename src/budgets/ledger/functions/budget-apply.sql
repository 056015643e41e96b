-- Applies steps to calls: 'dispatch' just before a call is sent to the provider, 'settle' with its cost, 'release' if it costs nothing. A
-- settlement names its reservation, or the 'request_id' of a request that was submitted over REST; without a reservation, it counts for the
-- budgets in its charges. A resolved reservation stays resolved, so nothing is counted twice. A settlement or a release that arrives after the
-- lease has ended replaces the estimate that was counted at that time. If the cost is unknown, the reserved amount is counted as an estimate.
-- A dispatch changes no amount and waits for no period.
CREATE OR REPLACE FUNCTION budget_apply(steps jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  ps budget_periods[];
  places jsonb;
  p budget_periods;
  step jsonb;
  nr integer := -1;
  at integer;
  r budget_reservations;
  e budget_entries;
  charge jsonb;
  charged record;
  actual numeric;
  is_known boolean;
  locked uuid[];
  ending budget_reservations[];
BEGIN
  SELECT coalesce(array_agg((l.b).id), '{}'), coalesce(array_agg(l.b) FILTER (WHERE k.ends), '{}') INTO locked, ending
    FROM (
      SELECT q.account_id, q.id, bool_or(q.ends) AS ends FROM (
        SELECT (s->>'account')::uuid AS account_id, (s->>'reservation')::uuid AS id, s->>'do' <> 'dispatch' AS ends
          FROM jsonb_array_elements(steps) s WHERE s->>'reservation' IS NOT NULL
        UNION ALL SELECT x.account_id, x.id, true FROM jsonb_array_elements(steps) s CROSS JOIN LATERAL (
            SELECT y.account_id, y.id FROM budget_reservations y
            WHERE y.account_id = (s->>'account')::uuid AND y.app_id = (s->>'app')::uuid
              AND y.environment = s->>'environment' AND y.request_id = s->>'request_id'
              AND y.source <> 'proxy' AND y.state <> 'settled' OFFSET 0) x
          WHERE s->>'reservation' IS NULL) q
      GROUP BY 1, 2 ORDER BY 1, 2) k
    CROSS JOIN LATERAL (
      SELECT b FROM budget_reservations b WHERE b.account_id = k.account_id AND b.id = k.id FOR UPDATE) l;
  SELECT coalesce(array_agg(l.b), '{}') INTO ps
    FROM (SELECT DISTINCT q.account_id, q.period_id FROM (
      SELECT n.account_id, n.period_id FROM unnest(ending) x CROSS JOIN LATERAL (
        SELECT m.account_id, m.period_id FROM budget_entries m
        WHERE m.account_id = x.account_id AND m.source_id = x.id OFFSET 0) n
        UNION ALL SELECT (s->>'account')::uuid, (c->>'period')::uuid
        FROM jsonb_array_elements(steps) s, jsonb_array_elements(s->'charges') c) q ORDER BY 1, 2) k
    CROSS JOIN LATERAL (
      SELECT b FROM budget_periods b WHERE b.account_id = k.account_id AND b.id = k.period_id FOR UPDATE) l;
  SELECT coalesce(jsonb_object_agg(x.account_id || ' ' || x.id, x.ordinality), '{}') INTO places
    FROM unnest(ps) WITH ORDINALITY x;
  FOR step IN SELECT * FROM jsonb_array_elements(steps) LOOP
    nr := nr + 1;
    r := NULL;
    IF step->>'reservation' IS NOT NULL THEN
      SELECT * INTO r FROM budget_reservations b
        WHERE b.account_id = (step->>'account')::uuid AND b.id = (step->>'reservation')::uuid;
    ELSE
      -- First reservations of open calls, then those whose lease has ended, then those that were released, then those that are settled.
      SELECT * INTO r FROM budget_reservations b
        WHERE b.account_id = (step->>'account')::uuid AND b.app_id = (step->>'app')::uuid
          AND b.environment = step->>'environment' AND b.request_id = step->>'request_id'
          AND (b.id = ANY (locked) OR b.source = 'proxy' OR b.state = 'settled')
        ORDER BY CASE WHEN b.source = 'proxy' THEN 3 WHEN b.state IN ('held', 'dispatched') THEN 0
          WHEN b.state IN ('settled_estimate', 'expired') THEN 1 WHEN b.state = 'released' THEN 2 ELSE 3 END,
          b.created_at, b.id LIMIT 1;
      -- The proxy settles its own calls, so a reported end of such a call does not count.
      IF r.source = 'proxy' THEN
        RETURN NEXT jsonb_build_object('nr', nr, 'what', 'counted_before');
        CONTINUE;
      END IF;
    END IF;
    IF step->>'do' = 'dispatch' THEN
      UPDATE budget_reservations b SET state = 'dispatched',
          expires_at = clock_timestamp() + b.lease_ms * interval '1 millisecond'
        WHERE b.account_id = r.account_id AND b.id = r.id AND b.state = 'held';
      IF NOT FOUND THEN RETURN NEXT jsonb_build_object('nr', nr, 'what', 'lost'); END IF;
    ELSIF r.id IS NULL THEN
      FOR charge IN SELECT * FROM jsonb_array_elements(step->'charges') LOOP
        at := budget_place(places, (step->>'account')::uuid, (charge->>'period')::uuid);
        actual := charge->>'actual';
        INSERT INTO budget_entries (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, event_id,
            created_at)
          VALUES ((step->>'account')::uuid, (step->>'event')::uuid, (charge->>'period')::uuid, 'event', actual, 0,
            actual, (step->>'event')::uuid, clock_timestamp())
          ON CONFLICT DO NOTHING;
        CONTINUE WHEN NOT FOUND;
        charged := budget_charge(ps[at], 0, actual);
        ps[at] := charged.p;
        RETURN QUERY SELECT c || jsonb_build_object('nr', nr) FROM unnest(charged.news) c;
      END LOOP;
    ELSIF step->>'do' = 'release' AND r.state IN ('held', 'dispatched', 'settled_estimate')
        OR step->>'do' = 'settle' AND r.state <> 'settled' THEN
      FOR e IN SELECT * FROM budget_entries n WHERE n.account_id = r.account_id AND n.source_id = r.id LOOP
        at := budget_place(places, e.account_id, e.period_id);
        p := ps[at];
        is_known := step->>'do' = 'settle' AND step->>p.unit IS NOT NULL;
        actual := CASE WHEN step->>'do' = 'release' THEN 0 ELSE coalesce((step->>p.unit)::numeric, e.amount_n) END;
        UPDATE budget_entries n SET reserved_n = 0, settled_n = actual,
            kind = CASE WHEN step->>'do' = 'release' THEN 'released' WHEN is_known THEN 'event' ELSE 'estimate' END,
            event_id = CASE WHEN is_known THEN (step->>'event')::uuid END
          WHERE n.account_id = e.account_id AND n.source_id = e.source_id AND n.period_id = e.period_id;
        charged := budget_charge(p, e.reserved_n, actual - e.settled_n);
        ps[at] := charged.p;
        RETURN QUERY SELECT c || jsonb_build_object('nr', nr) FROM unnest(charged.news) c;
        IF e.reserved_n > 0 AND actual > e.amount_n THEN
          RETURN NEXT jsonb_build_object('nr', nr, 'what', 'overrun', 'unit', p.unit, 'by', (actual - e.amount_n)::text);
        END IF;
      END LOOP;
      UPDATE budget_reservations b SET resolved_at = clock_timestamp(),
          state = CASE WHEN step->>'do' = 'release' THEN 'released' ELSE 'settled' END
        WHERE b.account_id = r.account_id AND b.id = r.id;
    ELSE
      RETURN NEXT jsonb_build_object('nr', nr, 'what', 'counted_before');
    END IF;
  END LOOP;
  PERFORM budget_write(ps);
END $$;
