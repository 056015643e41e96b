import { Migration } from '@mikro-orm/migrations';
import { accountTable, allowed } from '../isolation/tenancy-statements.js';

/**
 * Exports that repeat. `covered_to` is the end of what the files so far have; the next one goes from there to `next_at`.
 * Each run is an export, and there is one for each time that it was due.
 */
export class ExportSchedules extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE export_schedules');
    this.addSql('DROP INDEX exports_schedule');
    this.addSql('ALTER TABLE exports DROP COLUMN schedule_id, DROP COLUMN due_at, DROP COLUMN late_rows');
  }
}

const STATEMENTS = [
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
  'ALTER TABLE exports ADD COLUMN schedule_id uuid, ADD COLUMN due_at timestamptz, ADD COLUMN late_rows bigint',
  'CREATE UNIQUE INDEX exports_schedule ON exports (account_id, schedule_id, due_at) WHERE schedule_id IS NOT NULL',
  ...accountTable('export_schedules', ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
  ...allowed('weir_sweeper', 'export_schedules', ['SELECT (account_id, paused, next_at)']),
  'GRANT SELECT (schedule_id) ON exports TO weir_sweeper',
];
