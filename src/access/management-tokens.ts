import { randomUUID } from 'node:crypto';
import type { Actor, AdminAudit } from '../admin-audit/index.js';
import type { Environment, TokenScope } from '../core/index.js';
import { ManagementToken, toDatabaseError, type Database, type SqlExecutor } from '../database/index.js';
import { requireRoomFor } from './account-maximum.js';
import { newCredential } from './credential.js';
import type { Revocations } from './revocations.js';

export interface NewManagementToken {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly environment?: Environment;
  /** Absent: the token works until it is deleted. */
  readonly expiresAt?: Date;
}

/** The data of a token that may be shown. */
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

/** Makes, lists and deletes management tokens. The caller must have checked the rights. */
export class ManagementTokens {
  constructor(
    private readonly database: Database,
    private readonly audit: AdminAudit,
    private readonly revocations: Revocations,
    private readonly now: () => Date = () => database.clock.now(),
  ) {}

  /**
   * Creates a token. `secret` is the whole token and is not stored: it is shown once.
   *
   * @throws DatabaseError | DatabaseUnavailable; WeirError `invalid_request` when the account has as many tokens as it may have
   */
  async create(request: NewManagementToken, actor: Actor): Promise<{ token: ManagementTokenView; secret: string }> {
    return this.database.sql.forAccounts(request.accountId).transaction(async (transaction) => {
      await requireRoomFor('tokens', transaction, request.accountId);
      const made = await insertToken(transaction, request, this.now());
      const { id, name, scopes, environment, expiresAt } = made.token;
      await this.audit.record(transaction, {
        accountId: request.accountId,
        actor,
        action: 'token.created',
        subject: id,
        details: { name, scopes, environment, expires_at: expiresAt?.toISOString() ?? null },
      });
      return made;
    });
  }

  /** Lists the account's tokens that are not deleted, oldest first. @throws DatabaseError | DatabaseUnavailable */
  async list(accountId: string): Promise<ManagementTokenView[]> {
    try {
      const tokens = await this.database
        .entities(accountId)
        .find(ManagementToken, { accountId, deletedAt: null }, { orderBy: { createdAt: 'asc', id: 'asc' } });
      return tokens.map(view);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /** Finds one token; null when there is no such token (any more). @throws DatabaseError | DatabaseUnavailable */
  async find(accountId: string, tokenId: string): Promise<ManagementTokenView | null> {
    try {
      const token = await this.database
        .entities(accountId)
        .findOne(ManagementToken, { accountId, tokenId, deletedAt: null });
      return token === null ? null : view(token);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /**
   * Deletes a token by its public id. It stops working at once in processes that receive the notice, within a second in all others.
   *
   * @returns false when there is no such token (any more)
   * @throws DatabaseError | DatabaseUnavailable
   */
  async delete(accountId: string, tokenId: string, actor: Actor): Promise<boolean> {
    return this.revocations.during(this.database.sql.forAccounts(accountId), accountId, async (transaction) => {
      const deleted = await transaction.query(
        `UPDATE management_tokens SET deleted_at = $3::timestamptz
         WHERE account_id = $1::uuid AND token_id = $2 AND deleted_at IS NULL RETURNING 1 AS one`,
        [accountId, tokenId, this.now().toISOString()],
      );
      if (deleted.length === 0) return false;
      await this.audit.record(transaction, { accountId, actor, action: 'token.deleted', subject: tokenId });
      return true;
    });
  }
}

/** Adds a token. */
export async function insertToken(
  transaction: SqlExecutor,
  request: NewManagementToken,
  createdAt: Date,
): Promise<{ token: ManagementTokenView; secret: string }> {
  const { accountId, name, environment = null, expiresAt = null } = request;
  const scopes = [...request.scopes];
  const credential = newCredential('wt_live_');
  await transaction.query(
    `INSERT INTO management_tokens (account_id, id, token_id, name, scopes, environment, secret_sha256, created_at, expires_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5::text[], $6, $7::bytea, $8::timestamptz, $9::timestamptz)`,
    [
      accountId,
      randomUUID(),
      credential.id,
      name,
      scopes,
      environment,
      credential.sha256,
      createdAt.toISOString(),
      expiresAt?.toISOString() ?? null,
    ],
  );
  const token = { id: credential.id, name, scopes, environment, createdAt, expiresAt, lastUsedAt: null };
  return { token, secret: credential.text };
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
