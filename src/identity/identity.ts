import {
  hashPassword,
  readEmailAddress,
  verifyDummyPassword,
  verifyPassword,
  type EmailAddress,
  type MemberSession,
  type NewSession,
  type Revocations,
  type Sessions,
} from '../access/index.js';
import type { Actor, AdminAudit } from '../admin-audit/index.js';
import {
  DatabaseError,
  type SqlExecutor,
  type SqlRow,
  type SqlTransaction,
  type TenantSql,
} from '../database/index.js';
import { invalidRequest, WeirError } from '../http/index.js';
import { addressOf as networkOf } from '../limits/index.js';
import type { EmailTokens } from './email-tokens.js';
import type { OutboxWorker } from './mail/outbox-worker.js';
import type { MailData, MailKind, MailOutbox } from './mail/outbox.js';
import type { PasswordRules } from './password-rules.js';
import { holdPassword, verifiedHash } from './present-password.js';
import {
  closeAccounts,
  confirmAddress,
  confirmedHasPassword,
  hasPassword,
  memberAccounts,
  setPassword,
  takenKeyOf,
} from './people-statements.js';
import { signUpIdOf } from './sign-up-id.js';

export interface IdentityParts {
  readonly sql: TenantSql;
  readonly sessions: Sessions;
  readonly revocations: Pick<Revocations, 'during'>;
  readonly outbox: MailOutbox;
  readonly worker: Pick<OutboxWorker, 'pokeSoon'>;
  readonly tokens: EmailTokens;
  readonly audit: AdminAudit;
  readonly passwords: Pick<PasswordRules, 'problem'>;
  now(): Date;
}

/** The origin of a request. */
export type From = Pick<Actor, 'address' | 'userAgent'>;

/** A new session with its token, which is sent to the browser once. */
export type StartedSession = NewSession & Pick<MemberSession, 'personId' | 'accountId' | 'email' | 'emailVerified'>;

/**
 * The outcome of a click on a link that confirms an address. `already`: the address was confirmed before; `without_password`: the address
 * was confirmed before, but no password was chosen yet. `no`: the link is not valid. With `choosePasswordBy`, the address is confirmed, but
 * no password: with the token, the person can choose a password.
 */
export type Confirmation = 'verified' | 'already' | 'without_password' | 'no' | { readonly choosePasswordBy: string };

/** A person as needed to sign in. `account_id` is null if no account of the person is active. */
interface Candidate extends SqlRow {
  readonly id: string;
  readonly email: string;
  readonly email_key: string;
  readonly password_hash: string | null;
  readonly verified: boolean;
  readonly account_id: string | null;
}

/** SQLSTATE of a row that already exists. */
const UNIQUE_VIOLATION = '23505';

/** Sign-up, sign-in, changes of passwords and addresses, and the closing of accounts. */
export class Identity {
  constructor(private readonly parts: IdentityParts) {}

  /**
   * Accepts a sign-up. The account is created later if the address has none; the response does not reveal whether it has.
   *
   * @param formId the random id of the form, if the sign-up comes from one: submitting the same form again has no effect
   * @throws {WeirError} 422 for an invalid address or a weak password
   */
  async signUp(email: string, password: string, from: From, formId?: string): Promise<void> {
    const address = addressOf(email);
    await this.requireGoodPassword(password, address.typed, 'password');
    const passwordHash = await hashPassword(password);
    const data = { passwordHash, address: from.address, userAgent: from.userAgent };
    await this.ask('sign_up', address, data, from, signUpIdOf(formId, email, password));
  }

  /** Accepts the request for a mail. @throws {WeirError} 422 for an invalid address */
  async wantMail(kind: 'resend' | 'reset', email: string, from: From): Promise<void> {
    await this.ask(kind, addressOf(email), {}, from);
  }

