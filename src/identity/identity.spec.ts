import { hashPassword, Sessions, type MemberSession } from '../access/index.js';
import type { AdminAudit } from '../admin-audit/index.js';
import type { SqlSession, TenantSql } from '../database/index.js';
import { EmailTokens } from './email-tokens.js';
import { Identity } from './identity.js';
import { MailOutbox } from './mail/outbox.js';

const EMAIL = 'jane@example.com';
const OWNERS = 'the password of ' + 'the owner';
const STRANGERS = 'the password of ' + 'a stranger';
const FROM = { address: '192.0.2.1', userAgent: null };
const ACTOR = { ...FROM, kind: 'person', id: 'owner' } as const;

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** An identity on a database that gives these answers: the rows of the first text that a statement contains. */
function identityOn(answers: Readonly<Record<string, object[]>>) {
  const statements: Statement[] = [];
  const session: SqlSession = {
    transaction: (work) => work({ ...session, enter: () => Promise.resolve() }),
    query: <Row>(sql: string, values: readonly unknown[] = []) => {
      statements.push({ sql, values });
      const found = Object.keys(answers).find((part) => sql.includes(part));
      return Promise.resolve((found === undefined ? [] : answers[found]) as Row[]);
    },
  };
  const sql: TenantSql = { forAccounts: () => session, forDuty: () => session };
  const identity = new Identity({
    ...{ sql, sessions: new Sessions(sql), outbox: new MailOutbox(sql), tokens: new EmailTokens(sql) },
    revocations: { during: () => Promise.reject(new Error('no account is closed here')) },
    worker: { pokeSoon: () => undefined },
    audit: { record: () => Promise.resolve() } as unknown as AdminAudit,
    passwords: { problem: () => Promise.resolve(null) },
    now: () => new Date(),
  });
  return { identity, statements };
}

const MEMBER = { id: 's', personId: 'owner', accountId: 'a', email: EMAIL, emailVerified: true } as MemberSession;
const SAME_PASSWORD = { 'password_hash = $2::text FOR NO KEY UPDATE': [{ one: 1 }] };
const LIVE_SESSION = { 'FROM sessions s WHERE s.person_id': [{ one: 1 }] };
const OWN_LINK = { 'SELECT person_id::text AS id FROM email_tokens': [{ id: 'owner' }] };

/** Hashing is expensive on purpose. */
const HASH_OF_OWNERS = await hashPassword(OWNERS);
const HASH_OF_STRANGERS = await hashPassword(STRANGERS);

describe('signing in after a sign-up', () => {
  const rows = () => {
    const owner = { id: 'owner', email: EMAIL, email_key: EMAIL, verified: true, account_id: 'a' };
    const other = { ...owner, id: 'other', verified: false };
    return {
      registered: [
        { ...owner, password_hash: HASH_OF_OWNERS },
        { ...other, email_key: `taken ${EMAIL}`, password_hash: HASH_OF_STRANGERS },
      ],
      unknownBefore: [{ ...other, password_hash: HASH_OF_STRANGERS }],
    };
  };

  it('opens the same kind of session whether the address belongs to somebody else or was unknown', async () => {
    const { registered, unknownBefore } = rows();
    const answers = [];
    for (const people of [registered, unknownBefore]) {
      const { identity } = identityOn({ ...SAME_PASSWORD, 'FROM people p WHERE p.email_key IN': people });
      const started = await identity.login(EMAIL, STRANGERS, FROM, null);
      answers.push([started?.personId, started?.email, started?.emailVerified]);
    }
    expect(answers).toEqual([
      ['other', EMAIL, false],
      ['other', EMAIL, false],
    ]);
  });

  it('opens the account of a confirmed address only with the password of its owner', async () => {
    const { registered } = rows();
    const { identity } = identityOn({ ...SAME_PASSWORD, 'FROM people p WHERE p.email_key IN': registered });
    expect(await identity.login(EMAIL, OWNERS, FROM, null)).toMatchObject({ personId: 'owner', emailVerified: true });
    expect(await identity.login(EMAIL, `${OWNERS}?`, FROM, null)).toBeNull();
  });

  it('opens no session if the password was replaced while it was checked', async () => {
    const { registered } = rows();
    const { identity, statements } = identityOn({ 'FROM people p WHERE p.email_key IN': registered });
    expect(await identity.login(EMAIL, OWNERS, FROM, null)).toBeNull();
    expect(statements.filter(({ sql }) => sql.includes('INSERT INTO sessions'))).toEqual([]);
  });
});

