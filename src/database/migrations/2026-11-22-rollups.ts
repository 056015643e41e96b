import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';

/**
 * What came of calls, in columns of the log, and the sums that are kept beside it. `call_id` is the event that a call
 * began with, `outcome` what this event alone means, `call_outcome` what the call counts as from it on, and
 * `call_before` what it counted as before. All of them are null in events of older versions, which no sum has.
 */
export class Rollups extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    for (const table of ['event_rollups', 'latency_rollups', 'session_rollups', 'rule_rollups'])
      this.addSql(`DROP TABLE ${table}`);
    this.addSql(`ALTER TABLE events DROP COLUMN call_id, DROP COLUMN outcome, DROP COLUMN call_outcome,
      DROP COLUMN call_before`);
  }
}

const OUTCOMES = ['allowed', 'flagged', 'would_block', 'redacted', 'error', 'unavailable', 'blocked'];

const SUMS = `calls bigint NOT NULL, tool_calls bigint NOT NULL,
    ${OUTCOMES.map((outcome) => `${outcome}_n bigint NOT NULL`).join(', ')},
    cost_nano_usd numeric NOT NULL, prompt_tokens bigint NOT NULL, completion_tokens bigint NOT NULL`;

const CHANGES = ['SELECT', 'INSERT', 'UPDATE'] as const;

const STATEMENTS = [
  `ALTER TABLE events ADD COLUMN call_id uuid, ADD COLUMN outcome text, ADD COLUMN call_outcome text,
    ADD COLUMN call_before text`,
  `CREATE INDEX events_outcome ON events (account_id, call_outcome, id)
    WHERE call_outcome IS NOT NULL AND call_outcome <> 'allowed'`,
  // `writer`: a number of the process, so that replicas do not wait for each other's rows.
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
  // `step`: of the scale of latencies; `n`: how many calls.
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
  ...accountTable('event_rollups', CHANGES),
  ...accountTable('latency_rollups', CHANGES),
  ...accountTable('session_rollups', CHANGES),
  ...accountTable('rule_rollups', CHANGES),
];
