/**
 * The tables of the first release, by feature. Released migrations are never edited; a change is a new numbered file.
 */
import { ENVIRONMENT_CHECK } from './environment-check.js';

/** Accounts, their members, their credentials, and the log of changes to them. */
export const ACCESS = [
  `CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    status text NOT NULL CHECK (status IN ('active', 'suspended', 'closed')),
    created_at timestamptz NOT NULL
  )`,
  `CREATE TABLE apps (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    limits json,
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
  // Random secrets for keyed hashes of an account's data, such as its redaction tokens. Never shown or exported.
  `CREATE TABLE account_secrets (
    account_id uuid NOT NULL REFERENCES accounts (id),
    purpose text NOT NULL,
    secret bytea NOT NULL CHECK (octet_length(secret) = 32),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, purpose)
  )`,

  // The admin audit log: who changed what in an account, when, and from where. It is append-only. Ids are UUIDs of version 7, which are
  // in the order of time.
  `CREATE TABLE admin_actions (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    actor_kind text NOT NULL CHECK (actor_kind IN ('person', 'token', 'operator', 'system')),
    actor_id text,
    action text NOT NULL,
    subject text,
    details json NOT NULL,
    address text,
    user_agent text,
    PRIMARY KEY (account_id, id)
  )`,
  `CREATE FUNCTION admin_actions_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the admin audit log only grows' USING ERRCODE = 'restrict_violation'; END
  $$`,
  `CREATE TRIGGER admin_actions_only_grow BEFORE UPDATE OR DELETE ON admin_actions
    FOR EACH ROW EXECUTE FUNCTION admin_actions_only_grow()`,
  // Indexes for reading by action, subject and actor.
  'CREATE INDEX admin_actions_by_action ON admin_actions (account_id, action, id)',
  'CREATE INDEX admin_actions_by_subject ON admin_actions (account_id, subject, id)',
  'CREATE INDEX admin_actions_by_actor_id ON admin_actions (account_id, actor_id, id)',

  // A person signs in; an account is the owner. email: as typed, for sending. email_key: its normalised form for comparison; null once
  // the account was closed.
  `CREATE TABLE people (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    email_key text CONSTRAINT people_email_key UNIQUE,
    password_hash text,
    email_verified_at timestamptz,
    created_at timestamptz NOT NULL
  )`,
  `CREATE TABLE memberships (
    account_id uuid NOT NULL REFERENCES accounts (id),
    person_id uuid NOT NULL REFERENCES people (id),
    role text NOT NULL CHECK (role IN ('owner')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, person_id)
  )`,
  'CREATE INDEX memberships_person ON memberships (person_id)',
  `CREATE TABLE sessions (
    person_id uuid NOT NULL REFERENCES people (id),
    id uuid NOT NULL,
    token_sha256 bytea NOT NULL CONSTRAINT sessions_token UNIQUE CHECK (octet_length(token_sha256) = 32),
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    authenticated_at timestamptz NOT NULL,
    revoked_at timestamptz,
    address text,
    user_agent text,
    PRIMARY KEY (person_id, id)
  )`,
  'CREATE INDEX sessions_ended ON sessions (expires_at)',
  // password_hash: that of the sign-up to which the link belongs; it becomes valid when the link is confirmed.
  `CREATE TABLE email_tokens (
    person_id uuid NOT NULL REFERENCES people (id),
    id uuid NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('verify', 'reset', 'change')),
    email text NOT NULL,
    email_key text NOT NULL,
    token_sha256 bytea NOT NULL CONSTRAINT email_tokens_token UNIQUE CHECK (octet_length(token_sha256) = 32),
    password_hash text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    superseded_at timestamptz,
    PRIMARY KEY (person_id, id)
  )`,
  'CREATE INDEX email_tokens_expired ON email_tokens (expires_at)',
  // A row is written for known and unknown addresses alike; the outbox worker decides. data: the data for the decision.
  `CREATE TABLE mail_outbox (
    id uuid PRIMARY KEY,
    kind text NOT NULL,
    address text NOT NULL,
    email_key text NOT NULL,
    person_id uuid REFERENCES people (id),
    data json NOT NULL,
    created_at timestamptz NOT NULL,
    attempts integer NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    sent_at timestamptz,
    ended_at timestamptz,
    outcome text
  )`,
  'CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE ended_at IS NULL',
  'CREATE INDEX mail_outbox_address ON mail_outbox (email_key, created_at)',
];

const STATES = `'trialing', 'active', 'inactive', 'lapsed'`;

/** The subscription of an account: state, dates, the trial's count, and Stripe's side of it. */
export const SUBSCRIPTIONS = [
  // trial_ends_at: null if the trial has the number of days in the settings. ends_at: when an active subscription lapses automatically.
  // period_ends_at: the end of the paid period, for display.
  `CREATE TABLE subscriptions (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    state text NOT NULL CHECK (state IN (${STATES})),
    trial_started_at timestamptz NOT NULL,
    trial_ends_at timestamptz,
    trial_events bigint NOT NULL DEFAULT 0 CHECK (trial_events >= 0),
    period_ends_at timestamptz,
    ends_at timestamptz,
    stripe_customer_id text,
    changed_at timestamptz NOT NULL
  )`,
  'CREATE UNIQUE INDEX subscriptions_stripe_customer ON subscriptions (stripe_customer_id) WHERE stripe_customer_id IS NOT NULL',
  // version: orders the Stripe updates of a subscription, which may arrive late, twice and in any order.
  `CREATE TABLE stripe_subscriptions (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id text NOT NULL,
    state text NOT NULL CHECK (state IN (${STATES})),
    period_ends_at timestamptz,
    version text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, id)
  )`,
];
