/** The sums that are stored in addition to the log. */
const OUTCOMES = ['allowed', 'flagged', 'would_block', 'redacted', 'error', 'unavailable', 'blocked'];

const SUMS = `calls bigint NOT NULL, tool_calls bigint NOT NULL,
    ${OUTCOMES.map((outcome) => `${outcome}_n bigint NOT NULL`).join(', ')},
    cost_nano_usd numeric NOT NULL, prompt_tokens bigint NOT NULL, completion_tokens bigint NOT NULL`;

export const ROLLUPS = [
  // `writer`: the number of the writing process, so that replicas do not wait for each other's row locks.
  `CREATE TABLE event_rollups (
    account_id uuid NOT NULL,
    grain integer NOT NULL,
    bucket timestamptz NOT NULL,
    environment text NOT NULL,
    app_id uuid NOT NULL,
    model text NOT NULL,
    key_id text NOT NULL,
    writer smallint NOT NULL,
    ${SUMS},
    PRIMARY KEY (account_id, grain, bucket, environment, app_id, model, key_id, writer)
  ) WITH (fillfactor = 70)`,
  // `step`: the step of the latency scale; `n`: the number of calls.
  `CREATE TABLE latency_rollups (
    account_id uuid NOT NULL,
    grain integer NOT NULL,
    bucket timestamptz NOT NULL,
    environment text NOT NULL,
    app_id uuid NOT NULL,
    step integer NOT NULL,
    writer smallint NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (account_id, grain, bucket, environment, app_id, step, writer)
  ) WITH (fillfactor = 70)`,
  `CREATE TABLE session_rollups (
    account_id uuid NOT NULL,
    environment text NOT NULL,
    app_id uuid NOT NULL,
    session_id text NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    models text[] NOT NULL,
    ${SUMS},
    PRIMARY KEY (account_id, environment, app_id, session_id)
  ) WITH (fillfactor = 80)`,
  'CREATE INDEX session_rollups_last ON session_rollups (account_id, last_at)',
  `CREATE TABLE rule_rollups (
    account_id uuid NOT NULL,
    environment text NOT NULL,
    rule text NOT NULL,
    hour timestamptz NOT NULL,
    app_id uuid NOT NULL,
    writer smallint NOT NULL,
    hits bigint NOT NULL,
    enforced bigint NOT NULL,
    monitored bigint NOT NULL,
    blocked bigint NOT NULL,
    redacted bigint NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, environment, rule, hour, app_id, writer)
  ) WITH (fillfactor = 80)`,
  // Rules softened by an exception. `kept`: those rules whose action it prevented. `hits` and `kept_hits` count an event once per
  // exception.
  `CREATE TABLE exception_rollups (
    account_id uuid NOT NULL,
    environment text NOT NULL,
    exception text NOT NULL,
    rule text NOT NULL,
    hour timestamptz NOT NULL,
    app_id uuid NOT NULL,
    writer smallint NOT NULL,
    excepted bigint NOT NULL,
    kept bigint NOT NULL,
    hits bigint NOT NULL,
    kept_hits bigint NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, environment, exception, rule, hour, app_id, writer)
  ) WITH (fillfactor = 80)`,
  // Hourly sums are few, and their updates change no column of this index.
  'CREATE INDEX event_rollups_app ON event_rollups (account_id, app_id, bucket) WHERE grain = 3600',
  // Hourly sums that are not included in the daily sums yet: see `src/events/rollups/day-sums.ts`.
  ...['event_rollups', 'latency_rollups'].map(
    (table) => `CREATE INDEX ${table}_beside_days ON ${table} (account_id, bucket) WHERE grain = 3600 AND writer >= 0`,
  ),
];
