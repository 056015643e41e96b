/**
 * The ledger's protocol, each step one call. Every function that changes amounts first locks the reservations that it
 * touches, then the periods, each in the order of their keys: two calls never wait for each other in a circle. Leases go
 * by the clock of the database.
 */

/**
 * Everything is found by its key. A plan that was made while the tables were small would read them whole for as long as
 * the connection lives. Keys are taken out of JSON before they are compared (`OFFSET 0`): under row-level security
 * PostgreSQL looks up by nothing that could tell of a row by failing, as a cast could. It takes the length of JSON to be
 * a hundred, and would compile for what that would cost.
 */
const BY_KEY = 'SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off';

/**
 * Locks periods in the order of their keys, into `ps`; `places` says where each of them is. Sums are made there, and
 * each period is written once per call: a row that is written fifty times leaves fifty versions to everybody who looks
 * for it.
 *
 * @param keys a query of `account_id` and `period_id`
 */
const lockPeriods = (keys: string): string => `
  SELECT coalesce(array_agg(l.b), '{}') INTO ps
    FROM (SELECT DISTINCT q.account_id, q.period_id FROM (${keys}) q ORDER BY 1, 2) k
    CROSS JOIN LATERAL (
      SELECT b FROM budget_periods b WHERE b.account_id = k.account_id AND b.id = k.period_id FOR UPDATE) l;
  SELECT coalesce(jsonb_object_agg(x.account_id || ' ' || x.id, x.ordinality), '{}') INTO places
    FROM unnest(ps) WITH ORDINALITY x;`;
/** The place of a period in `ps`. A period that is not there is an error: nothing is spent that nobody counts. */
const place = (account: string, period: string): string =>
  `budget_place(places, (${account})::uuid, (${period})::uuid)`;
const PLACE = `CREATE OR REPLACE FUNCTION budget_place(places jsonb, account uuid, period uuid) RETURNS integer
  LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF NOT places ? (account || ' ' || period) THEN
    RAISE EXCEPTION 'there is no such period' USING ERRCODE = 'data_exception';
  END IF;
  RETURN places->>(account || ' ' || period);
END $$`;
/** Writes what became of the periods of `ps`. */
const WRITE_PERIODS = `
  FOREACH p IN ARRAY ps LOOP
    UPDATE budget_periods b
      SET settled_n = p.settled_n, reserved_n = p.reserved_n, exceeded_at = p.exceeded_at, warned = p.warned
      WHERE b.account_id = p.account_id AND b.id = p.id
        AND (b.settled_n, b.reserved_n, b.exceeded_at, b.warned)
          IS DISTINCT FROM (p.settled_n, p.reserved_n, p.exceeded_at, p.warned);
  END LOOP;`;

/** A period as events, denials and people are told about it. */
const SHOWN = `CREATE OR REPLACE FUNCTION budget_shown(p budget_periods) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'account', p.account_id, 'period', p.id, 'environment', p.environment, 'budget', p.budget_id, 'unit', p.unit,
    'per', p.per, 'timezone', p.timezone, 'scope', p.scope_label,
    'start_ms', (extract(epoch FROM p.period_start) * 1000)::bigint,
    'end_ms', (extract(epoch FROM p.period_end) * 1000)::bigint,
    'on_exceed', p.on_exceed, 'limit', p.limit_n::text, 'settled', p.settled_n::text, 'reserved', p.reserved_n::text)
$$`;

/**
 * The row of a budget's window for one scope, made when it is first needed; the definition's limit is put into it. A
 * window that runs on keeps its end when the zone changes: the next one begins where it ends.
 */
const PERIOD = `CREATE OR REPLACE FUNCTION budget_period(d jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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
  IF (found_row.limit_n, found_row.warn_at, found_row.on_exceed)
      IS DISTINCT FROM ((d->>'limit')::numeric, warnings, d->>'on_exceed') THEN
    UPDATE budget_periods p SET limit_n = (d->>'limit')::numeric, warn_at = warnings, on_exceed = d->>'on_exceed'
      WHERE p.account_id = found_row.account_id AND p.id = found_row.id RETURNING p.* INTO found_row;
  END IF;
  RETURN budget_shown(found_row);
END $$`;

/**
 * Holds an upper bound for each of these calls, in all of its budgets or in none. Answers per call: \`granted\`,
 * \`duplicate\` (this id has been granted before), or which budget denies it and why: \`budget_exceeded\` when what is
 * spent leaves no room, \`budget_reserved\` when only calls in flight hold it.
 */
const RESERVE = `CREATE OR REPLACE FUNCTION budget_reserve(calls jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
  ${BY_KEY} AS $$
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
  ${lockPeriods(`SELECT (c->>'account')::uuid AS account_id, (e->>'period')::uuid AS period_id
      FROM jsonb_array_elements(calls) c, jsonb_array_elements(c->'charges') e`)}
  FOR call IN SELECT * FROM jsonb_array_elements(calls) LOOP
    PERFORM 1 FROM budget_reservations r WHERE r.account_id = (call->>'account')::uuid AND r.id = (call->>'id')::uuid;
    IF FOUND OR ids ? ((call->>'account') || (call->>'id')) THEN
      RETURN NEXT jsonb_build_object('id', call->>'id', 'outcome', 'duplicate');
      CONTINUE;
    END IF;
    denying := NULL;
    FOR charge IN SELECT * FROM jsonb_array_elements(call->'charges') LOOP
      CONTINUE WHEN NOT (charge->>'blocks')::boolean;
      p := ps[${place(`call->>'account'`, `charge->>'period'`)}];
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
      p := ps[${place(`call->>'account'`, `charge->>'period'`)}];
      p.reserved_n := p.reserved_n + (charge->>'amount')::numeric;
      ps[${place(`call->>'account'`, `charge->>'period'`)}] := p;
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
  ${WRITE_PERIODS}
END $$`;

