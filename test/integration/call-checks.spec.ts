import zlib from 'node:zlib';
import { OpenCalls } from '../../src/call-checks/open-calls.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

type Environment = 'development' | 'staging' | 'production';

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const BUDGET = (limit: number): string =>
  `client_monitor_mode: honor\ncontent: none\ndefault_max_tokens: 50\nbudgets:\n  - { id: tokens, limit: { tokens: ${limit} }, window: { per: total }, scope: [], on_exceed: block }`;

const chat = (content: string, more: object = {}): string =>
  JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }], ...more });
const completion = (content: string): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  });
const stream = (...contents: readonly string[]): string =>
  contents.map((content) => `data: {"id":"c","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`).join('');

describe('the API /v1/calls for clients that call a provider themselves', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({
      policies: { ...TEST_POLICIES, 'staging/policy.yaml': testPolicy('staging', BUDGET(1_000)) },
    });
  }, 120_000);
  afterAll(() => app.close());

  const ask = async (
    body: string | Buffer,
    {
      path = '/openai/v1/chat/completions',
      environment = 'production',
      headers = {},
    }: { path?: string; environment?: Environment; headers?: Record<string, string> } = {},
  ): Promise<Asked> => {
    const response = await fetch(`${app.url}/v1/calls${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.bootstrap.keys[environment]}`,
        'content-type': 'application/json',
        ...headers,
      },
      body,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const report = async (
    call: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
    environment: Environment = 'production',
  ) => {
    const response = await fetch(`${app.url}/v1/calls/${call}/answer`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.bootstrap.keys[environment]}`,
        'content-type': 'application/json',
        'x-weir-status': '200',
        ...headers,
      },
      body,
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a wrong shape fails the test
    return { status: response.status, headers: response.headers, json: (await response.json()) as any };
  };
  const read = async (path: string) => {
    const response = await fetch(`${app.url}${path}`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a wrong shape fails the test
    return (await response.json()) as any;
  };
  const callOf = ({ headers }: Asked): string => headers.get('x-weir-call') ?? '';
  const eventOf = ({ headers }: Asked) => read(`/v1/events/${headers.get('x-weir-event-id')}`);
  const used = async (): Promise<{ settled: string; reserved: string }> => {
    const { data } = await read('/v1/budgets?environment=staging');
    return { settled: data[0]?.used ?? '0', reserved: data[0]?.reserved ?? '0' };
  };

  it('admits a call unchanged', async () => {
    const asked = await ask(chat('hello'), {
      headers: { 'x-service-metadata': '{"user":"u-1"}', 'x-service-session': 's-1', 'x-request-id': 'r-1' },
    });
    expect([asked.status, asked.text]).toEqual([204, '']);
    expect(asked.headers.get('x-weir-decision')).toBe('allow');
    expect(asked.headers.get('x-weir-governed')).toBe('true');
    expect(await eventOf(asked)).toMatchObject({
      id: callOf(asked),
      ...{ type: 'ai.request', source: 'calls', provider: 'openai', model: 'gpt-4o', decision: 'allow' },
      ...{ request_id: 'r-1', session_id: 's-1', metadata: { user: 'u-1' } },
    });
  });

  it('returns the body with only the masked values changed', async () => {
    const body =
      '{ "model":"gpt-4o", "n": 1.50, "messages":[{"role":"user","content":"write to mail-7"}], "seed":1e3 }';
    const asked = await ask(body);
    expect(asked.status).toBe(200);
    expect(asked.text).toBe(body.replace('mail-7', '[MAIL_1]'));
    expect(asked.headers.get('content-type')).toBe('application/json');
    expect(asked.headers.get('x-weir-decision')).toBe('redact');
    expect(asked.headers.get('x-weir-redactions')).toBe('contains_pii=1');
  });

  it('accepts a body in a content coding, and returns it without one', async () => {
    const asked = await ask(zlib.gzipSync(chat('mail-7')), { headers: { 'content-encoding': 'gzip' } });
    expect(asked.status).toBe(200);
    expect(asked.headers.get('content-encoding')).toBeNull();
    expect(asked.text).toBe(chat('[MAIL_1]'));
  });

  it('returns the judged bytes of a body in a content coding even if nothing changes, so that no others are sent', async () => {
    for (const [path, content, type] of [
      ['/openai/v1/chat/completions', chat('hello'), 'application/json'],
      ['/openai/v1/other', '\x89bytes\0\0\0\0\0', 'application/octet-stream'],
    ] as const) {
      const bytes = Buffer.from(content, 'latin1');
      const question = { path, headers: { 'content-encoding': 'gzip', 'content-type': type, 'idempotency-key': `c-${bytes.length}` } }; // prettier-ignore
      const asked = await ask(zlib.gzipSync(bytes), question);
      expect([asked.status, asked.text]).toEqual([200, bytes.toString()]);
      expect(asked.headers.get('x-weir-decision')).toBe('allow');
      expect(asked.headers.get('content-type')).toBe(type);
      const again = await ask(zlib.gzipSync(bytes), question);
      expect([again.status, again.text, callOf(again)]).toEqual([200, asked.text, callOf(asked)]);
      app.weir.app.get(OpenCalls, { strict: false }).delete(callOf(asked));
      expect((await report(callOf(asked), completion('hi'))).status).toBe(200);
    }
  });

  it.each([
    ['openai', '/openai/v1/chat/completions', (json: { error: { code: string } }) => json.error.code],
    [
      'anthropic',
      '/anthropic/v1/messages',
      (json: { type: string; error: { weir: { code: string } } }) => `${json.type} ${json.error.weir.code}`,
    ],
  ])('refuses a call in the error format of %s', async (provider, path, code) => {
    const asked = await ask(chat('ssn-7', { max_tokens: 5 }), { path });
    expect(asked.status).toBe(400);
    expect(asked.headers.get('x-should-retry')).toBe('false');
    expect(asked.headers.get('x-weir-decision')).toBe('block');
    expect(code(JSON.parse(asked.text))).toContain('content_policy_violation');
    expect(await eventOf(asked)).toMatchObject({ decision: 'block', provider, source: 'calls', id: callOf(asked) });
    expect(await report(callOf(asked), completion('hi'))).toMatchObject({ status: 422 });
  });

  it('marks calls to routes that are not governed, and judges their texts', async () => {
    const asked = await ask(JSON.stringify({ note: 'mail-7' }), { path: '/openai/v1/batches?x=1' });
    expect(asked.status).toBe(200);
    expect(asked.headers.get('x-weir-governed')).toBe('false');
    expect(asked.text).toBe('{"note":"[MAIL_1]"}');
    const listed = await ask('', { path: '/openai/v1/models', headers: { 'x-weir-method': 'GET' } });
    expect([listed.status, listed.headers.get('x-weir-governed')]).toEqual([204, 'false']);
  });

  it.each([
    ['/openai/v1/chat/completions', 'not json', 422],
    ['/openai/v1/chat/completions', '', 422],
    ['/openai/v1%2fx', '{}', 422],
    ['/nobody/v1/chat/completions', '{}', 404],
  ])('refuses an unparsable request: %s with %j', async (path, body, status) => {
    expect((await ask(body, { path })).status).toBe(status);
  });

  it('repeats its answer for the same idempotency key', async () => {
    const question = { headers: { 'idempotency-key': 'k-1' } };
    const first = await ask(chat('mail-7'), question);
    const again = await ask(chat('mail-7'), question);
    expect([again.status, again.text, callOf(again)]).toEqual([200, first.text, callOf(first)]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-weir-event-id')).toBe('k-1');
    expect((await ask(chat('mail-8'), question)).status).toBe(422);
    const refused = { headers: { 'idempotency-key': 'k-2' } };
    const [block, same] = [await ask(chat('ssn-7'), refused), await ask(chat('ssn-7'), refused)];
    expect([same.status, same.text, callOf(same)]).toEqual([400, block.text, callOf(block)]);
    const both = await Promise.all(['a', 'b'].map(() => ask(chat('hi'), { headers: { 'idempotency-key': 'k-3' } })));
    expect(new Set(both.map(callOf)).size).toBe(1);
    expect((await ask(chat('hi'), { headers: { 'idempotency-key': 'no key' } })).status).toBe(422);
  });

  it('judges, meters and records a reported answer', async () => {
    const asked = await ask(chat('hello'));
    const reported = await report(callOf(asked), completion('mail-7'), { 'x-weir-latency-ms': '812.5' });
    expect(reported).toMatchObject({ status: 200, json: { call: callOf(asked) } });
    expect(reported.json.violations).toMatchObject([{ rule: 'words.redact-answer', enforced: false }]);
    const event = await read(`/v1/events/${encodeURIComponent(reported.json.event_id)}`);
    expect(event).toMatchObject({
      ...{ type: 'ai.response', source: 'calls', parent_id: callOf(asked), upstream_status: 200 },
      usage: { prompt_tokens: 11, completion_tokens: 7 },
      latency_ms: { provider: expect.closeTo(812.5, -2) },
    });
    expect(JSON.stringify(event.payload)).not.toContain('mail-7');
    expect(Number(event.cost_nano_usd)).toBeGreaterThan(0);
  });

  it('accepts the end of a call once, even if it is reported several times', async () => {
    const call = callOf(await ask(chat('hello')));
    const [first, second] = await Promise.all([report(call, completion('one')), report(call, completion('two'))]);
    expect(second.json).toEqual(first.json);
    const again = await report(call, '', { 'x-weir-ended': 'unsent' });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.json).toEqual(first.json);
  });

  it('assembles a stream, complete or aborted, plain or compressed', async () => {
    const ends = await Promise.all(
      [
        { body: stream('ma', 'il-', '7') + 'data: [DONE]\n\n', reason: null },
        { body: zlib.gzipSync(stream('mail-7') + 'data: [DONE]\n\n'), coding: 'gzip', reason: null },
        { body: stream('mail-7'), ended: 'aborted', reason: 'client_disconnected' },
      ].map(async ({ body, coding, ended = 'complete', reason }) => {
        const asked = await ask(chat('hello', { stream: true }));
        const reported = await report(callOf(asked), body, {
          'content-type': 'text/event-stream',
          'x-weir-ended': ended,
          ...(coding === undefined ? {} : { 'content-encoding': coding }),
        });
        const event = await read(`/v1/events/${encodeURIComponent(reported.json.event_id)}`);
        return { rules: reported.json.violations.map(({ rule }: { rule: string }) => rule), expected: reason, event };
      }),
    );
    for (const { rules, expected, event } of ends) {
      expect(rules).toEqual(['words.redact-answer']);
      expect(event).toMatchObject({ type: 'ai.response', reason: expected, usage: { estimated: true } });
    }
  });

  it.each([
    [
      'the provider refused it',
      { 'x-weir-status': '429' },
      '{"error":{"type":"rate_limited","message":"mail-7"}}',
      'rate_limited',
      429,
    ],
    ['the provider broke off', { 'x-weir-ended': 'error' }, stream('hi'), 'upstream_unreachable', 200],
    [
      'the provider timed out',
      { 'x-weir-ended': 'error', 'x-weir-error': 'upstream_timeout', 'x-weir-status': '' },
      '',
      'upstream_timeout',
      null,
    ],
    ['it was never sent', { 'x-weir-ended': 'unsent', 'x-weir-status': '' }, '', 'not_sent', null],
  ])('records a call that failed: %s', async (_what, headers, body, reason, status) => {
    const asked = await ask(chat('hello'));
    const given = Object.fromEntries(
      Object.entries({ 'x-weir-status': '200', ...headers }).filter(([, value]) => value !== ''),
    );
    const response = await fetch(`${app.url}/v1/calls/${callOf(asked)}/answer`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.bootstrap.keys.production}`,
        'content-type': 'application/json',
        ...given,
      },
      body,
    });
    const json = (await response.json()) as { event_id: string };
    const event = await read(`/v1/events/${encodeURIComponent(json.event_id)}`);
    expect(event).toMatchObject({ type: 'ai.error', reason, upstream_status: status, parent_id: callOf(asked) });
    expect(JSON.stringify(event)).not.toContain('mail-7');
  });

  it('accepts the ends of many calls in one body, and returns an outcome for each end', async () => {
    const calls = [callOf(await ask(chat('a'))), callOf(await ask(chat('b')))];
    const item = (head: object, body: string | Buffer): Buffer =>
      Buffer.concat([
        Buffer.from(`${JSON.stringify({ ...head, length: Buffer.byteLength(body) })}\n`),
        Buffer.from(body),
        Buffer.from('\n'),
      ]);
    const unknown = '018f0000-0000-7000-8000-000000000000';
    const body = Buffer.concat([
      item({ call: calls[0], status: 200, content_type: 'application/json' }, completion('mail-7')),
      item({ call: unknown, status: 200 }, '{}'),
      item({ call: calls[1], ended: 'error', error: 'upstream_timeout' }, ''),
    ]);
    const send = (bytes: Buffer, headers: Record<string, string> = {}) =>
      fetch(`${app.url}/v1/calls/answers`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${app.bootstrap.keys.production}`,
          'content-type': 'application/vnd.weir.answers',
          ...headers,
        },
        body: bytes,
      });
    const response = await send(zlib.gzipSync(body), { 'content-encoding': 'gzip' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      answers: [
        { call: calls[0], status: 200, violations: [{ rule: 'words.redact-answer' }] },
        { call: unknown, status: 404, error: { type: 'not_found' } },
        { call: calls[1], status: 200, violations: [] },
      ],
    });
    for (const wrong of [body.subarray(0, -1), Buffer.from('{}\n\n'), Buffer.from('x'), Buffer.alloc(0)]) {
      expect((await send(wrong)).status).toBe(422);
    }
  });

  it('finds in the log a call that is no longer in memory', async () => {
    const asked = await ask(chat('mail-7 says hello'), { headers: { 'x-service-metadata': '{"user":"u-2"}' } });
    app.weir.app.get(OpenCalls, { strict: false }).delete(callOf(asked));
    const reported = await report(callOf(asked), completion('mail-7'));
    expect(reported.json.violations).toMatchObject([{ rule: 'words.redact-answer' }]);
    expect(await read(`/v1/events/${encodeURIComponent(reported.json.event_id)}`)).toMatchObject({
      ...{ type: 'ai.response', parent_id: callOf(asked), model: 'gpt-4o', metadata: { user: 'u-2' } },
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    });
  });

  it('responds 404 to calls of another environment as it does to unknown ones', async () => {
    const call = callOf(await ask(chat('hello')));
    const other = await report(call, completion('x'), {}, 'development');
    const unknown = await report('018f0000-0000-7000-8000-000000000000', completion('x'));
    const odd = await report('openai', completion('x'));
    expect([other.status, unknown.status, odd.status]).toEqual([404, 404, 404]);
    app.weir.app.get(OpenCalls, { strict: false }).delete(call);
    expect((await report(call, completion('x'), {}, 'development')).status).toBe(404);
    expect((await report(call, completion('x'))).status).toBe(200);
  });

  it.each([
    [{ 'x-weir-status': 'ok' }, 'x-weir-status'],
    [{ 'x-weir-status': '99' }, 'x-weir-status'],
    [{ 'x-weir-ended': 'soon' }, 'x-weir-ended'],
    [{ 'x-weir-latency-ms': '-1' }, 'x-weir-latency-ms'],
  ])('names the invalid header: %j', async (headers, name) => {
    const reported = await report(callOf(await ask(chat('hello'))), completion('x'), headers as Record<string, string>);
    expect(reported).toMatchObject({ status: 422, json: { error: { details: [{ path: name }] } } });
  });

  it('reserves the upper bound of a call until its end, caps its output, and frees the reservations of unsent calls', async () => {
    const staging = { environment: 'staging' } as const;
    const asked = await ask(chat('hello'), staging);
    expect(asked.status).toBe(200);
    expect(asked.headers.get('x-weir-decision')).toBe('allow');
    expect(JSON.parse(asked.text)).toMatchObject({ max_completion_tokens: 50 });
    expect(Number((await used()).reserved)).toBeGreaterThan(50);
    await report(callOf(asked), completion('x'), {}, 'staging');
    expect(await used()).toMatchObject({ settled: '18', reserved: '0' });
    const forgotten = await ask(chat('hello'), staging);
    app.weir.app.get(OpenCalls, { strict: false }).delete(callOf(forgotten));
    await report(callOf(forgotten), completion('x'), {}, 'staging');
    expect(await used()).toMatchObject({ settled: '36', reserved: '0' });
    await report(callOf(await ask(chat('hello'), staging)), '', { 'x-weir-ended': 'unsent' }, 'staging');
    expect(await used()).toMatchObject({ settled: '36', reserved: '0' });
    const tooMuch = await ask(chat('hello', { max_tokens: 5_000 }), staging);
    expect([tooMuch.status, JSON.parse(tooMuch.text).error.code]).toEqual([400, 'budget_exceeded']);
    expect(tooMuch.headers.get('x-weir-event-id')).not.toBeNull();
  });

  it('lists the governed routes with patterns for their paths', async () => {
    const response = await fetch(`${app.url}/v1/calls/routes`, {
      headers: { authorization: `Bearer ${app.bootstrap.keys.production}` },
    });
    const { providers, routes } = (await response.json()) as {
      providers: { id: string }[];
      routes: { provider: string; path: string; pattern: string }[];
    };
    expect(providers.map(({ id }) => id)).toEqual(expect.arrayContaining(['openai', 'anthropic']));
    const governed = (provider: string, path: string): boolean =>
      routes.some((route) => route.provider === provider && new RegExp(route.pattern, 'i').test(path));
    expect(governed('openai', '/v1/chat/completions')).toBe(true);
    expect(governed('openai', '/openai/deployments/mine/chat/completions')).toBe(true);
    expect(governed('anthropic', '/v1/messages/count_tokens')).toBe(true);
    expect(governed('openai', '/v1/models')).toBe(false);
    expect(governed('openai', '/v1/x/chat/completions/y')).toBe(false);
  });

  it('judges the text of an error, and the tool calls of the answer in it, without enforcing anything', async () => {
    const failed_generation = '<function=run_shell>{"cmd":"ls"}</function>';
    const error = { type: 'invalid_request_error', message: 'No mail-7', failed_generation };
    const asked = await ask(chat('hello'));
    const reported = await report(callOf(asked), JSON.stringify({ error }), { 'x-weir-status': '400' });
    const found = reported.json.violations.map((one: { rule: string; enforced: boolean }) => [one.rule, one.enforced]);
    expect(found.sort()).toEqual([
      ['tool.block-shell', false],
      ['words.redact-answer', false],
    ]);
    expect(await read(`/v1/events/${encodeURIComponent(reported.json.event_id)}`)).toMatchObject({
      ...{ type: 'ai.error', decision: 'allow', reason: 'invalid_request_error', upstream_status: 400 },
      payload: { error: { message: 'No [MAIL]' } },
    });
  });

  it('refuses requests without a key', async () => {
    for (const [method, path] of [
      ['POST', '/v1/calls/openai/v1/chat/completions'],
      ['POST', '/v1/calls/018f0000-0000-7000-8000-000000000000/answer'],
      ['POST', '/v1/calls/answers'],
      ['GET', '/v1/calls/routes'],
    ] as const) {
      const response = await fetch(`${app.url}${path}`, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
      expect(response.status).toBe(401);
    }
  });
});
