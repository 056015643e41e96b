-- Returns the position of a period among the locked ones. A missing period is an error, so that no amount is spent uncounted.
CREATE OR REPLACE FUNCTION budget_place(places jsonb, account uuid, period uuid) RETURNS integer
  LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF NOT places ? (account || ' ' || period) THEN
    RAISE EXCEPTION 'there is no such period' USING ERRCODE = 'data_exception';
  END IF;
  RETURN places->>(account || ' ' || period);
END $$;
