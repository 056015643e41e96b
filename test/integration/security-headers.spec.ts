import { once } from 'node:events';
import { connect } from 'node:net';
import { appWithProvider } from '../support/app-with-provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': /^(no-referrer|same-origin)$/,
  'content-security-policy': /default-src 'none'(?!.*unsafe)(?!.*script-src).*frame-ancestors 'none'/,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'strict-transport-security': 'max-age=31536000',
  'cache-control': 'no-store',
  'x-request-id': /./,
} as const;

/** `/docs` runs the script of a library, which writes styles; it has no connections to other origins. */
const OF_DOCS = {
  'content-security-policy':
    /^default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; report-to csp; report-uri \/csp-reports$/,
};

/** The headers that are missing from an answer or have a wrong value. */
function missing(headers: Headers, path = ''): string[] {
  const wanted = { ...EVERYWHERE, ...(path === '/docs' ? OF_DOCS : {}) };
  return Object.entries(wanted).flatMap(([name, wanted]) => {
    const value = headers.get(name) ?? '';
    return (typeof wanted === 'string' ? value === wanted : wanted.test(value)) ? [] : [`${name}: ${value}`];
  });
}

/** Sends bytes and reads until the server closes the connection. */
async function raw(app: TestApp, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(bytes));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

describe('security headers', () => {
  const app = appWithProvider({
    WEIR_BASE_URL: 'https://weir.example',
    WEIR_REQUEST_TIMEOUT: '1s',
    WEIR_RATE_EVENTS: '1/3600',
  });

  it('are on the answers of every route, with and without credentials, and no answer contains a stack trace', async () => {
    const document = (await (await fetch(`${app().url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => [method.toUpperCase(), path.replace(/\{[^}]+\}/g, 'none')] as const),
    );
    expect(routes.length).toBeGreaterThan(30);
    for (const [method, path] of [...routes, ['GET', '/docs'], ['GET', '/nowhere'], ['GET', '/%zz']] as const) {
      for (const authorization of [
        '',
        `Bearer ${app().bootstrap.token}`,
        `Bearer ${app().bootstrap.keys.production}`,
      ]) {
        if (path.endsWith('/tail') && authorization.includes('wt_')) continue;
        const answer = await fetch(`${app().url}${path}`, {
          method,
          headers: { ...(authorization === '' ? {} : { authorization }), 'content-type': 'application/json' },
          ...(method === 'GET' ? {} : { body: '{"unexpected":1' }),
        });
        expect([method, path, answer.status, missing(answer.headers, path)]).toEqual([method, path, answer.status, []]);
        expect(await answer.text()).not.toMatch(/node_modules|\n\s+at |\.[jt]s:\d/);
      }
    }
  }, 120_000);

  it('are on refusals by limits and on proxied answers, whose caching the provider controls', async () => {
    const headers = { authorization: `Bearer ${app().bootstrap.keys.production}`, 'content-type': 'application/json' };
    const event = (): Promise<Response> => fetch(`${app().url}/v1/events`, { method: 'POST', headers, body: '{' });
    await event();
    const refused = await event();
    expect([refused.status, missing(refused.headers)]).toEqual([429, []]);
    const proxied = await fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(proxied.status).toBe(200);
    expect(missing(proxied.headers).filter((each) => !each.startsWith('cache-control'))).toEqual([]);
  });

  it('are on answers to invalid HTTP, and to requests that take too long to arrive', async () => {
    for (const [bytes, status] of [
      ['NONSENSE\r\n\r\n', 422],
      ['GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ', 408],
      ['POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{', 408],
    ] as const) {
      const text = await raw(app(), bytes);
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      const lines = text.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? [];
      expect(missing(new Headers(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])))).toEqual(
        // `cache-control` is sent even if there was no request, and so nothing to cache.
        [],
      );
    }
  });

  it('include strict-transport-security only if the service is reached over HTTPS', async () => {
    const plain = await startTestApp();
    try {
      const { headers } = await fetch(`${plain.url}/healthz`);
      expect(headers.get('strict-transport-security')).toBeNull();
    } finally {
      await plain.close();
    }
  });
});
