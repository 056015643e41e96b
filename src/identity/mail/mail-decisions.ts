/** Mail to people, written to an outbox in the transaction of its cause and sent later. Links contain single-use tokens. */
import { randomUUID } from 'node:crypto';
import { openAccount } from '../../access/index.js';
import type { AdminAudit } from '../../admin-audit/index.js';
import type { SqlExecutor, SqlTransaction } from '../../database/index.js';
import type { MailTemplate } from './mail-texts.js';
import type { MailOutbox, OutboxRow } from './outbox.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The maximum number of mails of one kind to one address within a day. */
const MOST_PER_DAY = 5;

/** A mail to be sent and its person; null if no mail is to be sent. */
export type MailDecision = { readonly template: MailTemplate; readonly personId: string | null } | null;

interface Known {
  readonly id: string;
  readonly verified: boolean;
}

/**
 * Decides which mail a request leads to. A sign-up creates its account here, after its response: so the response takes the same work
 * for every address, whether known or not.
 */
export class MailDecisions {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly audit: AdminAudit,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Decides in the transaction that stores the decision. */
  async decide(transaction: SqlTransaction, row: OutboxRow): Promise<MailDecision> {
    if (row.kind === 'notice') {
      const { template } = row.data;
      return template === undefined ? null : { template, personId: row.personId };
    }
    // One decision at a time per address: concurrent transactions would not see each other's decisions.
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [row.address.key]);
    const decision = await this.wanted(transaction, row);
    if (decision === null || (await this.isTooMuch(transaction, row, decision.template))) return null;
    return decision;
  }

  private async wanted(transaction: SqlTransaction, row: OutboxRow): Promise<MailDecision> {
    const known = await findPerson(transaction, row.address.key);
    switch (row.kind) {
      case 'sign_up':
        if (known === null) return this.signUp(transaction, row);
        return { template: known.verified ? 'known_address' : 'verify', personId: known.id };
      case 'resend':
        return known === null || known.verified ? null : { template: 'verify', personId: known.id };
      case 'reset':
        return known === null ? null : { template: 'reset', personId: known.id };
      case 'change':
        if (known !== null) return { template: 'address_taken', personId: known.id };
        return row.personId === null ? null : { template: 'change', personId: row.personId };
      case 'notice':
        return null;
    }
  }

  private async signUp(transaction: SqlTransaction, { address, data }: OutboxRow): Promise<MailDecision> {
    const { passwordHash, address: from = null, userAgent = null } = data;
    if (passwordHash === undefined) return null;
    const person = {
      id: randomUUID(),
      email: address.typed,
      emailKey: address.key,
      passwordHash,
      emailVerifiedAt: null,
    };
    const accountId = await openAccount(transaction, person, 'trialing', this.now());
    if (accountId === null) throw new Error('the address was taken in the meantime');
    await this.audit.record(transaction, {
      accountId,
      actor: { kind: 'person', id: person.id, address: from, userAgent },
      action: 'account.created',
      subject: accountId,
    });
    return { template: 'verify', personId: person.id };
  }

  /** Limits the mails to an address, so that strangers cannot flood a mailbox. */
  private async isTooMuch(transaction: SqlExecutor, row: OutboxRow, template: MailTemplate): Promise<boolean> {
    if ((await this.outbox.sentBefore(transaction, row, template, MINUTE_MS)) > 0) return true;
    return (await this.outbox.sentBefore(transaction, row, template, DAY_MS)) >= MOST_PER_DAY;
  }
}

async function findPerson(transaction: SqlExecutor, emailKey: string): Promise<Known | null> {
  const [row] = await transaction.query<{ id: string; verified: boolean }>(
    'SELECT id::text AS id, email_verified_at IS NOT NULL AS verified FROM people WHERE email_key = $1',
    [emailKey],
  );
  return row ?? null;
}
