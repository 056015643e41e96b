import { Migration } from '@mikro-orm/migrations';

/** Exports can wait until somebody lets them go on: with the state `queued`, which servers of the version before know. */
export class PausedExports extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE exports ADD COLUMN paused boolean NOT NULL DEFAULT false');
  }

  override down(): void {
    this.addSql('ALTER TABLE exports DROP COLUMN paused');
  }
}
