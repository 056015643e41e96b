import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';

/** Limits of apps, calls of apps that were refused before they were recorded, and the way to an app's last event. */
export class AppReception extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP INDEX event_rollups_app');
    this.addSql('DROP TABLE call_refusals');
    this.addSql('ALTER TABLE apps DROP COLUMN limits');
  }
}

const STATEMENTS = [
  'ALTER TABLE apps ADD COLUMN limits json',
  `CREATE TABLE call_refusals (
    account_id uuid NOT NULL,
    app_id uuid NOT NULL,
    minute timestamptz NOT NULL,
    status integer NOT NULL,
    type text NOT NULL,
    n bigint NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, app_id, minute, status, type)
  ) WITH (fillfactor = 70)`,
  ...accountTable('call_refusals', ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
  // Sums of hours are few, and their rows are changed without this index: none of its columns changes.
  'CREATE INDEX event_rollups_app ON event_rollups (account_id, app_id, bucket) WHERE grain = 3600',
];
