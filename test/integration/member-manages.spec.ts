/** Management requests with the session of a member instead of a token, and those that require the password again. */
import { Database } from '../../src/database/index.js';
import { testBundle } from '../support/deployments.js';
import { eachApp } from '../support/each-app.js';
import { identityClient, PASSWORD } from '../support/identity-client.js';

eachApp('A member with a session', (current) => {
  const client = identityClient(current);
  const sql = () => current().weir.app.get(Database).sql;
  const shift = (cookieOf: { readonly id: string }, column: string, minutes: number) =>
    sql().query(`UPDATE sessions SET ${column} = ${column} - make_interval(mins => $2::integer) WHERE id = $1::uuid`, [
      cookieOf.id,
      minutes,
    ]);
  const sessionOf = async (cookie: string): Promise<{ id: string }> =>
    (await client.get('/auth/session', cookie)).json.session;

  it('deploys a policy, and history and audit log name the person', async () => {
    const cookie = await client.member('deployer@example.com');
    const person = (await client.get('/auth/session', cookie)).json.person.id as string;
    const { base } = (await client.get('/v1/policies/production', cookie)).json;
    const deployed = await client.post(
      '/v1/policies/production/deployments',
      { base, bundle: testBundle('By a person') },
      cookie,
    );
    expect([deployed.status, deployed.json.deployment.person_id, deployed.json.deployment.token_id]).toEqual([
      201,
      person,
      null,
    ]);
    const { data } = (await client.get('/v1/policies/production/deployments', cookie)).json;
    expect(data[0]).toMatchObject({
      number: 1,
      person_id: person,
      token_id: null,
      by_name: (await client.get('/v1/me', cookie)).json.person.email,
    });
    const audit = (await client.get('/v1/audit?action=policy.deployed', cookie)).json;
    expect(audit.data[0].actor).toMatchObject({ kind: 'person', id: person });
  });

  it('streams events until the session ends, and the stream does not extend the session', async () => {
    const cookie = await client.member('follower@example.com');
    const session = await sessionOf(cookie);
    const seen = async (): Promise<unknown> =>
      (await sql().query('SELECT last_seen_at::text AS at FROM sessions WHERE id = $1::uuid', [session.id]))[0];
    await shift(session, 'last_seen_at', 29);
    const response = await fetch(`${current().url}/v1/events/tail`, { headers: { cookie } });
    expect(response.status).toBe(200);
    await shift(session, 'last_seen_at', 31);
    const before = await seen();
    // The service ends the stream at its next check of the session.
    expect(await response.text()).toContain(': connected');
    expect(await seen()).toEqual(before);
  });

  it('needs the password again to create lasting credentials, as the error explains, and then receives a new cookie', async () => {
    const cookie = await client.member('careful@example.com');
    const app = (await client.post('/v1/apps', { name: 'shop' }, cookie)).json.id as string;
    await shift(await sessionOf(cookie), 'authenticated_at', 11);
    const make = (as: string) => client.post(`/v1/apps/${app}/keys`, { name: 'k', environment: 'staging' }, as);
    const refused = await make(cookie);
    expect([refused.status, refused.json.error.type]).toEqual([403, 'reauthentication_required']);
    expect(refused.json.error.message).toContain('POST /auth/reauthenticate');
    expect((await client.post('/v1/tokens', { name: 't', scopes: ['events:read'] }, cookie)).status).toBe(403);
    // A change that creates no credential does not require the password.
    expect((await client.post('/v1/apps', { name: 'other' }, cookie)).status).toBe(201);

    expect((await client.post('/auth/reauthenticate', { password: `${PASSWORD}?` }, cookie)).status).toBe(403);
    const renewed = await client.post('/auth/reauthenticate', { password: PASSWORD }, cookie);
    expect(renewed.status).toBe(200);
    expect(renewed.json.session.id).toBe((await sessionOf(renewed.cookie!)).id);
    expect(renewed.cookie).not.toBe(cookie);
    expect((await client.get('/auth/session', cookie)).status).toBe(401);
    expect((await make(renewed.cookie!)).status).toBe(201);
    const audit = (await client.get('/v1/audit?action=session.reauthenticated', renewed.cookie)).json;
    expect(audit.data).toHaveLength(1);
  });

  it('can enter the password again on a page as well', async () => {
    const cookie = await client.member('pages@example.com');
    expect((await client.get('/auth/reauthenticate', cookie)).text).toContain('Enter your password again');
    const wrong = await client.form('/auth/reauthenticate', { password: 'not this one' }, cookie);
    expect([wrong.status, wrong.text.includes('The current password is wrong')]).toEqual([403, true]);
    const right = await client.form('/auth/reauthenticate', { password: PASSWORD }, cookie);
    expect([right.status, right.headers.get('location')]).toEqual([303, '/auth/account']);
    expect((await client.get('/auth/account', right.cookie)).status).toBe(200);
  });

  it('receives one new cookie for two concurrent requests with the password', async () => {
    const cookie = await client.member('twice@example.com');
    const both = await Promise.all(
      [0, 1].map(() => client.post('/auth/reauthenticate', { password: PASSWORD }, cookie)),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});
