import { Migration } from '@mikro-orm/migrations';
import { BUDGET_FUNCTIONS } from './budget-functions.js';

/**
 * Keeps a budget that many calls share as fast as it was with its first call.
 *
 * - No second index serves a lookup by key. Where one did (all of them began with the account), the planner took it as
 *   long as a table was small, and kept that plan: every settlement then read all entries of its budget. An audit reads
 *   all entries of an account anyway, by the primary key.
 * - A dispatch changes no column that an index knows of, so the row's new version needs no index entry of its own.
 * - Room in the pages for the new versions of their rows.
 */
export class HotBudgets extends Migration {
  override up(): void {
    this.addSql('DROP FUNCTION IF EXISTS budget_charge(uuid, uuid, numeric, numeric)');
    for (const statement of [...INDEXES, ...BUDGET_FUNCTIONS]) this.addSql(statement);
  }

  /** The functions stay as they are: they go with either indexes. */
  override down(): void {
    for (const statement of FORMER_INDEXES) this.addSql(statement);
  }
}

const INDEXES = [
  `ALTER TABLE budget_periods
    DROP CONSTRAINT IF EXISTS budget_periods_account_id_environment_budget_id_unit_per_sc_key`,
  // A scope is hashed with the account's own key: no other account has the same.
  `CREATE UNIQUE INDEX budget_periods_window
    ON budget_periods (scope, budget_id, environment, unit, per, period_start)`,
  'DROP INDEX budget_entries_period',
  'DROP INDEX budget_reservations_request',
  `CREATE INDEX budget_reservations_request ON budget_reservations (request_id, app_id, environment, account_id)
    WHERE request_id IS NOT NULL`,
  'DROP INDEX budget_reservations_open',
  'CREATE INDEX budget_reservations_open ON budget_reservations (created_at) WHERE resolved_at IS NULL',
  'ALTER TABLE budget_entries SET (fillfactor = 70)',
  'ALTER TABLE budget_reservations SET (fillfactor = 70)',
];

const FORMER_INDEXES = [
  'DROP INDEX budget_periods_window',
  'ALTER TABLE budget_periods ADD UNIQUE (account_id, environment, budget_id, unit, per, scope, period_start)',
  'CREATE INDEX budget_entries_period ON budget_entries (account_id, period_id)',
  'DROP INDEX budget_reservations_request',
  `CREATE INDEX budget_reservations_request ON budget_reservations (account_id, app_id, environment, request_id)
    WHERE request_id IS NOT NULL`,
  'DROP INDEX budget_reservations_open',
  `CREATE INDEX budget_reservations_open ON budget_reservations (expires_at) WHERE state IN ('held', 'dispatched')`,
  'ALTER TABLE budget_entries RESET (fillfactor)',
  'ALTER TABLE budget_reservations RESET (fillfactor)',
];