  /**
   * Signs a person in. An unknown address takes as much time as a wrong password. After a sign-up, the chosen password is accepted at
   * once, even if the address belongs to somebody else: the session can then only show that the address is not confirmed.
   *
   * @param replaced the token of the browser's previous session, which is ended
   * @returns null if the address or the password is wrong, or the account is not active
   */
  async login(
    email: string,
    password: string,
    from: From,
    replaced: MemberSession | null,
  ): Promise<StartedSession | null> {
    const person = await this.whoHas(readEmailAddress(email)?.key ?? '', password);
    if (person === null || person.account_id === null) return null;
    const accountId = person.account_id;
    const { sql, sessions, audit } = this.parts;
    return sql.forDuty('identify', accountId).transaction(async (transaction) => {
      // It may have been replaced since it was checked; then the sessions of the person have ended, and no new one may begin.
      if (!(await hasPassword(transaction, person.id, person.password_hash))) return null;
      if (replaced !== null) await sessions.end(transaction, replaced.personId, replaced.id);
      const started = await sessions.start(transaction, person.id, from);
      const { address, userAgent } = from;
      const actor: Actor = { kind: 'person', id: person.id, address, userAgent };
      await audit.record(transaction, { accountId, actor, action: 'session.started', subject: started.id });
      return { ...started, personId: person.id, accountId, email: person.email, emailVerified: person.verified };
    });
  }

  /** @returns false if the person does not have this session, or no longer */
  async endSession({ personId, accountId }: MemberSession, id: string, actor: Actor): Promise<boolean> {
    const { sql, sessions, audit } = this.parts;
    return sql.forAccounts(accountId).transaction(async (transaction) => {
      if (!(await sessions.end(transaction, personId, id))) return false;
      await audit.record(transaction, { accountId, actor, action: 'session.ended', subject: id });
      return true;
    });
  }

  /**
   * Verifies the password of a signed-in person again. For ten minutes, the person may then take actions whose effects outlive the
   * session.
   *
   * @param token the token of the session; the browser gets a new one
   * @throws {WeirError} 403 if the password is wrong, 401 if the session has ended in the meantime
   */
  async reauthenticate(member: MemberSession, token: string, password: string, actor: Actor): Promise<StartedSession> {
    const { sql, sessions, audit } = this.parts;
    const verified = await verifiedHash(sql, member, password);
    return sql.forDuty('identify', member.accountId).transaction(async (transaction) => {
      await holdPassword(transaction, sessions, member, verified);
      const renewed = await sessions.renew(transaction, member, token);
      if (renewed === null) throw new WeirError('authentication_error', { message: 'The session has ended' });
      const entry = { accountId: member.accountId, actor, action: 'session.reauthenticated' } as const;
      await audit.record(transaction, { ...entry, subject: member.id });
      return { ...member, ...renewed };
    });
  }

  /**
   * Changes the password of a signed-in person. All sessions are ended; the browser gets a new one.
   *
   * @throws {WeirError} 403 if the current password is wrong, 422 if the new one is weak, 401 if the session has ended in the meantime
   */
  async changePassword(member: MemberSession, present: string, next: string, actor: Actor): Promise<StartedSession> {
    const { sql, sessions, audit } = this.parts;
    await this.requireGoodPassword(next, member.email, 'new_password');
    const verified = await verifiedHash(sql, member, present);
    const hash = await hashPassword(next);
    const started = await sql.forDuty('identify', member.accountId).transaction(async (transaction) => {
      await holdPassword(transaction, sessions, member, verified);
      await setPassword(transaction, member.personId, hash);
      await sessions.endAll(transaction, member.personId);
      await this.stopLinks(transaction, member.personId);
      const session = await sessions.start(transaction, member.personId, actor);
      const entry = {
        accountId: member.accountId,
        actor,
        action: 'password.changed',
        subject: member.personId,
      } as const;
      await audit.record(transaction, entry);
      await this.notify(transaction, member, 'password_changed');
      return session;
    });
    this.parts.worker.pokeSoon();
    return { ...member, ...started };
  }

  /**
   * Requests a change of the address: it takes effect when the link mailed to the new address is confirmed. A mail tells the old address
   * how to prevent it.
   *
   * @throws {WeirError} 403 if the password is wrong, 422 for an invalid address, 401 if the session has ended in the meantime
   */
  async wantEmail(member: MemberSession, password: string, email: string, actor: Actor): Promise<void> {
    const { sql, sessions, audit, outbox, worker } = this.parts;
    const address = addressOf(email, 'new_email');
    const verified = await verifiedHash(sql, member, password);
    await sql.forDuty('identify', member.accountId).transaction(async (transaction) => {
      // Before the mail is added: a new password cancels all unsent mails of the person, and must find this one.
      await holdPassword(transaction, sessions, member, verified);
      const requester = requesterOf(actor);
      await outbox.add(transaction, 'change', address, {}, { personId: member.personId, requester });
      await this.notify(transaction, member, 'change_requested');
      const entry = { accountId: member.accountId, actor, action: 'email.change_requested' } as const;
      await audit.record(transaction, { ...entry, subject: member.personId });
    });
    worker.pokeSoon();
  }

