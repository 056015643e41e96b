-- Ends reservations whose lease has ended: the amount of a call that was not sent is released; a call that was sent to the provider is
-- counted at its upper bound, as an estimate.
CREATE OR REPLACE FUNCTION budget_sweep(most integer) RETURNS SETOF jsonb LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  ps budget_periods[];
  places jsonb;
  at integer;
  r budget_reservations;
  e budget_entries;
  charged record;
  counted numeric;
  lapsed budget_reservations[];
BEGIN
  SELECT array_agg(b) INTO lapsed FROM (
    SELECT * FROM budget_reservations x
      WHERE x.resolved_at IS NULL AND x.expires_at < clock_timestamp()
      ORDER BY x.account_id, x.id LIMIT most FOR UPDATE SKIP LOCKED) b;
  IF lapsed IS NULL THEN RETURN; END IF;
  SELECT coalesce(array_agg(l.b), '{}') INTO ps
    FROM (SELECT DISTINCT q.account_id, q.period_id FROM (
      SELECT n.account_id, n.period_id FROM unnest(lapsed) x CROSS JOIN LATERAL (
        SELECT m.account_id, m.period_id FROM budget_entries m
        WHERE m.account_id = x.account_id AND m.source_id = x.id OFFSET 0) n) q ORDER BY 1, 2) k
    CROSS JOIN LATERAL (
      SELECT b FROM budget_periods b WHERE b.account_id = k.account_id AND b.id = k.period_id FOR UPDATE) l;
  SELECT coalesce(jsonb_object_agg(x.account_id || ' ' || x.id, x.ordinality), '{}') INTO places
    FROM unnest(ps) WITH ORDINALITY x;
  FOREACH r IN ARRAY lapsed LOOP
    FOR e IN SELECT * FROM budget_entries n WHERE n.account_id = r.account_id AND n.source_id = r.id LOOP
      at := budget_place(places, e.account_id, e.period_id);
      counted := CASE r.state WHEN 'held' THEN 0 ELSE e.amount_n END;
      UPDATE budget_entries n SET reserved_n = 0, settled_n = counted,
          kind = CASE r.state WHEN 'held' THEN 'released' ELSE 'estimate' END
        WHERE n.account_id = e.account_id AND n.source_id = e.source_id AND n.period_id = e.period_id;
      charged := budget_charge(ps[at], e.reserved_n, counted);
      ps[at] := charged.p;
      RETURN QUERY SELECT c || jsonb_build_object('reservation', r.id, 'account', r.account_id)
        FROM unnest(charged.news) c;
    END LOOP;
    UPDATE budget_reservations b SET resolved_at = clock_timestamp(),
        state = CASE r.state WHEN 'held' THEN 'expired' ELSE 'settled_estimate' END
      WHERE b.account_id = r.account_id AND b.id = r.id;
    RETURN NEXT jsonb_build_object('reservation', r.id, 'account', r.account_id, 'what',
      CASE r.state WHEN 'held' THEN 'expired' ELSE 'estimated' END);
  END LOOP;
  PERFORM budget_write(ps);
END $$;
