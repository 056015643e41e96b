import type { EmailAddress } from '../../access/index.js';
import type { SqlExecutor, SqlRow, TenantSql } from '../../database/index.js';
import { uuidV7 } from '../../http/index.js';
import type { MailTemplate } from './mail-texts.js';

/**
 * The requested mail. The first three kinds are written for every address, known or not, with the same work; they are decided later, so
 * that response times reveal nothing.
 */
export type MailKind = 'sign_up' | 'resend' | 'reset' | 'change' | 'notice';

/** What the decision needs to know. It is taken out of the row once the row is worked off. */
export interface MailData {
  /** Of a sign-up: PHC string. */
  readonly passwordHash?: string;
  /** Of a sign-up: from where. */
  readonly address?: string | null;
  readonly userAgent?: string | null;
  /** Of a notice. */
  readonly template?: MailTemplate;
}

export interface OutboxRow {
  readonly id: string;
  readonly kind: MailKind;
  readonly address: EmailAddress;
  readonly personId: string | null;
  readonly data: MailData;
  readonly createdAtMs: number;
  /** This one included. */
  readonly attempts: number;
  /** What was decided; null before. */
  readonly outcome: MailTemplate | null;
}

interface Row extends SqlRow {
  readonly id: string;
  readonly kind: MailKind;
  readonly address: string;
  readonly email_key: string;
  readonly person_id: string | null;
  readonly data: string;
  readonly created_at_ms: number;
  readonly attempts: number;
  readonly outcome: MailTemplate | null;
}

/** The table that mail goes through: written in the transaction of what the mail is about, worked off after it. */
export class MailOutbox {
  constructor(
    private readonly sql: TenantSql,
    private readonly now: () => Date = () => new Date(),
  ) {}

  async add(
    transaction: SqlExecutor,
    kind: MailKind,
    address: EmailAddress,
    data: MailData,
    personId: string | null = null,
  ): Promise<void> {
    const now = this.now();
    await transaction.query(
      `INSERT INTO mail_outbox (id, kind, address, email_key, person_id, data, created_at, attempts, next_attempt_at)
       VALUES ($1::uuid, $2, $3, $4, $5::uuid, $6::json, $7::timestamptz, 0, $7::timestamptz)`,
      [uuidV7(now.getTime()), kind, address.typed, address.key, personId, JSON.stringify(data), now.toISOString()],
    );
  }

  /**
   * Takes rows that are due, for this process alone: they are due again after `leaseMs`, should it die meanwhile.
   *
   * @returns oldest first
   */
  async claim(limit: number, leaseMs: number): Promise<OutboxRow[]> {
    const now = this.now();
    const rows = await this.sql.forDuty('identify').query<Row>(
      `UPDATE mail_outbox SET attempts = attempts + 1, next_attempt_at = $2::timestamptz
       WHERE id IN (SELECT id FROM mail_outbox WHERE ended_at IS NULL AND next_attempt_at <= $1::timestamptz
                    ORDER BY next_attempt_at, id LIMIT $3::integer FOR UPDATE SKIP LOCKED)
       RETURNING id::text AS id, kind, address, email_key, person_id::text AS person_id, data::text AS data, attempts,
                 outcome, floor(extract(epoch FROM created_at) * 1000)::double precision AS created_at_ms`,
      [now.toISOString(), new Date(now.getTime() + leaseMs).toISOString(), limit],
    );
    return rows.map(toRow).sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  /** Notes what was decided. */
  async decided(
    transaction: SqlExecutor,
    { id }: OutboxRow,
    outcome: MailTemplate,
    personId: string | null,
  ): Promise<void> {
    await transaction.query('UPDATE mail_outbox SET outcome = $2, person_id = $3::uuid WHERE id = $1::uuid', [
      id,
      outcome,
      personId,
    ]);
  }

  /** The row is worked off: sent, or decided that nothing is to be sent, or given up. What it knew is forgotten. */
  async end(executor: SqlExecutor, { id }: OutboxRow, how: 'sent' | 'nothing' | 'failed'): Promise<void> {
    await executor.query(
      `UPDATE mail_outbox SET ended_at = $2::timestamptz, data = '{}',
         sent_at = CASE WHEN $3 = 'sent' THEN $2::timestamptz END,
         outcome = CASE WHEN $3 = 'sent' THEN outcome ELSE $3 END
       WHERE id = $1::uuid`,
      [id, this.now().toISOString(), how],
    );
  }

  /** Puts a row off. */
  async retryAfter({ id }: OutboxRow, delayMs: number): Promise<void> {
    await this.sql
      .forDuty('identify')
      .query('UPDATE mail_outbox SET next_attempt_at = $2::timestamptz WHERE id = $1::uuid', [
        id,
        new Date(this.now().getTime() + delayMs).toISOString(),
      ]);
  }

  /** How many rows before this one, not older than `sinceMs` before it, led to the same mail to the same address. */
  async sentBefore(transaction: SqlExecutor, row: OutboxRow, outcome: MailTemplate, sinceMs: number): Promise<number> {
    const [found] = await transaction.query<{ rows: number }>(
      `SELECT count(*)::integer AS rows FROM mail_outbox
       WHERE email_key = $1 AND outcome = $2 AND id <> $3::uuid AND created_at > $4::timestamptz`,
      [row.address.key, outcome, row.id, new Date(row.createdAtMs - sinceMs).toISOString()],
    );
    return found?.rows ?? 0;
  }

  /** Forgets what is long over: mails, links and sessions. */
  async sweep(olderThanMs: number): Promise<void> {
    const before = new Date(this.now().getTime() - olderThanMs).toISOString();
    await this.sql.forDuty('identify').query('DELETE FROM mail_outbox WHERE ended_at < $1::timestamptz', [before]);
    await this.sql.forDuty('identify').query('DELETE FROM email_tokens WHERE expires_at < $1::timestamptz', [before]);
    await this.sql.forDuty('identify').query('DELETE FROM sessions WHERE expires_at < $1::timestamptz', [before]);
  }
}

function toRow(row: Row): OutboxRow {
  return {
    id: row.id,
    kind: row.kind,
    address: { typed: row.address, key: row.email_key },
    personId: row.person_id,
    data: JSON.parse(row.data) as MailData,
    createdAtMs: row.created_at_ms,
    attempts: row.attempts,
    outcome: row.outcome,
  };
}
