-- Computes a period after amounts were freed and spent in it, and the resulting warnings and crossings. Writes nothing.
CREATE OR REPLACE FUNCTION budget_charge(INOUT p budget_periods, freed numeric, spent numeric,
  OUT news jsonb[]) LANGUAGE plpgsql AS $$
DECLARE
  ratio numeric;
  crossed boolean;
BEGIN
  news := '{}';
  p.settled_n := p.settled_n + spent;
  p.reserved_n := p.reserved_n - freed;
  crossed := p.exceeded_at IS NULL AND p.settled_n > p.limit_n;
  IF crossed THEN p.exceeded_at := clock_timestamp(); END IF;
  IF spent > 0 THEN
    FOREACH ratio IN ARRAY p.warn_at LOOP
      CONTINUE WHEN p.settled_n < ratio * p.limit_n
        OR EXISTS (SELECT 1 FROM jsonb_array_elements(p.warned) w WHERE (w->>'at')::numeric = ratio);
      p.warned := p.warned || jsonb_build_object('at', ratio, 'when', clock_timestamp());
      news := news || jsonb_build_object('what', 'warned', 'ratio', ratio, 'in', budget_shown(p));
    END LOOP;
  END IF;
  IF crossed THEN news := news || jsonb_build_object('what', 'crossed', 'in', budget_shown(p)); END IF;
END $$;
