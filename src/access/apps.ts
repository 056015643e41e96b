import { randomUUID } from 'node:crypto';
import type { Actor, AdminAudit } from '../admin-audit/index.js';
import {
  App,
  DatabaseError,
  toDatabaseError,
  type Database,
  type SqlExecutor,
  type SqlRow,
} from '../database/index.js';
import { requireRoomFor } from './account-maximum.js';
import { appLimitsOf, type AppLimits } from './app-limits.js';
import type { Revocations } from './revocations.js';

export interface AppView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** One app in full. */
export interface AppDetail extends AppView {
  /** Absent: only the operator's limits apply. */
  readonly limits?: AppLimits;
}

export interface AppChange {
  readonly name?: string;
  /** Replaces all limits; null removes them. */
  readonly limits?: AppLimits | null;
}

interface DetailRow extends SqlRow {
  readonly name: string;
  readonly limits: string | null;
  readonly created_at_ms: number;
}

/** The data of an account that its managers see. */
export interface AccountView {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

/** Reads the account of a token or session, and reads and changes its apps. The caller must have checked the rights. */
export class Apps {
  constructor(
    private readonly database: Database,
    private readonly audit: AdminAudit,
    private readonly revocations: Revocations,
    private readonly now: () => Date = () => database.clock.now(),
  ) {}

  /** The account, with the address of its first owner. @throws DatabaseError | DatabaseUnavailable */
  async account(accountId: string): Promise<AccountView | null> {
    const [row] = await this.database.sql.forAccounts(accountId).query<{ email: string; verified: boolean }>(
      `SELECT p.email, p.email_verified_at IS NOT NULL AS verified
       FROM accounts a JOIN memberships m ON m.account_id = a.id JOIN people p ON p.id = m.person_id
       WHERE a.id = $1::uuid ORDER BY m.created_at, m.person_id LIMIT 1`,
      [accountId],
    );
    if (row === undefined) return null;
    return { id: accountId, email: row.email, emailVerified: row.verified };
  }

