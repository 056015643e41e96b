import { Migration } from '@mikro-orm/migrations';

/** Tells token counts that Weir estimated from those that a provider reported. Null, as in older rows: reported. */
export class UsageEstimated extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE events ADD COLUMN usage_estimated boolean');
  }

  override down(): void {
    this.addSql('ALTER TABLE events DROP COLUMN usage_estimated');
  }
}
