import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';

/** Filters under a name: of whoever saved them, or shared with everybody of the account. */
export class SavedViews extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE saved_views');
  }
}

const STATEMENTS = [
  `CREATE TABLE saved_views (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    owner_kind text NOT NULL CHECK (owner_kind IN ('person', 'token')),
    owner_id text NOT NULL,
    page text NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    shared boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
  )`,
  'CREATE UNIQUE INDEX saved_views_name ON saved_views (account_id, page, owner_kind, owner_id, name)',
  ...accountTable('saved_views', ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
];
