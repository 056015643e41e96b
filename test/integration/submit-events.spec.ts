import { eachApp } from '../support/each-app.js';
import { restClient, type Answer } from '../support/rest-client.js';

eachApp('POST /v1/events', (current) => {
  const { call, submit, read, stored } = restClient(current);
  const childrenOf = async (id: string): Promise<Answer['json'][]> =>
    ((await read('/v1/events?type=policy.violation&limit=200')).json.data as Answer['json'][]).filter(
      (event) => event.parent_id === id,
    );
  const request = (content: string, more: object = {}, payload: object = {}) => ({
    type: 'ai.request',
    request_id: 'r-1',
    ...more,
    payload: { messages: [{ role: 'user', content }], ...payload },
  });

  it('allows an event, and records it with its policy and detectors', async () => {
    const { status, json, headers } = await submit(
      request('hello', {
        provider: 'openai',
        model: 'gpt-4o',
        environment: 'staging',
        metadata: { session_id: 's-1', n: 1 },
      }),
    );
    expect(status).toBe(200);
    expect(json).toEqual({ event_id: expect.any(String), decision: 'allow', violations: [], redactions: [] });
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const event = await stored(json.event_id);
    expect(event).toMatchObject({
      id: json.event_id,
      event_id: json.event_id,
      type: 'ai.request',
      environment: 'production',
      declared_environment: 'staging',
      source: 'rest',
      request_id: 'r-1',
      session_id: 's-1',
      provider: 'openai',
      model: 'gpt-4o',
      metadata: { session_id: 's-1', n: 1 },
      payload: { messages: [{ role: 'user', content: 'hello' }] },
      capture: 'redacted',
      decision: 'allow',
      policy: { id: 'production', digest: expect.stringMatching(/^[0-9a-f]{64}$/), version: expect.any(String) },
      detectors: [{ key: 'words', plugin: 'test-words', version: '1.0.0', revision: 3, status: 'scanned' }],
    });
    expect(event.facts.stages[0]).toMatchObject({ stage: 'pre' });
  });

  it('redacts: the payload is returned with only the text changed, byte for byte elsewhere', async () => {
    const payload =
      '{ "zeta":1.10, "messages": [ {"role":"user", "content":"ask mail-1 and mail-2, mail-1\\u0021"} ],"big":12345678901234567890 }';
    const { status, json, text } = await submit(`{"type":"ai.request","request_id":"r","payload":${payload}}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      decision: 'redact',
      redactions: [{ type: 'contains_pii', count: 3 }],
      violations: [
        {
          rule: 'words.redact-mail',
          policy: 'production',
          category: expect.any(String),
          severity: 'medium',
          action: 'redact',
          enforced: true,
          message: expect.any(String),
          detector: 'words',
          locations: ['messages[0].content'],
          count: 3,
        },
      ],
    });
    const redacted = payload.replace('mail-1 and mail-2, mail-1', '[MAIL_1] and [MAIL_2], [MAIL_1]');
    expect(text.endsWith(`,"payload":${redacted}}`)).toBe(true);
    const event = await stored(json.event_id);
    expect(JSON.stringify(event)).not.toContain('mail-1');
    const [child, ...others] = await childrenOf(event.id);
    expect(others).toEqual([]);
    expect(child).toMatchObject({
      type: 'policy.violation',
      parent_id: event.id,
      violations: [{ rule: 'words.redact-mail' }],
    });
  });

  it('refuses with 400 an event that a rule blocks, and records it', async () => {
    const { status, json, headers } = await submit(
      request('it is ssn-1 and token-1', { event_id: 'block-1' }),
      'production',
      { 'x-request-id': 'trace-b' },
    );
    expect(status).toBe(400);
    expect(json).toEqual({
      error: {
        type: 'content_policy_violation',
        message: expect.any(String),
        trace_id: 'trace-b',
        decision: 'block',
        violations: [
          expect.objectContaining({ rule: 'words.block-ssn', action: 'block', enforced: true }),
          expect.objectContaining({ rule: 'words.flag-token', action: 'flag' }),
        ],
        event_id: 'block-1',
        docs: expect.stringContaining('/docs#error-content_policy_violation'),
      },
    });
    expect(headers.get('x-should-retry')).toBe('false');
    expect(headers.get('x-request-id')).toBe('trace-b');
    const event = await stored('block-1');
    expect(event).toMatchObject({ decision: 'block', reason: 'content_policy_violation' });
    expect(JSON.stringify(event)).not.toMatch(/ssn-1|token-1/);
    expect(await childrenOf(event.id)).toHaveLength(2);
  });

  it('decides allow if a rule only flags the event', async () => {
    const { json } = await submit(request('token-9'));
    expect(json).toMatchObject({
      decision: 'allow',
      violations: [{ rule: 'words.flag-token', action: 'flag' }],
      redactions: [],
    });
  });

  it('only reports violations in an environment in monitor mode', async () => {
    const { status, json } = await submit(request('ssn-1 mail-1'), 'development');
    expect(status).toBe(200);
    expect(json.decision).toBe('allow');
    expect(json.payload).toBeUndefined();
    expect(json.violations.map(({ enforced }: { enforced: boolean }) => enforced)).toEqual([false, false]);
    expect((await stored(json.event_id)).payload.messages[0].content).toBe('ssn-1 mail-1');
  });

  it('applies monitor_mode if the policy honours it, and otherwise reports that it was ignored', async () => {
    const honoured = await submit(request('ssn-1', {}, { monitor_mode: true }), 'staging');
    expect(honoured.status).toBe(200);
    expect(honoured.json).toMatchObject({ decision: 'allow', violations: [{ enforced: false }] });
    expect(honoured.headers.get('x-weir-monitor-mode')).toBeNull();
    const body = request('ssn-1', { event_id: 'monitor-1' }, { monitor_mode: true });
    for (const attempt of [await submit(body), await submit(body)]) {
      expect(attempt.status).toBe(400);
      expect(attempt.headers.get('x-weir-monitor-mode')).toBe('ignored');
    }
  });

  it('never refuses an answer, reports violations as not enforced, and stores exact cost and usage', async () => {
    const { status, json, text } = await submit(
      `{"type":"ai.response","request_id":"r","event_id":"resp-1","payload":{"output":"mail-5","usage":{"prompt_tokens":10,"completion_tokens":2,"cache_read_tokens":3},"cost_usd":0.1234567885}}`,
    );
    expect(status).toBe(200);
    expect(json).toEqual({
      event_id: 'resp-1',
      status: 'recorded',
      violations: [expect.objectContaining({ rule: 'words.redact-answer', action: 'redact', enforced: false })],
    });
    expect(text).not.toContain('mail-5');
    const event = await stored('resp-1');
    expect(event.cost_nano_usd).toBe('123456788');
    expect(event.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 2, cache_read_tokens: 3 });
    expect(JSON.stringify(event)).not.toContain('mail-5');
  });

  it.each([
    ['input', { model: 'm', input: [{ role: 'user', content: 'mail-7' }], instructions: 'short' }],
    ['a list of inputs', { model: 'm', input: ['mail-7', 'other'] }],
    ['contents', { contents: [{ role: 'user', parts: [{ text: 'mail-7' }] }] }],
    ['a list of prompts', { prompt: ['one', 'mail-7'] }],
    ['messages without a role', { messages: [{ content: 'mail-7' }] }],
  ])("judges the provider's own body: %s", async (_what, payload) => {
    const redacted = JSON.parse(JSON.stringify(payload).replace('mail-7', '[MAIL_1]')) as object;
    const { status, json } = await submit({ type: 'ai.request', request_id: 'r', payload });
    expect([status, json.decision, json.payload]).toEqual([200, 'redact', redacted]);
    const blocked = JSON.parse(JSON.stringify(payload).replace('mail-7', 'ssn-7')) as object;
    expect((await submit({ type: 'ai.request', request_id: 'r', payload: blocked })).status).toBe(400);
  });

  it('reads the complete answer of a provider: texts, tool calls, model and tokens', async () => {
    const call = { id: 't', type: 'function', function: { name: 'run_shell', arguments: '{}' } };
    const output = {
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'mail-7', tool_calls: [call] } }],
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    };
    const body = { type: 'ai.response', request_id: 'r-whole', event_id: 'whole-1', payload: { output } };
    const { status, json } = await submit(body);
    expect(status).toBe(200);
    expect(json.violations.map(({ rule }: { rule: string }) => rule).sort()).toEqual([
      'tool.block-shell',
      'words.redact-answer',
    ]);
    expect(await stored('whole-1')).toMatchObject({
      model: 'gpt-4o',
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    });
  });

  it('judges the tool calls in an answer, but does not refuse the answer', async () => {
    const part = { type: 'tool_use', id: 't', name: 'run_shell', input: { cmd: 'ls' } };
    const { status, json } = await submit({ type: 'ai.response', request_id: 'r-tools', payload: { output: [part] } });
    expect(status).toBe(200);
    expect(json.violations).toEqual([expect.objectContaining({ rule: 'tool.block-shell', enforced: false })]);
  });

  it('records an error, with its text masked', async () => {
    const { status, json } = await submit({
      type: 'ai.error',
      request_id: 'r',
      event_id: 'err-1',
      payload: { error: { type: 'overloaded_error', message: 'no route for mail-3', status: 529 }, latency_ms: 12.5 },
    });
    expect(status).toBe(200);
    expect(json).toEqual({ event_id: 'err-1' });
    expect(await stored('err-1')).toMatchObject({
      type: 'ai.error',
      reason: 'overloaded_error',
      upstream_status: 529,
      decision: null,
      latency_ms: { provider: 12.5 },
      payload: { error: { message: 'no route for [MAIL]' } },
    });
  });

  it('stops a tool call that a rule blocks before the tool runs, and answers other calls only with the id', async () => {
    const blocked = await submit({
      type: 'agent.tool_call',
      payload: { tool: 'run_shell', arguments: { cmd: 'ls' }, session_id: 'sess' },
    });
    expect(blocked.status).toBe(400);
    expect(blocked.json.error).toMatchObject({
      type: 'tool_use_blocked',
      decision: 'block',
      violations: [{ rule: 'tool.block-shell' }],
    });
    const allowed = await submit({
      type: 'agent.tool_call',
      event_id: 'tool-2',
      payload: { tool: 'send', arguments: '{"to":"mail-4"}', session_id: 'sess' },
    });
    expect(allowed.status).toBe(200);
    expect(allowed.json).toEqual({ event_id: 'tool-2' });
    expect(await stored('tool-2')).toMatchObject({
      decision: 'allow',
      session_id: 'sess',
      violations: [{ rule: 'tool.redact-mail', enforced: false }],
    });
  });

  it.each(
    (['ai.request', 'ai.response', 'ai.error', 'agent.tool_call'] as const).flatMap((type) =>
      [undefined, null, {}].map((payload) => [type, payload] as const),
    ),
  )('records %s with little content: payload %j', async (type, payload) => {
    const id = `little-${type}-${JSON.stringify(payload)}`.replaceAll(/[^a-z.-]/g, '.');
    const body = { type, event_id: id, request_id: id, ...(payload === undefined ? {} : { payload }) };
    const { status, json, text } = await submit(body);
    expect([status, json.event_id]).toEqual([200, id]);
    expect(await stored(id)).toMatchObject({ type, payload: payload ?? null });
    expect((await submit(body)).text).toBe(text);
  });

  it('records an error that is only a text, with findings masked, and an error without a message', async () => {
    const submitError = (id: string, error: unknown) =>
      submit({ type: 'ai.error', event_id: id, request_id: id, payload: { error, latency_ms: 12 } });
    await submitError('text-error', 'no route for mail-8');
    await submitError('untyped-error', { status: 503 });
    expect(await stored('text-error')).toMatchObject({ payload: { error: 'no route for [MAIL]' }, reason: null });
    expect(await stored('untyped-error')).toMatchObject({ upstream_status: 503, latency_ms: { provider: 12 } });
    expect((await submitError('wrong-error', 7)).json.error.details).toEqual([
      { path: 'payload.error', message: 'must be a string or an object' },
    ]);
  });

  it('does not judge a past tool call in the history again', async () => {
    const messages = [
      { role: 'user', content: 'go on' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'run_shell', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ];
    expect((await submit({ type: 'ai.request', request_id: 'r', payload: { messages } })).status).toBe(200);
  });

  it('responds with 503 if a refusal depends only on a failed detector, and judges a retry again', async () => {
    const body = request('explode', { event_id: 'down-1' });
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { status, json, headers } = await submit(body);
      expect(status).toBe(503);
      expect(json.error).toMatchObject({
        type: 'guardrail_unavailable',
        decision: 'block',
        event_id: 'down-1',
        message: expect.stringContaining('words'),
      });
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(headers.get('x-should-retry')).toBeNull();
      expect(headers.get('idempotent-replayed')).toBeNull();
    }
    const event = await stored('down-1');
    expect(event).toMatchObject({
      decision: 'block',
      reason: 'guardrail_unavailable',
      violations: [],
      detectors: [{ status: 'failed' }],
    });
    expect(JSON.stringify(event)).not.toContain('explode');
    expect(await childrenOf(event.id)).toEqual([]);
    const other = await submit(request('hello', { event_id: 'down-1' }));
    expect(other.status).toBe(200);
  });

  it('determines the environment only from the key', async () => {
    const { json } = await submit(request('hi', { environment: 'development', event_id: 'env-1' }), 'staging', {
      'x-environment': 'production',
    });
    expect(await stored(json.event_id)).toMatchObject({ environment: 'staging', declared_environment: 'development' });
    const bare = await submit(request('hi'), 'staging');
    expect(await stored(bare.json.event_id)).toMatchObject({
      environment: 'staging',
      declared_environment: 'production',
    });
  });

  it('stores no payload if the policy has content: none, and masks the metadata', async () => {
    const { json } = await submit(request('mail-1', { metadata: { note: 'mail-2', team: 'x' } }), 'staging');
    const event = await stored(json.event_id);
    expect(event).toMatchObject({ payload: null, capture: 'none', metadata: { note: '[MAIL]', team: 'x' } });
  });

  describe('refuses', () => {
    it.each([
      ['no credential', {}],
      ['another scheme', { authorization: 'Basic abc' }],
      ['an invalid key', { authorization: 'Bearer nonsense' }],
    ])('%s with the same 401', async (_name, headers) => {
      const answers = [
        await call(
          'POST',
          '/v1/events',
          { 'content-type': 'application/json', ...headers, 'x-request-id': 't' },
          JSON.stringify(request('x')),
        ),
        await call('POST', '/v1/events', { 'content-type': 'text/plain', ...headers, 'x-request-id': 't' }, '{'),
        await call(
          'POST',
          '/v1/events',
          {
            'content-type': 'application/json',
            authorization: `Bearer ${current().bootstrap.token}`,
            'x-request-id': 't',
          },
          '{}',
        ),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(answer.json).toEqual(answers[0]?.json);
        expect(answer.headers.get('x-should-retry')).toBe('false');
      }
    });

    it('a malformed body, a wrong type and a wrong content type with 422', async () => {
      for (const [body, headers] of [
        ['{"type":', {}],
        ['', {}],
        ['[]', {}],
        [JSON.stringify(request('x')), { 'content-type': 'text/plain' }],
        [JSON.stringify({ type: 'ai.unknown' }), {}],
        [JSON.stringify({ type: 'ai.request', payload: { prompt: 'x' } }), {}],
      ] as const) {
        const { status, json, headers: answered } = await submit(body, 'production', headers);
        expect(status).toBe(422);
        expect(json.error).toMatchObject({
          type: 'invalid_request',
          details: [expect.objectContaining({ message: expect.any(String) })],
        });
        expect(answered.get('x-should-retry')).toBe('false');
      }
    });

    it("the service's own types with reserved_event_type", async () => {
      for (const type of ['policy.violation', 'budget.exceeded']) {
        const { status, json } = await submit({ type, payload: {} });
        expect([status, json.error.type]).toEqual([422, 'reserved_event_type']);
      }
    });

    it('a body over the limit with 413', async () => {
      const { status, json } = await submit(request('x'.repeat(1_100_000)));
      expect([status, json.error.type]).toEqual([413, 'payload_too_large']);
    });

    it('characters that a database cannot store, but only in identifiers', async () => {
      const bad = await submit(request('x', { request_id: 'a\u0000b' }));
      expect([bad.status, bad.json.error.details[0].path]).toEqual([422, 'request_id']);
      const fine = await submit(request('zero \u0000 and half \ud800', { metadata: { 'k\u0000': 'v\u0000' } }));
      expect(fine.status).toBe(200);
      expect((await stored(fine.json.event_id)).payload.messages[0].content).toBe('zero \u0000 and half \ud800');
    });
  });
});
