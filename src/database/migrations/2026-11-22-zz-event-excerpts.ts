import { Migration } from '@mikro-orm/migrations';

/**
 * What is told beside the stored texts of an event: where something is masked in them, and a line for lists. Null, as in
 * older rows: not known. No default, so that no row is written anew.
 */
export class EventExcerpts extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE events ADD COLUMN masks json, ADD COLUMN excerpt text');
  }

  override down(): void {
    this.addSql('ALTER TABLE events DROP COLUMN masks, DROP COLUMN excerpt');
  }
}
