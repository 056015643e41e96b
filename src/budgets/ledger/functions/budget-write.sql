-- Writes the changed rows of locked periods, each once.
CREATE OR REPLACE FUNCTION budget_write(ps budget_periods[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET jit = off AS $$
DECLARE
  p budget_periods;
BEGIN
  FOREACH p IN ARRAY ps LOOP
    UPDATE budget_periods b
      SET settled_n = p.settled_n, reserved_n = p.reserved_n, exceeded_at = p.exceeded_at, warned = p.warned
      WHERE b.account_id = p.account_id AND b.id = p.id
        AND (b.settled_n, b.reserved_n, b.exceeded_at, b.warned)
          IS DISTINCT FROM (p.settled_n, p.reserved_n, p.exceeded_at, p.warned);
  END LOOP;
END $$;