  /** Lists the apps that are not archived, oldest first. @throws DatabaseError | DatabaseUnavailable */
  async list(accountId: string): Promise<AppView[]> {
    try {
      const apps = await this.database
        .entities(accountId)
        .find(App, { accountId, deletedAt: null }, { orderBy: { createdAt: 'asc', id: 'asc' } });
      return apps.map(view);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /**
   * Creates an app; null when the account already has one of this name.
   *
   * @throws DatabaseError | DatabaseUnavailable; WeirError `invalid_request` when the account has as many apps as it may have
   */
  async create(accountId: string, name: string, actor: Actor): Promise<AppView | null> {
    return this.unlessTaken(accountId, async (transaction) => {
      await requireRoomFor('apps', transaction, accountId);
      const app = await insertApp(transaction, accountId, name, this.now());
      const entry = { accountId, actor, action: 'app.created', subject: app.id, details: { name } } as const;
      await this.audit.record(transaction, entry);
      return app;
    });
  }

  /** Finds one app; null when there is no such app (any more). @throws DatabaseError | DatabaseUnavailable */
  async get(accountId: string, appId: string): Promise<AppDetail | null> {
    const [row] = await this.database.sql
      .forAccounts(accountId)
      .query<DetailRow>(
        `SELECT ${DETAIL} FROM apps WHERE account_id = $1::uuid AND id = $2::uuid AND deleted_at IS NULL`,
        [accountId, appId],
      );
    return row === undefined ? null : detailView(appId, row);
  }

  /**
   * Changes the name or the limits of an app. Limits apply at once in processes that receive the notice, within a second in all others.
   *
   * @returns 'taken' when another app has that name, 'unknown' when there is no such app (any more)
   * @throws DatabaseError | DatabaseUnavailable
   */
  async change(
    accountId: string,
    appId: string,
    actor: Actor,
    { name, limits }: AppChange,
  ): Promise<AppDetail | 'taken' | 'unknown'> {
    const work = async (transaction: SqlExecutor): Promise<AppDetail | null> => {
      const [row] = await transaction.query<DetailRow>(
        `UPDATE apps SET name = coalesce($3::text, name), limits = CASE WHEN $4::boolean THEN $5::json ELSE limits END
         WHERE account_id = $1::uuid AND id = $2::uuid AND deleted_at IS NULL RETURNING ${DETAIL}`,
        [
          accountId,
          appId,
          name ?? null,
          limits !== undefined,
          (limits ?? null) === null ? null : JSON.stringify(limits),
        ],
      );
      if (row === undefined) return null;
      const entry = { accountId, actor, subject: appId };
      if (name !== undefined)
        await this.audit.record(transaction, { ...entry, action: 'app.renamed', details: { name } });
      if (limits !== undefined) {
        const details = { name: row.name, events: limitText(limits?.events), proxy: limitText(limits?.proxy) };
        await this.audit.record(transaction, { ...entry, action: 'app.limits_changed', details });
      }
      return detailView(appId, row);
    };
    try {
      const session = this.database.sql.forAccounts(accountId);
      return (await this.revocations.during(session, accountId, work)) ?? 'unknown';
    } catch (error) {
      if (isTaken(error)) return 'taken';
      throw error;
    }
  }

  /**
   * Archives an app: its keys stop working at once in processes that receive the notice, within a second in all others; its events
   * stay. The name becomes available.
   *
   * @returns false when there is no such app (any more)
   * @throws DatabaseError | DatabaseUnavailable
   */
  async archive(accountId: string, appId: string, actor: Actor): Promise<boolean> {
    const now = this.now().toISOString();
    return this.revocations.during(this.database.sql.forAccounts(accountId), accountId, async (transaction) => {
      const [app] = await transaction.query<{ name: string }>(
        `UPDATE apps SET deleted_at = $3::timestamptz
         WHERE account_id = $1::uuid AND id = $2::uuid AND deleted_at IS NULL RETURNING name`,
        [accountId, appId, now],
      );
      if (app === undefined) return false;
      const keys = await transaction.query(
        `UPDATE api_keys SET deleted_at = $3::timestamptz
         WHERE account_id = $1::uuid AND app_id = $2::uuid AND deleted_at IS NULL RETURNING 1 AS one`,
        [accountId, appId, now],
      );
      const details = { name: app.name, keys: keys.length };
      await this.audit.record(transaction, { accountId, actor, action: 'app.archived', subject: appId, details });
      return true;
    });
  }

  /** Runs the work in a transaction; null when the account has another app of this name. */
  private async unlessTaken<T>(accountId: string, work: (transaction: SqlExecutor) => Promise<T>): Promise<T | null> {
    try {
      return await this.database.sql.forAccounts(accountId).transaction(work);
    } catch (error) {
      if (isTaken(error)) return null;
      throw error;
    }
  }
}

/** Adds an app. @throws DatabaseError when the account has one of this name */
export async function insertApp(
  transaction: SqlExecutor,
  accountId: string,
  name: string,
  createdAt: Date,
): Promise<AppView> {
  const id = randomUUID();
  await transaction.query(
    'INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, $2::uuid, $3, $4::timestamptz)',
    [accountId, id, name, createdAt.toISOString()],
  );
  return { id, name, createdAt };
}

/** The SQLSTATE of a violated unique constraint. */
const UNIQUE_VIOLATION = '23505';

function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.sqlState === UNIQUE_VIOLATION;
}

const DETAIL = `name, limits::text AS limits,
  floor(extract(epoch FROM created_at) * 1000)::double precision AS created_at_ms`;

function detailView(id: string, row: DetailRow): AppDetail {
  const limits = appLimitsOf(row.limits);
  return { id, name: row.name, createdAt: new Date(row.created_at_ms), ...(limits === undefined ? {} : { limits }) };
}

/** The text of a limit in the audit log. */
function limitText(limit: AppLimits['events']): string | null {
  return limit === undefined ? null : `${limit.count}/${limit.seconds}s`;
}

function view({ id, name, createdAt }: App): AppView {
  return { id, name, createdAt };
}
