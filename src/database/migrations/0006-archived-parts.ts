import { Migration } from '@mikro-orm/migrations';
import { accountTable, allowedInScope } from '../isolation/tenancy-statements.js';

/**
 * Parts of old weeks in the archive, each recorded here before its first byte is written. `writing`: its object may exist; `written`:
 * it was read back and compared, its events are still in the log; `archived`: its events are only in the archive; `restored`: they are
 * back in the log until `keep_until`; `deleting`: its object is being deleted. `rows_sum` is the digest of the rows when they were
 * read.
 */
export class ArchivedParts extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE archive_parts (
      account_id uuid NOT NULL,
      id uuid NOT NULL,
      environment text NOT NULL,
      week text NOT NULL,
      state text NOT NULL CHECK (state IN ('writing', 'written', 'archived', 'restored', 'deleting')),
      object_key text NOT NULL,
      first_id uuid NOT NULL,
      last_id uuid NOT NULL,
      events integer NOT NULL,
      bytes bigint NOT NULL DEFAULT 0,
      sha256 text,
      digest text,
      rows_sum text,
      created_at timestamptz NOT NULL,
      state_at timestamptz NOT NULL,
      keep_until timestamptz,
      PRIMARY KEY (account_id, id)
    )`);
    this.addSql('CREATE INDEX archive_parts_events ON archive_parts (account_id, last_id, first_id)');
    this.addSql('CREATE INDEX archive_parts_week ON archive_parts (week)');
    for (const statement of accountTable('archive_parts', ['SELECT'])) this.addSql(statement);
    for (const statement of allowedInScope('weir_eraser', 'archive_parts', ['SELECT', 'INSERT', 'UPDATE'])) {
      this.addSql(statement);
    }
  }

  override down(): void {
    this.addSql('DROP TABLE archive_parts');
  }
}
