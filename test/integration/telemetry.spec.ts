import { spawnSync } from 'node:child_process';
import { Collector, valueOf, type OtlpSpan } from '../support/collector.js';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
/** Assembled from parts, so that they are nowhere else in the repository. */
const SECRETS = ['body', 'metadata', 'model', 'agent', 'state', 'query', 'answer'].map(
  (place) => `planted-${place}-${'x7Q'}`,
);
const [BODY, METADATA, MODEL, AGENT, STATE, QUERY, ANSWER] = SECRETS as [string, ...string[]];

/** A budget from which every call reserves tokens. */
const BUDGET = `client_monitor_mode: ignore
content: redacted
default_max_tokens: 50
budgets:
  - { id: tokens, scope: [], window: { per: total }, limit: { tokens: 1000 }, on_exceed: block }`;

describe('A service with an OpenTelemetry collector', () => {
  let collector: Collector;
  let provider: SimulatedProvider;
  let app: TestApp;
  let answers: Response[];
  beforeAll(async () => {
    collector = await Collector.start();
    provider = await SimulatedProvider.start();
    provider.say('hello', `Hi ${ANSWER}`);
    app = await startTestApp({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WEIR_OPENAI_BASE_URL: provider.url },
      policies: { ...TEST_POLICIES, 'production/policy.yaml': testPolicy('production', BUDGET) },
    });
    const headers = {
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-${CALLER}-01`,
      tracestate: `vendor=${STATE}`,
      'user-agent': AGENT!,
    };
    const key = app.bootstrap.keys.production;
    const event = (payload: object, more: object = {}): Promise<Response> =>
      fetch(`${app.url}/v1/events`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${key}` },
        body: JSON.stringify({ type: 'ai.request', request_id: 'r1', payload, ...more }),
      });
    const chat = (query: string, more: object = {}): Promise<Response> =>
      fetch(`${app.url}/proxy/openai/v1/chat/completions${query}`, {
        method: 'POST',
        headers: { ...headers, 'x-service-key': key, authorization: 'Bearer provider-key' },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: `hello ${BODY}` }], ...more }),
      });
    answers = [
      await event({ prompt: `hello mail-7 ${BODY}` }, { metadata: { user_id: `mail-9 ${METADATA}` } }),
      await event({ prompt: `ssn-1 ${BODY}` }, { model: MODEL }),
      await chat(`?note=${QUERY}`),
      await chat('', { max_tokens: 2_000 }),
      await fetch(`${app.url}/nowhere/${QUERY}`, { headers }),
    ];
    for (const answer of answers) await answer.arrayBuffer();
    // Pending data is sent before the service ends.
    await app.close();
  }, 120_000);
  afterAll(async () => {
    await provider.stop();
    await collector.stop();
  });

  /** The span of the proxied request that was answered with this status, and the names of the steps below it. */
  function proxiedWith(status: number): { readonly proxied: OtlpSpan; readonly steps: string[] } {
    const spans = collector.spans();
    const [proxied] = spans.filter(
      (span) => span.name === 'POST /proxy/*' && String(valueOf(span, 'http.response.status_code')) === String(status),
    );
    if (proxied === undefined) throw new Error(`no proxied request was answered with ${status}`);
    return { proxied, steps: spans.filter((span) => span.parentSpanId === proxied.spanId).map(({ name }) => name) };
  }

  it('exports a span for each step of a call, below the span of its caller', () => {
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400, 404]);
    const spans = collector.spans();
    const calls = spans.filter(({ parentSpanId }) => parentSpanId === CALLER);
    expect(calls.map(({ name }) => name).sort()).toEqual(
      ['GET unmatched', 'POST /proxy/*', 'POST /proxy/*', 'POST /v1/events', 'POST /v1/events'].sort(),
    );
    expect(new Set(calls.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const { proxied, steps } = proxiedWith(200);
    expect(steps).toEqual(expect.arrayContaining(['judge', 'reserve', 'append', 'upstream', 'relay']));
    const judge = spans.find(({ name }) => name === 'judge')!;
    expect(spans.some(({ name, parentSpanId }) => name === 'detectors' && parentSpanId === judge.spanId)).toBe(true);
    expect(valueOf(proxied, 'gen_ai.request.model')).toBe('gpt-4o');
    const upstream = spans.find(({ name }) => name === 'upstream')!;
    expect(valueOf(upstream, 'gen_ai.provider.name')).toBe('openai');
    const refused = calls
      .filter(({ name }) => name === 'POST /v1/events')
      .map((span) => valueOf(span, 'weir.decision'));
    expect(refused.sort()).toEqual(['block', 'redact']);
  });

  it('exports the reservation of a call that a budget refuses, and no request to the provider', () => {
    const { steps } = proxiedWith(400);
    expect(steps).toEqual(expect.arrayContaining(['judge', 'reserve', 'append']));
    expect(steps).not.toContain('upstream');
    expect(provider.requests).toHaveLength(1);
  });

  it('lets the provider continue the trace', () => {
    const { headers } = provider.requests.at(-1)!;
    const upstream = collector.spans().find(({ name }) => name === 'upstream')!;
    expect(headers['traceparent']).toBe(`00-${TRACE}-${upstream.spanId}-01`);
    expect(headers['tracestate']).toBeUndefined();
  });

  it('exports the metrics that Prometheus receives', () => {
    const figures = collector.bodies.filter(({ path }) => path === '/v1/metrics').map(({ body }) => body);
    for (const name of ['weir_decisions_total', 'weir_judgement_duration_seconds', 'weir_event_log_backlog']) {
      expect(figures.join('')).toContain(`"${name}"`);
    }
  });

  it('exports the log records, each in the trace of its call', () => {
    const lines = collector.lines().filter(({ body }) => body.stringValue === 'request');
    const ofCalls = lines.filter(({ traceId }) => traceId === TRACE);
    expect(ofCalls.map((line) => valueOf(line, 'route')).sort()).toEqual(
      ['/proxy/*', '/proxy/*', '/v1/events', '/v1/events', 'unmatched'].sort(),
    );
    const spans = new Set(collector.spans().map(({ spanId }) => spanId));
    expect(ofCalls.filter(({ spanId = '' }) => !spans.has(spanId))).toEqual([]);
    const [blocked] = ofCalls.filter((line) => String(valueOf(line, 'status')) === '400');
    expect(blocked?.severityText).toBe('INFO');
    expect(valueOf(blocked!, 'route')).toBe('/v1/events');
    expect(valueOf(blocked!, 'otel_trace_id')).toBeUndefined();
  });

  it('exports no text of clients or providers, and no key', () => {
    const { contents } = collector;
    expect(collector.lines().length).toBeGreaterThan(3);
    expect(contents.length).toBeGreaterThan(1_000);
    const keys = Object.values(app.bootstrap.keys);
    const found = [...SECRETS, ...keys, 'provider-key', 'mail-7', 'mail-9'].filter((secret) =>
      contents.includes(secret),
    );
    expect(found).toEqual([]);
  });
});

