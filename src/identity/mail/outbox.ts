import type { EmailAddress } from '../../access/index.js';
import type { SqlExecutor, SqlRow, TenantSql } from '../../database/index.js';
import { uuidV7 } from '../../http/index.js';
import type { MailTemplate } from './mail-texts.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The requested mail. The first three kinds are written for every address, known or not, with the same work; they are decided later, so
 * that response times reveal nothing.
 */
export type MailKind = 'sign_up' | 'resend' | 'reset' | 'change' | 'notice';

/** The data for the decision. It is deleted from the row once the row has ended. */
export interface MailData {
  /** Only for a sign-up: the password hash as a PHC string. */
  readonly passwordHash?: string;
  /** Only for a sign-up: the network address of the request. */
  readonly address?: string | null;
  readonly userAgent?: string | null;
  /** Only for a notice. */
  readonly template?: MailTemplate;
}

/** Further properties of a mail that is requested. */
interface MailRequest {
  /** The id of the row; by default a new one. */
  readonly id?: string | undefined;
  /** The person whom the mail concerns, if known when it is requested. */
  readonly personId?: string | null;
  /** The network from which the mail was requested, as in `addressOf` of the limits. */
  readonly requester?: string | null;
}

/** The numbers of other rows with the same mail to the same address that were created within a minute, an hour and a day before a row. */
export interface EarlierMails {
  readonly withinMinute: number;
  readonly withinHour: number;
  readonly withinDay: number;
  /** Those of the last day that were requested from the network of the row's requester. */
  readonly ofRequester: number;
}

export interface OutboxRow {
  readonly id: string;
  readonly kind: MailKind;
  readonly address: EmailAddress;
  readonly personId: string | null;
  readonly requester: string | null;
  readonly data: MailData;
  readonly createdAtMs: number;
  /** The number of attempts, including the current one. */
  readonly attempts: number;
  /** The decision; null before it is made. */
  readonly outcome: MailTemplate | null;
}

interface Row extends SqlRow {
  readonly id: string;
  readonly kind: MailKind;
  readonly address: string;
  readonly email_key: string;
  readonly person_id: string | null;
  readonly requester: string | null;
  readonly data: string;
  readonly created_at_ms: number;
  readonly attempts: number;
  readonly outcome: MailTemplate | null;
}

