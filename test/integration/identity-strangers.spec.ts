import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { identityClient, PASSWORD, WITHOUT_LIMITS } from '../support/identity-client.js';

const OWNERS = 'the password of ' + 'the owner';
const STRANGERS = 'the password of ' + 'a stranger';

eachApp(
  'A stranger who knows an address',
  (current) => {
    const client = identityClient(current);
    const sql = () => current().weir.app.get(Database).sql;
    const isIn = async (cookie: string): Promise<boolean> => (await client.get('/auth/session', cookie)).status === 200;
    const passHours = (email: string, hours = 1) =>
      sql().query(
        `UPDATE mail_outbox SET created_at = created_at - make_interval(hours => $2::integer) WHERE email_key = $1`,
        [email, hours],
      );
    const canSignIn = async (email: string, password: string): Promise<boolean> =>
      (await client.post('/auth/login', { email, password })).status === 200;
    const from = (network: string, path: string, body: object) =>
      client.post(path, body, undefined, { 'x-forwarded-for': network });
    /** Signs up with a stranger's password; returns the session that this opens. */
    const strangerSignsUp = async (email: string): Promise<string> => {
      await client.signUp(email, STRANGERS);
      await client.settle();
      return client.login(email, STRANGERS);
    };
    /** Confirms an address that has no password then, and sets one on the page that follows. */
    const confirmAndChoose = async (token: string): Promise<void> => {
      const { status, headers } = await client.verify(token);
      const location = headers.get('location') ?? '';
      expect([status, location]).toEqual([303, expect.stringMatching(/^\/auth\/reset\?confirmed=1&token=[\w-]{43}$/)]);
      expect((await client.get(location)).text).toContain('choose your password now');
      const chosen = { token: location.split('token=')[1] ?? '', password: OWNERS };
      expect((await client.form('/auth/reset/confirm', chosen)).status).toBe(303);
    };

    it('has no session left when the owner of the mailbox confirms the address', async () => {
      const email = 'alone@example.com';
      const session = await strangerSignsUp(email);
      await client.verify((await client.lastMail(email)).token);
      expect(await isIn(session)).toBe(false);
    });

    it('has neither a session nor the password when the owner has signed up later', async () => {
      const email = 'later@example.com';
      const session = await strangerSignsUp(email);
      await passHours(email);
      await client.signUp(email, OWNERS);
      const { token } = await client.lastMail(email);
      expect(await isIn(session)).toBe(false);
      expect((await client.verify(token)).headers.get('location')).toBe('/auth/login?verified=1');
      expect([await canSignIn(email, STRANGERS), await canSignIn(email, OWNERS)]).toEqual([false, true]);
    });

    it.each(['before', 'after'])(
      'cannot have the own password confirmed by a link of a sign-up %s it',
      async (order) => {
        const email = `${order}@example.com`;
        const passwords = order === 'before' ? [OWNERS, STRANGERS] : [STRANGERS, OWNERS];
        // Within the same minute, the second sign-up gets no mail of its own.
        await client.signUp(email, passwords[0]);
        const { token } = await client.lastMail(email);
        await client.signUp(email, passwords[1]);
        await client.settle();
        await confirmAndChoose(token);
        expect([await canSignIn(email, STRANGERS), await canSignIn(email, OWNERS)]).toEqual([false, true]);
      },
    );

    it('has not the own password confirmed by a link while a later sign-up of the owner waits for its decision', async () => {
      const email = 'waiting@example.com';
      await client.signUp(email, STRANGERS);
      const { token } = await client.lastMail(email);
      await sql().query(
        `INSERT INTO mail_outbox (id, kind, address, email_key, data, created_at, attempts, next_attempt_at)
         VALUES (gen_random_uuid(), 'sign_up', $1, $1, '{"passwordHash": "none"}', now(), 0, now() + interval '1 hour')`,
        [email],
      );
      await confirmAndChoose(token);
      expect([await canSignIn(email, STRANGERS), await canSignIn(email, OWNERS)]).toEqual([false, true]);
    });

    it('cannot choose a password by a link that the owner has used, and the owner learns by a second click how to', async () => {
      const email = 'twice@example.com';
      await client.signUp(email, STRANGERS);
      const { token } = await client.lastMail(email);
      await client.signUp(email, OWNERS);
      await client.settle();
      const { headers } = await client.verify(token);
      const again = await client.verify(token);
      expect([again.status, again.headers.get('location')]).toEqual([200, null]);
      expect(again.text).toContain('already confirmed, but you have no password yet');
      expect(again.text).toContain('action="/auth/reset"');
      expect(again.text).not.toContain('token');
      const json = () => client.post('/auth/verify', { token }, undefined, { 'sec-fetch-site': 'same-origin' });
      expect((await json()).json).toEqual({ status: 'already_verified_without_password' });
      const chosen = { token: headers.get('location')?.split('token=')[1] ?? '', password: OWNERS };
      expect((await client.form('/auth/reset/confirm', chosen)).status).toBe(303);
      expect((await client.verify(token)).text).toContain('already confirmed.');
      expect((await json()).json).toEqual({ status: 'already_verified' });
    });

    it('in another network cannot have the own password confirmed by the link of the own sign-up after the owner signed up', async () => {
      const email = 'last@example.com';
      await from('203.0.113.9', '/auth/sign-up', { email, password: OWNERS });
      await client.settle();
      await passHours(email);
      await from('198.51.100.7', '/auth/sign-up', { email, password: STRANGERS });
      await confirmAndChoose((await client.lastMail(email)).token);
      expect([await canSignIn(email, STRANGERS), await canSignIn(email, OWNERS)]).toEqual([false, true]);
    });

    it('cannot have the own password confirmed by a link that the owner asks for again', async () => {
      const email = 'again@example.com';
      await client.signUp(email, OWNERS);
      await client.settle();
      await passHours(email);
      const session = await strangerSignsUp(email);
      await passHours(email);
      await client.post('/auth/resend', { email });
      await confirmAndChoose((await client.lastMail(email)).token);
      expect([await isIn(session), await canSignIn(email, STRANGERS)]).toEqual([false, false]);
      expect(await canSignIn(email, OWNERS)).toBe(true);
    });

    it('does not make the link of a single sign-up less useful: asked for again, it confirms the chosen password', async () => {
      const email = 'single@example.com';
      await client.signUp(email, OWNERS);
      await client.settle();
      await passHours(email);
      await client.post('/auth/resend', { email });
      const { token } = await client.lastMail(email);
      expect((await client.verify(token)).headers.get('location')).toBe('/auth/login?verified=1');
      expect(await canSignIn(email, OWNERS)).toBe(true);
    });

    it('does not learn by signing up and then signing in whether the address is registered', async () => {
      await client.member('registered@example.com');
      await client.signUp('unconfirmed@example.com');
      await client.settle();
      const seen = new Set<string>();
      for (const email of ['registered@example.com', 'unconfirmed@example.com', 'unknown@example.com']) {
        for (const password of [STRANGERS, `${STRANGERS} again`]) {
          const signUp = await client.signUp(email, password);
          await client.settle();
          const login = await client.post('/auth/login', { email, password });
          const wrong = await client.post('/auth/login', { email, password: `${password}?` });
          const session = await client.get('/auth/session', login.cookie);
          const page = await client.get('/auth/account', login.cookie);
          const pages = [(await client.get('/v1/account', login.cookie)).status, page.text.replaceAll(email, '')];
          const { person } = session.json as { person: { email: string; email_verified: boolean } };
          const statuses = [signUp, login, wrong, session].map(({ status }) => status);
          seen.add(JSON.stringify([signUp.text, statuses, person.email === email, person.email_verified, pages]));
        }
      }
      expect(seen.size).toBe(1);
      await client.login('registered@example.com');
      const { json } = await client.get('/auth/session', await client.login('registered@example.com'));
      expect(json.person.email_verified).toBe(true);
    });

    it('does not get a mail or a confirmed address by signing up with the address of a member', async () => {
      const email = 'member@example.com';
      await client.member(email);
      const session = await strangerSignsUp(email);
      await passHours(email);
      await client.post('/auth/resend', { email });
      expect((await client.mails(email)).map(({ subject }) => subject.split(' (')[0])).toEqual([
        'Confirm your e-mail address',
        'You already have an account',
      ]);
      expect((await client.get('/v1/apps', session)).json.error.type).toBe('email_not_verified');
      expect(await canSignIn(email, PASSWORD)).toBe(true);
      const accounts = await sql().query(
        `SELECT 1 AS one FROM subscriptions s JOIN memberships m ON m.account_id = s.account_id
         JOIN people p ON p.id = m.person_id WHERE p.email = $1`,
        [email],
      );
      expect(accounts).toHaveLength(1);
    });

    it('has no session left when the member with the address closes the account', async () => {
      const email = 'leaving@example.com';
      const member = await client.member(email);
      const session = await strangerSignsUp(email);
      expect(await isIn(session)).toBe(true);
      expect((await client.post('/auth/close-account', { password: PASSWORD }, member)).status).toBe(200);
      expect(await isIn(session)).toBe(false);
    });

    it('cannot use up the mails for a new password: another network still gets one', async () => {
      const email = 'flooded@example.com';
      await client.member(email);
      for (let hour = 0; hour < 8; hour += 1) {
        await passHours(email);
        await from('198.51.100.7', '/auth/reset', { email });
        await client.settle();
      }
      const before = (await client.mails(email)).filter(({ subject }) => subject.startsWith('Choose'));
      expect(before).toHaveLength(5);
      await passHours(email);
      await from('203.0.113.9', '/auth/reset', { email });
      const { token } = await client.lastMail(email);
      expect(before.map((mail) => mail.token)).not.toContain(token);
      expect((await client.form('/auth/reset/confirm', { token, password: OWNERS })).status).toBe(303);
    });
  },
  { env: { ...WITHOUT_LIMITS.env, WEIR_TRUST_PROXY: '127.0.0.1' } },
);
