import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';
import { secondAccount } from '../support/second-account.js';

eachApp(
  'An app',
  (current) => {
    const rest = restClient(current);
    const call = async (
      method: string,
      path: string,
      body?: object,
      token = current().bootstrap.token,
      url = current().url,
    ) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, json: text === '' ? null : JSON.parse(text) };
    };
    /** A new app with a key. */
    async function newApp(name: string): Promise<{ id: string; key: string; keyId: string }> {
      const { id } = (await call('POST', '/v1/apps', { name })).json;
      const made = await call('POST', `/v1/apps/${id}/keys`, { name, environment: 'production' });
      return { id, key: made.json.secret, keyId: made.json.key.id };
    }
    const send = (key: string, url = current().url) =>
      call(
        'POST',
        '/v1/events',
        { type: 'ai.request', request_id: 'r', model: 'm', payload: { prompt: 'hello' } },
        key,
        url,
      );
    const proxied = async (key: string): Promise<number> => {
      const response = await fetch(`${current().url}/proxy/openai/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-service-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const reception = async (id: string, url = current().url) =>
      (await call('GET', `/v1/apps/${id}/reception`, undefined, current().bootstrap.token, url)).json;

    it('reports the time of its last event and the number of its calls', async () => {
      const app = await newApp('counted');
      expect((await call('GET', `/v1/apps/${app.id}`)).json).toMatchObject({ calls_24h: 0, last_event_at: null });
      expect(await reception(app.id)).toEqual({ last_event_at: null, refused: [] });
      for (let sent = 0; sent < 3; sent += 1) expect((await send(app.key)).status).toBe(200);
      const [last] = (await rest.read(`/v1/events?app=${app.id}&limit=1`)).json.data;
      const shown = (await call('GET', `/v1/apps/${app.id}`)).json;
      expect(shown).toMatchObject({ id: app.id, name: 'counted', limits: null, calls_24h: 3 });
      expect(Date.parse(shown.last_event_at)).toBe(Date.parse(last.received_at));
      expect((await reception(app.id)).last_event_at).toBe(shown.last_event_at);
      expect(shown.usage.events).toEqual({ count: 120, seconds: 60, used: 3 });
      expect(shown.usage.counted_by).toBe('this_replica');
    });

    it('reports refused events and refused proxied calls by status and reason, without calls that a rule blocked', async () => {
      const app = await newApp('refused');
      const mistyped = `${app.key.slice(0, 30)}${app.key[30] === 'x' ? 'y' : 'x'}${app.key.slice(31)}`;
      expect((await send(mistyped)).status).toBe(401);
      expect((await call('POST', '/v1/events', { type: 'nonsense' }, app.key)).status).toBe(422);
      expect(
        (
          await call(
            'POST',
            '/v1/events',
            { type: 'ai.request', request_id: 'r', model: 'm', payload: { prompt: 'ssn-1' } },
            app.key,
          )
        ).status,
      ).toBe(400);
      const other = await newApp('deleted key');
      expect((await call('DELETE', `/v1/apps/${other.id}/keys/${other.keyId}`)).status).toBe(204);
      expect([(await send(other.key)).status, await proxied(other.key)]).toEqual([401, 401]);
      const { refused } = await reception(app.id);
      // A key with a wrong checksum is not looked up, so no app is known for it.
      expect(refused).toEqual([{ status: 422, type: 'invalid_request', count: 1, last_at: expect.any(String) }]);
      expect(Math.abs(Date.parse(refused[0].last_at) - Date.now())).toBeLessThan(60_000);
      expect((await reception(other.id)).refused).toEqual([
        { status: 401, type: 'authentication_error', count: 2, last_at: expect.any(String) },
      ]);
      const bert = await secondAccount(current(), 'bert of reception');
      expect((await call('GET', `/v1/apps/${app.id}/reception`, undefined, bert.token)).status).toBe(404);
    });

    it('reports the refusals of one environment to a token for this environment, and all refusals to other tokens', async () => {
      const app = await newApp('in two environments');
      const staged = await call('POST', `/v1/apps/${app.id}/keys`, { name: 'staged', environment: 'staging' });
      const submit = async (key: string) => (await call('POST', '/v1/events', { type: 'nonsense' }, key)).status;
      expect([await submit(app.key), await submit(staged.json.secret)]).toEqual([422, 422]);
      expect((await call('DELETE', `/v1/apps/${app.id}/keys/${app.keyId}`)).status).toBe(204);
      expect(await submit(app.key)).toBe(401);
      const seenIn = async (environment: string | null) => {
        const token = { name: 'reader', scopes: ['events:read'], environment };
        const { secret } = (await call('POST', '/v1/tokens', token)).json;
        const { refused } = (await call('GET', `/v1/apps/${app.id}/reception`, undefined, secret)).json;
        return refused.map(({ status, count }: { status: number; count: number }) => [status, count]).sort();
      };
      expect(await seenIn('staging')).toEqual([[422, 1]]);
      expect(await seenIn('production')).toEqual([
        [401, 1],
        [422, 1],
      ]);
      expect(await seenIn('development')).toEqual([]);
      expect(await seenIn(null)).toEqual([
        [401, 1],
        [422, 2],
      ]);
    });

    it('can have limits for events and for proxied calls that are lower than those of the operator, and reports their use', async () => {
      const app = await newApp('limited');
      const limits = { events: { count: 2, seconds: 60 }, proxy: { count: 1, seconds: 3_600 } };
      const changed = await call('PATCH', `/v1/apps/${app.id}`, { limits });
      expect(changed).toMatchObject({ status: 200, json: { limits, name: 'limited' } });
      expect([(await send(app.key)).status, (await send(app.key)).status, (await send(app.key)).status]).toEqual([
        200, 200, 429,
      ]);
      expect([await proxied(app.key), await proxied(app.key)]).toEqual([502, 429]);
      const { usage } = (await call('GET', `/v1/apps/${app.id}`)).json;
      expect(usage).toMatchObject({
        events: { count: 2, seconds: 60, used: 2 },
        proxy: { count: 1, seconds: 3_600, used: 1 },
      });
      expect((await reception(app.id)).refused).toContainEqual({
        ...{ status: 429, type: 'rate_limit_exceeded', count: 2 },
        last_at: expect.any(String),
      });
      // Without limits of its own, only the operator's limits apply to the app, at once.
      expect((await call('PATCH', `/v1/apps/${app.id}`, { limits: null })).json.limits).toBeNull();
      expect((await send(app.key)).status).toBe(200);
      const done = (await rest.read(`/v1/audit?subject=${app.id}&action=app.limits_changed`)).json.data;
      expect(done.map(({ details }: { details: object }) => details)).toEqual([
        { name: 'limited', events: null, proxy: null },
        { name: 'limited', events: '2/60s', proxy: '1/3600s' },
      ]);
    });

    it('cannot have higher limits than those of the operator', async () => {
      const app = await newApp('more than allowed');
      const refused = async (limits: unknown) => {
        const { status, json } = await call('PATCH', `/v1/apps/${app.id}`, { limits } as object);
        return [status, json.error.details?.[0]?.path, json.error.details?.[0]?.message];
      };
      const operators = 'the operator allows 120 calls in 60 seconds';
      expect(await refused({ events: { count: 121, seconds: 60 } })).toEqual([
        ...[422, 'limits.events.count', `must be at most 120: ${operators}`],
      ]);
      expect(await refused({ events: { count: 121, seconds: 86_400 } })).toEqual([
        ...[422, 'limits.events.count', `must be at most 120: ${operators}`],
      ]);
      expect(await refused({ events: { count: 3, seconds: 1 } })).toEqual([
        ...[422, 'limits.events.count', `must be at most 2: ${operators}`],
      ]);
      expect((await refused({ events: { count: 0, seconds: 60 } })).slice(0, 2)).toEqual([422, 'limits.events.count']);
      expect((await refused({ everything: { count: 1, seconds: 60 } }))[0]).toBe(422);
      expect((await call('PATCH', `/v1/apps/${app.id}`, {})).status).toBe(422);
      expect(
        (
          await call('PATCH', `/v1/apps/${app.id}`, {
            name: 'renamed, too',
            limits: { events: { count: 120, seconds: 60 } },
          })
        ).json,
      ).toMatchObject({ name: 'renamed, too', limits: { events: { count: 120, seconds: 60 }, proxy: null } });
    });

    it('returns no figures to a token that may not read events', async () => {
      const app = await newApp('unread');
      await send(app.key);
      const { secret } = (await call('POST', '/v1/tokens', { name: 'k', scopes: ['keys:admin'] })).json;
      expect((await call('GET', `/v1/apps/${app.id}`, undefined, secret)).json).toMatchObject({
        calls_24h: null,
        last_event_at: null,
      });
      expect((await call('GET', `/v1/apps/${app.id}/reception`, undefined, secret)).status).toBe(403);
      const bound = (await call('POST', '/v1/tokens', { name: 'b', scopes: ['events:read'], environment: 'staging' }))
        .json.secret;
      expect((await call('GET', `/v1/apps/${app.id}`, undefined, bound)).json).toMatchObject({
        calls_24h: 0,
        last_event_at: null,
      });
    });
  },
  { env: { WEIR_RATE_EVENTS: '120/60', WEIR_RATE_PROXY: '60/60', WEIR_OPENAI_BASE_URL: 'http://127.0.0.1:9' } },
);
