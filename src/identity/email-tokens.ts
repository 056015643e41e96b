import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { EmailAddress } from '../access/index.js';
import type { SqlExecutor, SqlRow, TenantSql } from '../database/index.js';

/** `verify`: confirms the address. `reset`: allows choosing a new password. `change`: confirms a new address. */
export type TokenPurpose = 'verify' | 'reset' | 'change';

const HOUR_MS = 3_600_000;
const LIFETIME_MS: Readonly<Record<TokenPurpose, number>> = {
  verify: 24 * HOUR_MS,
  reset: HOUR_MS,
  change: 24 * HOUR_MS,
};
/** Mails may arrive out of order, so several links of a purpose work at once; beyond this number the oldest is invalidated. */
const MAX_LIVE = 3;
const TOKEN_BYTES = 32;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The data of a link that has been used. */
export interface UsedToken {
  readonly personId: string;
  readonly address: EmailAddress;
  readonly passwordHash: string | null;
}

/** The data and the state of a link that is only looked up. */
export interface KnownToken extends UsedToken {
  readonly state: 'live' | 'used' | 'superseded' | 'expired';
}

interface Row extends SqlRow {
  readonly person_id: string;
  readonly email: string;
  readonly email_key: string;
  readonly password_hash: string | null;
  readonly used: boolean;
  readonly superseded: boolean;
  readonly expired: boolean;
}

const COLUMNS = 'person_id::text AS person_id, email, email_key, password_hash';

/** The links in mails: random, of 256 bits, for one purpose and one address, used once. Only their SHA-256 is stored. */
export class EmailTokens {
  constructor(
    private readonly sql: TenantSql,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Creates a link's token for a person; only the mail contains it. */
  async issue(
    transaction: SqlExecutor,
    purpose: TokenPurpose,
    personId: string,
    { typed, key }: EmailAddress,
    passwordHash: string | null,
  ): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const now = this.now();
    await transaction.query(
      `INSERT INTO email_tokens (person_id, id, purpose, email, email_key, token_sha256, password_hash, created_at, expires_at)
       VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6::bytea, $7, $8::timestamptz, $9::timestamptz)`,
      [
        personId,
        randomUUID(),
        purpose,
        typed,
        key,
        sha256(token),
        passwordHash,
        now.toISOString(),
        new Date(now.getTime() + LIFETIME_MS[purpose]).toISOString(),
      ],
    );
    await lockLinks(transaction, purpose, personId);
    await transaction.query(
      `UPDATE email_tokens SET superseded_at = $3::timestamptz
       WHERE person_id = $1::uuid AND purpose = $2 AND used_at IS NULL AND superseded_at IS NULL AND id NOT IN (
         SELECT id FROM email_tokens WHERE person_id = $1::uuid AND purpose = $2 AND used_at IS NULL
           AND superseded_at IS NULL ORDER BY created_at DESC, id LIMIT ${MAX_LIVE})`,
      [personId, purpose, now.toISOString()],
    );
    return token;
  }

  /**
   * Uses a link: of several concurrent attempts one succeeds. All other links of the purpose are invalidated.
   *
   * @returns null if the link is unknown, used, superseded or expired
   */
  async use(transaction: SqlExecutor, purpose: TokenPurpose, token: string): Promise<UsedToken | null> {
    if (!TOKEN.test(token)) return null;
    const now = this.now().toISOString();
    const [owner] = await transaction.query<{ id: string }>(
      'SELECT person_id::text AS id FROM email_tokens WHERE token_sha256 = $1::bytea AND purpose = $2',
      [sha256(token), purpose],
    );
    if (owner === undefined) return null;
    await lockPerson(transaction, owner.id);
    await lockLinks(transaction, purpose, owner.id);
    const [row] = await transaction.query<Row>(
      `UPDATE email_tokens SET used_at = $3::timestamptz
       WHERE token_sha256 = $1::bytea AND purpose = $2 AND used_at IS NULL AND superseded_at IS NULL
         AND expires_at > $3::timestamptz
       RETURNING ${COLUMNS}`,
      [sha256(token), purpose, now],
    );
    if (row === undefined) return null;
    await transaction.query(
      `UPDATE email_tokens SET superseded_at = $3::timestamptz
       WHERE person_id = $1::uuid AND purpose = $2 AND used_at IS NULL AND superseded_at IS NULL`,
      [row.person_id, purpose, now],
    );
    return toToken(row);
  }

  /** Looks up a link without using it. Null if it is unknown. */
  async look(purpose: TokenPurpose, token: string): Promise<KnownToken | null> {
    if (!TOKEN.test(token)) return null;
    const [row] = await this.sql.forDuty('identify').query<Row>(
      `SELECT ${COLUMNS}, used_at IS NOT NULL AS used, superseded_at IS NOT NULL AS superseded,
              expires_at <= $3::timestamptz AS expired
       FROM email_tokens WHERE token_sha256 = $1::bytea AND purpose = $2`,
      [sha256(token), purpose, this.now().toISOString()],
    );
    if (row === undefined) return null;
    const state = row.used ? 'used' : row.superseded ? 'superseded' : row.expired ? 'expired' : 'live';
    return { ...toToken(row), state };
  }

  /** Invalidates every link of a person. */
  async stopAll(transaction: SqlExecutor, personId: string): Promise<void> {
    await transaction.query(
      `UPDATE email_tokens SET superseded_at = $2::timestamptz
       WHERE person_id = $1::uuid AND used_at IS NULL AND superseded_at IS NULL`,
      [personId, this.now().toISOString()],
    );
  }
}

/**
 * Every change of a password or an address locks the person before the links, so that no two changes wait for each other. Foreign keys to
 * the person can be checked meanwhile: the outbox stores links while it holds the lock of their mail.
 */
async function lockPerson(transaction: SqlExecutor, personId: string): Promise<void> {
  await transaction.query('SELECT 1 AS one FROM people WHERE id = $1::uuid FOR NO KEY UPDATE', [personId]);
}

/** Two links used at the same time each invalidate the other one; in a common order, neither transaction waits for the other for ever. */
async function lockLinks(transaction: SqlExecutor, purpose: TokenPurpose, personId: string): Promise<void> {
  await transaction.query(
    'SELECT 1 AS one FROM email_tokens WHERE person_id = $1::uuid AND purpose = $2 ORDER BY id FOR UPDATE',
    [personId, purpose],
  );
}

function toToken(row: Row): UsedToken {
  return {
    personId: row.person_id,
    address: { typed: row.email, key: row.email_key },
    passwordHash: row.password_hash,
  };
}

function sha256(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
