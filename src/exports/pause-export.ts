/** Pauses an export until it is resumed. */
import type { Reach } from '../access/index.js';
import type { Actor, AdminAudit } from '../admin-audit/index.js';
import type { TenantSql } from '../database/index.js';
import { lockExports } from './new-export.js';

export class ExportPauses {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
  ) {}

  /**
   * Pauses a queued or running export, or resumes a paused one from its current position. Has no effect if it is
   * already in that state.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async set({ accountId, environment }: Reach, id: string, paused: boolean, actor: Actor): Promise<void> {
    await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await lockExports(transaction, accountId);
      const changed = await transaction.query(
        `UPDATE exports SET paused = $3::boolean, state = 'queued', runner = NULL, lease_until = NULL
         WHERE account_id = $1::uuid AND id = $2::uuid AND ($4::text IS NULL OR environment = $4)
           AND state IN ('queued', 'running') AND paused <> $3::boolean RETURNING id::text AS id`,
        [accountId, id, paused, environment ?? null],
      );
      if (changed.length === 0) return;
      const action = paused ? 'export.paused' : 'export.resumed';
      await this.audit.record(transaction, { accountId, actor, action, subject: id });
    });
  }
}