describe('a sign-up', () => {
  const FORM = '0b8f5a1e-6c1d-4d3b-9a52-1f6f3c2f7a10';
  const idsOf = async (...formIds: (string | undefined)[]): Promise<unknown[]> => {
    const { identity, statements } = identityOn({});
    for (const formId of formIds) await identity.signUp(EMAIL, OWNERS, FROM, formId);
    return statements.filter(({ sql }) => sql.includes('ON CONFLICT (id) DO NOTHING')).map(({ values: [id] }) => id);
  };

  it('that a double click submits twice is stored once', async () => {
    const [first, second] = await idsOf(FORM, FORM);
    expect(first).toBeDefined();
    expect(second).toBe(first);
  });

  it('without the valid id of a form is always a new one', async () => {
    expect(new Set(await idsOf(undefined, undefined, 'form', 'form')).size).toBe(4);
  });
});

describe('a second click on a link that confirms an address', () => {
  it.each([
    [true, 'already'],
    [false, 'without_password'],
  ])('makes no link to choose a password (the person has one: %s)', async (has_password, outcome) => {
    const { identity, statements } = identityOn({
      'used_at IS NOT NULL AS used': [{ person_id: 'owner', email: EMAIL, email_key: EMAIL, used: true }],
      'email_verified_at IS NOT NULL': [{ has_password }],
    });
    expect(await identity.verify('x'.repeat(43), () => ACTOR)).toBe(outcome);
    expect(statements.filter(({ sql }) => sql.includes('INSERT INTO email_tokens'))).toEqual([]);
  });
});

describe('a change of the address', () => {
  it('cancels unsent mails before it replaces the address, as the outbox locks them in this order', async () => {
    const { identity, statements } = identityOn({
      ...OWN_LINK,
      'SET used_at': [{ person_id: 'owner', email: 'new@example.com', email_key: 'new@example.com' }],
      'UPDATE people': [{ email: EMAIL }],
    });
    expect(await identity.changeEmail('x'.repeat(43), () => ACTOR)).toBe(true);
    const updated = statements.flatMap(({ sql }) => /UPDATE (mail_outbox|people)/.exec(sql)?.[1] ?? []);
    expect(updated).toEqual(['mail_outbox', 'people']);
  });
});

describe('a request for another address', () => {
  it('is reported to the old address, with what to do', async () => {
    const { identity, statements } = identityOn({
      ...{ ...SAME_PASSWORD, ...LIVE_SESSION },
      'SELECT password_hash': [{ password_hash: HASH_OF_OWNERS }],
    });
    await identity.wantEmail(MEMBER, OWNERS, 'new@example.com', ACTOR);
    const mails = statements.filter(({ sql }) => sql.includes('INSERT INTO mail_outbox'));
    expect(mails.map(({ values: [, kind, address, , , , data] }) => [kind, address, data])).toEqual([
      ['change', 'new@example.com', '{}'],
      ['notice', EMAIL, '{"template":"change_requested"}'],
    ]);
  });

  it('is refused under the name of its field if the address is not valid', async () => {
    const { identity } = identityOn({});
    await expect(identity.wantEmail(MEMBER, OWNERS, 'nobody', ACTOR)).rejects.toMatchObject({
      options: { details: [{ path: 'new_email', message: 'must be an e-mail address' }] },
    });
    await expect(identity.wantMail('reset', 'nobody', FROM)).rejects.toMatchObject({
      options: { details: [{ path: 'email', message: 'must be an e-mail address' }] },
    });
  });

  it.each([
    ['changed', (identity: Identity) => identity.changePassword(MEMBER, OWNERS, STRANGERS, ACTOR)],
    ['reset', (identity: Identity) => identity.reset('x'.repeat(43), STRANGERS, () => ACTOR)],
  ])('is cancelled when the password is %s: first the unsent mail, then the links of sent ones', async (_, change) => {
    const { identity, statements } = identityOn({
      ...{ ...SAME_PASSWORD, ...LIVE_SESSION, ...OWN_LINK },
      'SELECT password_hash': [{ password_hash: HASH_OF_OWNERS }],
      'SET used_at': [{ person_id: 'owner', email: EMAIL, email_key: EMAIL, password_hash: null }],
      'UPDATE people SET password_hash': [{ one: 1 }],
    });
    await change(identity);
    const stops = statements.filter(
      ({ sql }) =>
        sql.includes('UPDATE mail_outbox') || (sql.includes('SET superseded_at') && !sql.includes('purpose')),
    );
    expect(stops.map(({ sql, values: [person] }) => [sql.includes('mail_outbox'), person])).toEqual([
      [true, 'owner'],
      [false, 'owner'],
    ]);
  });
});
