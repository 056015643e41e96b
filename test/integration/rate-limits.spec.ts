import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { appWithProvider } from '../support/app-with-provider.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp } from '../support/test-app.js';

const EVENT = { type: 'ai.error', request_id: 'r', payload: { error: { type: 'timeout', message: 'late' } } };
const CHAT = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });

describe('rate limits', () => {
  const app = appWithProvider({
    WEIR_RATE_EVENTS: '5/3600',
    WEIR_RATE_PROXY: '3/3600',
    WEIR_RATE_CALLS: '3/3600',
    WEIR_RATE_MANAGEMENT: '60/3600',
  });
  const { submit, read, call } = restClient(app);
  const proxied = (path: string, key = app().bootstrap.keys.production) =>
    call('POST', path, { 'x-service-key': key, authorization: 'Bearer p', 'content-type': 'application/json' }, CHAT);
  const newApp = async (name: string): Promise<string> => {
    const headers = { authorization: `Bearer ${app().bootstrap.token}`, 'content-type': 'application/json' };
    const made = await call('POST', '/v1/apps', headers, JSON.stringify({ name }));
    const key = await call(
      'POST',
      `/v1/apps/${made.json.id}/keys`,
      headers,
      JSON.stringify({ name, environment: 'production' }),
    );
    return key.json.secret as string;
  };

  it('count submitted events per app, including replays and refusals, and report the remaining quota', async () => {
    const first = await submit({ ...EVENT, event_id: 'e-1' });
    expect(first.headers.get('ratelimit-policy')).toBe('"events";q=5;w=3600');
    expect(first.headers.get('ratelimit')).toBe('"events";r=4;t=3600');
    const replay = await submit({ ...EVENT, event_id: 'e-1' });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    const malformed = await submit('{', 'staging');
    expect([malformed.status, malformed.headers.get('ratelimit')]).toEqual([
      422,
      expect.stringMatching(/^"events";r=2;t=\d+$/),
    ]);
    const blocked = await submit({ type: 'ai.request', request_id: 'r', payload: { prompt: 'ssn-1' } });
    expect([blocked.status, blocked.headers.get('ratelimit')]).toEqual([
      400,
      expect.stringMatching(/^"events";r=1;t=\d+$/),
    ]);
    expect((await submit(EVENT)).status).toBe(200);
    const refused = await submit({ ...EVENT, event_id: 'e-1' });
    expect(refused.status).toBe(429);
    expect(refused.json.error.type).toBe('rate_limit_exceeded');
    expect(refused.headers.get('ratelimit')).toMatch(/^"events";r=0;t=\d+$/);
    expect(refused.headers.get('ratelimit-policy')).toBe('"events";q=5;w=3600');
    expect(refused.headers.get('retry-after')).toMatch(/^(3600|35\d\d)$/);
    expect(refused.headers.get('x-should-retry')).toBeNull();
  });

  it('do not affect another app', async () => {
    const key = await newApp('second');
    const answer = await call(
      'POST',
      '/v1/events',
      { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      JSON.stringify(EVENT),
    );
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, '"events";r=4;t=3600']);
  });

  it('do not count requests without a key', async () => {
    const answer = await call('POST', '/v1/events', { 'content-type': 'application/json' }, JSON.stringify(EVENT));
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([401, null]);
  });

  it('count proxied calls separately, and refuse them in the error format of the provider', async () => {
    const [openai, streamed, anthropic] = [
      await proxied('/proxy/openai/v1/chat/completions'),
      await proxied('/proxy/openai/v1/models-of-none'),
      await proxied('/proxy/anthropic/v1/messages'),
    ];
    for (const [left, answer] of [openai, streamed, anthropic].entries()) {
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"proxy";r=${2 - left};t=\\d+$`));
    }
    expect(openai.status).toBe(200);
    const asOpenai = await proxied('/proxy/openai/v1/chat/completions');
    expect(asOpenai.status).toBe(429);
    expect(asOpenai.json.error).toMatchObject({
      type: 'rate_limit_exceeded',
      code: 'rate_limit_exceeded',
      weir: { code: 'rate_limit_exceeded' },
    });
    const asAnthropic = await proxied('/proxy/anthropic/v1/messages');
    expect(asAnthropic.json).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_exceeded', weir: { code: 'rate_limit_exceeded' } },
    });
    for (const { headers } of [asOpenai, asAnthropic]) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_500);
      expect(headers.get('ratelimit')).toMatch(/^"proxy";r=0;t=\d+$/);
      expect(headers.get('ratelimit-policy')).toBe('"proxy";q=3;w=3600');
    }
  });

  it.each([
    ['/proxy/openai', 'x-service-key', ''],
    ['/v1/calls/openai', 'authorization', 'Bearer '],
  ])('refuse a call over the limit before its body is sent: %s', async (surface, name, scheme) => {
    const key = await newApp(`early at ${surface}`);
    const path = `${surface}/v1/chat/completions`;
    const headers = { [name]: `${scheme}${key}`, 'content-type': 'application/json' };
    const url = `${app().url}${path}`;
    for (let count = 0; count < 3; count++)
      expect((await fetch(url, { method: 'POST', headers, body: CHAT })).status).toBeLessThan(300);
    const asking = request(url, { method: 'POST', headers: { ...headers, 'content-length': '100' } });
    asking.flushHeaders();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(429);
    expect(answer.headers['ratelimit']).toMatch(/;r=0;t=\d+$/);
    asking.destroy();
  });

  it('count reads and management requests per account', async () => {
    const before = await read('/v1/apps');
    const left = Number(/r=(\d+)/.exec(before.headers.get('ratelimit') ?? '')?.[1]);
    expect(before.headers.get('ratelimit-policy')).toBe('"management";q=60;w=3600');
    const unknown = await read('/v1/events/none');
    expect([unknown.status, unknown.headers.get('ratelimit')]).toEqual([
      404,
      expect.stringContaining(`r=${left - 1};`),
    ]);
    for (let count = left - 1; count > 0; count -= 1) expect((await read('/v1/apps')).status).toBe(200);
    const refused = await read('/v1/account');
    expect([refused.status, refused.json.error.type]).toEqual([429, 'rate_limit_exceeded']);
    expect((await call('GET', '/v1/account', { authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  it('are shown in the metrics without ids', async () => {
    const text = await (await fetch(`${app().url}/metrics`)).text();
    expect(text).toContain('weir_rate_limit_requests_total{limit="events",outcome="refused"} 1');
    expect(text).toContain('weir_rate_limit_requests_total{limit="proxy",outcome="admitted"} 6');
    expect(text).not.toContain(app().bootstrap.app.id);
  });
});

describe('the limit per address', () => {
  it('refuses requests to any path before any lookup, and ignores a forged header', async () => {
    const app = await startTestApp({ env: { WEIR_RATE_ADDRESS: '6/3600' } });
    try {
      const ask = (path: string, address: string) =>
        fetch(`${app.url}${path}`, { headers: { 'x-forwarded-for': address } });
      const answers = [];
      for (let count = 0; count < 6; count += 1) answers.push(await ask(`/v1/none-${count}`, `203.0.113.${count}`));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 404));
      expect(answers[0]?.headers.get('ratelimit')).toBeNull();
      for (const path of ['/v1/apps', '/healthz', '/nothing']) {
        const refused = await ask(path, '203.0.113.99');
        expect(refused.status).toBe(429);
        expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=6;w=3600');
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
        expect(await refused.json()).toMatchObject({ error: { type: 'rate_limit_exceeded' } });
      }
      const proxied = await fetch(`${app.url}/proxy/anthropic/v1/messages`, { method: 'POST', body: '{}' });
      expect(await proxied.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_exceeded' } });
    } finally {
      await app.close();
    }
  });

  it('counts the addresses that trusted proxies report, and IPv6 addresses by subscriber', async () => {
    const app = await startTestApp({ env: { WEIR_RATE_ADDRESS: '1/3600', WEIR_TRUST_PROXY: '127.0.0.1' } });
    try {
      const ask = async (address: string) =>
        (await fetch(`${app.url}/healthz`, { headers: { 'x-forwarded-for': address } })).status;
      expect([await ask('203.0.113.1'), await ask('203.0.113.2'), await ask('203.0.113.1')]).toEqual([200, 200, 429]);
      // The client can forge every address before the address that the trusted proxy reports.
      expect(await ask('203.0.113.77, 203.0.113.2')).toBe(429);
      expect([await ask('2001:db8:0:1::1'), await ask('2001:db8:0:1:ffff::2'), await ask('2001:db8:0:2::1')]).toEqual([
        200, 429, 200,
      ]);
    } finally {
      await app.close();
    }
  });
});
