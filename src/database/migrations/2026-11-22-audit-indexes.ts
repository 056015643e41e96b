import { Migration } from '@mikro-orm/migrations';

/** The audit log is read by what was done, to what, and by whom. */
export class AuditIndexes extends Migration {
  override up(): void {
    for (const column of COLUMNS) {
      this.addSql(`CREATE INDEX admin_actions_by_${column} ON admin_actions (account_id, ${column}, id)`);
    }
  }

  override down(): void {
    for (const column of COLUMNS) this.addSql(`DROP INDEX admin_actions_by_${column}`);
  }
}

const COLUMNS = ['action', 'subject', 'actor_id'];
