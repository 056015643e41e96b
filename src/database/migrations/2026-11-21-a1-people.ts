import { Migration } from '@mikro-orm/migrations';

/**
 * A person and an account are two things: who signs in, and who owns. What was the account's own address and password
 * becomes a person with a membership. With them sessions, the links that are sent by mail, and the outbox.
 */
export class People extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('ALTER TABLE accounts ADD COLUMN email text, ADD COLUMN password_hash text');
    this.addSql('ALTER TABLE accounts ADD COLUMN email_verified_at timestamptz');
    this.addSql(`UPDATE accounts a SET email = p.email, password_hash = p.password_hash,
      email_verified_at = p.email_verified_at FROM memberships m JOIN people p ON p.id = m.person_id
      WHERE m.account_id = a.id`);
    this.addSql(`UPDATE accounts SET email = id::text WHERE email IS NULL`);
    this.addSql('ALTER TABLE accounts ALTER COLUMN email SET NOT NULL');
    this.addSql('CREATE UNIQUE INDEX accounts_email ON accounts (lower(email))');
    for (const table of ['mail_outbox', 'email_tokens', 'sessions', 'memberships', 'people']) {
      this.addSql(`DROP TABLE ${table}`);
    }
  }
}

const STATEMENTS = [
  // email: as typed, for sending. email_key: its comparison form; null once the account was closed.
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
  // Until now only the first start made accounts: their addresses are plain ASCII.
  `INSERT INTO people (id, email, email_key, password_hash, email_verified_at, created_at)
   SELECT id, email, lower(email), password_hash, email_verified_at, created_at FROM accounts`,
  `INSERT INTO memberships (account_id, person_id, role, created_at) SELECT id, id, 'owner', created_at FROM accounts`,
  'ALTER TABLE accounts DROP COLUMN email, DROP COLUMN password_hash, DROP COLUMN email_verified_at',
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
  // password_hash: that of the sign-up which the link belongs to; it counts from the click on.
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
  // A row is written for known and unknown addresses alike; whoever works it off decides. data: what the decision needs.
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
