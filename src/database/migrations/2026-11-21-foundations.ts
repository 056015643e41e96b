import { Migration } from '@mikro-orm/migrations';

/** Accounts, apps, keys and tokens; the event log and its idempotency ids. */
export class Foundations extends Migration {
  override up(): void {
    for (const statement of [...ACCESS, ...EVENTS]) {
      this.addSql(statement);
    }
  }

  override down(): void {
    for (const table of ['event_ids', 'events', 'management_tokens', 'api_keys', 'apps', 'accounts']) {
      this.addSql(`DROP TABLE ${table}`);
    }
  }
}

const ENVIRONMENT_CHECK = `CHECK (environment IN ('development', 'staging', 'production'))`;

const ACCESS = [
  `CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    status text NOT NULL CHECK (status IN ('active', 'suspended', 'closed')),
    password_hash text,
    email_verified_at timestamptz,
    subscription_state text NOT NULL CHECK (subscription_state IN ('trialing', 'active', 'inactive', 'lapsed')),
    trial_ends_at timestamptz,
    created_at timestamptz NOT NULL
  )`,
  'CREATE UNIQUE INDEX accounts_email ON accounts (lower(email))',
  `CREATE TABLE apps (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (account_id, id)
  )`,
  'CREATE UNIQUE INDEX apps_name ON apps (account_id, name) WHERE deleted_at IS NULL',
  `CREATE TABLE api_keys (
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    key_id character(12) NOT NULL CONSTRAINT api_keys_key_id UNIQUE,
    app_id uuid NOT NULL,
    name text NOT NULL,
    environment text NOT NULL ${ENVIRONMENT_CHECK},
    secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    deleted_at timestamptz,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, app_id) REFERENCES apps (account_id, id)
  )`,
  'CREATE INDEX api_keys_app ON api_keys (account_id, app_id)',
  `CREATE TABLE management_tokens (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    token_id character(12) NOT NULL CONSTRAINT management_tokens_token_id UNIQUE,
    name text NOT NULL,
    scopes text[] NOT NULL,
    environment text ${ENVIRONMENT_CHECK},
    secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    deleted_at timestamptz,
    PRIMARY KEY (account_id, id)
  )`,
];

/**
 * Events have no foreign keys: a check per row would double the cost of an insert, and account and app come from an
 * authenticated key. JSON columns are `json`, which keeps the text exactly and takes `\\u0000` and lone surrogates.
 * The default partition makes sure that a missing week never fails an insert.
 */
const EVENTS = [
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
    PRIMARY KEY (account_id, id)
  ) PARTITION BY RANGE (id)`,
  'CREATE TABLE events_default PARTITION OF events DEFAULT',
  'CREATE INDEX events_request ON events (account_id, request_id, id) WHERE request_id IS NOT NULL',
  'CREATE INDEX events_session ON events (account_id, session_id, id) WHERE session_id IS NOT NULL',
  `CREATE INDEX events_refused ON events (account_id, decision, id) WHERE decision <> 'allow'`,
  // Answers that are not remembered leave no row in event_ids; their events are found by the client's id through this.
  'CREATE INDEX events_unclaimed ON events (account_id, event_id) WHERE NOT event_id_claimed AND parent_id IS NULL',
  `CREATE INDEX events_search ON events USING gin (rules, metadata_index jsonb_path_ops)
    WHERE rules IS NOT NULL OR metadata_index IS NOT NULL`,
  // Account first, then the id: one index answers "is it taken?" and "which event has this id?".
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
];
