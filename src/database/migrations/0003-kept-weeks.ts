import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';

/**
 * The environments with events in each week of the log, and their last processing: `settled` names the data that was due and the data
 * that was held at that time. A row is kept until the ids of the week's events are deleted.
 */
export class KeptWeeks extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE event_weeks (
      account_id uuid NOT NULL,
      environment text NOT NULL,
      week text NOT NULL,
      settled text NOT NULL DEFAULT '',
      held bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (account_id, environment, week)
    )`);
    for (const statement of accountTable('event_weeks', ['SELECT'])) this.addSql(statement);
    this.addSql('GRANT SELECT (policy_digest) ON policy_deployments TO weir_watcher');
  }

  override down(): void {
    this.addSql('REVOKE SELECT (policy_digest) ON policy_deployments FROM weir_watcher');
    this.addSql('DROP TABLE event_weeks');
  }
}
