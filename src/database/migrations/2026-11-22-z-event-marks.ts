import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';

/**
 * Whether decisions were right, as people say: one mark for each call and rule, beside the log, which is only added to.
 * `call_id` is the event that the call began with, `event_id` the one in which the rule fired. `id` is where the mark
 * stands in the list, and `rule_state` a digest of the rule as it was in force when it was marked.
 */
export class EventMarks extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE event_marks');
  }
}

const STATEMENTS = [
  `CREATE TABLE event_marks (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    call_id uuid NOT NULL,
    rule text NOT NULL,
    event_id uuid NOT NULL,
    id uuid NOT NULL,
    environment text NOT NULL CHECK (environment IN ('production', 'staging', 'development')),
    app_id uuid NOT NULL,
    mark text NOT NULL CHECK (mark IN ('right', 'wrong', 'missed')),
    note text,
    rule_state text,
    owner_kind text NOT NULL,
    owner_id text,
    at timestamptz NOT NULL,
    PRIMARY KEY (account_id, call_id, rule)
  )`,
  'CREATE UNIQUE INDEX event_marks_place ON event_marks (account_id, id)',
  'CREATE INDEX event_marks_event ON event_marks (account_id, event_id)',
  'CREATE INDEX event_marks_rule ON event_marks (account_id, environment, rule, at)',
  ...accountTable('event_marks', ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
];
