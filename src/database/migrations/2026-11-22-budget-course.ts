import { Migration } from '@mikro-orm/migrations';

/**
 * The entries of one window in the order of time. The window stands in the index as text, so that no lookup by key can be
 * planned over it: see `HotBudgets`. None of its columns ever changes, so it costs settlements nothing.
 */
export class BudgetCourse extends Migration {
  override up(): void {
    this.addSql('CREATE INDEX budget_entries_in_time ON budget_entries ((period_id::text), created_at, source_id)');
  }

  override down(): void {
    this.addSql('DROP INDEX budget_entries_in_time');
  }
}
