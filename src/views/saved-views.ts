import { randomUUID } from 'node:crypto';
import type { ActingManager } from '../access/index.js';
import type { AdminActionName, AdminAudit } from '../admin-audit/index.js';
import { DatabaseError, type SqlExecutor, type SqlParameter, type SqlRow, type TenantSql } from '../database/index.js';

export interface ViewFields {
  readonly name: string;
  /** The query as in the URL, without the question mark. */
  readonly query: string;
  readonly shared: boolean;
}

export interface SavedView extends ViewFields {
  readonly id: string;
  readonly page: string;
  readonly by: { readonly kind: string; readonly id: string; readonly name: string | null };
  readonly createdAt: Date;
}

interface Row extends SqlRow {
  readonly id: string;
  readonly page: string;
  readonly name: string;
  readonly query: string;
  readonly shared: boolean;
  readonly owner_kind: string;
  readonly owner_id: string;
  readonly owner_name: string | null;
  readonly created_at_ms: number;
}

/** Maximum number of views of one person or token: among more, a view would be hard to find. */
export const MOST_VIEWS = 200;
/** SQLSTATE of a duplicate row. */
const UNIQUE_VIOLATION = '23505';

const SHOWN = `SELECT v.id::text AS id, v.page, v.name, v.query, v.shared, v.owner_kind, v.owner_id,
    floor(extract(epoch FROM v.created_at) * 1000)::double precision AS created_at_ms,
    CASE v.owner_kind
      WHEN 'person' THEN (SELECT p.email FROM people p JOIN memberships m ON m.person_id = p.id
        WHERE m.account_id = v.account_id AND p.id::text = v.owner_id)
      ELSE (SELECT t.name FROM management_tokens t WHERE t.account_id = v.account_id AND t.token_id = v.owner_id)
    END AS owner_name
  FROM saved_views v`;

/** The caller's own views, and those that others of the account share. Other people's private views are never revealed. */
const VISIBLE = `v.account_id = $1::uuid AND (v.shared OR (v.owner_kind = $2 AND v.owner_id = $3))`;

/** The views that a caller may change: its own, and for administrators of the account also shared ones. */
const CHANGEABLE = `v.account_id = $1::uuid AND v.id = $4::uuid
  AND ((v.owner_kind = $2 AND v.owner_id = $3) OR (v.shared AND $5::boolean))`;

/** Saves filters. Its callers have checked the permissions. */
export class SavedViews {
  constructor(
    private readonly sql: TenantSql,
    private readonly audit: AdminAudit,
  ) {}

  /** The visible views, ordered by name. @throws DatabaseError | DatabaseUnavailable */
  async list({ accountId, actor }: ActingManager, page: string | undefined): Promise<SavedView[]> {
    const rows = await this.sql
      .forAccounts(accountId)
      .query<Row>(`${SHOWN} WHERE ${VISIBLE} AND ($4::text IS NULL OR v.page = $4) ORDER BY v.name, v.id`, [
        accountId,
        actor.kind,
        actor.id,
        page ?? null,
      ]);
    return rows.map(view);
  }

  /** @throws DatabaseError | DatabaseUnavailable */
  async create(manager: ActingManager, page: string, fields: ViewFields): Promise<SavedView | 'taken' | 'too_many'> {
    const { accountId, actor } = manager;
    return this.unlessTaken(accountId, async (transaction) => {
      const id = randomUUID();
      const [made] = await transaction.query(
        `INSERT INTO saved_views (account_id, id, owner_kind, owner_id, page, name, query, shared, created_at)
         SELECT $1::uuid, $4::uuid, $2::text, $3::text, $5::text, $6::text, $7::text, $8::boolean, clock_timestamp()
         WHERE (SELECT count(*) FROM saved_views v
                WHERE v.account_id = $1::uuid AND v.owner_kind = $2 AND v.owner_id = $3) < ${MOST_VIEWS}
         RETURNING 1 AS one`,
        [accountId, actor.kind, actor.id, id, page, fields.name, fields.query, fields.shared],
      );
      if (made === undefined) return 'too_many';
      return this.recorded(transaction, manager, 'view.created', id);
    });
  }

  /**
   * @returns undefined if there is no such view that the caller may change
   * @throws DatabaseError | DatabaseUnavailable
   */
  async change(
    manager: ActingManager,
    id: string,
    fields: Partial<ViewFields>,
  ): Promise<SavedView | 'taken' | undefined> {
    return this.unlessTaken(manager.accountId, async (transaction) => {
      const [changed] = await transaction.query(
        `UPDATE saved_views v SET name = coalesce($6::text, name), query = coalesce($7::text, query),
           shared = coalesce($8::boolean, shared)
         WHERE ${CHANGEABLE} RETURNING 1 AS one`,
        [...whose(manager, id), fields.name ?? null, fields.query ?? null, fields.shared ?? null],
      );
      return changed === undefined ? undefined : this.recorded(transaction, manager, 'view.changed', id);
    });
  }

  /** @returns false if there is no such view that the caller may delete. @throws DatabaseError | DatabaseUnavailable */
  async delete(manager: ActingManager, id: string): Promise<boolean> {
    const { accountId, actor } = manager;
    return this.sql.forAccounts(accountId).transaction(async (transaction) => {
      const [gone] = await transaction.query<{ name: string }>(
        `DELETE FROM saved_views v WHERE ${CHANGEABLE} RETURNING v.name`,
        whose(manager, id),
      );
      if (gone === undefined) return false;
      const details = { name: gone.name };
      await this.audit.record(transaction, { accountId, actor, action: 'view.deleted', subject: id, details });
      return true;
    });
  }

  private async recorded(
    transaction: SqlExecutor,
    { accountId, actor }: ActingManager,
    action: AdminActionName,
    id: string,
  ): Promise<SavedView> {
    const [row] = await transaction.query<Row>(`${SHOWN} WHERE v.account_id = $1::uuid AND v.id = $2::uuid`, [
      accountId,
      id,
    ]);
    if (row === undefined) throw new Error('a view that was just written is not there');
    const { name, shared } = row;
    await this.audit.record(transaction, { accountId, actor, action, subject: id, details: { name, shared } });
    return view(row);
  }

  /** Runs the work in a transaction; 'taken' if the owner already has a view of this name for the page. */
  private async unlessTaken<T>(
    accountId: string,
    work: (transaction: SqlExecutor) => Promise<T>,
  ): Promise<T | 'taken'> {
    try {
      return await this.sql.forAccounts(accountId).transaction(work);
    } catch (error) {
      if (error instanceof DatabaseError && error.sqlState === UNIQUE_VIOLATION) return 'taken';
      throw error;
    }
  }
}

/** The parameters of `CHANGEABLE`. */
function whose({ accountId, actor, scopes }: ActingManager, id: string): SqlParameter[] {
  return [accountId, actor.kind, actor.id, id, scopes.includes('account:admin')];
}

function view(row: Row): SavedView {
  const { id, page, name, query, shared } = row;
  return {
    ...{ id, page, name, query, shared },
    by: { kind: row.owner_kind, id: row.owner_id, name: row.owner_name },
    createdAt: new Date(row.created_at_ms),
  };
}
