import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { KeyedHash } from '../core/index.js';
import { DatabaseError, type TenantSql } from '../database/index.js';
import { AccessUnavailable } from './access-errors.js';

const SECRET_BYTES = 32;
/** Included in the hash, so that the same secret can serve other purposes without equal hashes. */
const PURPOSE = 'weir redaction tokens 1';
const SEALING_PURPOSE = 'weir sealed credentials 1';
const MAX_REMEMBERED = 10_000;

/**
 * The keys from which stable redaction tokens are derived: one per account, the same in every process of an instance. With a secret from
 * the operator, the key is derived from it and the account; without one, each account has its own random secret in the database,
 * created on first use.
 */
export class TokenKeys {
  private readonly hashes = new Map<string, KeyedHash>();

  constructor(
    private readonly sql: TenantSql,
    private readonly operatorSecret?: string,
  ) {}

  /** @throws AccessUnavailable when the database does not answer */
  async of(accountId: string): Promise<KeyedHash> {
    const known = this.hashes.get(accountId);
    if (known !== undefined) return known;
    const secret = this.operatorSecret ?? (await this.storedSecret(accountId));
    // Node.js would process raw key bytes again for each hash, which takes three times as long as the hash.
    const key = createSecretKey(createHmac('sha256', secret).update(`${PURPOSE}\n${accountId}`).digest());
    const hash: KeyedHash = (text) => createHmac('sha256', key).update(text).digest();
    if (this.hashes.size >= MAX_REMEMBERED) this.hashes.clear();
    this.hashes.set(accountId, hash);
    return hash;
  }

  /**
   * The key that seals an account's credentials for other services. Without a secret from the operator, it is derived from the account's
   * secret in the database.
   *
   * @throws AccessUnavailable when the database does not answer
   */
  async sealingKey(accountId: string): Promise<Buffer> {
    const secret = this.operatorSecret ?? (await this.storedSecret(accountId));
    return createHmac('sha256', secret).update(`${SEALING_PURPOSE}\n${accountId}`).digest();
  }

  /** Reads the account's secret, or creates it. If several replicas create it at the same time, all of them use the one that was stored. */
  private async storedSecret(accountId: string): Promise<Buffer> {
    const sql = this.sql.forAccounts(accountId);
    const read = (): Promise<{ secret: string }[]> =>
      sql.query<{ secret: string }>(
        `SELECT encode(secret, 'hex') AS secret FROM account_secrets
         WHERE account_id = $1::uuid AND purpose = 'redaction_tokens'`,
        [accountId],
      );
    try {
      const [known] = await read();
      if (known !== undefined) return Buffer.from(known.secret, 'hex');
      await sql.query(
        `INSERT INTO account_secrets (account_id, purpose, secret, created_at)
         VALUES ($1::uuid, 'redaction_tokens', $2::bytea, now()) ON CONFLICT DO NOTHING`,
        [accountId, randomBytes(SECRET_BYTES)],
      );
      const [made] = await read();
      if (made !== undefined) return Buffer.from(made.secret, 'hex');
    } catch (cause) {
      if (cause instanceof DatabaseError && cause.isForbidden) throw cause;
      throw new AccessUnavailable('the key of redaction tokens cannot be read', { cause });
    }
    throw new AccessUnavailable('the key of redaction tokens was not stored');
  }
}
