import type { Environment, Retention } from '../core/index.js';
import type { TenantSql } from '../database/index.js';
import type { PolicyStore } from '../policy-store/index.js';

/** The retention time of events in an account's environment; undefined: forever. `unknown`: nothing may be deleted. */
export type RetentionOf = (accountId: string, environment: Environment) => Retention | 'unknown' | undefined;

/**
 * The retention times of the active policies. Deleted data cannot be restored, so the answer is `unknown` unless this process runs the
 * newest deployment in the history.
 */
export class RetentionInForce {
  constructor(
    private readonly sql: TenantSql,
    private readonly store: PolicyStore,
  ) {}

  /** Reads the current state. @throws DatabaseError | DatabaseUnavailable */
  async read(): Promise<RetentionOf> {
    const rows = await this.sql.forDuty('watch').query<{ place: string; digest: string | null }>(
      `SELECT DISTINCT ON (account_id, environment) account_id::text || '/' || environment AS place, policy_digest AS digest
       FROM policy_deployments ORDER BY account_id, environment, number DESC`,
    );
    const newest = new Map(rows.map(({ place, digest }) => [place, digest]));
    return (accountId, environment) => {
      const expected = newest.get(`${accountId}/${environment}`) ?? null;
      const deployed = this.store.deployment(accountId, environment);
      if (expected === null) {
        return deployed === undefined ? this.store.folderPolicy(environment).active.policy.retention : 'unknown';
      }
      return deployed?.active?.digest === expected ? deployed.active.policy.retention : 'unknown';
    };
  }
}
