import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { Overload } from '../../src/limits/index.js';
import type { AdmissionQueue } from '../../src/overload/index.js';
import { restClient, type Answer } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const BURST = Number(process.env['WEIR_TEST_BURST'] ?? 600);

describe('Calls whose clients disconnect while queued', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(new RegExp(`^${name.replaceAll(/[{}"]/g, '\\$&')} (.*)$`, 'm').exec(text)?.[1] ?? 0);
  };
  const until = async (name: string, value: number): Promise<void> => {
    while ((await metric(name)) !== value) await new Promise(setImmediate);
  };

  it('are neither judged nor stored, unlike calls whose clients stay connected', async () => {
    const overload = app.weir.app.get(Overload, { strict: false });
    // The limit is fixed, and all places are occupied, by as many parties as necessary.
    clearInterval(Reflect.get(overload, 'timer') as NodeJS.Timeout);
    const taken: ReturnType<Overload['enter']>[] = [];
    while ((await metric('weir_overload_waiting')) === 0)
      taken.push(...Array.from({ length: 8 }, () => overload.enter('rest', [randomUUID()])));
    const waiting = await metric('weir_overload_waiting');
    const leaving = new AbortController();
    const call = (path: string, name: string, body: object, signal?: AbortSignal) =>
      fetch(`${app.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [name]: name === 'authorization' ? `Bearer ${production}` : production,
        },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }).catch(() => undefined);
    const { production } = app.bootstrap.keys;
    const event = { type: 'ai.request', request_id: 'left', payload: { prompt: 'hello' } };
    const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
    const left = Array.from({ length: 10 }, () => [
      call('/v1/events', 'authorization', event, leaving.signal),
      call('/v1/calls/openai/v1/chat/completions', 'authorization', chat, leaving.signal),
      call('/proxy/openai/v1/chat/completions', 'x-service-key', chat, leaving.signal),
    ]).flat();
    await until('weir_overload_waiting', waiting + left.length);
    const stays = call('/v1/events', 'authorization', { ...event, request_id: 'stays' });
    await until('weir_overload_waiting', waiting + left.length + 1);
    leaving.abort();
    await until('weir_overload_waiting', waiting + 1);
    expect(await metric('weir_overload_left_total{source="rest"}')).toBe(10);
    expect(await metric('weir_overload_left_total{source="proxy"}')).toBe(10);
    for (const place of taken) void Promise.resolve(place).then((leave) => leave());
    expect((await stays)?.status).toBe(200);
    await Promise.all(left);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics.match(/^weir_decisions_total.*$/gm)).toEqual([expect.stringMatching(/source="rest".* 1$/)]);
    const { read } = restClient(() => app);
    const { json } = await read('/v1/events?limit=200');
    expect((json['data'] as unknown as { request_id: string }[]).map(({ request_id: id }) => id)).toEqual(['stays']);
  }, 60_000);
});

describe('An event that is refused because of overload', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  it.each(['/v1/events', '/v1/events:batch'])(
    'is refused before its body has arrived, with all headers and fields of a refusal: %s',
    async (path) => {
      const overload = app.weir.app.get(Overload, { strict: false });
      const queue = Reflect.get(overload, 'queue') as AdmissionQueue;
      // Simulates a long queue.
      Object.defineProperties(queue, {
        isBusy: { value: true, configurable: true },
        refusalOf: { value: () => 6_500, configurable: true },
      });
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      const head = [
        `POST ${path} HTTP/1.1`,
        'host: weir',
        'content-type: application/json',
        'content-length: 100',
        'x-request-id: 018f2f3a-0000-7000-8000-000000000000',
        `authorization: Bearer ${app.bootstrap.keys.production}`,
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n{"type":`);
      let received = '';
      for await (const chunk of socket) if ((received += String(chunk)).endsWith('}}')) break;
      socket.destroy();
      const [answer = '', body = ''] = received.split('\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
      for (const header of ['retry-after: 7', 'x-content-type-options: nosniff', 'content-type: application/json'])
        expect(answer.toLowerCase()).toContain(header);
      expect(JSON.parse(body)).toMatchObject({
        error: { type: 'overloaded', trace_id: '018f2f3a-0000-7000-8000-000000000000' },
      });
      const metrics = await (await fetch(`${app.url}/metrics`)).text();
      expect(metrics).toMatch(/weir_overload_refused_total\{source="rest"\} [12]/);
    },
  );
});

describe('More concurrent calls than the server can process', () => {
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

  it('receive 200 or are refused as overloaded, and never fail as an outage of a detector', () => {
    expect(refused().length).toBeGreaterThan(0);
    expect(refused().length).toBeLessThan(BURST);
    for (const { status, json, headers } of refused()) {
      expect([status, json.error.type]).toEqual([503, 'overloaded']);
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(headers.get('x-should-retry')).toBeNull();
    }
  });

  it('are not stored if they are refused', async () => {
    const { read } = restClient(() => app);
    for (const [index, { status }] of answers.slice(0, 50).entries()) {
      expect((await read(`/v1/events/burst-${index}`)).status).toBe(status === 200 ? 200 : 404);
    }
  });

  it('do not block health and metrics, which count the refused calls', async () => {
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200]);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain(`weir_overload_refused_total{source="rest"} ${refused().length}`);
    for (const name of ['limit', 'running', 'waiting', 'delay_seconds'])
      expect(metrics).toContain(`weir_overload_${name} `);
    expect(metrics).not.toMatch(/weir_detector_outcomes_total\{[^}]*status="(?:timeout|failed|not_run)"/);
  });

  it('are refused in the dialect of the provider if they are proxied', async () => {
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
