import { Migration } from '@mikro-orm/migrations';

/** The role that searches for waiting exports may see which of them are paused, so that their accounts are not searched every two seconds. */
export class PausesSeenBySweepers extends Migration {
  override up(): void {
    this.addSql('GRANT SELECT (paused) ON exports TO weir_sweeper');
  }

  override down(): void {
    this.addSql('REVOKE SELECT (paused) ON exports FROM weir_sweeper');
  }
}
