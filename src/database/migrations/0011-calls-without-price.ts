import { Migration } from '@mikro-orm/migrations';

const TABLES = ['event_rollups', 'session_rollups'];

/**
 * The number of calls without a price in the sums of calls: without it, their cost would look like $0. Servers of the previous version store
 * sums without the column, which count none of these calls, as the sums before this migration do. A day that such a server sums up loses
 * its number; the number is for display only.
 */
export class CallsWithoutPrice extends Migration {
  override up(): void {
    for (const table of TABLES) this.addSql(`ALTER TABLE ${table} ADD COLUMN unpriced_n bigint NOT NULL DEFAULT 0`);
  }

  override down(): void {
    for (const table of TABLES) this.addSql(`ALTER TABLE ${table} DROP COLUMN unpriced_n`);
  }
}
