import { Migration } from '@mikro-orm/migrations';

/** Exports that go to a bucket: its credentials, encrypted, until the export has ended, and how far the upload is. */
export class ExportBuckets extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE exports ADD COLUMN credentials bytea, ADD COLUMN upload text');
    this.addSql('ALTER TABLE export_parts ADD COLUMN etag text');
  }

  override down(): void {
    this.addSql('ALTER TABLE export_parts DROP COLUMN etag');
    this.addSql('ALTER TABLE exports DROP COLUMN credentials, DROP COLUMN upload');
  }
}
