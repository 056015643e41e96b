/**
 * A guard that reads the text of a URL could be bypassed by another spelling of the URL. Every route of the HTTP server is
 * requested in many spellings: each is answered by the guard of the route, or there is no such route.
 */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { EXPECTED } from '../routes/expectations.js';
import { SPELLINGS, USUAL } from '../routes/spellings.js';
import { bearer, Tenants, UNKNOWN, type Tenant } from '../routes/tenants.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

type Headers = Readonly<Record<string, string>>;

const OTHER_SITE: Headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
const names = process.env.WEIR_TEST_SPELLINGS === 'all' ? Object.keys(SPELLINGS) : USUAL;
/** The single route of the proxy accepts every method; these are the methods that providers support. */
const PROXIED = ['GET', 'POST', 'DELETE'].map((method) => `${method} /proxy/openai/v1/chat/completions`);

/** An admitted request may receive 422, because some spellings add a query that the route does not accept. */
function isAllowed(status: number, plain: number): boolean {
  return status === plain || status === 404 || (status === 422 && ![401, 403].includes(plain));
}

describe('A request in any spelling of its URL', () => {
  let app: TestApp;
  let own: Tenant;
  let credentials: Readonly<Record<string, Headers>>;
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    app = await startTestApp({ env: { STRIPE_WEBHOOK_SECRET: 'whsec_' + 'of the spellings' } });
    const tenants = new Tenants(app);
    own = await tenants.tenant('own');
    const gone = await tenants.key(own.cookie, own.things.app);
    await tenants.delete(own.cookie, `/v1/apps/${own.things.app}/keys/${gone.id}`);
    credentials = {
      'no credential': {},
      'a deleted key': { ...bearer(gone.secret), 'x-service-key': gone.secret },
      'nothing, from another site': OTHER_SITE,
      'a session, from another site': { cookie: own.cookie, ...OTHER_SITE },
      'a session, from nowhere': { cookie: own.cookie },
      'a session and a token of nobody, from another site': { cookie: own.cookie, ...bearer('x'), ...OTHER_SITE },
    };
  }, 60_000);
  afterAll(async () => {
    agent.destroy();
    await app.close();
  });

  /** Every route of the server that a guard protects, including those of the proxy. */
  function served(): string[] {
    const routes = app.weir.routes
      .filter(({ url }) => !url.startsWith('/proxy/'))
      .map(({ method, url }) => `${method} ${url}`);
    return [...new Set([...routes, ...PROXIED])].sort();
  }

  function pathOf(route: string): string {
    const [method = '', url = ''] = route.split(' ');
    const documented = `${method === 'HEAD' ? 'GET' : method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`;
    const left = [...(EXPECTED[documented]?.names ?? [])];
    return url
      .replace(':environment', 'production')
      .replace('/calls/*', '/calls/openai/v1/chat/completions')
      .replaceAll(/:\w+/g, () => own.things[left.shift() ?? 'app'] ?? UNKNOWN.app);
  }

  /** Sends the target unchanged, without `fetch` because it would normalize the target. */
  async function statusOf(method: string, target: string, headers: Headers): Promise<number> {
    const body = ['GET', 'HEAD'].includes(method) ? '' : '{}';
    const { port } = new URL(app.url);
    const asked = request({
      ...{ host: '127.0.0.1', port, method, path: target, agent },
      headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
    });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    // Event streams never end, and only the status is needed.
    if (answer.headers['content-type']?.startsWith('text/event-stream') === true) answer.destroy();
    else await once(answer.resume(), 'end');
    return answer.statusCode ?? 0;
  }

  it('is answered by the guard of its route, or there is no such route', async () => {
    const problems: string[] = [];
    for (const route of served()) {
      const [method = ''] = route.split(' ');
      const path = pathOf(route);
      for (const [kind, headers] of Object.entries(credentials)) {
        const plain = await statusOf(method, path, headers);
        const answers = names.map(
          async (name) => [name, await statusOf(method, SPELLINGS[name]!(path), headers)] as const,
        );
        for (const [name, status] of await Promise.all(answers)) {
          if (!isAllowed(status, plain)) {
            problems.push(`${route} with ${kind} in ${name}: ${status} instead of ${plain}`);
          }
        }
      }
    }
    expect(problems).toEqual([]);
  }, 300_000);

  it('from another site cannot change anything by a form or a session', async () => {
    const acted: string[] = [];
    // Reports of browsers are only counted.
    for (const route of served().filter((each) => !/^(?:GET|HEAD) |^\S+ \/(?:proxy\/|csp-reports$)/.test(each))) {
      const [method = ''] = route.split(' ');
      for (const name of [...names, 'plain']) {
        const target = (SPELLINGS[name] ?? String)(pathOf(route));
        for (const kind of ['a session, from another site', 'a session, from nowhere']) {
          const status = await statusOf(method, target, credentials[kind]!);
          if (status !== 403 && status !== 404) acted.push(`${route} in ${name} with ${kind}: ${status}`);
        }
      }
    }
    expect(acted).toEqual([]);
  }, 300_000);
});
