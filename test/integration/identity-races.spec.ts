/** Changes that need the password of a person, while somebody else replaces the password or ends the session. */
import { Revocations, Sessions, type MemberSession } from '../../src/access/index.js';
import { AdminAudit, type Actor } from '../../src/admin-audit/index.js';
import { Database, type TenantSql } from '../../src/database/index.js';
import { EmailTokens } from '../../src/identity/email-tokens.js';
import { Identity } from '../../src/identity/identity.js';
import { MailOutbox } from '../../src/identity/mail/outbox.js';
import { OutboxWorker } from '../../src/identity/mail/outbox-worker.js';
import { eachApp } from '../support/each-app.js';
import { identityClient, PASSWORD, WITHOUT_LIMITS } from '../support/identity-client.js';

const OWNERS = 'the next password of ' + 'the owner';
const THIEFS = 'the password of ' + 'a thief';
const ACTOR: Actor = { kind: 'person', id: null, address: null, userAgent: null };

type Change = (identity: Identity, member: MemberSession, token: string) => Promise<unknown>;

const CHANGES: Readonly<Record<string, Change>> = {
  password: (identity, member) => identity.changePassword(member, PASSWORD, THIEFS, ACTOR),
  address: (identity, member) => identity.wantEmail(member, PASSWORD, 'thief@example.com', ACTOR),
  closing: (identity, member) => identity.closeAccount(member, PASSWORD, ACTOR),
  reauthentication: (identity, member, token) => identity.reauthenticate(member, token, PASSWORD, ACTOR),
};

eachApp(
  'A change that needs the password',
  (current) => {
    const client = identityClient(current);
    const part = <T>(type: new (...parameters: never[]) => T): T => current().weir.app.get<T>(type);
    const tokenOf = (cookie: string): string => cookie.split('=')[1] ?? '';

    /** The identity of the service; `meanwhile` runs after the password was verified and before the transaction of the change. */
    function identityWith(meanwhile: () => Promise<unknown>): Identity {
      const { sql, clock } = part(Database);
      const interposed: TenantSql = {
        forAccounts: (...ids) => sql.forAccounts(...ids),
        forDuty: (duty, ...ids) => {
          const session = sql.forDuty(duty, ...ids);
          return {
            ...session,
            transaction: async (work, options) => {
              await meanwhile();
              return session.transaction(work, options);
            },
          };
        },
      };
      return new Identity({
        ...{ sql: interposed, sessions: part(Sessions), revocations: part(Revocations), outbox: part(MailOutbox) },
        ...{ worker: part(OutboxWorker), tokens: part(EmailTokens), audit: part(AdminAudit) },
        passwords: { problem: () => Promise.resolve(null) },
        now: () => clock.now(),
      });
    }

    async function signedIn(email: string): Promise<{ member: MemberSession; token: string; cookie: string }> {
      const cookie = await client.member(email);
      const member = await part(Sessions).find(tokenOf(cookie));
      if (member === null) throw new Error('the session is not found');
      return { member, token: tokenOf(cookie), cookie };
    }

    it.each(Object.keys(CHANGES))('is refused if the owner has reset the password meanwhile: %s', async (what) => {
      const email = `reset-${what}@example.com`;
      const { member, token, cookie } = await signedIn(email);
      await client.post('/auth/reset', { email });
      const link = (await client.lastMail(email)).token;
      const identity = identityWith(async () => {
        expect((await client.form('/auth/reset/confirm', { token: link, password: OWNERS })).status).toBe(303);
      });
      await expect(CHANGES[what]!(identity, member, token)).rejects.toMatchObject({ type: 'authentication_error' });
      expect((await client.get('/auth/session', cookie)).status).toBe(401);
      expect((await client.post('/auth/login', { email, password: THIEFS })).status).toBe(401);
      expect((await client.post('/auth/login', { email, password: OWNERS })).status).toBe(200);
      expect(await client.mails('thief@example.com')).toEqual([]);
    });

    it.each(Object.keys(CHANGES))('is refused if the owner has ended the session meanwhile: %s', async (what) => {
      const email = `ended-${what}@example.com`;
      const { member, token } = await signedIn(email);
      const owners = await client.login(email);
      const identity = identityWith(async () => {
        const headers = { cookie: owners, 'sec-fetch-site': 'same-origin' };
        expect((await client.send('DELETE', `/auth/sessions/${member.id}`, headers)).status).toBe(204);
      });
      await expect(CHANGES[what]!(identity, member, token)).rejects.toMatchObject({ type: 'authentication_error' });
      expect((await client.get('/auth/session', owners)).status).toBe(200);
      expect((await client.post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
      expect(await client.mails('thief@example.com')).toEqual([]);
    });

    it('is made if nothing has changed meanwhile', async () => {
      const email = 'unchanged@example.com';
      const { member } = await signedIn(email);
      await identityWith(() => Promise.resolve()).changePassword(member, PASSWORD, OWNERS, ACTOR);
      expect((await client.post('/auth/login', { email, password: OWNERS })).status).toBe(200);
    });
  },
  WITHOUT_LIMITS,
);
