import { Metrics } from '../../src/metrics/index.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const REPORTS = 'application/reports+json';
const OLDER = 'application/csp-report';
/** A text that a report may contain, and that must not be kept anywhere. */
const CANARY = 'canary-of-a-report';

/** A report as browsers with the Reporting API send it. */
const violation = (documentURL: string, effectiveDirective: string) => ({
  type: 'csp-violation',
  age: 10,
  url: documentURL,
  user_agent: CANARY,
  body: {
    ...{ documentURL, effectiveDirective, disposition: 'enforce', statusCode: 200, originalPolicy: CANARY },
    ...{ blockedURL: `https://${CANARY}.example/`, sample: CANARY, referrer: `https://${CANARY}.example/` },
  },
});

/** A report as other browsers send it. */
const older = (documentUri: string, directive: object) => ({
  'csp-report': {
    ...{ 'document-uri': documentUri, 'blocked-uri': `https://${CANARY}.example/`, 'script-sample': CANARY },
    ...{ referrer: `https://${CANARY}.example/`, 'original-policy': CANARY, ...directive },
  },
});

describe('Reports of browsers about violations of a content security policy', () => {
  let app: TestApp;
  let senders = 0;
  beforeAll(async () => {
    app = await startTestApp({ env: { WEIR_RATE_ADDRESS: '3000/60', WEIR_TRUST_PROXY: '127.0.0.1' } });
  });
  afterAll(() => app.close());

  const nextAddress = (): string => `192.0.2.${(senders += 1)}`;
  /** @param body a JSON value, or the body itself */
  const send = (type: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${app.url}/csp-reports`, {
      method: 'POST',
      headers: { 'content-type': type, 'x-forwarded-for': nextAddress(), ...headers },
      ...(body instanceof ReadableStream || body instanceof Uint8Array || typeof body === 'string'
        ? ({ body, duplex: 'half' } as RequestInit)
        : { body: JSON.stringify(body) }),
    });

  /** The series of the metric, such as `dashboard script-src`, with their counts. */
  async function series(): Promise<ReadonlyMap<string, number>> {
    const text = await app.weir.app.get(Metrics).text();
    const lines = text.matchAll(/^weir_csp_reports_total\{page="([^"]*)",directive="([^"]*)"\} (\d+)$/gm);
    return new Map([...lines].map(([, page, directive, count]) => [`${page} ${directive}`, Number(count)]));
  }

  /** What the answered requests have counted. */
  async function countedBy(requests: () => Promise<readonly Response[]>): Promise<Readonly<Record<string, number>>> {
    const before = await series();
    for (const answer of await requests()) {
      expect([answer.status, await answer.text()]).toEqual([204, '']);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    const after = [...(await series())].map(([key, count]) => [key, count - (before.get(key) ?? 0)] as const);
    return Object.fromEntries(after.filter(([, count]) => count > 0));
  }

  it.each(['/', '/events', '/auth/login', '/docs'])('are requested by the policy of %s', async (path) => {
    const { headers } = await fetch(`${app.url}${path}`, { headers: { accept: 'text/html' } });
    expect(headers.get('content-security-policy')).toMatch(/; report-to csp; report-uri \/csp-reports$/);
    expect(headers.get('reporting-endpoints')).toBe('csp="/csp-reports"');
  });

  it('are counted by group of pages and directive, in both formats', async () => {
    const own = 'https://weir.example';
    const counted = await countedBy(async () => [
      await send(REPORTS, [
        violation(`${own}/events?q=${CANARY}`, 'script-src-elem'),
        violation(`${own}/`, 'script-src-elem'),
        violation(`${own}/docs`, 'img-src'),
        violation(`${own}/auth/reset?token=${CANARY}`, 'form-action'),
        violation(`${own}/v1/events`, 'frame-ancestors'),
      ]),
      await send(OLDER, older(`${own}/auth/login`, { 'effective-directive': 'style-src-attr' })),
      await send(OLDER, older(`${own}/`, { 'violated-directive': "script-src 'self' https://other.example" })),
    ]);
    expect(counted).toEqual({
      'dashboard script-src-elem': 2,
      'docs img-src': 1,
      'auth form-action': 1,
      'other frame-ancestors': 1,
      'auth style-src-attr': 1,
      'dashboard script-src': 1,
    });
  });

  it('have a bounded number of series, whatever is reported', async () => {
    const strange = ['', CANARY, 'SCRIPT-SRC-ELEM', '__proto__', 'script-src"} 1\n', 'report-uri', 'x'.repeat(2_000)];
    const counted = await countedBy(async () => [
      ...(await Promise.all(strange.map((each) => send(REPORTS, [violation(`data:${each}`, each)])))),
      await send(REPORTS, [{ type: 'csp-violation' }, { type: 'csp-violation', body: { effectiveDirective: 7 } }]),
      await send(OLDER, { 'csp-report': null }),
    ]);
    expect(counted).toEqual({ 'other script-src-elem': 1, 'other other': strange.length - 1 + 3 });
  });

  it('are dropped if they are malformed, too large, too many, or about something else, with the same answer', async () => {
    const report = violation('https://weir.example/', 'font-src');
    const large = [violation('https://weir.example/', 'font-src'), 'x'.repeat(16 * 1024)];
    const counted = await countedBy(async () => [
      await send(REPORTS, '[{'),
      await send(REPORTS, ''),
      await send(REPORTS, '7'),
      await send(REPORTS, Uint8Array.of(0x22, 0xff, 0x22)),
      await send(REPORTS, [report], { 'content-encoding': 'gzip' }),
      await send('text/plain', [report]),
      await send('nonsense', [report]),
      await send(REPORTS, large),
      await send(REPORTS, new Blob([JSON.stringify(large)]).stream()),
      await send(REPORTS, [{ ...report, type: 'deprecation' }, null, 'text', []]),
    ]);
    expect(counted).toEqual({});
    const many = Array.from({ length: 25 }, () => ({
      type: 'csp-violation',
      body: { effectiveDirective: 'font-src' },
    }));
    expect(await countedBy(async () => [await send(REPORTS, many)])).toEqual({ 'other font-src': 20 });
  });

  it('are dropped over a limit of the address, with the same answer', async () => {
    const from = { 'x-forwarded-for': nextAddress() };
    const report = () => send(REPORTS, [violation('https://weir.example/', 'media-src')], from);
    const counted = await countedBy(() => Promise.all(Array.from({ length: 40 }, report)));
    expect(counted).toEqual({ 'dashboard media-src': 30 });
  });

  it('need no credential and no origin, are not shared with other sites, and are not a page', async () => {
    const session = { cookie: `__Host-weir_session=${'a'.repeat(43)}` };
    const counted = await countedBy(async () => [
      await send(REPORTS, [violation('https://weir.example/', 'worker-src')], session),
      await send(REPORTS, [violation('https://weir.example/', 'worker-src')], { 'sec-fetch-site': 'cross-site' }),
    ]);
    expect(counted).toEqual({ 'dashboard worker-src': 2 });
    for (const method of ['OPTIONS', 'GET', 'PUT']) {
      const { status, headers } = await fetch(`${app.url}/csp-reports`, { method, headers: { accept: 'text/html' } });
      expect([method, status, headers.get('access-control-allow-origin')]).toEqual([method, 404, null]);
    }
  });

  it('are not logged', async () => {
    const answer = await send(REPORTS, [violation(`https://weir.example/?q=${CANARY}`, CANARY)]);
    expect(answer.status).toBe(204);
    expect(app.logs.filter((line) => line.includes(CANARY))).toEqual([]);
    const ofReports = app.logs.filter((line) => line.includes('/csp-reports'));
    expect(ofReports.filter((line) => (JSON.parse(line) as { level: number }).level > 20)).toEqual([]);
  });
});
