import { Migration } from '@mikro-orm/migrations';
import { accountTable } from '../isolation/tenancy-statements.js';
import { ENVIRONMENT_CHECK } from './baseline/environment-check.js';

/**
 * Calls of apps that were refused before they were recorded, by the environment of their key: a token for one environment must not see the
 * refusals of another one. The environment belongs to the primary key, which servers of the previous version could not fill, so these rows
 * have a table of their own. `call_refusals` is no longer read; a later version drops it.
 */
export class RefusalsByEnvironment extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE app_refusals (
      account_id uuid NOT NULL,
      app_id uuid NOT NULL,
      environment text NOT NULL ${ENVIRONMENT_CHECK},
      minute timestamptz NOT NULL,
      status integer NOT NULL,
      type text NOT NULL,
      n bigint NOT NULL,
      last_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, app_id, environment, minute, status, type)
    ) WITH (fillfactor = 70)`);
    for (const statement of accountTable('app_refusals', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])) {
      this.addSql(statement);
    }
  }

  override down(): void {
    this.addSql('DROP TABLE app_refusals');
  }
}
