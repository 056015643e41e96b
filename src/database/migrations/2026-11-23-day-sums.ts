import { Migration } from '@mikro-orm/migrations';

/** Finds the sums of hours that do not stand in the sums of their days yet: see `src/events/rollups/day-sums.ts`. */
export class DaySums extends Migration {
  override up(): void {
    for (const table of TABLES) {
      this.addSql(`CREATE INDEX ${table}_beside_days ON ${table} (account_id, bucket)
        WHERE grain = 3600 AND writer >= 0`);
    }
  }

  override down(): void {
    for (const table of TABLES) {
      this.addSql(`DROP INDEX ${table}_beside_days`);
      this.addSql(`DELETE FROM ${table} WHERE grain = 86400`);
    }
  }
}

const TABLES = ['event_rollups', 'latency_rollups'];
