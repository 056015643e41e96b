-- The place of a period among those that are locked. A period that is not there is an error: nothing is spent that
-- nobody counts.
CREATE OR REPLACE FUNCTION budget_place(places jsonb, account uuid, period uuid) RETURNS integer
  LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF NOT places ? (account || ' ' || period) THEN
    RAISE EXCEPTION 'there is no such period' USING ERRCODE = 'data_exception';
  END IF;
  RETURN places->>(account || ' ' || period);
END $$;
