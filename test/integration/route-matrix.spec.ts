/**
 * Every route of the running service, with every kind of wrong credential, for own, foreign and unknown resources. The
 * expectations are in `test/routes/expectations.ts`; a route without an expectation fails.
 */
import { ApiDocument } from '../../src/http/index.js';
import { EXPECTED, SECURITY, UNDOCUMENTED } from '../routes/expectations.js';
import { RouteMatrix, STRIPE_SECRET } from '../routes/matrix.js';
import { CANARY, signedIn, Tenants } from '../routes/tenants.js';
import { appWithUpstream } from '../support/app-with-upstream.js';

describe('Every route', () => {
  const { app, upstream } = appWithUpstream({ env: { STRIPE_WEBHOOK_SECRET: STRIPE_SECRET } });
  let matrix: RouteMatrix;

  beforeAll(async () => {
    upstream().answerJson({});
    matrix = await RouteMatrix.on(app().url, new Tenants(app()));
  }, 60_000);

  const operations = () => {
    const { paths } = app().weir.app.get(ApiDocument).document;
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { summary: string; security?: Record<string, unknown>[] }>).map(
        ([method, { summary, security }]) => ({
          route: `${method.toUpperCase()} ${path}`,
          summary,
          security: security?.flatMap((each) => Object.keys(each)).sort(),
        }),
      ),
    );
  };

  it('is in the matrix, and the matrix has no other routes', () => {
    const documented = operations().map(({ route }) => route);
    expect([...documented, ...UNDOCUMENTED].sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it('that the HTTP server serves is documented, or is only for people', () => {
    const isProxy = (path: string): boolean => path.startsWith('/proxy/');
    const served = app()
      .weir.routes.filter(({ method, url }) => method !== 'HEAD' && !isProxy(url))
      .map(
        ({ method, url }) =>
          `${method} ${url
            .replace('/calls/*', '/calls/{provider}/{path}')
            .replaceAll(/(?<!:):(\w+)/g, '{$1}')
            .replace('::', ':')}`,
      );
    const known = Object.keys(EXPECTED).filter((route) => !isProxy(route.split(' ')[1]!));
    expect([...new Set(served)].sort()).toEqual(known.sort());
    expect(
      new Set(
        app()
          .weir.routes.map(({ url }) => url)
          .filter(isProxy),
      ),
    ).toEqual(new Set(['/proxy/*']));
  });

  it('documents which credentials it accepts', () => {
    const wanted = operations().map(({ route }) => {
      const { takes } = EXPECTED[route]!;
      return [route, takes === 'page' ? undefined : SECURITY[takes].toSorted()];
    });
    expect(operations().map(({ route, security }) => [route, security])).toEqual(wanted);
  });

  it('documents which scope it needs', () => {
    const wrongly = operations().filter(({ route, summary }) => {
      const { takes, scope } = EXPECTED[route]!;
      return takes === 'manager' && !summary.includes(scope === undefined ? 'Any scope' : `\`${scope}\``);
    });
    expect(wrongly.map(({ route }) => route)).toEqual([]);
  });

  it('that lists data returns the canary to its own account, so that a missing canary for other accounts is significant', async () => {
    const { things, cookie } = matrix.foreign;
    const whole = { ...things, call: '' };
    for (const route of [
      '/v1/account',
      '/v1/apps',
      '/v1/audit',
      '/v1/keys',
      '/v1/tokens',
      '/v1/events',
      '/v1/exports',
      '/v1/export-schedules',
      '/v1/budgets',
    ]) {
      expect([route, (await matrix.ask(`GET ${route}`, whole, signedIn(cookie), { base: {} })).text]).toEqual([
        route,
        expect.stringContaining(CANARY),
      ]);
    }
  });

  it.each(Object.keys(EXPECTED))('%s responds as expected to every credential and resource', async (route) => {
    expect(await matrix.problemsOf(route)).toEqual([]);
  });
});
