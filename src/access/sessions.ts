import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Actor } from '../admin-audit/index.js';
import type { MemberRole, SqlExecutor, SqlRow, TenantSql } from '../database/index.js';

const MINUTE_MS = 60_000;
/** A session ends after this time without use. */
const IDLE_MS = 30 * MINUTE_MS;
/** A session ends after this time even if it is used. */
const ABSOLUTE_MS = 12 * 60 * MINUTE_MS;
/** The minimum time between two writes of the last use. */
const TOUCH_EVERY_MS = MINUTE_MS;
const TOKEN_BYTES = 32;

export const SESSION_SECONDS = ABSOLUTE_MS / 1000;

/** A signed-in person with their account and role. */
export interface MemberSession {
  readonly id: string;
  readonly personId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly accountId: string;
  readonly role: MemberRole;
  readonly expiresAt: Date;
  /** The time at which the password was last entered. */
  readonly authenticatedAt: Date;
}

/** A session that has just begun, or continues with a new token. */
export interface NewSession extends Pick<MemberSession, 'id' | 'expiresAt' | 'authenticatedAt'> {
  /** Sent to the browser once. */
  readonly token: string;
}

export interface SessionView {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
}

interface SessionRow extends SqlRow {
  readonly id: string;
  readonly person_id: string;
  readonly email: string;
  readonly verified: boolean;
  readonly account_id: string;
  readonly role: MemberRole;
  readonly expires_at_ms: number;
  readonly last_seen_at_ms: number;
  readonly authenticated_at_ms: number;
}

/**
 * The sessions of signed-in people. A session is a random token of 256 bits in a cookie; only its SHA-256 is stored. It is looked up at
 * every request, so an ended session is invalid at once in every process.
 */
