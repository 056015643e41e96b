import { Migration } from '@mikro-orm/migrations';

/** Random secrets that an account's data is keyed with, such as its redaction tokens. Never shown, never exported. */
export class AccountSecrets extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE account_secrets (
      account_id uuid NOT NULL REFERENCES accounts (id),
      purpose text NOT NULL,
      secret bytea NOT NULL CHECK (octet_length(secret) = 32),
      created_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, purpose)
    )`);
  }

  override down(): void {
    this.addSql('DROP TABLE account_secrets');
  }
}