  /**
   * Closes the account of a signed-in person: keys, tokens and sessions are revoked, and the address is free again. Events and the
   * admin audit log are kept for the operator's retention time; they identify persons only by id.
   *
   * @throws {WeirError} 403 if the password is wrong, 401 if the session has ended in the meantime
   */
  async closeAccount(member: MemberSession, password: string, actor: Actor): Promise<void> {
    const { sql, audit, sessions, revocations, now } = this.parts;
    const verified = await verifiedHash(sql, member, password);
    const session = sql.forDuty('identify', member.accountId);
    await revocations.during(session, member.accountId, async (transaction) => {
      await holdPassword(transaction, sessions, member, verified);
      await this.notify(transaction, member, 'account_closed');
      await this.stopLinks(transaction, member.personId);
      const left = await closeAccounts(transaction, member.personId, member.accountId, now());
      for (const personId of left) await sessions.endAll(transaction, personId);
      const entry = { accountId: member.accountId, actor, action: 'account.closed' } as const;
      await audit.record(transaction, { ...entry, subject: member.accountId });
    });
    this.parts.worker.pokeSoon();
  }

  /**
   * Confirms the address that a link was sent to, and the password of the sign-up that the link belongs to. If somebody has signed up
   * with the address since, no password is confirmed: it is not known which of them was chosen by the owner of the mailbox. All
   * sessions from before the confirmation end. Of several concurrent requests one confirms; only it gets a token to choose a password.
   */
  async verify(token: string, actor: (personId: string) => Actor): Promise<Confirmation> {
    const { sql, tokens, audit, sessions } = this.parts;
    const done = await sql.forDuty('identify').transaction(async (transaction): Promise<Confirmation> => {
      const used = await tokens.use(transaction, 'verify', token);
      if (used === null) return 'no';
      const isPasswordConfirmed = await confirmAddress(transaction, used, this.parts.now());
      if (isPasswordConfirmed === null) return 'no';
      await sessions.endAll(transaction, used.personId);
      for (const accountId of await memberAccounts(transaction, used.personId)) {
        const entry = { accountId, actor: actor(used.personId), action: 'email.verified' } as const;
        await audit.record(transaction, { ...entry, subject: used.personId });
      }
      if (isPasswordConfirmed) return 'verified';
      return { choosePasswordBy: await tokens.issue(transaction, 'reset', used.personId, used.address, null) };
    });
    if (done !== 'no') return done;
    const known = await tokens.look('verify', token);
    const isComplete = known && (await confirmedHasPassword(sql.forDuty('identify'), known.personId));
    if (isComplete === null) return 'no';
    return isComplete ? 'already' : 'without_password';
  }

  /**
   * Sets a new password with a link. All sessions are ended.
   *
   * @returns false if the link is not valid
   * @throws {WeirError} 422 for a weak password; the link stays valid
   */
  async reset(token: string, password: string, actor: (personId: string) => Actor): Promise<boolean> {
    const { sql, tokens, audit, sessions, worker } = this.parts;
    const known = await tokens.look('reset', token);
    await this.requireGoodPassword(password, known?.address.typed ?? '', 'password');
    const hash = await hashPassword(password);
    const done = await sql.forDuty('identify').transaction(async (transaction) => {
      const used = await tokens.use(transaction, 'reset', token);
      if (used === null || !(await setPassword(transaction, used.personId, hash, used.address.key))) return false;
      await sessions.endAll(transaction, used.personId);
      // Someone who knew the old password may have asked for another address.
      await this.stopLinks(transaction, used.personId);
      for (const accountId of await memberAccounts(transaction, used.personId)) {
        const entry = { accountId, actor: actor(used.personId), action: 'password.reset' } as const;
        await audit.record(transaction, { ...entry, subject: used.personId });
      }
      await this.notify(transaction, { personId: used.personId, email: used.address.typed }, 'password_changed');
      return true;
    });
    if (done) worker.pokeSoon();
    return done;
  }

