import { Migration } from '@mikro-orm/migrations';

/**
 * Removes an index that no statement has ever used. Migration 0003 built it, and while it did, calls waited for the whole table of ids to
 * be read; that migration no longer does so.
 */
export class UnusedIndex extends Migration {
  override up(): void {
    this.addSql('DROP INDEX IF EXISTS event_ids_created /* of event_ids, continues: no statement uses it */');
  }

  override down(): void {
    // Nothing needs the index.
  }
}