export class Sessions {
  constructor(
    private readonly sql: TenantSql,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Begins a session, in the transaction of the action that causes it. `token` is sent once, to the browser. */
  async start(
    transaction: SqlExecutor,
    personId: string,
    { address, userAgent }: Pick<Actor, 'address' | 'userAgent'>,
  ): Promise<NewSession> {
    const [id, token, now] = [randomUUID(), newToken(), this.now()];
    const expiresAt = new Date(now.getTime() + ABSOLUTE_MS);
    await transaction.query(
      `INSERT INTO sessions (person_id, id, token_sha256, created_at, last_seen_at, expires_at, authenticated_at, address, user_agent)
       VALUES ($1::uuid, $2::uuid, $3::bytea, $4::timestamptz, $4::timestamptz, $5::timestamptz, $4::timestamptz, $6, $7)`,
      [personId, id, sha256(token), now.toISOString(), expiresAt.toISOString(), address, userAgent],
    );
    return { id, token, expiresAt, authenticatedAt: now };
  }

  /** The session of a token; null when it is unknown, ended, unused for too long, or its account is not active. */
  async find(token: string): Promise<MemberSession | null> {
    const now = this.now();
    const row = await this.rowOf(token, now);
    if (row === undefined) return null;
    if (now.getTime() - row.last_seen_at_ms >= TOUCH_EVERY_MS) await this.touch(row.person_id, row.id, now);
    return memberSession(row);
  }

  /** Like `find`, but it does not count as use of the session. */
  async peek(token: string): Promise<MemberSession | null> {
    const row = await this.rowOf(token, this.now());
    return row === undefined ? null : memberSession(row);
  }

  private async rowOf(token: string, now: Date): Promise<SessionRow | undefined> {
    const [row] = await this.sql.forDuty('authenticate').query<SessionRow>(
      `SELECT s.id::text AS id, s.person_id::text AS person_id, p.email, p.email_verified_at IS NOT NULL AS verified,
              m.account_id::text AS account_id, m.role,
              floor(extract(epoch FROM s.expires_at) * 1000)::double precision AS expires_at_ms,
              floor(extract(epoch FROM s.last_seen_at) * 1000)::double precision AS last_seen_at_ms,
              floor(extract(epoch FROM s.authenticated_at) * 1000)::double precision AS authenticated_at_ms
       FROM sessions s
       JOIN people p ON p.id = s.person_id
       JOIN memberships m ON m.person_id = p.id
       JOIN accounts a ON a.id = m.account_id AND a.status = 'active'
       WHERE s.token_sha256 = $1::bytea AND ${LIVE}
       ORDER BY m.created_at, m.account_id LIMIT 1`,
      [sha256(token), ...this.liveSince(now)],
      { prepareAs: 'weir_find_session' },
    );
    return row;
  }

  /** Lists the sessions of a member that are still valid, newest first. */
  async list({ personId, accountId }: Pick<MemberSession, 'personId' | 'accountId'>): Promise<SessionView[]> {
    const rows = await this.sql.forAccounts(accountId).query<{
      id: string;
      created_at_ms: number;
      last_seen_at_ms: number;
      expires_at_ms: number;
      address: string | null;
      user_agent: string | null;
    }>(
      `SELECT id::text AS id, address, user_agent,
              floor(extract(epoch FROM created_at) * 1000)::double precision AS created_at_ms,
              floor(extract(epoch FROM last_seen_at) * 1000)::double precision AS last_seen_at_ms,
              floor(extract(epoch FROM expires_at) * 1000)::double precision AS expires_at_ms
       FROM sessions s WHERE person_id = $1::uuid AND ${LIVE} ORDER BY created_at DESC, id`,
      [personId, ...this.liveSince(this.now())],
    );
    return rows.map((row) => ({
      id: row.id,
      createdAt: new Date(row.created_at_ms),
      lastSeenAt: new Date(row.last_seen_at_ms),
      expiresAt: new Date(row.expires_at_ms),
      address: row.address,
      userAgent: row.user_agent,
    }));
  }

  /** Whether a session, by which a request was authorized, has not ended or expired since. */
  async isLive(transaction: SqlExecutor, { id, personId }: Pick<MemberSession, 'id' | 'personId'>): Promise<boolean> {
    const found = await transaction.query(
      `SELECT 1 AS one FROM sessions s WHERE s.person_id = $1::uuid AND ${LIVE} AND s.id = $4::uuid`,
      [personId, ...this.liveSince(this.now()), id],
    );
    return found.length > 0;
  }

  /** Ends a session. @returns false when the person has no such session (any more) */
  async end(transaction: SqlExecutor, personId: string, id: string): Promise<boolean> {
    const ended = await transaction.query(
      `UPDATE sessions SET revoked_at = $3::timestamptz
       WHERE person_id = $1::uuid AND id = $2::uuid AND revoked_at IS NULL RETURNING 1 AS one`,
      [personId, id, this.now().toISOString()],
    );
    return ended.length > 0;
  }

  /**
   * Notes that the password of a session was entered again. Its token is replaced, so that a stolen old token is invalid.
   *
   * @returns null when the session has ended, or a concurrent request has just renewed it
   */
  async renew(transaction: SqlExecutor, { id, personId }: MemberSession, token: string): Promise<NewSession | null> {
    const [renewed, now] = [newToken(), this.now()];
    const [row] = await transaction.query<{ expires_at_ms: number }>(
      `UPDATE sessions SET token_sha256 = $4::bytea, authenticated_at = $5::timestamptz
       WHERE person_id = $1::uuid AND id = $2::uuid AND token_sha256 = $3::bytea AND revoked_at IS NULL
       RETURNING floor(extract(epoch FROM expires_at) * 1000)::double precision AS expires_at_ms`,
      [personId, id, sha256(token), sha256(renewed), now.toISOString()],
    );
    if (row === undefined) return null;
    return { id, token: renewed, expiresAt: new Date(row.expires_at_ms), authenticatedAt: now };
  }

  /** Ends all sessions of a person. */
  async endAll(transaction: SqlExecutor, personId: string): Promise<void> {
    await transaction.query(
      'UPDATE sessions SET revoked_at = $2::timestamptz WHERE person_id = $1::uuid AND revoked_at IS NULL',
      [personId, this.now().toISOString()],
    );
  }

  private async touch(personId: string, id: string, now: Date): Promise<void> {
    await this.sql
      .forDuty('authenticate')
      .query('UPDATE sessions SET last_seen_at = $3::timestamptz WHERE person_id = $1::uuid AND id = $2::uuid', [
        personId,
        id,
        now.toISOString(),
      ]);
  }

  private liveSince(now: Date): [string, string] {
    return [now.toISOString(), new Date(now.getTime() - IDLE_MS).toISOString()];
  }
}

/** The condition that a session has not ended or expired (`$2`: now) and was used since `$3`. */
const LIVE = `s.revoked_at IS NULL AND s.expires_at > $2::timestamptz AND s.last_seen_at > $3::timestamptz`;

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function memberSession(row: SessionRow): MemberSession {
  return {
    id: row.id,
    personId: row.person_id,
    email: row.email,
    emailVerified: row.verified,
    accountId: row.account_id,
    role: row.role,
    expiresAt: new Date(row.expires_at_ms),
    authenticatedAt: new Date(row.authenticated_at_ms),
  };
}

function sha256(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
