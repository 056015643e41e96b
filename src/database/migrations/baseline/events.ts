/**
 * The event log and its related tables. `call_id` is the first event of a call, `outcome` the outcome of this event alone,
 * `call_outcome` the outcome of the call from this event on, and `call_before` its outcome before. `masks` are the places of masks in
 * stored texts, `excerpt` a line for lists, `excepted` the rules softened by an exception, and `trace_id` the id of the request in the
 * logs.
 *
 * Events have no foreign keys: a check per row would double the cost of an insert, and account and app come from an authenticated key.
 * JSON columns are `json`, which keeps the text exactly and accepts `\\u0000` and lone surrogates. The default partition makes sure
 * that a missing week never fails an insert.
 */
export const EVENTS = [
  `CREATE TABLE events (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    event_id text NOT NULL,
    event_id_claimed boolean NOT NULL,
    type text NOT NULL,
    app_id uuid NOT NULL,
    key_id text NOT NULL,
    environment text NOT NULL,
    declared_environment text NOT NULL,
    source text NOT NULL,
    request_id text,
    parent_id uuid,
    session_id text,
    provider text,
    model text,
    metadata json,
    metadata_index jsonb,
    payload json,
    capture text NOT NULL,
    decision text,
    reason text,
    violations json NOT NULL,
    rules text[],
    redactions json NOT NULL,
    prompt_tokens bigint,
    completion_tokens bigint,
    cache_read_tokens bigint,
    cache_write_tokens bigint,
    reasoning_tokens bigint,
    cost_nano_usd numeric,
    price_version text,
    latency_total_ms double precision,
    latency_provider_ms double precision,
    latency_weir_ms double precision,
    policy_id text,
    policy_digest text,
    policy_version text,
    detectors json NOT NULL,
    facts json,
    upstream_status integer,
    received_at timestamptz NOT NULL,
    usage_estimated boolean,
    cache_write_1h_tokens bigint,
    usage_other json,
    call_id uuid,
    outcome text,
    call_outcome text,
    call_before text,
    masks json,
    excerpt text,
    trace_id text,
    excepted json,
    PRIMARY KEY (account_id, id)
  ) PARTITION BY RANGE (id)`,
  'CREATE TABLE events_default PARTITION OF events DEFAULT',
  'CREATE INDEX events_request ON events (account_id, request_id, id) WHERE request_id IS NOT NULL',
  'CREATE INDEX events_session ON events (account_id, session_id, id) WHERE session_id IS NOT NULL',
  `CREATE INDEX events_refused ON events (account_id, decision, id) WHERE decision <> 'allow'`,
  // Answers that are not stored for replays have no row in event_ids; this index finds their events by the client's id.
  'CREATE INDEX events_unclaimed ON events (account_id, event_id) WHERE NOT event_id_claimed AND parent_id IS NULL',
  'CREATE INDEX events_ruled ON events (account_id, id) WHERE rules IS NOT NULL',
  `CREATE INDEX events_outcome ON events (account_id, call_outcome, id)
    WHERE call_outcome IS NOT NULL AND call_outcome <> 'allowed'`,
  // Finds answers and errors of a call by its first event.
  'CREATE INDEX events_call ON events (account_id, call_id, id) WHERE call_id <> id',
  // Account first, then the id: one index serves both checking an id and finding its event.
  `CREATE TABLE event_ids (
    account_id uuid NOT NULL,
    event_id text NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL,
    fingerprint bytea NOT NULL,
    event_row_id uuid NOT NULL,
    answer_status smallint NOT NULL,
    answer_body text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, event_id, app_id, environment)
  )`,

  // People's marks on decisions: one for each call and rule. `call_id` is the first event of the call, `event_id` the event in which
  // the rule fired, `id` the position of the mark in the list, `rule_state` a digest of the rule that was active when it was marked.
  `CREATE TABLE event_marks (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    call_id uuid NOT NULL,
    rule text NOT NULL,
    event_id uuid NOT NULL,
    id uuid NOT NULL,
    environment text NOT NULL CHECK (environment IN ('production', 'staging', 'development')),
    app_id uuid NOT NULL,
    mark text NOT NULL CHECK (mark IN ('right', 'wrong', 'missed')),
    note text,
    rule_state text,
    owner_kind text NOT NULL,
    owner_id text,
    at timestamptz NOT NULL,
    PRIMARY KEY (account_id, call_id, rule)
  )`,
  'CREATE UNIQUE INDEX event_marks_place ON event_marks (account_id, id)',
  'CREATE INDEX event_marks_event ON event_marks (account_id, event_id)',
  'CREATE INDEX event_marks_rule ON event_marks (account_id, environment, rule, at)',

  // The history of sessions for rules that use it: names and times of tool calls, and fingerprints of addresses. A session is
  // identified by a digest of its id. `version` grows with each call, to detect calls that were judged concurrently.
  `CREATE TABLE session_histories (
    account_id uuid NOT NULL REFERENCES accounts (id),
    app_id uuid NOT NULL,
    environment text NOT NULL,
    session_key text NOT NULL,
    version integer NOT NULL,
    state text NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, app_id, environment, session_key)
  )`,
  'CREATE INDEX session_histories_used ON session_histories (used_at)',

  // The progress of the search for calls without a recorded end: one row, locked by the searching process.
  'CREATE TABLE call_gap_sweeps (one boolean PRIMARY KEY CHECK (one), swept_to uuid)',
  'INSERT INTO call_gap_sweeps (one) VALUES (true)',
  // The rows that readiness probes update and read back; they belong to no account.
  'CREATE TABLE readiness_probes (slot smallint PRIMARY KEY, token uuid NOT NULL) WITH (fillfactor = 50)',
];