/** A period after something was freed and spent in it, and what that made happen. Writes nothing. */
const CHARGE = `CREATE OR REPLACE FUNCTION budget_charge(INOUT p budget_periods, freed numeric, spent numeric,
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
END $$`;

/**
 * Takes calls further: \`dispatch\` just before the provider gets them, \`settle\` with what they cost, \`release\` when
 * they cost nothing. A settlement names its reservation, or the \`request_id\` of a request that was told over REST; when
 * there is none it counts for the budgets that it brings along. What is resolved stays resolved: nothing is counted
 * twice. A settlement that comes after its lease has ended replaces the estimate that was counted then. What a settlement
 * does not know is counted as it was held, as an estimate. A dispatch moves no money and waits for no period.
 */
const APPLY = `CREATE OR REPLACE FUNCTION budget_apply(steps jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
  ${BY_KEY} AS $$
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
  ${lockPeriods(`SELECT n.account_id, n.period_id FROM unnest(ending) x CROSS JOIN LATERAL (
        SELECT m.account_id, m.period_id FROM budget_entries m
        WHERE m.account_id = x.account_id AND m.source_id = x.id OFFSET 0) n
      UNION ALL SELECT (s->>'account')::uuid, (c->>'period')::uuid
        FROM jsonb_array_elements(steps) s, jsonb_array_elements(s->'charges') c`)}
  FOR step IN SELECT * FROM jsonb_array_elements(steps) LOOP
    nr := nr + 1;
    r := NULL;
    IF step->>'reservation' IS NOT NULL THEN
      SELECT * INTO r FROM budget_reservations b
        WHERE b.account_id = (step->>'account')::uuid AND b.id = (step->>'reservation')::uuid;
    ELSE
      -- Those that wait for their end first, then those whose lease ended, then those that were told already.
      SELECT * INTO r FROM budget_reservations b
        WHERE b.account_id = (step->>'account')::uuid AND b.app_id = (step->>'app')::uuid
          AND b.environment = step->>'environment' AND b.request_id = step->>'request_id'
          AND (b.id = ANY (locked) OR b.source = 'proxy' OR b.state = 'settled')
        ORDER BY CASE WHEN b.source = 'proxy' THEN 2 WHEN b.state IN ('held', 'dispatched') THEN 0
          WHEN b.state <> 'settled' THEN 1 ELSE 2 END, b.created_at, b.id LIMIT 1;
      -- The proxy counts its calls by itself, whatever else is told about them.
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
        at := ${place(`step->>'account'`, `charge->>'period'`)};
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
    ELSIF step->>'do' = 'release' AND r.state IN ('held', 'dispatched')
        OR step->>'do' = 'settle' AND r.state <> 'settled' THEN
      FOR e IN SELECT * FROM budget_entries n WHERE n.account_id = r.account_id AND n.source_id = r.id LOOP
        at := ${place('e.account_id', 'e.period_id')};
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
  ${WRITE_PERIODS}
END $$`;

/**
 * Ends what nobody ended: a call that was only held gives its money back, one that was on its way to the provider is
 * counted at its upper bound, as an estimate.
 */
const SWEEP = `CREATE OR REPLACE FUNCTION budget_sweep(most integer) RETURNS SETOF jsonb LANGUAGE plpgsql
  ${BY_KEY} AS $$
DECLARE
  ps budget_periods[];
  places jsonb;
  p budget_periods;
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
  ${lockPeriods(`SELECT n.account_id, n.period_id FROM unnest(lapsed) x CROSS JOIN LATERAL (
        SELECT m.account_id, m.period_id FROM budget_entries m
        WHERE m.account_id = x.account_id AND m.source_id = x.id OFFSET 0) n`)}
  FOREACH r IN ARRAY lapsed LOOP
    FOR e IN SELECT * FROM budget_entries n WHERE n.account_id = r.account_id AND n.source_id = r.id LOOP
      at := ${place('e.account_id', 'e.period_id')};
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
  ${WRITE_PERIODS}
END $$`;

/** Calls that are still on their way keep what they hold. */
const EXTEND = `CREATE OR REPLACE FUNCTION budget_extend(calls jsonb) RETURNS void LANGUAGE sql AS $$
  UPDATE budget_reservations b SET expires_at = clock_timestamp() + b.lease_ms * interval '1 millisecond'
  FROM (
    SELECT x.account_id, x.id FROM budget_reservations x
    WHERE (x.account_id, x.id) IN (
        SELECT (c->>'account')::uuid, (c->>'id')::uuid FROM jsonb_array_elements(calls) c OFFSET 0)
      AND x.resolved_at IS NULL
    ORDER BY x.account_id, x.id FOR UPDATE SKIP LOCKED) open
  WHERE b.account_id = open.account_id AND b.id = open.id
$$`;

/**
 * Corrects what a budget has used, with the reason and who gave it. Nothing when there is no such period. A limit that
 * this passes is told with the next call that counts: a crossing has the event that caused it, and a correction has none.
 */
const ADJUST = `CREATE OR REPLACE FUNCTION budget_adjust(a jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
  ps budget_periods[];
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
  ps := ARRAY[p];
  ${WRITE_PERIODS}
  RETURN NEXT jsonb_build_object('what', 'adjusted', 'in', budget_shown(p));
END $$`;

export const BUDGET_FUNCTIONS = [SHOWN, PLACE, PERIOD, RESERVE, CHARGE, APPLY, SWEEP, EXTEND, ADJUST];
