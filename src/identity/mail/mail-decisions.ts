/** Mail to people, written to an outbox in the transaction of its cause and sent later. Links contain single-use tokens. */
import { randomUUID } from 'node:crypto';
import { openAccount, type Sessions } from '../../access/index.js';
import type { AdminAudit } from '../../admin-audit/index.js';
import type { SqlExecutor, SqlTransaction } from '../../database/index.js';
import { replaceSignUp, takenKeyOf } from '../people-statements.js';
import type { MailTemplate } from './mail-texts.js';
import type { EarlierMails, MailOutbox, OutboxRow } from './outbox.js';

/** The maximum number of mails of one kind to one address within a day. */
const MOST_PER_DAY = 5;
const DAY_MS = 24 * 3_600_000;
/** The time for which rows of the outbox show all sign-ups with an address: less than rows are kept after their end. */
const KNOWN_SIGN_UPS_MS = 6 * DAY_MS;

/** A mail to be sent and its person; null if no mail is to be sent. */
export type MailDecision = { readonly template: MailTemplate; readonly personId: string | null } | null;

interface Known {
  readonly id: string;
  readonly verified: boolean;
}

/**
 * Decides which mail a request leads to. A sign-up creates its account here, after its response: so the response takes the same work
 * for every address, whether known or not. A sign-up takes the place of an earlier one that was not confirmed: nobody knows which of them
 * is the owner of the address, so the password that was chosen before no longer counts.
 */
export class MailDecisions {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly audit: AdminAudit,
    private readonly sessions: Pick<Sessions, 'endAll'>,
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
    if (decision === null) return null;
    return exceedsMailLimits(await this.outbox.earlier(transaction, row, decision.template)) ? null : decision;
  }

  /**
   * Returns the password hash that a link to confirm an address confirms as well, for the transaction that makes the link; null if the
   * password is chosen after the confirmation. The owner of the mailbox must not confirm a password that somebody else chose: so the
   * link of a sign-up confirms its password only if no sign-up came from another network, and a link that was requested again, which
   * anybody can do, only if there was a single sign-up.
   */
  async confirmedPassword(transaction: SqlExecutor, row: OutboxRow): Promise<string | null> {
    const { kind, address, requester, data, personId } = row;
    if (kind === 'sign_up') {
      const others = await transaction.query(
        `SELECT 1 AS one FROM mail_outbox WHERE email_key = $1 AND kind = 'sign_up'
           AND requester IS DISTINCT FROM $2::text LIMIT 1`,
        [address.key, requester],
      );
      return others.length > 0 ? null : (data.passwordHash ?? null);
    }
    if (kind !== 'resend' || personId === null) return null;
    const [person] = await transaction.query<{ password_hash: string | null }>(
      `SELECT p.password_hash FROM people p WHERE p.id = $1::uuid AND p.created_at > $2::timestamptz
         AND (SELECT count(*) FROM mail_outbox o WHERE o.email_key = p.email_key AND o.kind = 'sign_up') = 1`,
      [personId, new Date(this.now().getTime() - KNOWN_SIGN_UPS_MS).toISOString()],
    );
    return person?.password_hash ?? null;
  }

  private async wanted(transaction: SqlTransaction, row: OutboxRow): Promise<MailDecision> {
    const known = await findPerson(transaction, row.address.key);
    switch (row.kind) {
      case 'sign_up':
        return this.signUp(transaction, row, known);
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

  private async signUp(transaction: SqlTransaction, row: OutboxRow, known: Known | null): Promise<MailDecision> {
    const { address, data } = row;
    if (data.passwordHash === undefined) return null;
    const owner = known?.verified === true ? known : null;
    const emailKey = owner === null ? address.key : takenKeyOf(address.key);
    const earlier = await replaceSignUp(transaction, emailKey, address.typed, data.passwordHash);
    if (earlier !== null) await this.sessions.endAll(transaction, earlier);
    const personId = earlier ?? (await this.addPerson(transaction, row, emailKey, data.passwordHash));
    return owner === null ? { template: 'verify', personId } : { template: 'known_address', personId: owner.id };
  }

  private async addPerson(
    transaction: SqlTransaction,
    { address, data: { address: from = null, userAgent = null } }: OutboxRow,
    emailKey: string,
    passwordHash: string,
  ): Promise<string> {
    const person = { id: randomUUID(), email: address.typed, emailKey, passwordHash, emailVerifiedAt: null };
    // The account of an address that cannot be confirmed is never used, and operators find accounts by their subscriptions.
    const subscription = emailKey === address.key ? 'trialing' : null;
    const accountId = await openAccount(transaction, person, subscription, this.now());
    if (accountId === null) throw new Error('the address was taken in the meantime');
    await this.audit.record(transaction, {
      accountId,
      actor: { kind: 'person', id: person.id, address: from, userAgent },
      action: 'account.created',
      subject: accountId,
    });
    return person.id;
  }
}

/**
 * Whether one more mail would be too much, so that strangers can neither flood a mailbox nor use up the mails of its owner. Requests from
 * each network have a limit per day. If many networks request mails, one an hour is sent: its link is valid for at least as long, so the
 * mailbox always contains a valid link.
 */
export function exceedsMailLimits({ withinMinute, withinHour, withinDay, ofRequester }: EarlierMails): boolean {
  if (withinMinute > 0 || ofRequester >= MOST_PER_DAY) return true;
  return withinDay >= MOST_PER_DAY && withinHour > 0;
}

async function findPerson(transaction: SqlExecutor, emailKey: string): Promise<Known | null> {
  const [row] = await transaction.query<{ id: string; verified: boolean }>(
    'SELECT id::text AS id, email_verified_at IS NOT NULL AS verified FROM people WHERE email_key = $1',
    [emailKey],
  );
  return row ?? null;
}
