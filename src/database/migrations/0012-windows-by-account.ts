import { Migration } from '@mikro-orm/migrations';

const DROP = `DROP INDEX budget_periods_window
  /* of budget_periods, continues: no statement names the columns of this index, and the next one serves its look-ups */`;

/**
 * The condition is true for every row. Because of it, PostgreSQL uses the index only for look-ups that name a scope: those by id must use
 * the primary key (see `BUDGETS`).
 */
const CREATE = `CREATE UNIQUE INDEX budget_periods_window ON budget_periods
  (account_id, scope, budget_id, environment, unit, per, period_start) WHERE scope IS NOT NULL
  /* continues: the dropped index was unique in fewer columns, so rows that conflict now conflicted before */`;

/**
 * The key of the windows of budgets begins with the account, so that tables can be distributed over servers by account. Servers of the
 * previous version create windows by the function `budget_period`, which names no columns of the index, and look them up by the account and
 * the scope. The old index is dropped first, because this takes the strictest lock: if the new one were built first, a call that has locked
 * a window and wants to change it would wait for the migration, and the migration for the call.
 */
export class WindowsByAccount extends Migration {
  override up(): void {
    this.addSql(DROP);
    this.addSql(CREATE);
  }

  override down(): void {
    this.addSql('DROP INDEX budget_periods_window');
    this.addSql(`CREATE UNIQUE INDEX budget_periods_window
      ON budget_periods (scope, budget_id, environment, unit, per, period_start)`);
  }
}
