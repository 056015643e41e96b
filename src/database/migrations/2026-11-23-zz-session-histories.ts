import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';

/**
 * What happened in sessions, for rules that ask: names and times of tool calls, and fingerprints of addresses. The session
 * is known by a digest of its id. `version` grows with each call, so that two that were judged at once are noticed.
 */
export class SessionHistories extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE session_histories');
  }
}

const STATEMENTS = [
  `CREATE TABLE session_histories (
    account_id uuid NOT NULL REFERENCES accounts (id),
    app_id uuid NOT NULL,
    environment text NOT NULL,
    session_key text NOT NULL,
    version integer NOT NULL,
    state text NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, app_id, environment, session_key)
  )`,
  'CREATE INDEX session_histories_used ON session_histories (used_at)',
  ...accountTable('session_histories', ['SELECT', 'INSERT', 'UPDATE']),
];
