/**
 * Exports as jobs, and their files in parts. A part and the position of the job are stored in one transaction; `hash` is the state of
 * SHA-256 over the bytes so far. `credentials` are those of a bucket, encrypted, until the export has ended and cannot be resumed, and
 * `upload` is the progress of the upload.
 */
export const EXPORTS = [
  // `kept`: parts are stored. `runner` is the run that may continue it until `lease_until`.
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
    credentials bytea,
    upload text,
    schedule_id uuid,
    due_at timestamptz,
    late_rows bigint,
    PRIMARY KEY (account_id, id)
  )`,
  `CREATE TABLE export_parts (
    account_id uuid NOT NULL,
    export_id uuid NOT NULL,
    number integer NOT NULL,
    content bytea NOT NULL,
    about bytea NOT NULL,
    etag text,
    PRIMARY KEY (account_id, export_id, number)
  )`,
  // The parts are already compressed, so the database need not try to.
  'ALTER TABLE export_parts ALTER COLUMN content SET STORAGE EXTERNAL',

  // Schedules of exports. `covered_to` is the end of the time range of the files so far; the next file covers from there to `next_at`.
  // Each run is an export, and there is one for each due time.
  `CREATE TABLE export_schedules (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    environment text CHECK (environment IN ('production', 'staging', 'development')),
    name text NOT NULL,
    due json NOT NULL,
    format text NOT NULL CHECK (format IN ('jsonl', 'csv', 'parquet')),
    filters json NOT NULL,
    columns text[],
    bom boolean NOT NULL,
    destination json NOT NULL,
    credentials bytea,
    paused boolean NOT NULL,
    problem text,
    covered_to timestamptz NOT NULL,
    next_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id),
    CHECK (covered_to < next_at)
  )`,
  'CREATE UNIQUE INDEX exports_schedule ON exports (account_id, schedule_id, due_at) WHERE schedule_id IS NOT NULL',
];
