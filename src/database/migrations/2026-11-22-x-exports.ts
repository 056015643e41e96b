import { Migration } from '@mikro-orm/migrations';
import { accountTable, allowed } from '../isolation/tenancy-statements.js';

/**
 * Exports as jobs, and their files in parts. A part comes in with the place that the job has reached, in one
 * transaction; `hash` is the state of SHA-256 over the bytes that there are.
 */
export class Exports extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE export_parts');
    this.addSql('DROP TABLE exports');
  }
}

const EVERYTHING = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

const STATEMENTS = [
  // `kept`: there are parts. `runner` names the run that may go on with it, until `lease_until`.
  `CREATE TABLE exports (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    environment text CHECK (environment IN ('production', 'staging', 'development')),
    format text NOT NULL CHECK (format IN ('jsonl', 'csv', 'parquet')),
    filters json NOT NULL,
    columns text[],
    bom boolean NOT NULL,
    destination json NOT NULL,
    state text NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    rows bigint NOT NULL,
    rows_expected bigint,
    bytes bigint NOT NULL,
    stored bigint NOT NULL,
    parts integer NOT NULL,
    kept boolean NOT NULL,
    hash text,
    sha256 text,
    cursor text,
    error text,
    actor_kind text NOT NULL,
    actor_id text,
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    expires_at timestamptz,
    runner uuid,
    lease_until timestamptz,
    PRIMARY KEY (account_id, id)
  )`,
  `CREATE TABLE export_parts (
    account_id uuid NOT NULL,
    export_id uuid NOT NULL,
    number integer NOT NULL,
    content bytea NOT NULL,
    about bytea NOT NULL,
    PRIMARY KEY (account_id, export_id, number)
  )`,
  // Packed already: the database need not try.
  'ALTER TABLE export_parts ALTER COLUMN content SET STORAGE EXTERNAL',
  ...accountTable('exports', EVERYTHING),
  ...accountTable('export_parts', EVERYTHING),
  ...allowed('weir_sweeper', 'exports', ['SELECT (account_id, state, lease_until, kept, expires_at, created_at)']),
];
