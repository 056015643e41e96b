import { restClient, type Answer } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const BURST = Number(process.env['WEIR_TEST_BURST'] ?? 600);

describe('More calls at once than there is time for', () => {
  let app: TestApp;
  let answers: Answer[] = [];
  let reads: Response[] = [];
  beforeAll(async () => {
    app = await startTestApp({ env: { WEIR_OVERLOAD_WAIT: '20ms', WEIR_OVERLOAD_DELAY: '1ms' } });
    const { submit } = restClient(() => app);
    const sent = Array.from({ length: BURST }, (_unused, index) =>
      submit({
        type: 'ai.request',
        request_id: `r-${index}`,
        event_id: `burst-${index}`,
        payload: { messages: [{ role: 'user', content: `ask mail-${index} ${'and so on '.repeat(500)}` }] },
      }),
    );
    const watched = ['/healthz', '/readyz', '/metrics'].map((path) => fetch(`${app.url}${path}`));
    answers = await Promise.all(sent);
    reads = await Promise.all(watched);
  });
  afterAll(() => app.close());
  const refused = (): Answer[] => answers.filter(({ status }) => status !== 200);

  it('are answered 200 or refused as overloaded, and never as an outage of a detector', () => {
    expect(refused().length).toBeGreaterThan(0);
    expect(refused().length).toBeLessThan(BURST);
    for (const { status, json, headers } of refused()) {
      expect([status, json.error.type]).toEqual([503, 'overloaded']);
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(headers.get('x-should-retry')).toBeNull();
    }
  });

  it('leave nothing behind when they are refused', async () => {
    const { read } = restClient(() => app);
    for (const [index, { status }] of answers.slice(0, 50).entries()) {
      expect((await read(`/v1/events/burst-${index}`)).status).toBe(status === 200 ? 200 : 404);
    }
  });

  it('keep nobody from health and metrics, which tell how many were refused', async () => {
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200]);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain(`weir_overload_refused_total{source="rest"} ${refused().length}`);
    for (const name of ['limit', 'running', 'waiting', 'delay_seconds'])
      expect(metrics).toContain(`weir_overload_${name} `);
    expect(metrics).not.toMatch(/weir_detector_outcomes_total\{[^}]*status="(?:timeout|failed|not_run)"/);
  });

  it('are refused in the dialect of the provider where they are proxied', async () => {
    const call = (): Promise<Response> =>
      fetch(`${app.url}/proxy/anthropic/v1/messages`, {
        method: 'POST',
        headers: { 'x-service-key': app.bootstrap.keys.production, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'm',
          max_tokens: 1,
          messages: [{ role: 'user', content: 'ssn-1 '.repeat(500) }],
        }),
      });
    const responses = await Promise.all(Array.from({ length: BURST }, call));
    const bodies = await Promise.all(
      responses.filter(({ status }) => status === 503).map((one) => one.json() as Promise<Record<string, unknown>>),
    );
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) {
      expect(body).toMatchObject({ type: 'error', error: { type: 'api_error', weir: { code: 'overloaded' } } });
    }
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400, 503]));
  });
});
