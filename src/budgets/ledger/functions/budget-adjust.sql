-- Corrects the used amount of a budget; the entry contains the reason and the actor. Does nothing if there is no such period. If a
-- correction exceeds the limit, this is reported with the next counted call, because a report refers to the event that caused it, and a
-- correction has no event.
CREATE OR REPLACE FUNCTION budget_adjust(a jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
  p budget_periods;
  charged record;
  told_at timestamptz;
BEGIN
  SELECT * INTO p FROM budget_periods b
    WHERE b.account_id = (a->>'account')::uuid AND b.id = (a->>'period')::uuid FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO budget_entries (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, because, actor,
      created_at)
    VALUES (p.account_id, (a->>'id')::uuid, p.id, 'adjustment', (a->>'amount')::numeric, 0, (a->>'amount')::numeric,
      a->>'because', a->>'actor', clock_timestamp());
  charged := budget_charge(p, 0, (a->>'amount')::numeric);
  RETURN QUERY SELECT * FROM unnest(charged.news) c WHERE c->>'what' <> 'crossed';
  told_at := p.exceeded_at;
  p := charged.p;
  p.exceeded_at := told_at;
  PERFORM budget_write(ARRAY[p]);
  RETURN NEXT jsonb_build_object('what', 'adjusted', 'in', budget_shown(p));
END $$;
