import { Migration } from '@mikro-orm/migrations';

/** What calls are billed for beside plain tokens: tiers, sound, fees of tools. Null where there is nothing of it. */
export class OtherUsage extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE events ADD COLUMN usage_other json');
  }

  override down(): void {
    this.addSql('ALTER TABLE events DROP COLUMN usage_other');
  }
}
