/** Deletes the files, parts and entries of exports whose time is over. */
import type { SqlRow, TenantSql } from '../database/index.js';
import { IS_OLD, IS_OVER } from './export-jobs.js';
import { lockExports } from './new-export.js';
import { begunUploads, type PendingUploads } from './pending-uploads.js';

interface IdRow extends SqlRow {
  readonly id: string;
}

export class ExportExpiry {
  constructor(
    private readonly sql: TenantSql,
    private readonly uploads: Pick<PendingUploads, 'abort'>,
  ) {}

  /**
   * Deletes expired files and entries, and the parts of failed exports that can no longer be resumed. The uploads of these exports are
   * aborted, because the credentials for that are deleted as well.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async expire(accountId: string): Promise<void> {
    const uploads = await this.sql.forAccounts(accountId).transaction(async (transaction) => {
      // Under the lock, no export is resumed between the deletion of its parts and the note about it.
      await lockExports(transaction, accountId);
      const over = await transaction.query<IdRow>(
        `SELECT id::text AS id FROM exports WHERE account_id = $1::uuid AND ${IS_OVER}`,
        [accountId],
      );
      if (over.length === 0) return [];
      const ids = over.map(({ id }) => id);
      const begun = await begunUploads(transaction, accountId, ids);
      await transaction.query(
        'DELETE FROM export_parts WHERE account_id = $1::uuid AND export_id = ANY ($2::text[]::uuid[])',
        [accountId, ids],
      );
      await transaction.query(`DELETE FROM exports WHERE account_id = $1::uuid AND ${IS_OLD}`, [accountId]);
      await transaction.query(
        `UPDATE exports SET kept = false, stored = 0, credentials = NULL, upload = NULL
         WHERE account_id = $1::uuid AND id = ANY ($2::text[]::uuid[])`,
        [accountId, ids],
      );
      return begun;
    });
    this.uploads.abort(accountId, uploads);
  }
}
