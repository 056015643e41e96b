import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { identityClient, PASSWORD, WITHOUT_LIMITS } from '../support/identity-client.js';

const NEXT = 'another fine ' + 'password';

eachApp(
  'A person who has signed in',
  (current) => {
    const client = identityClient(current);
    const sql = () => current().weir.app.get(Database).sql;
    const isIn = async (cookie: string): Promise<boolean> => (await client.get('/auth/session', cookie)).status === 200;
    const personId = async (cookie: string): Promise<string> =>
      (await client.get('/auth/session', cookie)).json.person.id;

    it('has a cookie that scripts cannot read and other sites cannot send', async () => {
      const email = 'cookie@example.com';
      await client.member(email);
      const { headers } = await client.post('/auth/login', { email, password: PASSWORD });
      expect(headers.get('set-cookie')).toMatch(
        /^__Host-weir_session=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=43200$/,
      );
      const [row] = await sql().query<{ text: string }>(
        `SELECT string_agg(row_to_json(s)::text, '') AS text FROM sessions s`,
      );
      expect(row?.text).not.toContain(headers.get('set-cookie')?.slice(21, 64));
    });

    it('can use the management API with a session instead of a token, but not with both', async () => {
      const cookie = await client.member('both@example.com');
      const own = (await client.get('/v1/account', cookie)).json.account.id;
      const token = `Bearer ${current().bootstrap.token}`;
      const both = await client.send('GET', '/v1/account', { cookie, authorization: token });
      expect(both.json.account.id).not.toBe(own);
      expect((await client.send('GET', '/v1/account', { cookie, authorization: 'Bearer nonsense' })).status).toBe(401);
      expect((await client.send('GET', '/v1/account', { cookie: `${cookie}; ${cookie}` })).status).toBe(401);
    });

    it('cannot be made to change anything by another site', async () => {
      const cookie = await client.member('csrf@example.com');
      const strangers: Record<string, string>[] = [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { origin: 'https://evil.example' },
      ];
      const changes = [
        ['POST', '/v1/apps', { name: 'planted' }],
        ['POST', '/auth/logout', {}],
        ['POST', '/auth/close-account', { password: PASSWORD }],
        ['POST', '/auth/password', { current_password: PASSWORD, new_password: NEXT }],
      ] as const;
      for (const from of strangers) {
        for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
          for (const [method, path, body] of changes) {
            const headers = { cookie, 'content-type': type, ...from };
            expect((await client.send(method, path, headers, JSON.stringify(body))).status).toBe(403);
          }
        }
      }
      expect(await isIn(cookie)).toBe(true);
      expect((await client.get('/v1/apps', cookie)).json.data).toEqual([]);
    });

    it('is signed out after 30 minutes without use, and after 12 hours in any case', async () => {
      const cookie = await client.member('late@example.com');
      const id = await personId(cookie);
      const shift = (column: string, minutes: number) =>
        sql().query(
          `UPDATE sessions SET ${column} = ${column} - make_interval(mins => $2::integer) WHERE person_id = $1`,
          [id, minutes],
        );
      await shift('last_seen_at', 29);
      expect(await isIn(cookie)).toBe(true);
      await shift('last_seen_at', 29);
      expect(await isIn(cookie)).toBe(true);
      await shift('last_seen_at', 31);
      expect(await isIn(cookie)).toBe(false);
      const other = await client.login('late@example.com');
      await shift('expires_at', 12 * 60);
      expect(await isIn(other)).toBe(false);
    });

    it('sees all own sessions and can end each of them', async () => {
      const email = 'many@example.com';
      const [first, second] = [await client.member(email), await client.login(email)];
      const { data } = (await client.get('/auth/sessions', first)).json as { data: { id: string; current: boolean }[] };
      expect(data.map(({ current: isCurrent }) => isCurrent)).toEqual([false, true]);
      const end = (id: string) =>
        client.send('DELETE', `/auth/sessions/${id}`, { cookie: first, 'sec-fetch-site': 'same-origin' });
      const stranger = await client.member('stranger@example.com');
      const foreign = (await client.get('/auth/sessions', stranger)).json.data[0].id as string;
      expect((await end(foreign)).status).toBe(404);
      expect((await end('no-id')).status).toBe(404);
      expect((await end(data[0]!.id)).status).toBe(204);
      expect([await isIn(first), await isIn(second), await isIn(stranger)]).toEqual([true, false, true]);
      expect((await end(data[0]!.id)).status).toBe(404);
    });

    it('gets a new session at each sign-in, which ends the previous session of the browser', async () => {
      const email = 'again@example.com';
      const before = await client.member(email);
      const { cookie } = await client.post('/auth/login', { email, password: PASSWORD }, before);
      expect(cookie).not.toBe(before);
      expect([await isIn(before), await isIn(cookie!)]).toEqual([false, true]);
    });

    it('can change the password, which ends every other session and sends a mail', async () => {
      const email = 'change@example.com';
      const [mine, other] = [await client.member(email), await client.login(email)];
      const change = (body: object) => client.post('/auth/password', body, mine);
      expect((await change({ current_password: 'not it, not it', new_password: NEXT })).status).toBe(403);
      expect((await change({ current_password: PASSWORD, new_password: 'short' })).status).toBe(422);
      const changed = await change({ current_password: PASSWORD, new_password: NEXT });
      expect(changed.status).toBe(200);
      expect([await isIn(mine), await isIn(other), await isIn(changed.cookie!)]).toEqual([false, false, true]);
      expect((await client.post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
      await client.login(email, NEXT);
      expect((await client.lastMail(email)).subject).toContain('Your password was changed');
    });

    it('can set a new password once with a link that is valid for an hour', async () => {
      const email = 'forgot@example.com';
      const cookie = await client.member(email);
      await client.post('/auth/reset', { email });
      const { token, link } = await client.lastMail(email);
      expect(link).toContain('/auth/reset?token=');
      const { status, text } = await client.get(`/auth/reset?token=${token}`);
      expect([status, text.includes('<script')]).toEqual([200, false]);
      expect((await client.post('/auth/reset/confirm', { token, password: NEXT })).status).toBe(403);
      const weak = await client.form('/auth/reset/confirm', { token, password: 'short' });
      expect([weak.status, weak.text.includes('at least 12')]).toEqual([422, true]);
      const done = await client.form('/auth/reset/confirm', { token, password: NEXT });
      expect([done.status, done.cookie]).toEqual([303, undefined]);
      expect((await client.form('/auth/reset/confirm', { token, password: `${NEXT}!` })).status).toBe(422);
      expect(await isIn(cookie)).toBe(false);
      await client.login(email, NEXT);

      await sql().query(`UPDATE mail_outbox SET created_at = created_at - interval '1 hour' WHERE email_key = $1`, [
        email,
      ]);
      await client.post('/auth/reset', { email });
      const late = await client.lastMail(email);
      expect(late.token).not.toBe(token);
      await sql().query(
        `UPDATE email_tokens SET expires_at = expires_at - interval '1 hour' WHERE purpose = 'reset' AND used_at IS NULL`,
      );
      expect((await client.form('/auth/reset/confirm', { token: late.token, password: `${NEXT}!` })).status).toBe(422);
    });

    it('can change the address by confirming the new one, and a mail notifies the old one', async () => {
      const [email, next] = ['old@example.com', 'new@example.com'];
      const cookie = await client.member(email);
      const want = (address: string, password = PASSWORD) =>
        client.post('/auth/email', { new_email: address, password }, cookie);
      expect((await want(next, 'not it, not it')).status).toBe(403);
      const answers = [await want(next), await want('again@example.com')];
      expect((await client.lastMail(email)).text).toContain('If this was not you, choose a new password immediately');
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect((await client.lastMail('again@example.com')).subject).toContain('in use');
      const { token } = await client.lastMail(next);
      expect((await client.get(`/auth/email/confirm?token=${token}`)).status).toBe(200);
      await client.login(email);
      expect((await client.form('/auth/email/confirm', { token })).status).toBe(200);
      expect((await client.form('/auth/email/confirm', { token })).status).toBe(422);
      expect((await client.post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
      await client.login(next);
      expect((await client.lastMail(email)).subject).toContain('Your e-mail address was changed');
    });

    it('cancels a pending change of the address with a new password', async () => {
      const email = 'phished@example.com';
      const cookie = await client.member(email);
      await client.post('/auth/email', { new_email: 'thief@example.com', password: PASSWORD }, cookie);
      const change = (await client.lastMail('thief@example.com')).token;
      await client.post('/auth/reset', { email });
      const { token } = await client.lastMail(email);
      expect((await client.form('/auth/reset/confirm', { token, password: NEXT })).status).toBe(303);
      expect((await client.form('/auth/email/confirm', { token: change })).status).toBe(422);
    });

    it('can close the account, which ends keys, tokens and sessions, and frees the address', async () => {
      const email = 'leaving@example.com';
      const cookie = await client.member(email);
      const app = (await client.post('/v1/apps', { name: 'a' }, cookie)).json.id as string;
      const key = (await client.post(`/v1/apps/${app}/keys`, { name: 'k', environment: 'production' }, cookie)).json;
      const token = (await client.post('/v1/tokens', { name: 't', scopes: ['events:read'] }, cookie)).json;
      expect((await client.post('/auth/close-account', { password: 'not it, not it' }, cookie)).status).toBe(403);
      expect((await client.post('/auth/close-account', { password: PASSWORD }, cookie)).status).toBe(200);
      expect(await isIn(cookie)).toBe(false);
      const event = JSON.stringify({ type: 'ai.request', request_id: 'r', payload: { prompt: 'hello' } });
      const submitted = await client.send(
        'POST',
        '/v1/events',
        { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
        event,
      );
      const read = await client.send('GET', '/v1/events', { authorization: `Bearer ${token.secret}` });
      expect([submitted.status, read.status]).toEqual([401, 401]);
      expect((await client.post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
      expect((await client.lastMail(email)).subject).toContain('closed');
      await sql().query(`UPDATE mail_outbox SET created_at = created_at - interval '1 hour' WHERE email_key = $1`, [
        email,
      ]);
      const anew = await client.member(email);
      expect((await client.get('/v1/apps', anew)).json.data).toEqual([]);
    });
  },
  WITHOUT_LIMITS,
);