  /** Changes a person's address to the one that a link was sent to. @returns false if the link is not valid */
  async changeEmail(token: string, actor: (personId: string) => Actor): Promise<boolean> {
    const { sql, tokens, audit, worker } = this.parts;
    const change = async (transaction: SqlTransaction): Promise<boolean> => {
      const used = await tokens.use(transaction, 'change', token);
      if (used === null) return false;
      // Before the address is changed: that locks the person against foreign keys, and the outbox stores a link while it holds its mail.
      await this.stopLinks(transaction, used.personId);
      const [before] = await transaction.query<{ email: string }>(
        `UPDATE people p SET email = $2, email_key = $3 FROM people before
         WHERE before.id = p.id AND p.id = $1::uuid AND p.email_key IS NOT NULL RETURNING before.email AS email`,
        [used.personId, used.address.typed, used.address.key],
      );
      if (before === undefined) return false;
      for (const accountId of await memberAccounts(transaction, used.personId)) {
        const entry = { accountId, actor: actor(used.personId), action: 'email.changed' } as const;
        await audit.record(transaction, { ...entry, subject: used.personId });
      }
      await this.notify(transaction, { personId: used.personId, email: before.email }, 'address_changed');
      return true;
    };
    const done = await sql
      .forDuty('identify')
      .transaction(change)
      .catch((error: unknown) => {
        // In the meantime, another person has taken the address.
        if (error instanceof DatabaseError && error.sqlState === UNIQUE_VIOLATION) return false;
        throw error;
      });
    if (done) worker.pokeSoon();
    return done;
  }

  private async ask(kind: MailKind, address: EmailAddress, data: MailData, from: From, id?: string): Promise<void> {
    const requester = requesterOf(from);
    await this.parts.outbox.add(this.parts.sql.forDuty('identify'), kind, address, data, { id, requester });
    this.parts.worker.pokeSoon();
  }

  /** Invalidates every link of a person, and cancels the mails that would bring new ones. */
  private async stopLinks(transaction: SqlExecutor, personId: string): Promise<void> {
    await this.parts.outbox.cancelLinks(transaction, personId);
    await this.parts.tokens.stopAll(transaction, personId);
  }

  private async notify(
    transaction: SqlExecutor,
    { personId, email }: Pick<MemberSession, 'personId' | 'email'>,
    template: 'change_requested' | 'password_changed' | 'address_changed' | 'account_closed',
  ): Promise<void> {
    const address = readEmailAddress(email);
    if (address !== null) await this.parts.outbox.add(transaction, 'notice', address, { template }, { personId });
  }

  /** @throws {WeirError} 422 */
  private async requireGoodPassword(password: string, email: string, path: string): Promise<void> {
    const problem = await this.parts.passwords.problem(password, email);
    if (problem !== null) throw invalidRequest([{ path, message: problem }]);
  }

  /**
   * Finds the person whose password this is: the one with the address, or the one of a sign-up with the address of a confirmed person.
   * Unless the password is that of a confirmed person, two passwords are checked, so that the duration does not reveal who exists.
   */
  private async whoHas(emailKey: string, password: string): Promise<Candidate | null> {
    const people = await this.parts.sql.forDuty('identify').query<Candidate>(
      `SELECT p.id::text AS id, p.email, p.email_key, p.password_hash, p.email_verified_at IS NOT NULL AS verified,
              (SELECT m.account_id::text FROM memberships m JOIN accounts a ON a.id = m.account_id
               WHERE m.person_id = p.id AND a.status = 'active' ORDER BY m.created_at, m.account_id LIMIT 1) AS account_id
       FROM people p WHERE p.email_key IN ($1, $2)`,
      [emailKey, takenKeyOf(emailKey)],
    );
    const owner = await provenBy(
      password,
      people.find((person) => person.email_key === emailKey),
    );
    if (owner?.verified === true) return owner;
    const other = await provenBy(
      password,
      people.find((person) => person.email_key !== emailKey),
    );
    return owner ?? other;
  }
}

/** The person if the password is right. Null takes the same time, even if there is no person. */
async function provenBy(password: string, person: Candidate | undefined): Promise<Candidate | null> {
  if (person === undefined || person.password_hash === null) {
    await verifyDummyPassword(password);
    return null;
  }
  return (await verifyPassword(password, person.password_hash)) ? person : null;
}

/** The network of a request, by which its mails are limited. */
function requesterOf({ address }: From): string | null {
  return address === null ? null : networkOf({ ip: address });
}

/**
 * @param field the field of the body that contains the address
 * @throws {WeirError} 422
 */
function addressOf(email: string, field: 'email' | 'new_email' = 'email'): EmailAddress {
  const address = readEmailAddress(email);
  if (address === null) throw invalidRequest([{ path: field, message: 'must be an e-mail address' }]);
  return address;
}
