import type { ActingManager } from '../access/index.js';
import type { AdminAudit } from '../admin-audit/index.js';
import type { TenantSql } from '../database/index.js';

/** The number of entries that one person may hide. */
export const MOST_SNOOZES = 500;

/** The entries that each person or token has hidden for a while. Others still see them. */
export class Snoozes {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
  ) {}

  /** Ids of the hidden items. @throws DatabaseError | DatabaseUnavailable */
  async current({ accountId, actor }: ActingManager): Promise<ReadonlySet<string>> {
    const rows = await this.sql.forAccounts(accountId).query<{ item: string }>(
      `SELECT item FROM attention_snoozes
       WHERE account_id = $1::uuid AND owner_kind = $2 AND owner_id = $3 AND until > now()`,
      [accountId, actor.kind, actor.id],
    );
    return new Set(rows.map(({ item }) => item));
  }

  /**
   * Hides an item until the given time, and deletes the expired snoozes of the same person or token.
   *
   * @returns false when too many items are hidden already
   * @throws DatabaseError | DatabaseUnavailable
   */
  async snooze({ accountId, actor }: ActingManager, item: string, until: Date): Promise<boolean> {
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      await transaction.query(
        `DELETE FROM attention_snoozes
         WHERE account_id = $1::uuid AND owner_kind = $2 AND owner_id = $3 AND until <= now()`,
        [accountId, actor.kind, actor.id],
      );
      const [kept] = await transaction.query(
        `INSERT INTO attention_snoozes AS s (account_id, owner_kind, owner_id, item, until)
         SELECT $1::uuid, $2::text, $3::text, $4::text, $5::timestamptz
         WHERE (SELECT count(*) FROM attention_snoozes o
                WHERE o.account_id = $1::uuid AND o.owner_kind = $2 AND o.owner_id = $3 AND o.item <> $4) < ${MOST_SNOOZES}
         ON CONFLICT (account_id, owner_kind, owner_id, item) DO UPDATE SET until = excluded.until
         RETURNING 1 AS one`,
        [accountId, actor.kind, actor.id, item, until.toISOString()],
      );
      if (kept === undefined) return false;
      const details = { until: until.toISOString() };
      await this.audit.record(transaction, { accountId, actor, action: 'attention.snoozed', subject: item, details });
      return true;
    });
  }
}
