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
    } catch (error) {
      throw toDatabaseError(error);
    }
    return { key: view(key), secret: credential.text };
  }

  /**
   * The keys of an app that are not deleted, oldest first.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async list(accountId: string, appId: string): Promise<ApiKeyView[]> {
    try {
      const keys = await this.database
        .entities()
        .find(ApiKey, { accountId, appId, deletedAt: null }, { orderBy: { createdAt: 'asc', id: 'asc' } });
      return keys.map(view);
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

function view(key: ApiKey): ApiKeyView {
  return {
    id: key.keyId,
    appId: key.appId,
    name: key.name,
    environment: key.environment,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    lastUsedAt: key.lastUsedAt,
  };
}
