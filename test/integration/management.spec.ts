import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';

interface Created {
  readonly key: {
    readonly id: string;
    readonly expires_at: string | null;
    readonly environment: string;
    readonly created_by: { readonly kind: string; readonly id: string | null; readonly name: string | null } | null;
  };
  readonly old?: Pick<Created['key'], 'id' | 'expires_at' | 'created_by'>;
  readonly token: { readonly id: string; readonly expires_at: string | null };
  readonly secret: string;
}

eachApp('Management of apps, keys and tokens', (current) => {
  async function call(method: string, path: string, body?: unknown, token = current().bootstrap.token) {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Created };
  }
  const keysOf = (app = current().bootstrap.app.id): string => `/v1/apps/${app}/keys`;
  const submit = async (key: string): Promise<number> => {
    const response = await fetch(`${current().url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', request_id: 'r', payload: { prompt: 'hello' } }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  /** Whether the key is refused within one second, the limit that the contract allows. */
  const soonRefused = async (key: string): Promise<boolean> => {
    const untilMs = performance.now() + 1_000;
    while (performance.now() < untilMs) if ((await submit(key)) === 401) return true;
    return (await submit(key)) === 401;
  };

  it('returns the account and the token of the request', async () => {
    const { status, body } = await call('GET', '/v1/account');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      account: { email: 'admin@localhost', email_verified: true, subscription: 'active' },
      token: { name: 'first start', environment: null },
    });
    expect(JSON.stringify(body)).not.toContain(current().bootstrap.token);
  });

  it('creates a key that works immediately, shows its secret once, and revokes a deleted key within a second', async () => {
    const made = await call('POST', keysOf(), { name: 'ci', environment: 'staging' });
    expect(made.status).toBe(201);
    const { key, secret } = made.body;
    expect(secret).toMatch(/^sk_test_wr1_/);
    expect(key).toMatchObject({ name: 'ci', environment: 'staging', expires_at: null, last_used_at: null });
    expect(await submit(secret)).toBe(200);
    const listed = await call('GET', '/v1/keys');
    expect(JSON.stringify(listed.body)).toContain(key.id);
    expect(JSON.stringify(listed.body)).not.toContain(secret.slice(24));
    expect((await call('DELETE', `${keysOf()}/${key.id}`)).status).toBe(204);
    expect(await soonRefused(secret)).toBe(true);
    expect((await call('DELETE', `${keysOf()}/${key.id}`)).status).toBe(404);
  });

  it('rotates a key, and both keys work until the old key expires', async () => {
    const first = (await call('POST', keysOf(), { name: 'rotated', environment: 'production' })).body;
    const rotated = await call('POST', `${keysOf()}/${first.key.id}/rotate`, { delete_old_after_seconds: 86_400 });
    expect(rotated.status).toBe(201);
    expect(rotated.body.key).toMatchObject({ name: 'rotated', environment: 'production' });
    const endsInMs = new Date(rotated.body.old!.expires_at!).getTime() - Date.now();
    expect(endsInMs).toBeGreaterThan(86_300_000);
    expect(endsInMs).toBeLessThanOrEqual(86_400_000);
    expect([await submit(first.secret), await submit(rotated.body.secret)]).toEqual([200, 200]);
    await call('POST', `${keysOf()}/${rotated.body.key.id}/rotate`, { delete_old_after_seconds: 0 });
    expect(await soonRefused(rotated.body.secret)).toBe(true);
  });

  it('returns the creator of each key, even of a rotated key, in every list of keys', async () => {
    const first = (await call('POST', keysOf(), { name: 'made', environment: 'staging' })).body;
    const by = { kind: 'token', name: 'first start' };
    expect(first.key.created_by).toMatchObject(by);
    const maker = await call('POST', '/v1/tokens', { name: 'nightly', scopes: ['keys:admin'] });
    const second = (await call('POST', `${keysOf()}/${first.key.id}/rotate`, {}, maker.body.secret)).body;
    expect([second.key.created_by?.name, second.old?.created_by?.name]).toEqual(['nightly', 'first start']);
    for (const path of ['/v1/keys', keysOf()]) {
      const { data } = (await call('GET', path)).body as unknown as { readonly data: readonly Created['key'][] };
      const makers = new Map(data.map(({ id, created_by: maker }) => [id, maker]));
      expect(makers.get(first.key.id)).toMatchObject(by);
      expect(makers.get(second.key.id)).toEqual({ kind: 'token', id: maker.body.token.id, name: 'nightly' });
    }
  });

  it('creates apps with unique names', async () => {
    const made = await call('POST', '/v1/apps', { name: 'billing' });
    expect(made.status).toBe(201);
    expect((await call('POST', '/v1/apps', { name: 'billing' })).status).toBe(422);
    const { id } = made.body as unknown as { id: string };
    expect((await call('POST', keysOf(id), { name: 'k', environment: 'production' })).status).toBe(201);
  });

  it('sets an expiry of tokens by default, and grants no more rights than their creator has', async () => {
    const admin = await call('POST', '/v1/tokens', { name: 'ops', scopes: ['account:admin', 'events:read'] });
    expect(admin.status).toBe(201);
    const days = (new Date(admin.body.token.expires_at!).getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const more = await call('POST', '/v1/tokens', { name: 'x', scopes: ['policy:deploy'] }, admin.body.secret);
    expect(more.status).toBe(403);
    const bound = await call('POST', '/v1/tokens', {
      name: 'staging',
      scopes: ['account:admin', 'keys:admin'],
      environment: 'staging',
      expires_at: null,
    });
    expect(bound.body.token.expires_at).toBeNull();
    const wider = await call('POST', '/v1/tokens', { name: 'x', scopes: ['keys:admin'] }, bound.body.secret);
    expect(wider.status).toBe(403);
    expect((await call('DELETE', `/v1/tokens/${bound.body.token.id}`)).status).toBe(204);
  });

  it('lets a token that expires create only tokens that expire no later', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const later = new Date(Date.now() + 7_200_000).toISOString();
    const wanted = { name: 'ops', scopes: ['account:admin'] };
    const short = (await call('POST', '/v1/tokens', { ...wanted, expires_at: soon })).body;
    const create = (expires: object) => call('POST', '/v1/tokens', { ...wanted, ...expires }, short.secret);
    expect((await create({ expires_at: null })).status).toBe(403);
    expect((await create({ expires_at: later })).status).toBe(403);
    const made = await create({});
    expect([made.status, made.body.token.expires_at]).toEqual([201, short.token.expires_at]);
    expect((await create({ expires_at: soon })).status).toBe(201);
    const grandchild = await call('POST', '/v1/tokens', { ...wanted, expires_at: later }, made.body.secret);
    expect(grandchild.status).toBe(403);
    expect((await call('POST', '/v1/tokens', { ...wanted, expires_at: null })).status).toBe(201);
  });

  it('limits a token that is bound to an environment to that environment', async () => {
    const bound = await call('POST', '/v1/tokens', { name: 's', scopes: ['keys:admin'], environment: 'staging' });
    const { secret } = bound.body;
    const seen = (await call('GET', '/v1/keys', undefined, secret)).body as unknown as { data: Created['key'][] };
    expect(new Set(seen.data.map(({ environment }) => environment))).toEqual(new Set(['staging']));
    const production = (await call('POST', keysOf(), { name: 'p', environment: 'production' })).body.key.id;
    expect((await call('DELETE', `${keysOf()}/${production}`, undefined, secret)).status).toBe(404);
    const made = await call('POST', keysOf(), { name: 'p', environment: 'production' }, secret);
    expect(made.status).toBe(403);
  });

  it.each([
    ['POST', '/v1/apps', { name: '' }, 422],
    ['POST', '/v1/apps', { name: 'a\u0000b' }, 422],
    ['POST', '/v1/apps', { name: 'x', more: 1 }, 422],
    ['POST', '/v1/apps/not-an-id/keys', { name: 'x', environment: 'staging' }, 404],
    ['POST', '/v1/apps/00000000-0000-4000-8000-000000000000/keys', { name: 'x', environment: 'staging' }, 404],
    ['POST', '/v1/tokens', { name: 'x', scopes: [] }, 422],
    ['POST', '/v1/tokens', { name: 'x', scopes: ['root'] }, 422],
    ['POST', '/v1/tokens', { name: 'x', scopes: ['events:read'], expires_at: '2020-01-01T00:00:00Z' }, 422],
    ['POST', '/v1/tokens', { name: 'x', scopes: ['events:read'], expires_at: 'soon' }, 422],
    ['DELETE', '/v1/tokens/nobody', undefined, 404],
  ])('refuses %s %s with %j: %i', async (method, path, body, status) => {
    expect((await call(method, path, body)).status).toBe(status);
  });

  describe('are refused', () => {
    const CREDENTIAL = `'filled-' || lpad(n::text, 5, '0'), 'filled', sha256(n::text::bytea), now()`;
    const fill = async (statement: string, most: number): Promise<void> => {
      const { account } = (await call('GET', '/v1/account')).body as unknown as { account: { id: string } };
      const { sql } = current().weir.app.get(Database, { strict: false });
      await sql.forMaintenance().query(`${statement} FROM generate_series(1, $2::integer) n`, [account.id, most]);
    };
    const empty = async (table: string): Promise<void> => {
      const { sql } = current().weir.app.get(Database, { strict: false });
      await sql.forMaintenance().query(`DELETE FROM ${table} WHERE name LIKE 'filled%'`);
    };
    const refusal = (message: string) => ({
      status: 422,
      body: { error: { type: 'invalid_request', details: [{ path: 'name', message }] } },
    });

    it('as apps if the account has 500 of them', async () => {
      const apps = 'INSERT INTO apps (account_id, id, name, created_at)';
      await fill(`${apps} SELECT $1::uuid, gen_random_uuid(), 'filled ' || n, now()`, 500);
      const message = 'exceeds the limit of 500 apps per account: archive apps that are not used';
      expect(await call('POST', '/v1/apps', { name: 'one more' })).toMatchObject(refusal(message));
      await empty('apps');
      expect((await call('POST', '/v1/apps', { name: 'one more' })).status).toBe(201);
    });

    it('as keys if the account has 2,000 of them, which can still be rotated', async () => {
      const { key } = (await call('POST', keysOf(), { name: 'kept', environment: 'staging' })).body;
      const columns = '(account_id, id, app_id, environment, key_id, name, secret_sha256, created_at)';
      const app = `'${current().bootstrap.app.id}'::uuid`;
      const keys = `INSERT INTO api_keys ${columns} SELECT $1::uuid, gen_random_uuid(), ${app}, 'staging', ${CREDENTIAL}`;
      await fill(keys, 2_000);
      const one = { name: 'one more', environment: 'staging' };
      const message = 'exceeds the limit of 2000 keys per account: delete keys that are not used';
      expect(await call('POST', keysOf(), one)).toMatchObject(refusal(message));
      expect((await call('POST', `${keysOf()}/${key.id}/rotate`, {})).status).toBe(201);
      await empty('api_keys');
      await fill(keys, 4_000);
      const rotated = await call('POST', `${keysOf()}/${key.id}/rotate`, {});
      expect(rotated).toMatchObject(refusal(message.replace('2000', '4000')));
      await empty('api_keys');
      expect((await call('POST', keysOf(), one)).status).toBe(201);
    });

    it('as tokens if the account has 500 of them', async () => {
      const columns = '(account_id, id, scopes, token_id, name, secret_sha256, created_at)';
      const tokens = `INSERT INTO management_tokens ${columns} SELECT $1::uuid, gen_random_uuid(), '{}'::text[], ${CREDENTIAL}`;
      await fill(tokens, 500);
      const one = { name: 'one more', scopes: ['events:read'] };
      const message = 'exceeds the limit of 500 tokens per account: delete tokens that are not used';
      expect(await call('POST', '/v1/tokens', one)).toMatchObject(refusal(message));
      await empty('management_tokens');
      expect((await call('POST', '/v1/tokens', one)).status).toBe(201);
    });
  });

  it('requires a valid token with the right scope on every route', async () => {
    const reader = (await call('POST', '/v1/tokens', { name: 'r', scopes: ['events:read'] })).body.secret;
    const id = current().bootstrap.app.id;
    const routes: [string, string, unknown?][] = [
      ['GET', '/v1/keys'],
      ['GET', keysOf(id)],
      ['POST', keysOf(id), { name: 'x', environment: 'staging' }],
      ['POST', `${keysOf(id)}/abc/rotate`, {}],
      ['DELETE', `${keysOf(id)}/abc`],
      ['GET', '/v1/tokens'],
      ['POST', '/v1/tokens', { name: 'x', scopes: ['events:read'] }],
      ['DELETE', '/v1/tokens/abc'],
      ['POST', '/v1/apps', { name: 'x' }],
    ];
    for (const [method, path, body] of routes) {
      expect([path, (await call(method, path, body, reader)).status]).toEqual([path, 403]);
      expect([path, (await call(method, path, body, 'nonsense')).status]).toEqual([path, 401]);
    }
  });
});
