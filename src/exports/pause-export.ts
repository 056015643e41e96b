/** Pauses an export until it is resumed, and resumes a failed one. */
import type { Reach } from '../access/index.js';
import type { Actor, AdminAudit } from '../admin-audit/index.js';
import type { SqlExecutor, TenantSql } from '../database/index.js';
import { resumableTerm } from './job-row.js';
import { checkRoom, lockExports } from './new-export.js';

export class ExportPauses {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
  ) {}

  /**
   * Pauses a queued or running export, or resumes a paused or failed one from its current position. Has no effect if it is
   * already in that state, or if the parts of the failed export are no longer stored.
   *
   * @throws ExportRefused if too many exports are queued or running already; DatabaseError | DatabaseUnavailable
   */
  async set(reach: Reach, id: string, paused: boolean, actor: Actor): Promise<void> {
    const { accountId, environment } = reach;
    await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId);
      const changed = await transaction.query(
        `UPDATE exports SET paused = $3::boolean, state = 'queued', runner = NULL, lease_until = NULL
         WHERE account_id = $1::uuid AND id = $2::uuid AND ($4::text IS NULL OR environment = $4)
           AND state IN ('queued', 'running') AND paused <> $3::boolean RETURNING id::text AS id`,
        [accountId, id, paused, environment ?? null],
      );
      const isResumed = changed.length === 0 && !paused && (await resumeFailed(transaction, reach, id));
      if (changed.length === 0 && !isResumed) return;
      const action = paused ? 'export.paused' : 'export.resumed';
      await this.audit.record(transaction, { accountId, actor, action, subject: id });
    });
  }
}

/** Queues a failed export whose parts are still stored. @returns false if there is no such export @throws ExportRefused */
async function resumeFailed(transaction: SqlExecutor, { accountId, environment }: Reach, id: string): Promise<boolean> {
  const resumed = await transaction.query(
    `UPDATE exports SET state = 'queued', error = NULL, ended_at = NULL, expires_at = NULL, runner = NULL, lease_until = NULL
     WHERE account_id = $1::uuid AND id = $2::uuid AND ($3::text IS NULL OR environment = $3)
       AND ${resumableTerm('exports')} RETURNING id::text AS id`,
    [accountId, id, environment ?? null],
  );
  if (resumed.length > 0) await checkRoom(transaction, accountId, 0);
  return resumed.length > 0;
}
