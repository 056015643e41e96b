import { readFileSync } from 'node:fs';
import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { startTestApp } from '../support/test-app.js';

eachApp('The API for reading events', (current) => {
  beforeAll(async () => {
    const prompts = ['alpha', 'beta mail-1', 'gamma ssn-1'];
    for (const [index, prompt] of prompts.entries()) {
      for (const environment of ['staging', 'production'] as const) {
        await fetch(`${current().url}/v1/events`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${current().bootstrap.keys[environment]}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({
            type: 'ai.request',
            event_id: `e-${index}`,
            request_id: `r-${index}`,
            model: `m-${index}`,
            metadata: { user: { id: `u-${index}` }, session_id: `s-${index}` },
            payload: { prompt },
          }),
        });
      }
    }
  }, 60_000);

  async function get(path: string, token: string | undefined = current().bootstrap.token) {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${current().url}${path}`, { headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  }
  const json = async (path: string, token?: string) => JSON.parse((await get(path, token)).text);
  const list = async (query: string) =>
    (await json(`/v1/events?${query}`)) as {
      data: { event_id: string; environment: string; type: string }[];
      next_cursor: string | null;
    };
  const names = async (query: string) =>
    (await list(`type=ai.request&${query}`)).data.map(({ event_id: id, environment }) => `${id} ${environment}`);

  /** A token of the bootstrap account with the given rights. */
  async function tokenWith(scopes: string, environment: string | null): Promise<string> {
    const sql = current().weir.app.get(Database).sql;
    const { newCredential } = await import('../../src/access/credential.js');
    const token = newCredential('wt_live_');
    await sql.query(
      `INSERT INTO management_tokens (account_id, id, token_id, name, scopes, secret_sha256, created_at, environment)
       SELECT account_id, gen_random_uuid(), $1, 'test', string_to_array($2, ' '), decode($3, 'hex'), now(), $4 FROM management_tokens LIMIT 1`,
      [token.id, scopes, token.sha256.toString('hex'), environment],
    );
    return token.text;
  }

  describe('GET /v1/events', () => {
    it('pages through the log, newest first', async () => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await list(`type=ai.request&limit=4${cursor === null ? '' : `&cursor=${cursor}`}`);
        seen.push(...page.data.map(({ event_id: id, environment }) => `${id} ${environment}`));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual([
        'e-2 production',
        'e-2 staging',
        'e-1 production',
        'e-1 staging',
        'e-0 production',
        'e-0 staging',
      ]);
    });

    it.each([
      ['environment=staging&request_id=r-1', ['e-1 staging']],
      ['model=m-0', ['e-0 production', 'e-0 staging']],
      ['session=s-2&environment=production', ['e-2 production']],
      ['decision=block', ['e-2 production', 'e-2 staging']],
      ['rule=words.redact-mail', ['e-1 production', 'e-1 staging']],
      ['metadata.user.id=u-1&environment=staging', ['e-1 staging']],
      ['q=ALPHA', ['e-0 production']],
      ['app=default&model=m-1', ['e-1 production', 'e-1 staging']],
      ['to=2020-01-01', []],
      ['to=0000-01-01', []],
      ['from=0000-01-01&to=0001-01-01T00:00:00%2B14:00', []],
      ['from=0000-01-01&model=m-0&environment=staging', ['e-0 staging']],
    ])('filters by %s', async (query, expected) => {
      expect(await names(query)).toEqual(expected);
    });

    it('refuses invalid filters and cursors', async () => {
      for (const [query, path] of [
        ['typ=x', 'typ'],
        ['limit=0', 'limit'],
        ['cursor=abc', 'cursor'],
        ['app=a&app=b', 'app'],
      ]) {
        const { status, text } = await get(`/v1/events?${query}`);
        expect([
          status,
          (JSON.parse(text) as { error: { details: { path: string }[] } }).error.details[0]?.path,
        ]).toEqual([422, path]);
      }
    });
  });

  describe('GET /v1/events/{id}', () => {
    it('finds an event by its id or event_id, and requires app or environment if the event_id is ambiguous', async () => {
      const [event] = (await list('type=ai.request&environment=staging&limit=1')).data as unknown as { id: string }[];
      expect(await json(`/v1/events/${event?.id}`)).toMatchObject({ event_id: 'e-2', environment: 'staging' });
      const ambiguous = await get('/v1/events/e-0');
      expect([ambiguous.status, JSON.parse(ambiguous.text)]).toMatchObject([
        422,
        { error: { details: [{ path: 'environment' }] } },
      ]);
      expect(await json('/v1/events/e-0?environment=staging')).toMatchObject({
        event_id: 'e-0',
        environment: 'staging',
      });
      const wrong = await get('/v1/events/e-0?environment=moon');
      expect([wrong.status, JSON.parse(wrong.text)]).toMatchObject([
        422,
        { error: { details: [{ path: 'environment' }] } },
      ]);
    });

    it('responds with 404 to unknown and invalid ids', async () => {
      for (const id of ['nothing', '00000000-0000-7000-8000-000000000000', "'%20OR%201=1", '%00']) {
        expect((await get(`/v1/events/${id}`)).status).toBe(404);
      }
    });
  });

  describe('management tokens', () => {
    it('are verified before parameters and ids', async () => {
      const [id] = (await list('limit=1')).data as unknown as { id: string }[];
      for (const path of ['/v1/events', '/v1/events?limit=x', `/v1/events/${id?.id}`, '/v1/events/nothing']) {
        for (const token of ['', 'nonsense', current().bootstrap.keys.production])
          expect((await get(path, token)).status).toBe(401);
      }
    });

    it('need the scope events:read', async () => {
      const token = await tokenWith('keys:admin policy:read', null);
      for (const path of ['/v1/events', '/v1/events/e-0']) {
        const { status, text } = await get(path, token);
        expect([status, JSON.parse(text)]).toMatchObject([403, { error: { type: 'forbidden' } }]);
      }
    });

    it('that are bound to an environment read only the events of that environment', async () => {
      const token = await tokenWith('events:read', 'staging');
      const { data } = (await json('/v1/events?limit=200', token)) as { data: { environment: string }[] };
      expect(new Set(data.map(({ environment }) => environment))).toEqual(new Set(['staging']));
      expect(((await json('/v1/events?environment=production', token)) as { data: unknown[] }).data).toEqual([]);
      const [foreign] = (await list('environment=production&limit=1')).data as unknown as { id: string }[];
      expect((await get(`/v1/events/${foreign?.id}`, token)).status).toBe(404);
      expect(await json('/v1/events/e-0', token)).toMatchObject({ environment: 'staging' });
    });
  });

  describe('operational routes', () => {
    it('report liveness, and readiness with the digest of every policy', async () => {
      expect(await json('/healthz')).toEqual({ status: 'ok' });
      const policy = {
        policy: expect.any(String) as string,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        version: expect.any(String) as string,
        stale: false,
      };
      expect(await json('/readyz')).toEqual({
        status: 'ready',
        database: 'ok',
        policies: { development: policy, staging: policy, production: policy },
        deployed: [],
      });
    });

    it('count requests, decisions, rules and detectors without any text of a client', async () => {
      await get('/no-such-thing-canary?x=1');
      const { text, headers } = await get('/metrics', '');
      expect(headers.get('content-type')).toContain('text/plain');
      expect(text).toContain('weir_http_requests_total{method="POST",route="/v1/events",status="400"} 2');
      expect(text).toContain('route="unmatched",status="404"');
      expect(text).toContain('weir_decisions_total{source="rest",environment="production",decision="block"} 1');
      expect(text).toContain(
        'weir_rule_hits_total{environment="staging",rule="words.redact-mail",action="redact",enforced="true"} 1',
      );
      expect(text).toMatch(/weir_detector_outcomes_total\{detector="test-words",status="scanned"\} \d/);
      expect(text).toMatch(/weir_event_log_batch_events_count [1-9]/);
      expect(text).toMatch(/weir_event_log_backlog 0/);
      expect(text).not.toContain('canary');
    });

    it('include every route in the OpenAPI document', async () => {
      const document = (await json('/openapi.json')) as {
        paths: Record<string, unknown>;
        components: { schemas: Record<string, { required: string[] }> };
      };
      const published = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as typeof document;
      expect(Object.keys(document.paths).sort()).toEqual(Object.keys(published.paths).sort());
      expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/readyz', '/v1/events', '/v1/events/{id}']));
      expect(document.components.schemas['AiRequestEventDto']?.required).toEqual(['type', 'request_id']);
    });

    it('explain authentication and errors without scripts, and allow no scripts of other origins', async () => {
      const { text, headers } = await get('/docs', '');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(text).not.toMatch(/(?:src|href)="https?:/);
      for (const part of [
        'id="error-guardrail_unavailable"',
        '<code>X-Service-Key: …</code>',
        '<code>Stripe-Signature: …</code>',
        '<code>Cookie: __Host-weir_session=…</code>',
        '<code>Authorization: Bearer …</code>',
      ])
        expect(text).toContain(part);
    });

    it('keep keys, tokens and contents out of the log', () => {
      const log = current().logs.join('');
      const { keys, token, account } = current().bootstrap;
      expect(log).toContain('"route":"/v1/events"');
      for (const secret of [...Object.values(keys), token, account.password, 'mail-1', 'ssn-1', 'gamma', 'nonsense'])
        expect(log).not.toContain(secret);
    });
  });

  describe('Events of one call', () => {
    it('are found by the id of the first event of the call', async () => {
      const headers = {
        authorization: `Bearer ${current().bootstrap.keys.production}`,
        'content-type': 'application/json',
      };
      const submit = async (event: object): Promise<Response> =>
        fetch(`${current().url}/v1/events`, { method: 'POST', headers, body: JSON.stringify(event) });
      await submit({ type: 'ai.request', request_id: 'asked-by-id', model: 'by-id', payload: { prompt: 'x' } });
      await submit({ type: 'ai.response', request_id: 'asked-by-id', model: 'by-id', payload: { output: 'y' } });
      await submit({ type: 'ai.request', request_id: 'not-asked', model: 'by-id', payload: { prompt: 'x' } });
      const types = async (query: string) => (await list(query)).data.map(({ type }) => type);
      const { data } = (await json('/v1/events?request_id=asked-by-id&type=ai.request')) as { data: { id: string }[] };
      const id = data[0]!.id;
      expect(await types(`call=${id}`)).toEqual(['ai.response', 'ai.request']);
      expect(await types(`call=${id}&view=calls`)).toEqual(['ai.request']);
      expect(await types(`call=${id},${crypto.randomUUID()}&type=ai.response`)).toEqual(['ai.response']);
      expect((await get(`/v1/events/export?format=csv&call=${id}`)).text.trim().split('\r\n').length).toBe(3);
      expect((await get('/v1/events?call=1')).status).toBe(422);
    });

    it('contain the trace id that the logs have for their request', async () => {
      const answer = await fetch(`${current().url}/v1/events`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${current().bootstrap.keys.production}`,
          'content-type': 'application/json',
          'x-request-id': '01890000-0000-7000-8000-00000000abcd',
        },
        body: JSON.stringify({
          type: 'ai.request',
          event_id: 'traced',
          request_id: 'traced',
          model: 'by-id',
          payload: { prompt: 'x' },
        }),
      });
      const { trace_id: trace } = (await json('/v1/events/traced')) as { trace_id: string };
      expect([trace, answer.headers.get('x-request-id')]).toEqual(
        Array(2).fill('01890000-0000-7000-8000-00000000abcd'),
      );
    });
  });
});

describe('A service that is shutting down', () => {
  it('reports that it is not ready, and then refuses connections', async () => {
    const app = await startTestApp();
    const { Readiness } = await import('../../src/health/index.js');
    app.weir.app.get(Readiness).drain();
    const answer = await fetch(`${app.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      error: { type: 'unavailable', details: [{ path: 'server', message: 'is shutting down' }] },
    });
    await app.close();
    await expect(fetch(`${app.url}/healthz`)).rejects.toThrow();
  }, 60_000);
});
