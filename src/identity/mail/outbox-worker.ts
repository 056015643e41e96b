import type { TenantSql } from '../../database/index.js';
import { errorForLog, type Logger } from '../../http/index.js';
import type { EmailTokens, TokenPurpose } from '../email-tokens.js';
import type { MailDecisions } from './mail-decisions.js';
import { writeMail, type MailTemplate } from './mail-texts.js';
import { sendFailure, type Mailer } from './mailer.js';
import type { MailOutbox, OutboxRow } from './outbox.js';

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;
const AT_ONCE = 10;
/** The time for which a process claims a row: longer than the timeout of the mail server. Afterwards, another process may claim the row. */
const LEASE_MS = 120 * SECOND_MS;
const POLL_MS = 5 * SECOND_MS;
const SOON_MS = 50;
const FIRST_RETRY_MS = 5 * SECOND_MS;
const LONGEST_RETRY_MS = 3600 * SECOND_MS;
const MOST_ATTEMPTS = 30;
const SWEEP_EVERY_MS = 3600 * SECOND_MS;
const KEEP_MS = 7 * DAY_MS;

/** The purpose and the page of each mail's link. */
const LINKS: Readonly<Partial<Record<MailTemplate, { purpose: TokenPurpose; path: string }>>> = {
  verify: { purpose: 'verify', path: '/auth/verify' },
  reset: { purpose: 'reset', path: '/auth/reset' },
  change: { purpose: 'change', path: '/auth/email/confirm' },
};

export interface OutboxParts {
  readonly sql: TenantSql;
  readonly outbox: MailOutbox;
  readonly tokens: EmailTokens;
  readonly decisions: MailDecisions;
  readonly mailer: Mailer;
  readonly baseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

/**
 * Processes the outbox in every running process; each row is claimed by one at a time. A mail is sent after the commit of its cause,
 * and again if it is unknown whether it was sent: at least once.
 */
export class OutboxWorker {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isPoked = false;
  private isClosed = false;
  private sweptAtMs: number;

  constructor(private readonly parts: OutboxParts) {
    this.sweptAtMs = parts.nowMs();
  }

  start(): void {
    this.later(POLL_MS);
  }

  /** Schedules a run a moment later, when the response to the request has been sent, so that its time reveals nothing. */
  pokeSoon(): void {
    if (this.running !== undefined) this.isPoked = true;
    else this.later(SOON_MS);
  }

  /** Starts a run at once; returns before it is done. */
  poke(): void {
    if (this.isClosed) return;
    if (this.running !== undefined) {
      this.isPoked = true;
      return;
    }
    clearTimeout(this.timer);
    this.running = this.work().finally(() => {
      this.running = undefined;
      if (this.isPoked) {
        this.isPoked = false;
        this.poke();
      } else {
        this.later(POLL_MS);
      }
    });
  }

  /** Resolves when no row is due any more; for tests and for the shutdown. */
  async settle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  /** Finishes the current run and stops. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.settle();
    this.parts.mailer.close();
  }

  private later(delayMs: number): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.poke(), delayMs);
    this.timer.unref();
  }

  private async work(): Promise<void> {
    const { outbox, log, nowMs } = this.parts;
    try {
      for (;;) {
        const rows = this.isClosed ? [] : await outbox.claim(AT_ONCE, LEASE_MS);
        if (rows.length === 0) break;
        await Promise.all(rows.map((row) => this.workOff(row)));
      }
      if (nowMs() - this.sweptAtMs >= SWEEP_EVERY_MS) {
        this.sweptAtMs = nowMs();
        await outbox.sweep(KEEP_MS);
      }
    } catch (error) {
      log.warn({ err: errorForLog(error) }, 'the mail outbox could not be processed; it will be retried');
    }
  }

  private async workOff(row: OutboxRow): Promise<void> {
    try {
      const decided = await this.decided(row);
      if (decided === null) return;
      await this.send(decided);
    } catch (error) {
      await this.putOff(row, error);
    }
  }

  /** Returns the row with its decision. If no mail is to be sent, ends the row and returns null. */
  private async decided(row: OutboxRow): Promise<(OutboxRow & { readonly outcome: MailTemplate }) | null> {
    if (row.outcome !== null) return { ...row, outcome: row.outcome };
    const { sql, outbox, decisions } = this.parts;
    return sql.forDuty('identify').transaction(async (transaction) => {
      const decision = await decisions.decide(transaction, row);
      if (decision === null) {
        await outbox.end(transaction, row, 'nothing');
        return null;
      }
      await outbox.decided(transaction, row, decision.template, decision.personId);
      return { ...row, personId: decision.personId, outcome: decision.template };
    });
  }

  private async send(row: OutboxRow & { readonly outcome: MailTemplate }): Promise<void> {
    const { sql, outbox, mailer, baseUrl } = this.parts;
    const link = await this.link(row);
    if (link === null) return;
    await mailer.send(
      writeMail(row.outcome, row.address.typed, { baseUrl, link, requestedAt: new Date(row.createdAtMs) }),
    );
    await outbox.end(sql.forDuty('identify'), row, 'sent');
  }

  /**
   * Makes a new link for each attempt, so that the link is stored nowhere but in the mail. Returns null if the mail was cancelled after
   * it had been claimed.
   */
  private async link(row: OutboxRow): Promise<string | null> {
    const { sql, outbox, tokens, decisions, baseUrl } = this.parts;
    const { outcome, personId, address } = row;
    const target = outcome === null ? undefined : LINKS[outcome];
    if (target === undefined || personId === null) return '';
    return sql.forDuty('identify').transaction(async (transaction) => {
      if (!(await outbox.isOpen(transaction, row))) return null;
      const passwordHash = await decisions.confirmedPassword(transaction, row);
      const token = await tokens.issue(transaction, target.purpose, personId, address, passwordHash);
      return `${baseUrl}${target.path}?token=${token}`;
    });
  }

  private async putOff(row: OutboxRow, error: unknown): Promise<void> {
    const { sql, outbox, log } = this.parts;
    const giveUp = row.attempts >= MOST_ATTEMPTS;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (row.attempts - 1), LONGEST_RETRY_MS);
    const about = { mail: row.id, attempt: row.attempts, ...sendFailure(error) };
    log.warn(
      about,
      giveUp ? 'a mail could not be sent and will not be retried' : 'a mail could not be sent; it will be retried',
    );
    try {
      if (giveUp) await outbox.end(sql.forDuty('identify'), row, 'failed');
      else await outbox.retryAfter(row, delayMs);
    } catch (cause) {
      log.warn({ err: errorForLog(cause) }, 'the mail outbox does not answer; the lease of the mail expires by itself');
    }
  }
}
