import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { identityClient, PASSWORD, WITHOUT_LIMITS } from '../support/identity-client.js';

eachApp(
  'People',
  (current) => {
    const client = identityClient(current);
    const sql = () => current().weir.app.get(Database).sql;
    /** Moves a time of the links, sessions or mails of a person into the past. */
    const age = (table: 'email_tokens' | 'sessions' | 'mail_outbox', column: string, email: string, hours: number) =>
      sql().query(
        `UPDATE ${table} SET ${column} = ${column} - make_interval(hours => $2::integer)
       WHERE ${table === 'mail_outbox' ? 'email_key = $1' : 'person_id = (SELECT id FROM people WHERE email_key = $1)'}`,
        [email, hours],
      );

    describe('people who sign up', () => {
      it('get a link, confirm their address with its button, and can then sign in and create a key', async () => {
        const email = 'ada@example.com';
        const answer = await client.signUp(email);
        expect([answer.status, answer.json.status]).toEqual([202, 'accepted']);
        const mail = await client.lastMail(email);
        expect(mail.link).toMatch(/^http:\/\/localhost:\d+\/auth\/verify\?token=[A-Za-z0-9_-]{43}$/);
        const early = await client.login(email);
        expect((await client.get('/v1/apps', early)).json.error.type).toBe('email_not_verified');
        const verified = await client.verify(mail.token);
        expect([verified.status, verified.headers.get('location')]).toEqual([303, '/auth/login?verified=1']);
        expect(verified.cookie).toBeUndefined();
        const cookie = await client.login(email);
        const app = await client.post('/v1/apps', { name: 'first' }, cookie);
        expect(app.status).toBe(201);
        const key = await client.post(`/v1/apps/${app.json.id}/keys`, { name: 'k', environment: 'production' }, cookie);
        expect(key.json.secret).toMatch(/^sk_live_wr1_/);
        expect((await client.get('/v1/subscription', cookie)).json.state).toBe('trialing');
        const me = await client.get('/v1/account', cookie);
        expect(me.json).toMatchObject({ account: { email, email_verified: true }, token: null });
        const audit = (await client.get('/v1/audit', cookie)).json.data as {
          action: string;
          actor: { kind: string };
        }[];
        expect(audit.map(({ action }) => action)).toEqual([
          'key.created',
          'app.created',
          'session.started',
          'email.verified',
          'session.started',
          'account.created',
        ]);
        expect(new Set(audit.map(({ actor }) => actor.kind))).toEqual(new Set(['person']));
      });

      it('can only confirm their address or sign out until it is confirmed', async () => {
        const email = 'bob@example.com';
        await client.signUp(email);
        await client.settle();
        const cookie = await client.login(email);
        for (const path of [
          '/v1/account',
          '/v1/apps',
          '/v1/keys',
          '/v1/tokens',
          '/v1/audit',
          '/v1/subscription',
          '/auth/sessions',
        ]) {
          const { status, json } = await client.get(path, cookie);
          expect([path, status, json.error.type]).toEqual([path, 403, 'email_not_verified']);
        }
        const changes = [
          ['/auth/password', { current_password: PASSWORD, new_password: `${PASSWORD}!` }],
          ['/auth/email', { new_email: 'x@example.com', password: PASSWORD }],
          ['/auth/close-account', { password: PASSWORD }],
          ['/v1/apps', { name: 'x' }],
          ['/v1/tokens', { name: 'x', scopes: ['events:read'] }],
        ] as const;
        for (const [path, body] of changes) expect((await client.post(path, body, cookie)).status).toBe(403);
        expect((await client.get('/auth/session', cookie)).json.person.email_verified).toBe(false);
        expect((await client.get('/auth/account', cookie)).text).toContain('Verify your address');
        expect((await client.post('/auth/logout', {}, cookie)).status).toBe(200);
        expect((await client.get('/auth/session', cookie)).status).toBe(401);
      });

      it.each([
        [{ email: 'nobody', password: PASSWORD }, 'email'],
        [{ email: 'a@example.com', password: 'short' }, 'password'],
        [{ email: 'a@example.com', password: 'qwerty123456' }, 'password'],
        [{ email: 'a@example.com' }, 'password'],
        [{ email: 'a@example.com', password: PASSWORD, role: 'owner' }, 'role'],
      ])('get an error that names the invalid field of %j', async (body, path) => {
        const { status, json, text } = await client.post('/auth/sign-up', body);
        expect([status, json.error.details[0].path]).toEqual([422, path]);
        expect(text).not.toContain('qwerty');
      });

      it('have signed up once if a double click submits the form twice: its link confirms the password', async () => {
        const email = 'double@example.com';
        const formId = async () =>
          /name="form_id" value="([^"]*)"/.exec((await client.get('/auth/sign-up')).text)?.[1] ?? '';
        const form_id = await formId();
        expect(await formId()).not.toBe(form_id);
        const submit = (address: string) =>
          client.form('/auth/sign-up', { form_id, email: address, password: PASSWORD });
        const answers = [...(await Promise.all([submit(email), submit(email)])), await submit(email)];
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
        const { token } = await client.lastMail(email);
        expect(await client.mails(email)).toHaveLength(1);
        expect((await client.verify(token)).headers.get('location')).toBe('/auth/login?verified=1');
        await client.login(email);
        // After "back", the browser shows the form with the same id; a corrected address is a sign-up of its own.
        expect((await submit('corrected@example.com')).text).toBe(answers[0]?.text);
        expect(await client.mails('corrected@example.com')).toHaveLength(1);
      });

      it('can submit a form whose id is not valid', async () => {
        const email = 'no-form@example.com';
        const fields = { form_id: "1' OR", email, password: PASSWORD };
        expect((await client.form('/auth/sign-up', fields)).status).toBe(202);
        expect(await client.mails(email)).toHaveLength(1);
      });

      it('see the error on the form that they filled in', async () => {
        const { status, text } = await client.form('/auth/sign-up', { email: 'x@example.com', password: 'short' });
        expect(status).toBe(422);
        expect(text).toContain('must have at least 12 characters');
        expect(text).not.toContain('<script');
      });
    });

    describe('a link to confirm an address', () => {
      it('changes nothing when it is opened, and shows the same page for an invalid token', async () => {
        const email = 'carol@example.com';
        await client.signUp(email);
        const { token } = await client.lastMail(email);
        const path = `/auth/verify?token=${token}`;
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'GET', 'HEAD']) await client.send(method, path, {});
        const live = await client.get(path);
        const madeUp = await client.get(`/auth/verify?token=${'x'.repeat(43)}`);
        expect(live.text.replaceAll(token, '')).toBe(madeUp.text.replaceAll('x'.repeat(43), ''));
        expect(live.text).not.toMatch(/<script|onload|http-equiv|https?:/);
        expect(live.headers.get('content-security-policy')).toContain("default-src 'none'");
        expect(live.headers.get('cache-control')).toBe('no-store');
        const cookie = await client.login(email);
        expect((await client.get('/auth/session', cookie)).json.person.email_verified).toBe(false);
        expect((await client.verify(token)).status).toBe(303);
        const used = await client.get(path);
        expect(used.text).toBe(live.text);
      });

      it('is accepted only from a page of the service', async () => {
        const email = 'dave@example.com';
        await client.signUp(email);
        const { token } = await client.lastMail(email);
        const from = (headers: Record<string, string>) => client.post('/auth/verify', { token }, undefined, headers);
        const strangers: Record<string, string>[] = [
          {},
          { 'sec-fetch-site': 'cross-site' },
          { origin: 'https://evil.example' },
          { origin: 'null' },
          { authorization: '' },
        ];
        for (const headers of strangers) expect((await from(headers)).status).toBe(403);
        expect((await from({ origin: `http://localhost:${new URL(current().url).port}` })).json.status).toBe(
          'verified',
        );
      });

      it('reports on a second click that the address is already confirmed', async () => {
        const email = 'erin@example.com';
        await client.signUp(email);
        const { token } = await client.lastMail(email);
        const clicks = await Promise.all(Array.from({ length: 10 }, () => client.verify(token)));
        expect(clicks.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 303]);
        const second = await client.verify(token);
        expect([second.status, second.text.includes('already confirmed')]).toEqual([200, true]);
        const rows = await sql().query(`SELECT 1 AS one FROM admin_actions WHERE action = 'email.verified'
        AND subject = (SELECT id::text FROM people WHERE email_key = '${email}')`);
        expect(rows).toHaveLength(1);
      });

      it('expires after 24 hours and offers a new link, which is valid', async () => {
        const email = 'frank@example.com';
        await client.signUp(email);
        const old = await client.lastMail(email);
        await age('email_tokens', 'expires_at', email, 24);
        expect((await client.get(`/auth/verify?token=${old.token}`)).text).toContain('Send a new link');
        const late = await client.verify(old.token);
        expect([late.status, late.text.includes('has expired')]).toEqual([422, true]);
        await age('mail_outbox', 'created_at', email, 1);
        expect((await client.form('/auth/resend', { email })).status).toBe(202);
        const { token } = await client.lastMail(email);
        expect(token).not.toBe(old.token);
        expect((await client.verify(token)).status).toBe(303);
      });

      it('activates the password of the sign-up for which it was sent', async () => {
        const email = 'grace@example.com';
        await client.signUp(email, 'the password of a stranger');
        await client.settle();
        const stranger = await client.login(email, 'the password of a stranger');
        await age('mail_outbox', 'created_at', email, 1);
        await client.signUp(email, 'the password of the owner');
        await client.verify((await client.lastMail(email)).token);
        expect((await client.get('/auth/session', stranger)).status).toBe(401);
        await client.login(email, 'the password of the owner');
        const wrong = await client.post('/auth/login', { email, password: 'the password of a stranger' });
        expect(wrong.status).toBe(401);
      });
    });

    describe('an address', () => {
      it('gets the same answers whether it is known or not', async () => {
        await client.member('known@example.com');
        await client.signUp('waiting@example.com');
        await client.settle();
        const addresses = ['known@example.com', 'waiting@example.com', 'unknown@example.com', 'KNOWN@Example.com'];
        const shown = async (path: string, body: (email: string) => object) => {
          const answers = await Promise.all(addresses.map((email) => client.post(path, body(email))));
          return new Set(
            answers.map(({ status, text, headers, cookie }) => {
              const names = [...headers.keys()].filter(
                (name) => !/^(x-request-id|date|ratelimit|keep-alive)/.test(name),
              );
              return JSON.stringify([status, text.replace(/"trace_id":"[^"]*"/, ''), names, cookie]);
            }),
          );
        };
        for (const path of ['/auth/resend', '/auth/reset']) {
          expect((await shown(path, (email) => ({ email }))).size).toBe(1);
        }
        expect((await shown('/auth/sign-up', (email) => ({ email, password: PASSWORD }))).size).toBe(1);
        expect((await shown('/auth/login', (email) => ({ email, password: `${PASSWORD}?` }))).size).toBe(1);
      });

      it('that has an account learns this only by mail', async () => {
        const email = 'heidi@example.com';
        await client.member(email);
        await client.signUp('Heidi@EXAMPLE.com', 'another password of mine');
        expect((await client.lastMail(email)).subject).toContain('You already have an account');
        await client.login(email);
      });

      it('gets at most one mail a minute and five a day for the requests of one network', async () => {
        const email = 'ivan@example.com';
        await client.signUp(email);
        await Promise.all(Array.from({ length: 20 }, () => client.post('/auth/resend', { email })));
        expect(await client.mails(email)).toHaveLength(1);
        for (let hour = 0; hour < 8; hour += 1) {
          await age('mail_outbox', 'created_at', email, 1);
          await client.post('/auth/resend', { email });
          await client.settle();
        }
        expect(await client.mails(email)).toHaveLength(5);
        const unknown = 'unknown-to-all@example.com';
        await client.post('/auth/resend', { email: unknown });
        await client.post('/auth/reset', { email: unknown });
        expect(await client.mails(unknown)).toHaveLength(0);
      });
    });
  },
  WITHOUT_LIMITS,
);