/** The table of mails: written in the transaction of the mail's cause, processed after it. */
export class MailOutbox {
  constructor(
    private readonly sql: TenantSql,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Adds a row. If there is already one with its id, the request is a repetition, and has no effect. */
  async add(
    transaction: SqlExecutor,
    kind: MailKind,
    address: EmailAddress,
    data: MailData,
    { id, personId = null, requester = null }: MailRequest = {},
  ): Promise<void> {
    const now = this.now();
    await transaction.query(
      `INSERT INTO mail_outbox
         (id, kind, address, email_key, person_id, requester, data, created_at, attempts, next_attempt_at)
       VALUES ($1::uuid, $2, $3, $4, $5::uuid, $6, $7::json, $8::timestamptz, 0, $8::timestamptz)
       ON CONFLICT (id) DO NOTHING`,
      [
        id ?? uuidV7(now.getTime()),
        kind,
        address.typed,
        address.key,
        personId,
        requester,
        JSON.stringify(data),
        now.toISOString(),
      ],
    );
  }

  /**
   * Claims due rows for this process: if it dies, they are due again after `leaseMs`.
   *
   * @returns oldest first
   */
  async claim(limit: number, leaseMs: number): Promise<OutboxRow[]> {
    const now = this.now();
    const rows = await this.sql.forDuty('identify').query<Row>(
      `UPDATE mail_outbox SET attempts = attempts + 1, next_attempt_at = $2::timestamptz
       WHERE id IN (SELECT id FROM mail_outbox WHERE ended_at IS NULL AND next_attempt_at <= $1::timestamptz
                    ORDER BY next_attempt_at, id LIMIT $3::integer FOR UPDATE SKIP LOCKED)
       RETURNING id::text AS id, kind, address, email_key, person_id::text AS person_id, requester, data::text AS data,
                 attempts, outcome, floor(extract(epoch FROM created_at) * 1000)::double precision AS created_at_ms`,
      [now.toISOString(), new Date(now.getTime() + leaseMs).toISOString(), limit],
    );
    return rows.map(toRow).sort((left, right) => left.createdAtMs - right.createdAtMs || (left.id < right.id ? -1 : 1));
  }

  /** Stores the decision. */
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

  /**
   * Ends the unsent mails with a link for a person, so that the links are never made. Must run before the existing links are
   * invalidated: a process that makes a link at the same moment holds the row until the link is stored.
   */
  async cancelLinks(transaction: SqlExecutor, personId: string): Promise<void> {
    await transaction.query(
      `UPDATE mail_outbox SET ended_at = $2::timestamptz, data = '{}', outcome = 'nothing'
       WHERE person_id = $1::uuid AND ended_at IS NULL
         AND (outcome IN ('verify', 'reset', 'change') OR (outcome IS NULL AND kind = 'change'))`,
      [personId, this.now().toISOString()],
    );
  }

  /** Whether a row has not ended. It stays so until the transaction ends. */
  async isOpen(transaction: SqlExecutor, { id }: OutboxRow): Promise<boolean> {
    const open = await transaction.query(
      'SELECT 1 AS one FROM mail_outbox WHERE id = $1::uuid AND ended_at IS NULL FOR UPDATE',
      [id],
    );
    return open.length > 0;
  }

  /** Ends a row: the mail was sent, was not needed, or was given up. The row's data is deleted. */
  async end(executor: SqlExecutor, { id }: OutboxRow, how: 'sent' | 'nothing' | 'failed'): Promise<void> {
    await executor.query(
      `UPDATE mail_outbox SET ended_at = $2::timestamptz, data = '{}',
         sent_at = CASE WHEN $3 = 'sent' THEN $2::timestamptz END,
         outcome = CASE WHEN $3 = 'sent' THEN outcome ELSE $3 END
       WHERE id = $1::uuid`,
      [id, this.now().toISOString(), how],
    );
  }

  /** Delays a row. */
  async retryAfter({ id }: OutboxRow, delayMs: number): Promise<void> {
    await this.sql
      .forDuty('identify')
      .query('UPDATE mail_outbox SET next_attempt_at = $2::timestamptz WHERE id = $1::uuid', [
        id,
        new Date(this.now().getTime() + delayMs).toISOString(),
      ]);
  }

  /** Counts the mails that were requested before a row, also those that are not sent yet. */
  async earlier(transaction: SqlExecutor, row: OutboxRow, outcome: MailTemplate): Promise<EarlierMails> {
    const before = (ms: number): string => new Date(row.createdAtMs - ms).toISOString();
    const [found] = await transaction.query<{ minute: number; hour: number; day: number; requester: number }>(
      `SELECT count(*) FILTER (WHERE created_at > $4::timestamptz)::integer AS minute,
              count(*) FILTER (WHERE created_at > $5::timestamptz)::integer AS hour,
              count(*)::integer AS day,
              count(*) FILTER (WHERE requester IS NOT DISTINCT FROM $7::text)::integer AS requester
       FROM mail_outbox
       WHERE email_key = $1 AND outcome = $2 AND id <> $3::uuid AND created_at > $6::timestamptz`,
      [row.address.key, outcome, row.id, before(MINUTE_MS), before(HOUR_MS), before(DAY_MS), row.requester],
    );
    return {
      withinMinute: found?.minute ?? 0,
      withinHour: found?.hour ?? 0,
      withinDay: found?.day ?? 0,
      ofRequester: found?.requester ?? 0,
    };
  }

  /** Deletes mails, links and sessions that ended long ago. */
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
    requester: row.requester,
    data: JSON.parse(row.data) as MailData,
    createdAtMs: row.created_at_ms,
    attempts: row.attempts,
    outcome: row.outcome,
  };
}
