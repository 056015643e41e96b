import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';

/** What somebody does not want to be shown for a while. */
export class AttentionSnoozes extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE attention_snoozes');
  }
}

const STATEMENTS = [
  `CREATE TABLE attention_snoozes (
    account_id uuid NOT NULL REFERENCES accounts (id),
    owner_kind text NOT NULL CHECK (owner_kind IN ('person', 'token')),
    owner_id text NOT NULL,
    item text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (account_id, owner_kind, owner_id, item)
  )`,
  ...accountTable('attention_snoozes', ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
];
