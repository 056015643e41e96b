/** Revoked credentials are invalid once a replica confirms the revocation, there and on the replicas that its notice reaches. */
import { Overload } from '../../src/limits/index.js';
import { MEMBER_PASSWORD } from '../routes/expectations.js';
import { bearer, signedIn, Tenants, type Tenant } from '../routes/tenants.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { eachApp } from '../support/each-app.js';
import { identityClient, WITHOUT_LIMITS } from '../support/identity-client.js';
import { TestPostgres } from '../support/postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

type Opens = (app: TestApp) => Promise<boolean>;

/** The number of requests in flight during a revocation: their lookups must not keep a credential valid. */
const MEANWHILE = 8;

async function isLetIn(app: TestApp, path: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
  const method = path === '/v1/events' ? 'POST' : 'GET';
  const answer = await fetch(`${app.url}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: '{}' } : {}),
  });
  await answer.arrayBuffer();
  return answer.status !== 401;
}

const byKey =
  (key: string): Opens =>
  (app) =>
    isLetIn(app, '/v1/events', bearer(key));
const byProxyKey =
  (key: string): Opens =>
  (app) =>
    isLetIn(app, '/proxy/openai/v1/models%2f', { 'x-service-key': key });
const byToken =
  (token: string): Opens =>
  (app) =>
    isLetIn(app, '/v1/apps', bearer(token));
const bySession =
  (cookie: string): Opens =>
  (app) =>
    isLetIn(app, '/v1/apps', signedIn(cookie));

/** Prepares the credentials that are to end, and the request that ends them. */
type Ending = (
  app: TestApp,
  tenants: Tenants,
  tenant: Tenant,
) => Promise<{ ends: Opens[]; end: () => Promise<number> }>;

const keyPath = ({ things }: Tenant, id = things.key): string => `/v1/apps/${things.app}/keys/${id}`;

const ENDINGS: Readonly<Record<string, Ending>> = {
  'a deleted key': async (app, _tenants, tenant) => ({
    ends: [byKey(tenant.key), byProxyKey(tenant.key)],
    end: () => ask(app, 'DELETE', keyPath(tenant), bearer(tenant.token)),
  }),
  'a key that was replaced at once': async (app, _tenants, tenant) => ({
    ends: [byKey(tenant.key)],
    end: () => ask(app, 'POST', `${keyPath(tenant)}/rotate`, bearer(tenant.token), { delete_old_after_seconds: 0 }),
  }),
  'the key of an archived app': async (app, _tenants, tenant) => ({
    ends: [byKey(tenant.key)],
    end: () => ask(app, 'DELETE', `/v1/apps/${tenant.things.app}`, signedIn(tenant.cookie)),
  }),
  'a deleted token': async (app, tenants, tenant) => {
    const token = await tenants.token(tenant.cookie);
    return {
      ends: [byToken(token.secret)],
      end: () => ask(app, 'DELETE', `/v1/tokens/${token.id}`, signedIn(tenant.cookie)),
    };
  },
  'a token that deleted itself': async (app, _tenants, tenant) => ({
    ends: [byToken(tenant.token)],
    end: () => ask(app, 'DELETE', `/v1/tokens/${tenant.things.token}`, bearer(tenant.token)),
  }),
  'a session that was ended': async (app, tenants, tenant) => {
    const other = await tenants.again(tenant);
    const path = `/auth/sessions/${await tenants.sessionId(other)}`;
    return { ends: [bySession(other)], end: () => ask(app, 'DELETE', path, signedIn(tenant.cookie)) };
  },
  'a session that was signed out': async (app, tenants, tenant) => {
    const other = await tenants.again(tenant);
    return { ends: [bySession(other)], end: () => ask(app, 'POST', '/auth/logout', signedIn(other)) };
  },
  'all sessions of a changed password': async (app, tenants, tenant) => {
    const body = { current_password: MEMBER_PASSWORD, new_password: `${MEMBER_PASSWORD}, another` };
    return {
      ends: [bySession(tenant.cookie), bySession(await tenants.again(tenant))],
      end: () => ask(app, 'POST', '/auth/password', signedIn(tenant.cookie), body),
    };
  },
  'everything of a closed account': async (app, tenants, tenant) => ({
    ends: [
      ...[byKey(tenant.key), byProxyKey(tenant.key), byToken(tenant.token)],
      ...[bySession(tenant.cookie), bySession(await tenants.again(tenant))],
    ],
    end: () => ask(app, 'POST', '/auth/close-account', signedIn(tenant.cookie), { password: MEMBER_PASSWORD }),
  }),
};

async function ask(
  app: TestApp,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<number> {
  const answer = await identityClient(() => app).send(
    method,
    path,
    { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body === undefined ? undefined : JSON.stringify(body),
  );
  return answer.status;
}

const all = (ends: readonly Opens[], app: TestApp): Promise<boolean[]> => Promise.all(ends.map((opens) => opens(app)));

eachApp(
  'Credentials whose revocation is confirmed',
  (current) => {
    it.each(Object.keys(ENDINGS))('are refused: %s', async (name) => {
      const app = current();
      const tenants = new Tenants(app);
      const { ends, end } = await ENDINGS[name]!(app, tenants, await tenants.tenant(name));
      expect(new Set(await all(ends, app))).toEqual(new Set([true]));
      const meanwhile = Array.from({ length: MEANWHILE }, () => all(ends, app));
      expect(Math.floor((await end()) / 100)).toBe(2);
      expect(new Set(await all(ends, app))).toEqual(new Set([false]));
      await Promise.all(meanwhile);
      expect(new Set(await all(ends, app))).toEqual(new Set([false]));
    });
  },
  WITHOUT_LIMITS,
);

/** More calls than are ever admitted concurrently, each of another party, so that later calls are queued. */
const OTHERS = 1_200;

describe('A queued call', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp(WITHOUT_LIMITS);
  }, 60_000);
  afterAll(() => app.close());

  /** The number of running and waiting calls. */
  const calling = async (): Promise<number> => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    const counts = [...metrics.matchAll(/^weir_overload_(?:running|waiting) (\d+)$/gm)].map(([, count]) =>
      Number(count),
    );
    return counts.reduce((all, count) => all + count, 0);
  };
  const statusOf = async (path: string, headers: Readonly<Record<string, string>>, body: object): Promise<number> => {
    const answer = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  it('is refused if its key or token is deleted meanwhile', async () => {
    const tenants = new Tenants(app);
    const tenant = await tenants.tenant('waits');
    const overload = app.weir.app.get(Overload);
    const entered = Array.from({ length: OTHERS }, (_, index) => overload.enter('rest', [`other-${index}`, 'key']));
    const messages = [{ role: 'user', content: 'x' }];
    const calls = [
      statusOf('/v1/events', bearer(tenant.key), { type: 'ai.request', payload: { messages } }),
      statusOf('/proxy/openai/v1/chat/completions', { 'x-service-key': tenant.key }, { model: 'm', messages }),
      statusOf('/v1/policies/production/evaluate', bearer(tenant.token), { text: 'x' }),
    ];
    while ((await calling()) < OTHERS + calls.length) await new Promise((resolve) => setImmediate(resolve));
    expect(await ask(app, 'DELETE', keyPath(tenant), bearer(tenant.token))).toBe(204);
    expect(await ask(app, 'DELETE', `/v1/tokens/${tenant.things.token}`, bearer(tenant.token))).toBe(204);
    for (const leave of entered) (await leave)();
    expect(await Promise.all(calls)).toEqual([401, 401, 401]);
  });
});

describeOnPostgres('Credentials that another replica has revoked', (binaries) => {
  let postgres: TestPostgres;
  let one: TestApp;
  let other: TestApp;
  const tenantOf = new Map<string, Tenant>();

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    const databaseUrl = await postgres.newDatabase();
    one = await startTestApp({ databaseUrl, ...WITHOUT_LIMITS });
    // While there is only one replica, it sends all mails.
    const tenants = new Tenants(one);
    for (const name of Object.keys(ENDINGS)) tenantOf.set(name, await tenants.tenant(name));
    other = await startTestApp({ databaseUrl, replicaOf: one, ...WITHOUT_LIMITS });
  }, 60_000);
  afterAll(async () => {
    await other?.close();
    await one?.close();
    await postgres?.stop();
  });

  it.each(Object.keys(ENDINGS))('are refused soon: %s', async (name) => {
    const { ends, end } = await ENDINGS[name]!(one, new Tenants(one), tenantOf.get(name)!);
    expect(new Set(await all(ends, other))).toEqual(new Set([true]));
    await end();
    // If this never happens, the time limit of the suite ends the wait.
    while ((await all(ends, other)).includes(true)) await new Promise((resolve) => setImmediate(resolve));
  });

  it('have a metric that shows whether notices of revocations arrive', async () => {
    const connected = async (): Promise<string | undefined> =>
      /^weir_notices_connected (\d)$/m.exec(await (await fetch(`${other.url}/metrics`)).text())?.[1];
    while ((await connected()) !== '1') await new Promise((resolve) => setImmediate(resolve));
  });
});
