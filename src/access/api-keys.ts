import { randomUUID } from 'node:crypto';
import type { Actor, AdminAudit } from '../admin-audit/index.js';
import type { Environment } from '../core/index.js';
import { ApiKey, App, toDatabaseError, type Database, type SqlExecutor, type SqlRow } from '../database/index.js';
import { MOST_OF_ACCOUNT, requireRoomFor } from './account-maximum.js';
import { keyPrefix, newCredential } from './credential.js';
import type { Revocations } from './revocations.js';

export interface NewApiKey {
  readonly accountId: string;
  readonly appId: string;
  readonly name: string;
  readonly environment: Environment;
  /** Absent: the key works until it is deleted. */
  readonly expiresAt?: Date;
}

/** A request to replace a key with a new one. */
export interface Rotation {
  readonly accountId: string;
  readonly appId: string;
  /** Public id of the old key. */
  readonly keyId: string;
  /** Absent: the old key works until it is deleted. */
  readonly deleteOldAfterMs?: number;
}

/**
 * The maximum number of keys after a rotation: larger than that of created keys, so that an account that has as many keys as it may have
 * can still replace each of them.
 */
const MOST_ROTATED = 2 * MOST_OF_ACCOUNT.keys;

/** The data of a key that may be shown. */
export interface ApiKeyView {
  /** The key's public id, by which paths, logs and records name the key. */
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** Makes, lists and deletes API keys. The caller must have checked the rights. */
export class ApiKeys {
  constructor(
    private readonly database: Database,
    private readonly audit: AdminAudit,
    private readonly revocations: Revocations,
    private readonly now: () => Date = () => database.clock.now(),
  ) {}

  /**
   * Creates a key. `secret` is the whole key and is not stored: it is shown once.
   *
   * @returns null when the account has no such app
   * @throws DatabaseError | DatabaseUnavailable; WeirError `invalid_request` when the account has as many keys as it may have
   */
  async create(request: NewApiKey, actor: Actor): Promise<{ key: ApiKeyView; secret: string } | null> {
    return this.database.sql.forAccounts(request.accountId).transaction(async (transaction) => {
      await requireRoomFor('keys', transaction, request.accountId);
      const made = await insertKey(transaction, request, this.now());
      if (made === null) return null;
      const { id, name, environment, expiresAt } = made.key;
      const details = { app: request.appId, name, environment, expires_at: expiresAt?.toISOString() ?? null };
      await this.audit.record(transaction, {
        accountId: request.accountId,
        actor,
        action: 'key.created',
        subject: id,
        details,
      });
      return made;
    });
  }

  /**
   * Lists the keys that are not deleted, oldest first: those of one app, or of all apps of the account.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async list(accountId: string, appId?: string): Promise<ApiKeyView[]> {
    try {
      const entities = this.database.entities(accountId);
      const apps = await entities.find(App, {
        accountId,
        deletedAt: null,
        ...(appId === undefined ? {} : { id: appId }),
      });
      const names = new Map(apps.map(({ id, name }) => [id, name]));
      const keys = await entities.find(
        ApiKey,
        { accountId, appId: { $in: [...names.keys()] }, deletedAt: null },
        { orderBy: { createdAt: 'asc', id: 'asc' } },
      );
      return keys.map((key) => view(key, names.get(key.appId) ?? ''));
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /** Finds one key; null when the app has no such key (any more). @throws DatabaseError | DatabaseUnavailable */
  async find(accountId: string, appId: string, keyId: string): Promise<ApiKeyView | null> {
    const [row] = await this.database.sql.forAccounts(accountId).query<KeyRow>(
      `SELECT ${KEY_COLUMNS} FROM api_keys k JOIN apps a ON a.account_id = k.account_id AND a.id = k.app_id
       WHERE k.account_id = $1::uuid AND k.app_id = $2::uuid AND k.key_id = $3
         AND k.deleted_at IS NULL AND a.deleted_at IS NULL`,
      [accountId, appId, keyId],
    );
    return row === undefined ? null : fromRow(row);
  }

  /**
   * Creates a new key with the name, app and environment of an old one. With `deleteOldAfterMs`, the old key expires after this time,
   * unless it expires earlier anyway.
   *
   * @returns null when the app has no such key (any more)
   * @throws DatabaseError | DatabaseUnavailable; WeirError `invalid_request` when the account has twice as many keys as it may create
   */
  async rotate(
    { accountId, appId, keyId, deleteOldAfterMs }: Rotation,
    actor: Actor,
  ): Promise<{ key: ApiKeyView; secret: string; old: ApiKeyView } | null> {
    const endsAt = deleteOldAfterMs === undefined ? null : new Date(this.now().getTime() + deleteOldAfterMs);
    return this.revocations.during(this.database.sql.forAccounts(accountId), accountId, async (transaction) => {
      // Archiving locks the app before its keys: in the other order, the two would wait for each other.
      if ((await lockApp(transaction, accountId, appId)) === null) return null;
      await requireRoomFor('keys', transaction, accountId, MOST_ROTATED);
      const [row] = await transaction.query<KeyRow>(
        `UPDATE api_keys k SET expires_at = least(k.expires_at, $4::timestamptz)
         FROM apps a
         WHERE k.account_id = $1::uuid AND k.app_id = $2::uuid AND k.key_id = $3 AND k.deleted_at IS NULL
           AND a.account_id = k.account_id AND a.id = k.app_id AND a.deleted_at IS NULL
         RETURNING ${KEY_COLUMNS}`,
        [accountId, appId, keyId, endsAt?.toISOString() ?? null],
      );
      if (row === undefined) return null;
      const old = fromRow(row);
      const successor = { accountId, appId, name: old.name, environment: old.environment };
      const made = await insertKey(transaction, successor, this.now());
      if (made === null) return null;
      const details = { app: appId, new_key: made.key.id, old_ends_at: old.expiresAt?.toISOString() ?? null };
      await this.audit.record(transaction, { accountId, actor, action: 'key.rotated', subject: keyId, details });
      return { ...made, old };
    });
  }

