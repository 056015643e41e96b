import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { identityClient, PASSWORD, WITHOUT_LIMITS } from '../support/identity-client.js';
import { restClient } from '../support/rest-client.js';

eachApp(
  'A client at the start of its work',
  (current) => {
    const client = identityClient(current);
    const rest = restClient(current);
    const sql = () => current().weir.app.get(Database).sql;

    it('receives the person, the account, its rights and the server settings in one response', async () => {
      const cookie = await client.member('begins@example.com');
      const { status, json } = await client.get('/v1/me', cookie);
      expect(status).toBe(200);
      expect(json).toMatchObject({
        person: { email: 'begins@example.com' },
        token: null,
        account: { email: 'begins@example.com' },
        role: 'owner',
        environments: ['development', 'staging', 'production'],
        retention: (
          [
            ['development', 'full'],
            ['staging', 'none'],
            ['production', 'redacted'],
          ] as const
        ).map(([environment, stored]) => ({
          ...{ environment, content_days: null, records_days: null, holds: [], held_events: 0 },
          content: { stored, path: `${environment}/policy.yaml`, line: expect.any(Number) },
        })),
        subscription: { state: expect.any(String), billing: 'on' },
        server: {
          billing: 'on',
          providers: [
            { id: 'openai', style: 'openai' },
            { id: 'anthropic', style: 'anthropic' },
            { id: 'gemini', style: 'gemini' },
          ],
        },
      });
      expect(json.scopes).toContain('events:read');
    });

    it('receives where the policy sets the storing of texts only with a token that may read policies', async () => {
      const cookie = await client.member('places@example.com');
      const contentFor = async (scope: string): Promise<unknown> => {
        const made = await client.post('/v1/tokens', { name: scope, scopes: [scope] }, cookie);
        const authorization = `Bearer ${String(made.json.secret)}`;
        return (await rest.call('GET', '/v1/me', { authorization })).json.retention.at(-1).content;
      };
      expect(await contentFor('events:read')).toEqual({ stored: 'redacted', path: null, line: null });
      expect(await contentFor('policy:read')).toEqual({
        stored: 'redacted',
        path: 'production/policy.yaml',
        line: expect.any(Number),
      });
    });

    it('receives the description of its token if it uses a management token', async () => {
      const { json } = await rest.read('/v1/me');
      expect(json).toMatchObject({
        person: null,
        role: null,
        token: { id: expect.any(String), name: expect.any(String) },
      });
    });

    it('does not extend its session by background requests of a page', async () => {
      const cookie = await client.member('background@example.com');
      const { person } = (await client.get('/v1/me', cookie)).json as { person: { id: string } };
      const seen = async () => {
        const rows = await sql().query<{ at: string }>(
          'SELECT last_seen_at::text AS at FROM sessions WHERE person_id = $1::uuid AND revoked_at IS NULL',
          [person.id],
        );
        return rows.map(({ at }) => at).join(' ');
      };
      await sql().query(
        `UPDATE sessions SET last_seen_at = last_seen_at - interval '10 minutes' WHERE person_id = $1::uuid`,
        [person.id],
      );
      const before = await seen();
      const asked = await client.send('GET', '/v1/apps', { cookie, 'x-weir-background': '1' });
      expect([asked.status, await seen()]).toEqual([200, before]);
      expect((await client.get('/v1/apps', cookie)).status).toBe(200);
      expect(await seen()).not.toBe(before);
    });

    it('is redirected to the requested page after the login, even after a wrong password', async () => {
      await client.member('onward@example.com');
      const next = '/events?decision=block&app=a';
      const asked = await client.get(`/auth/login?next=${encodeURIComponent(next)}`);
      expect(asked.text).toContain('name="next" value="/events?decision=block&amp;app=a"');
      const again = await client.form('/auth/login', { email: 'onward@example.com', password: 'not this one', next });
      expect(again.status).toBe(401);
      expect(again.text).toContain('name="next" value="/events?decision=block&amp;app=a"');
      const led = await client.form('/auth/login', { email: 'onward@example.com', password: PASSWORD, next });
      expect([led.status, led.headers.get('location')]).toEqual([303, next]);
    });

    it.each(['//evil.example', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)'])(
      'is never redirected to another origin: %s',
      async (next) => {
        const email = `kept-${next.length}@example.com`;
        await client.member(email);
        expect((await client.get(`/auth/login?next=${encodeURIComponent(next)}`)).text).not.toContain('name="next"');
        const led = await client.form('/auth/login', { email, password: PASSWORD, next });
        expect([led.status, led.headers.get('location')]).toEqual([303, '/']);
      },
    );
  },
  WITHOUT_LIMITS,
);
