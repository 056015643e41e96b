-- Renews the leases of open calls, so that they keep their reservations.
CREATE OR REPLACE FUNCTION budget_extend(calls jsonb) RETURNS void LANGUAGE sql AS $$
  UPDATE budget_reservations b SET expires_at = clock_timestamp() + b.lease_ms * interval '1 millisecond'
  FROM (
    SELECT x.account_id, x.id FROM budget_reservations x
    WHERE (x.account_id, x.id) IN (
        SELECT (c->>'account')::uuid, (c->>'id')::uuid FROM jsonb_array_elements(calls) c OFFSET 0)
      AND x.resolved_at IS NULL
    ORDER BY x.account_id, x.id FOR UPDATE SKIP LOCKED) open
  WHERE b.account_id = open.account_id AND b.id = open.id
$$;