  /**
   * Deletes a key by its public id. It stops working at once in processes that receive the notice, within a second in all others.
   *
   * @returns false when the app has no such key (any more)
   * @throws DatabaseError | DatabaseUnavailable
   */
  async delete(accountId: string, appId: string, keyId: string, actor: Actor): Promise<boolean> {
    return this.revocations.during(this.database.sql.forAccounts(accountId), accountId, async (transaction) => {
      const deleted = await transaction.query(
        `UPDATE api_keys SET deleted_at = $4::timestamptz
         WHERE account_id = $1::uuid AND app_id = $2::uuid AND key_id = $3 AND deleted_at IS NULL RETURNING 1 AS one`,
        [accountId, appId, keyId, this.now().toISOString()],
      );
      if (deleted.length === 0) return false;
      const details = { app: appId };
      await this.audit.record(transaction, { accountId, actor, action: 'key.deleted', subject: keyId, details });
      return true;
    });
  }
}

/** Locks an app against being archived until the transaction ends. @returns its name; null if the account has no such app (any more) */
async function lockApp(transaction: SqlExecutor, accountId: string, appId: string): Promise<string | null> {
  const [app] = await transaction.query<{ name: string }>(
    'SELECT name FROM apps WHERE account_id = $1::uuid AND id = $2::uuid AND deleted_at IS NULL FOR SHARE',
    [accountId, appId],
  );
  return app?.name ?? null;
}

/**
 * Adds a key. The app is locked until the transaction ends: if it is archived at the same time, the new key is deleted with the others.
 *
 * @returns null when the account has no such app
 */
export async function insertKey(
  transaction: SqlExecutor,
  request: NewApiKey,
  createdAt: Date,
): Promise<{ key: ApiKeyView; secret: string } | null> {
  const { accountId, appId, name, environment, expiresAt = null } = request;
  const appName = await lockApp(transaction, accountId, appId);
  if (appName === null) return null;
  const credential = newCredential(keyPrefix(environment));
  await transaction.query(
    `INSERT INTO api_keys (account_id, id, key_id, app_id, name, environment, secret_sha256, created_at, expires_at)
     VALUES ($1::uuid, $2::uuid, $3, $4::uuid, $5, $6, $7::bytea, $8::timestamptz, $9::timestamptz)`,
    [
      accountId,
      randomUUID(),
      credential.id,
      appId,
      name,
      environment,
      credential.sha256,
      createdAt.toISOString(),
      expiresAt?.toISOString() ?? null,
    ],
  );
  const view = { id: credential.id, appId, appName, name, environment, createdAt, expiresAt };
  return { key: { ...view, lastUsedAt: null }, secret: credential.text };
}

const KEY_COLUMNS = `k.key_id::text AS key_id, k.app_id::text AS app_id, a.name AS app_name, k.name, k.environment,
  floor(extract(epoch FROM k.created_at) * 1000)::double precision AS created_at_ms,
  floor(extract(epoch FROM k.expires_at) * 1000)::double precision AS expires_at_ms,
  floor(extract(epoch FROM k.last_used_at) * 1000)::double precision AS last_used_at_ms`;

interface KeyRow extends SqlRow {
  readonly key_id: string;
  readonly app_id: string;
  readonly app_name: string;
  readonly name: string;
  readonly environment: Environment;
  readonly created_at_ms: number;
  readonly expires_at_ms: number | null;
  readonly last_used_at_ms: number | null;
}

function fromRow(row: KeyRow): ApiKeyView {
  const dated = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
  return {
    id: row.key_id,
    appId: row.app_id,
    appName: row.app_name,
    name: row.name,
    environment: row.environment,
    createdAt: new Date(row.created_at_ms),
    expiresAt: dated(row.expires_at_ms),
    lastUsedAt: dated(row.last_used_at_ms),
  };
}

function view(key: ApiKey, appName: string): ApiKeyView {
  return {
    id: key.keyId,
    appId: key.appId,
    appName,
    name: key.name,
    environment: key.environment,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    lastUsedAt: key.lastUsedAt,
  };
}
