import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';

/**
 * Which rules an exception let go in an event (null where none did, as in older rows), and the sums of that by the hour.
 * `kept`: of the rules, those that would have been carried out. `hits` and `kept_hits` count an event once per exception.
 */
export class ExceptionRollups extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE exception_rollups');
    this.addSql('ALTER TABLE events DROP COLUMN excepted');
  }
}

const STATEMENTS = [
  'ALTER TABLE events ADD COLUMN excepted json',
  `CREATE TABLE exception_rollups (
    account_id uuid NOT NULL,
    environment text NOT NULL,
    exception text NOT NULL,
    rule text NOT NULL,
    hour timestamptz NOT NULL,
    app_id uuid NOT NULL,
    writer smallint NOT NULL,
    excepted bigint NOT NULL,
    kept bigint NOT NULL,
    hits bigint NOT NULL,
    kept_hits bigint NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, environment, exception, rule, hour, app_id, writer)
  ) WITH (fillfactor = 80)`,
  ...accountTable('exception_rollups', ['SELECT', 'INSERT', 'UPDATE']),
];
