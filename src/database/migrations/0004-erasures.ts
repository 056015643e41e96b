import { Migration } from '@mikro-orm/migrations';
import { accountTable, allowed, allowedInScope, type Command } from '../isolation/tenancy-statements.js';

const CHANGES: readonly Command[] = ['SELECT', 'INSERT', 'UPDATE'];
const OPEN = 'account_id, state, lease_until, next_at';

/** The columns of events that an erasure empties: all data from outside. The row stays, with its time, decision and cost. */
const EVENT_COLUMNS = [
  ...['event_id', 'event_id_claimed', 'request_id', 'session_id', 'trace_id', 'metadata', 'metadata_index', 'payload'],
  ...['capture', 'masks', 'excerpt', 'facts', 'violations', 'erased_by'],
].join(', ');

/** The columns with the progress of an erasure. */
const PROGRESS = 'lease_until, pass, cursor, until_id, open_from, open_calls, found, counts, first_at, tables';
/** The columns that change when the file of an export is deleted. */
const EXPORT_COLUMNS = 'filters, state, stored, kept, cursor, error, ended_at, runner, credentials';

/**
 * Erasures of people: their progress and results. `selector` is the encrypted search condition until the erasure has ended; `cursor` is
 * the position of a pass through the log, `until_id` its end, `open_from` the first call that had not ended. `weir_eraser` may empty
 * rows that the log's own role may only append.
 */
export class Erasures extends Migration {
  override up(): void {
    for (const statement of [
      `CREATE TABLE erasures (
        account_id uuid NOT NULL REFERENCES accounts (id),
        id uuid NOT NULL,
        environment text CHECK (environment IN ('production', 'staging', 'development')),
        app_id uuid,
        looked_for json NOT NULL,
        selector bytea,
        dry_run boolean NOT NULL,
        because text,
        state text NOT NULL CHECK (state IN ('running', 'waiting', 'done')),
        pass integer NOT NULL DEFAULT 1,
        cursor uuid,
        until_id uuid,
        open_from uuid,
        open_calls integer NOT NULL DEFAULT 0,
        found integer NOT NULL DEFAULT 0,
        counts json NOT NULL,
        first_at timestamptz,
        tables text[] NOT NULL DEFAULT '{}',
        remains json,
        database_position text,
        actor_kind text NOT NULL,
        actor_id text,
        created_at timestamptz NOT NULL,
        ended_at timestamptz,
        runner uuid,
        lease_until timestamptz,
        next_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, id),
        CHECK ((state = 'done') = (selector IS NULL))
      )`,
      `CREATE INDEX erasures_open ON erasures (next_at) WHERE state <> 'done'`,
      // Null for an event that was not erased.
      'ALTER TABLE events ADD COLUMN erased_by uuid',
      ...accountTable('erasures', CHANGES),
      ...allowed('weir_sweeper', 'erasures', [`SELECT (${OPEN})`]),
      ...allowedInScope('weir_eraser', 'erasures', ['SELECT', `UPDATE (${PROGRESS})`]),
      `DO $weir$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO weir_eraser', current_schema()); END $weir$`,
      ...allowedInScope('weir_eraser', 'events', ['SELECT', `UPDATE (${EVENT_COLUMNS})`]),
      // A legal hold can name an app by its name.
      ...allowedInScope('weir_eraser', 'apps', ['SELECT (account_id, id, name)']),
      ...allowedInScope('weir_eraser', 'event_ids', ['SELECT', 'DELETE']),
      ...allowedInScope('weir_eraser', 'event_marks', ['SELECT', 'UPDATE (note)']),
      ...allowedInScope('weir_eraser', 'session_rollups', ['SELECT', 'UPDATE (session_id)']),
      ...allowedInScope('weir_eraser', 'session_histories', ['SELECT', 'DELETE']),
      ...allowedInScope('weir_eraser', 'budget_periods', ['SELECT', 'UPDATE (scope_label)']),
      ...allowedInScope('weir_eraser', 'budget_entries', ['SELECT', 'UPDATE (because)']),
      ...allowedInScope('weir_eraser', 'budget_reservations', ['SELECT', 'UPDATE (request_id)']),
      ...allowedInScope('weir_eraser', 'exports', ['SELECT', `UPDATE (${EXPORT_COLUMNS})`]),
      ...allowedInScope('weir_eraser', 'export_parts', ['SELECT', 'DELETE']),
      ...allowedInScope('weir_eraser', 'export_schedules', ['SELECT', 'UPDATE (filters, paused, problem)']),
      ...allowedInScope('weir_eraser', 'saved_views', ['SELECT', 'DELETE']),
    ]) {
      this.addSql(statement);
    }
  }
}
