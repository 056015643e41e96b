import { Migration } from '@mikro-orm/migrations';

/** Exports can be paused until somebody resumes them. The state is then `queued`, which servers of the previous version know. */
export class PausedExports extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE exports ADD COLUMN paused boolean NOT NULL DEFAULT false');
  }

  override down(): void {
    this.addSql('ALTER TABLE exports DROP COLUMN paused');
  }
}
