import { randomUUID } from 'node:crypto';
import type { Environment } from '../core/index.js';
import { ApiKey, App, toDatabaseError, type Database } from '../database/index.js';
import { keyPrefix, newCredential } from './credential.js';

export interface NewApiKey {
  readonly accountId: string;
  readonly appId: string;
  readonly name: string;
  readonly environment: Environment;
  /** Absent: the key works until it is deleted. */
  readonly expiresAt?: Date;
}

/** What may be shown of a key. */
export interface ApiKeyView {
  /** The key's public id; names it in paths, logs and records. */
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** Makes, lists and deletes API keys. Checks no rights: the caller has done that. */
export class ApiKeys {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * Makes a key. `secret` is the whole key and is not stored: it is shown once.
   *
   * @returns null when the account has no such app
   * @throws DatabaseError | DatabaseUnavailable
   */
  async create(request: NewApiKey): Promise<{ key: ApiKeyView; secret: string } | null> {
    const entities = this.database.entities();
    const credential = newCredential(keyPrefix(request.environment));
    const key = new ApiKey({
      ...request,
      id: randomUUID(),
      keyId: credential.id,
      secretSha256: credential.sha256,
      createdAt: this.now(),
    });
    try {
      const app = await entities.findOne(App, { accountId: request.accountId, id: request.appId, deletedAt: null });
      if (app === null) {
        return null;
      }
      await entities.persist(key).flush();
      return { key: view(key, app.name), secret: credential.text };
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /**
   * The keys that are not deleted, oldest first: an app's, or those of all apps of the account.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async list(accountId: string, appId?: string): Promise<ApiKeyView[]> {
    try {
      const entities = this.database.entities();
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

  /**
   * Makes a key with the name, app and environment of another one, which goes on working until it is deleted, or for
   * `deleteOldAfterMs` if it does not end before.
   *
   * @returns null when the app has no such key (any more)
   * @throws DatabaseError | DatabaseUnavailable
   */
  async rotate(
    accountId: string,
    appId: string,
    keyId: string,
    deleteOldAfterMs?: number,
  ): Promise<{ key: ApiKeyView; secret: string; old: ApiKeyView } | null> {
    try {
      return await this.database.entities().transactional(async (entities) => {
        const app = await entities.findOne(App, { accountId, id: appId, deletedAt: null });
        const old = await entities.findOne(ApiKey, { accountId, appId, keyId, deletedAt: null });
        if (app === null || old === null) return null;
        const now = this.now();
        const credential = newCredential(keyPrefix(old.environment));
        const key = new ApiKey({
          accountId,
          id: randomUUID(),
          keyId: credential.id,
          appId,
          name: old.name,
          environment: old.environment,
          secretSha256: credential.sha256,
          createdAt: now,
        });
        if (deleteOldAfterMs !== undefined) {
          const endsAt = new Date(now.getTime() + deleteOldAfterMs);
          if (old.expiresAt === null || old.expiresAt > endsAt) old.expiresAt = endsAt;
        }
        await entities.persist(key).flush();
        return { key: view(key, app.name), secret: credential.text, old: view(old, app.name) };
      });
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /**
   * Deletes a key by its public id. It stops working within a second, everywhere.
   *
   * @returns false when the app has no such key (any more)
   * @throws DatabaseError | DatabaseUnavailable
   */
  async delete(accountId: string, appId: string, keyId: string): Promise<boolean> {
    try {
      const deleted = await this.database
        .entities()
        .nativeUpdate(ApiKey, { accountId, appId, keyId, deletedAt: null }, { deletedAt: this.now() });
      return deleted === 1;
    } catch (error) {
      throw toDatabaseError(error);
    }
  }
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
