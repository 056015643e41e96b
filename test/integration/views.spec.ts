import { secondAccount } from '../support/second-account.js';
import { eachApp } from '../support/each-app.js';

interface View {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly shared: boolean;
  readonly by: object;
}

eachApp('Saved views', (current) => {
  async function call(token: string, method: string, path: string, body?: unknown) {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
  const own = () => current().bootstrap.token;
  const view = (fields: object) => ({ page: 'events', name: 'Blocked', query: 'decision=block', ...fields });
  const token = async (...scopes: string[]): Promise<string> =>
    (await call(own(), 'POST', '/v1/tokens', { name: `for ${scopes.join(' ')}`, scopes })).body.secret;
  const names = async (by: string): Promise<string[]> =>
    (await call(by, 'GET', '/v1/views?page=events')).body.data.map(({ name }: View) => name);

  it('are visible to their author, and to all members of the account if they are shared', async () => {
    const [one, other] = [await token('events:read'), await token('events:read')];
    const mine = await call(one, 'POST', '/v1/views', view({ name: 'Mine' }));
    expect(mine).toMatchObject({
      status: 201,
      body: { name: 'Mine', query: 'decision=block', shared: false, by: { kind: 'token', name: 'for events:read' } },
    });
    await call(one, 'POST', '/v1/views', view({ name: 'Ours', shared: true }));
    expect(await names(one)).toEqual(['Mine', 'Ours']);
    expect(await names(other)).toEqual(['Ours']);
    const second = await secondAccount(current(), 'views');
    expect(await names(second.token)).toEqual([]);
    expect((await call(second.token, 'PATCH', `/v1/views/${mine.body.id}`, { name: 'theirs' })).status).toBe(404);
  });

  it('can be changed and deleted by their author and, if they are shared, by administrators of the account', async () => {
    const [one, other] = [await token('events:read'), await token('events:read')];
    const { id } = (await call(one, 'POST', '/v1/views', view({ name: 'Hers', query: 'model=m' }))).body as View;
    for (const by of [other, own()]) {
      expect((await call(by, 'PATCH', `/v1/views/${id}`, { name: 'taken over' })).status).toBe(404);
      expect((await call(by, 'DELETE', `/v1/views/${id}`)).status).toBe(404);
    }
    const shared = await call(one, 'PATCH', `/v1/views/${id}`, { shared: true });
    expect(shared.body).toMatchObject({ id, name: 'Hers', query: 'model=m', shared: true });
    expect((await call(other, 'PATCH', `/v1/views/${id}`, { name: 'taken over' })).status).toBe(404);
    expect((await call(own(), 'PATCH', `/v1/views/${id}`, { name: 'Everybody’s' })).status).toBe(200);
    expect((await call(one, 'DELETE', `/v1/views/${id}`)).status).toBe(204);
    expect((await call(one, 'DELETE', `/v1/views/${id}`)).status).toBe(404);
    const done = (await call(own(), 'GET', `/v1/audit?subject=${id}`)).body.data;
    expect(done.map(({ action }: { action: string }) => action)).toEqual([
      'view.deleted',
      'view.changed',
      'view.changed',
      'view.created',
    ]);
  });

  it('contain only filters, and have unique names', async () => {
    const by = await token('events:read');
    const refused = async (fields: object) => {
      const { status, body } = await call(by, 'POST', '/v1/views', view(fields));
      return [status, body.error?.details?.[0]];
    };
    expect((await call(by, 'POST', '/v1/views', view({ name: 'Once' }))).status).toBe(201);
    expect(await refused({ name: 'Once' })).toEqual([422, { path: 'name', message: 'is the name of another view' }]);
    expect(await refused({ name: 'a', query: 'decision=maybe' })).toEqual([
      422,
      { path: 'query', message: '`decision` must be one of allow, redact, block' },
    ]);
    expect(await refused({ name: 'b', query: 'nonsense=1' })).toEqual([
      422,
      { path: 'query', message: expect.stringMatching(/^`nonsense` is not a /) },
    ]);
    expect((await refused({ name: 'c', query: `q=${'x'.repeat(2_000)}` }))[0]).toBe(422);
    expect((await refused({ name: 'two\nlines' }))[0]).toBe(422);
    expect((await refused({ name: 'd', page: 'elsewhere' }))[0]).toBe(422);
    const kept = await call(
      by,
      'POST',
      '/v1/views',
      view({ name: 'e', query: 'env=staging&range=7d&metadata.team=ads' }),
    );
    expect(kept.status).toBe(201);
  });

  it('need the scope events:read', async () => {
    const by = await token('keys:admin');
    for (const [method, path] of [
      ['GET', '/v1/views'],
      ['POST', '/v1/views'],
      ['DELETE', `/v1/views/${crypto.randomUUID()}`],
    ] as const) {
      expect((await call(by, method, path, method === 'POST' ? view({}) : undefined)).status).toBe(403);
    }
  });
});
