import { randomUUID } from 'node:crypto';
import type { Environment } from '../core/index.js';
import { ManagementToken, toDatabaseError, type Database } from '../database/index.js';
import type { TokenScope } from './caller.js';
import { newCredential } from './credential.js';

export interface NewManagementToken {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly environment?: Environment;
  /** Absent: the token works until it is deleted. */
  readonly expiresAt?: Date;
}

/** What may be shown of a token. */
export interface ManagementTokenView {
  /** The token's public id. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly environment: Environment | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** Makes, lists and deletes management tokens. Checks no rights: the caller has done that. */
export class ManagementTokens {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * Makes a token. `secret` is the whole token and is not stored: it is shown once.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async create(request: NewManagementToken): Promise<{ token: ManagementTokenView; secret: string }> {
    const credential = newCredential('wt_live_');
    const token = new ManagementToken({
      ...request,
      scopes: [...request.scopes],
      id: randomUUID(),
      tokenId: credential.id,
      secretSha256: credential.sha256,
      createdAt: this.now(),
    });
    try {
      await this.database.entities().persist(token).flush();
    } catch (error) {
      throw toDatabaseError(error);
    }
    return { token: view(token), secret: credential.text };
  }

  /** The account's tokens that are not deleted, oldest first. @throws DatabaseError | DatabaseUnavailable */
  async list(accountId: string): Promise<ManagementTokenView[]> {
    try {
      const tokens = await this.database
        .entities()
        .find(ManagementToken, { accountId, deletedAt: null }, { orderBy: { createdAt: 'asc', id: 'asc' } });
      return tokens.map(view);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /**
   * Deletes a token by its public id. It stops working within a second, everywhere.
   *
   * @returns false when there is no such token (any more)
   * @throws DatabaseError | DatabaseUnavailable
   */
  async delete(accountId: string, tokenId: string): Promise<boolean> {
    try {
      const deleted = await this.database
        .entities()
        .nativeUpdate(ManagementToken, { accountId, tokenId, deletedAt: null }, { deletedAt: this.now() });
      return deleted === 1;
    } catch (error) {
      throw toDatabaseError(error);
    }
  }
}

function view(token: ManagementToken): ManagementTokenView {
  return {
    id: token.tokenId,
    name: token.name,
    scopes: token.scopes,
    environment: token.environment,
    createdAt: token.createdAt,
    expiresAt: token.expiresAt,
    lastUsedAt: token.lastUsedAt,
  };
}