it('A service exports only the warnings of unsampled calls, but everything of a call that its caller has sampled', async () => {
  const collector = await Collector.start();
  const provider = await SimulatedProvider.start();
  provider.say('hello', 'Hi');
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '0',
    WEIR_OPENAI_BASE_URL: provider.url,
    // No server listens there.
    WEIR_ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  };
  const app = await startTestApp({ env });
  try {
    const call = async (more: Record<string, string>, path = 'openai/v1/chat/completions'): Promise<number> => {
      const answer = await fetch(`${app.url}/proxy/${path}`, {
        method: 'POST',
        headers: { ...more, 'content-type': 'application/json', 'x-service-key': app.bootstrap.keys.production },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await call({})).toBe(200);
    // The provider receives the same sampling decision.
    expect(provider.requests.at(-1)!.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(await call({ traceparent: `00-${TRACE}-${CALLER}-01` })).toBe(200);
    expect(await call({}, 'anthropic/v1/messages')).toBe(502);
    await app.close();
    expect(new Set(collector.spans().map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const ofCalls = collector.lines().filter(({ traceId = '' }) => traceId !== '');
    expect(ofCalls.filter(({ severityText }) => severityText === 'INFO').map(({ traceId }) => traceId)).toEqual([
      TRACE,
    ]);
    expect(ofCalls.filter(({ severityText }) => severityText === 'WARN').map(({ traceId }) => traceId)).toEqual([
      expect.not.stringContaining(TRACE),
    ]);
  } finally {
    await provider.stop();
    await collector.stop();
  }
}, 60_000);

it('A service exports the metrics of a start that fails', async () => {
  const collector = await Collector.start();
  try {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    await expect(startTestApp({ env, policies: { 'production/policy.yaml': 'kind: nothing\n' } })).rejects.toThrow();
    const contents = collector.bodies.filter(({ path }) => path === '/v1/metrics').map(({ body }) => body);
    expect(contents.join('')).toContain('process_cpu_seconds_total');
  } finally {
    await collector.stop();
  }
});

it('A service does not load the OpenTelemetry SDK without a collector', () => {
  const logger = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      const found = next(name, context);
      process.stderr.write(found.url + '\\n');
      return found;
    } });
  `)}`;
  const { stderr, status } = spawnSync(process.execPath, ['--import', logger, '-e', `import('./src/app.js')`], {
    cwd: 'dist',
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stderr).toContain('/src/telemetry/tracing.js');
  expect(stderr.split('\n').filter((url) => /@opentelemetry\/(sdk|exporter|otlp|context)/.test(url))).toEqual([]);
});
