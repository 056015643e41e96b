import fc from 'fast-check';
import { WeirError } from '../http/index.js';
import type { ClientEventType } from '../events/index.js';
import { acceptsEvent, validationErrors, explainEvent, validateEvent } from './validate-event.js';

const VALID: Record<ClientEventType, Record<string, unknown>> = {
  'ai.request': {
    type: 'ai.request',
    request_id: 'r-1',
    event_id: 'e:1',
    environment: 'staging',
    provider: 'openai',
    model: 'gpt-4o',
    metadata: { user: 'u-1', deep: { n: [1] } },
    payload: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
        { role: 'assistant', content: null, tool_calls: [] },
      ],
      tools: [{ name: 'search' }],
      max_tokens: 10,
      monitor_mode: false,
      temperature: 0.5,
    },
  },
  'ai.response': {
    type: 'ai.response',
    request_id: 'r-1',
    payload: { output: 'Hi', usage: { prompt_tokens: 1, completion_tokens: 2, extra: 1 }, cost_usd: 0.000125 },
  },
  'ai.error': {
    type: 'ai.error',
    request_id: 'r-1',
    payload: { error: { type: 'overloaded_error', message: 'Busy', status: 529 }, latency_ms: 12.5 },
  },
  'agent.tool_call': {
    type: 'agent.tool_call',
    payload: { tool: 'send_email', arguments: { to: 'x' }, call_id: 'c', session_id: 's', result: null },
  },
};
const TYPES = Object.keys(VALID) as ClientEventType[];
const copy = (type: ClientEventType): Record<string, unknown> => structuredClone(VALID[type]);

/** A valid body of this type with the value at one path replaced; `undefined` removes it. */
function changed(type: ClientEventType, path: string, value: unknown): Record<string, unknown> {
  const body = copy(type);
  const keys = path.split('.');
  let at: Record<string, unknown> = body;
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const last = keys.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
  return body;
}
const refusal = (body: unknown): WeirError => {
  try {
    validateEvent(body as never);
  } catch (error) {
    return error as WeirError;
  }
  throw new Error('was accepted');
};

describe('validateEvent', () => {
  it.each(TYPES)('accepts an event %s with all fields', (type) => {
    expect(validateEvent(copy(type) as never)).toEqual(VALID[type]);
  });

  it.each([
    ['ai.request', 'request_id', undefined, 'request_id', 'is required'],
    ['ai.response', 'request_id', null, 'request_id', 'is required'],
    ['ai.error', 'request_id', '', 'request_id', 'must be a string of 1 to 256'],
    ['ai.request', 'request_id', 'a\u0000b', 'request_id', 'without control characters'],
    ['ai.request', 'request_id', '\ud800', 'request_id', 'without control characters'],
    ['ai.request', 'request_id', 'x'.repeat(257), 'request_id', 'must be a string of 1 to 256'],
    ['ai.request', 'event_id', 'a b', 'event_id', 'must be 1 to 128 characters'],
    ['ai.request', 'event_id', 'x'.repeat(129), 'event_id', 'must be 1 to 128 characters'],
    ['ai.request', 'environment', 'prod', 'environment', 'must be one of development, staging, production'],
    ['ai.request', 'provider', 'OpenAI', 'provider', 'must be a lower-case name'],
    ['ai.request', 'provider', 'open\u0000ai', 'provider', 'must be a lower-case name'],
    ['ai.request', 'model', 'gpt\n4', 'model', 'without control characters'],
    ['ai.request', 'metadata', [], 'metadata', 'must be an object'],
    ['ai.request', 'metadata', 'x', 'metadata', 'must be an object'],
    ['ai.request', 'payload', [], 'payload', 'must be an object'],
    ['ai.request', 'payload.messages', [], 'payload.messages', 'must be a list with at least one object'],
    [
      'ai.request',
      'payload.messages',
      [[{ role: 'user', content: '' }]],
      'payload.messages',
      'must be a list of objects',
    ],
    ['ai.request', 'payload.messages.1.role', 7, 'payload.messages[1].role', 'must be a string'],
    [
      'ai.request',
      'payload.messages.2.content',
      7,
      'payload.messages[2].content',
      'must be a string or a list of parts',
    ],
    ['ai.request', 'payload.messages.1.content', ['x'], 'payload.messages[1].content', 'must be a string or a list'],
    ['ai.request', 'payload.prompt', 7, 'payload.prompt', 'must be a string, a list of texts'],
    ['ai.request', 'payload.prompt', [{}], 'payload.prompt', 'must be a string, a list of texts'],
    ['ai.response', 'payload.output', 7, 'payload.output', 'must be a string, a list of parts or an object'],
    ['ai.response', 'payload.output', ['x'], 'payload.output', 'must be a string, a list of parts or an object'],
    ['ai.request', 'payload.tools', ['x'], 'payload.tools', 'must be a list of objects'],
    ['ai.request', 'payload.max_tokens', 1.5, 'payload.max_tokens', 'must be a whole number'],
    ['ai.request', 'payload.monitor_mode', 'true', 'payload.monitor_mode', 'must be true or false'],
    ['ai.response', 'payload.usage', [], 'payload.usage', 'must be an object'],
    ['ai.response', 'payload.usage.prompt_tokens', -1, 'payload.usage.prompt_tokens', 'must be a whole number'],
    [
      'ai.response',
      'payload.usage.completion_tokens',
      0.5,
      'payload.usage.completion_tokens',
      'must be a whole number',
    ],
    ['ai.response', 'payload.cost_usd', -0.01, 'payload.cost_usd', 'must be a number from 0'],
    ['ai.response', 'payload.cost_usd', Infinity, 'payload.cost_usd', 'must be a number from 0'],
    ['ai.response', 'payload.cost_usd', '0.1', 'payload.cost_usd', 'must be a number from 0'],
    ['ai.error', 'payload.error', 7, 'payload.error', 'must be a string or an object'],
    ['ai.error', 'payload.error', ['x'], 'payload.error', 'must be a string or an object'],
    ['ai.error', 'payload.error.message', 7, 'payload.error.message', 'must be a string'],
    ['ai.error', 'payload.error.type', 'a\u0000b', 'payload.error.type', 'without control characters'],
    ['ai.error', 'payload.error.status', 99, 'payload.error.status', 'must be a whole number from 100'],
    ['ai.error', 'payload.latency_ms', -1, 'payload.latency_ms', 'must be a number from 0'],
    ['agent.tool_call', 'payload.tool', 7, 'payload.tool', 'must be a string'],
    ['agent.tool_call', 'payload.tool', '', 'payload.tool', 'must be a string of 1 to 256'],
    ['agent.tool_call', 'payload.arguments', 7, 'payload.arguments', 'must be an object, or JSON in a string'],
  ] as const)('refuses %s with %s = %j, naming %s', (type, path, value, detail, message) => {
    const { type: errorType, options } = refusal(changed(type, path, value));
    expect(errorType).toBe('invalid_request');
    expect(options.details).toContainEqual({ path: detail, message: expect.stringContaining(message) as unknown });
  });

  it.each([
    ['Responses', { model: 'gpt-4o', input: [{ role: 'user', content: 'Hi' }], instructions: 'Be brief.' }],
    ['embeddings', { model: 'e', input: ['one', 'two'] }],
    ['Gemini', { contents: [{ parts: [{ text: 'Hi' }] }] }],
    ['completions with several prompts', { prompt: ['one', 'two'] }],
    ['completions with token ids', { prompt: [[1, 2], [3]] }],
    ['Responses with a stored prompt', { prompt: { id: 'pmpt_1', variables: { city: 'Bonn' } } }],
    ['messages with parts instead of content', { messages: [{ role: 'user', parts: [{ text: 'Hi' }] }] }],
    ['messages with nothing but a role', { messages: [{ role: 'user' }, { role: 'user', content: null }] }],
    ['messages without a role', { messages: [{ content: 'Hi' }] }],
    ['a request without fields', {}],
  ])("accepts the provider's own body: %s", (_what, payload) => {
    expect(validateEvent({ type: 'ai.request', request_id: 'r', payload } as never)).toBeDefined();
  });

  it.each(TYPES.flatMap((type) => [undefined, null, {}].map((payload) => [type, payload] as const)))(
    'accepts a minimal %s with the payload %j',
    (type, payload) => {
      expect(
        validateEvent({ type, request_id: 'r', ...(payload === undefined ? {} : { payload }) } as never),
      ).toBeDefined();
    },
  );

  it.each([
    ['ai.error', { error: 'upstream timed out' }],
    ['ai.error', { error: '' }],
    ['ai.error', { error: {} }],
    ['ai.error', { error: { message: 'Busy' } }],
    ['ai.error', { error: { type: null, message: null, status: null }, latency_ms: 3 }],
    ['agent.tool_call', { tool: 'search' }],
    ['agent.tool_call', { arguments: '{}' }],
    ['agent.tool_call', { tool: null, arguments: null, result: 'done' }],
  ])('accepts a payload with some of its fields: %s %j', (type, payload) => {
    expect(validateEvent({ type, request_id: 'r', payload } as never)).toBeDefined();
  });

  it('accepts the complete answer of a provider', () => {
    const output = { choices: [{ message: { role: 'assistant', content: 'Hi' } }], usage: { prompt_tokens: 1 } };
    expect(validateEvent({ type: 'ai.response', request_id: 'r', payload: { output } } as never)).toBeDefined();
  });

  it('treats null as absent in every optional field', () => {
    const body = changed('ai.request', 'environment', null);
    for (const key of ['event_id', 'provider', 'model', 'metadata']) body[key] = null;
    body['payload'] = { prompt: 'Hi', messages: null, tools: null, max_tokens: null, monitor_mode: null };
    expect(validateEvent(body as never)).toBe(body);
    expect(
      validateEvent({ type: 'agent.tool_call', request_id: null, payload: { tool: 't', arguments: '{}' } }),
    ).toBeTruthy();
  });

  it('accepts a number beyond double range in the result of a tool, but not as a count', () => {
    const huge = JSON.parse('1e999') as number;
    expect(validateEvent(changed('agent.tool_call', 'payload.result', huge) as never)).toBeDefined();
    expect(validateEvent(changed('agent.tool_call', 'payload.result', [{ n: huge }]) as never)).toBeDefined();
    const counted = refusal(changed('ai.response', 'payload.usage.prompt_tokens', huge));
    expect(counted.options.details?.map(({ path }) => path)).toEqual(['payload.usage.prompt_tokens']);
    const priced = refusal(changed('ai.response', 'payload.cost_usd', -huge));
    expect(priced.options.details?.map(({ path }) => path)).toEqual(['payload.cost_usd']);
  });

  it('names every wrong field at once', () => {
    const body = {
      type: 'ai.request',
      provider: 'X',
      payload: { messages: [{ role: 1, content: 1 }, { content: 1 }] },
    };
    const paths = refusal(body).options.details?.map(({ path }) => path);
    const messages = ['[0].role', '[0].content', '[1].content'].map((place) => `payload.messages${place}`);
    expect(new Set(paths)).toEqual(new Set(['request_id', 'provider', ...messages]));
  });

  it('refuses an unknown key, and does not repeat one that looks like a value', () => {
    const body = { ...copy('ai.error'), metdata: {}, ['hunter2 is my password']: 1 };
    expect(refusal(body).options.details?.map(({ path }) => path)).toEqual(['metdata', '(a key)']);
  });

  it('does not repeat an unknown key that may be a credential', () => {
    for (const key of [
      'ghp' + '_x7Kq2mZt9LwYb4RfNs8VcD1hJ6gP3uEaQ0iT',
      'AKIA' + '2E0A8F3B244C9986',
      '4111111111111111',
    ]) {
      expect(refusal({ ...copy('ai.request'), [key]: 1 }).options.details?.map(({ path }) => path)).toEqual([
        '(a key)',
      ]);
    }
  });

  it.each(['policy.violation', 'budget.exceeded'])('reserves %s for the service', (type) => {
    expect(refusal({ type }).type).toBe('reserved_event_type');
  });

  it.each([[undefined], [null], ['ai.unknown'], [7], ['__proto__'], ['constructor']])('refuses the type %j', (type) => {
    const { type: errorType, options } = refusal({ ...copy('ai.error'), type });
    expect(errorType).toBe('invalid_request');
    expect(options.details?.[0]?.path).toBe('type');
  });

  it.each([[null], [1], ['x'], [[]], [true]])('refuses the body %j', (body) => {
    expect(refusal(body).options.details).toEqual([{ path: '', message: 'must be a JSON object' }]);
  });

  it('never repeats a value', () => {
    const odd = fc.constantFrom<unknown>('ZZMARKERZZ', { ZZMARKERZZ: 1 }, ['ZZMARKERZZ'], 'ZZMARKERZZ\n');
    fc.assert(
      fc.property(
        fc.constantFrom(...TYPES),
        fc.constantFrom('request_id', 'event_id', 'environment', 'payload'),
        odd,
        (type, key, value) => {
          const body = { ...copy(type), [key]: value };
          if (!acceptsEvent(type, body)) expect(JSON.stringify(explainEvent(type, body))).not.toContain('ZZMARKERZZ');
        },
      ),
    );
  });
});

describe('the compiled validator and class-validator', () => {
  const words = fc.constantFrom(
    'user',
    'assistant',
    'production',
    'openai',
    'GPT',
    '',
    'a\u0000',
    '\ud83d',
    '❤️',
    'x'.repeat(257),
  );
  const leaf = fc.oneof(
    words,
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom<unknown>(
      { constructor: { prototype: {} } },
      JSON.parse('{"__proto__":1}'),
      null,
      true,
      false,
      0,
      -0,
      -1,
      1.5,
      1e300,
      600,
      Number.MAX_SAFE_INTEGER,
      Infinity,
      NaN,
    ),
  );
  const part = fc.dictionary(fc.constantFrom('type', 'text', 'role', 'content'), leaf, { maxKeys: 3 });
  const any = fc.oneof(
    { weight: 3, arbitrary: leaf },
    fc.array(fc.oneof(part, leaf), { maxLength: 2 }),
    part,
    fc.array(fc.array(part), { maxLength: 1 }),
  );
  const paths: Record<ClientEventType, string[]> = {
    'ai.request': [
      'payload.messages',
      'payload.messages.0',
      'payload.messages.0.role',
      'payload.messages.2.role',
      'payload.messages.1.content',
      'payload.messages.2.content',
      'payload.prompt',
      'payload.tools',
      'payload.max_tokens',
      'payload.monitor_mode',
    ],
    'ai.response': [
      'payload.output',
      'payload.usage',
      'payload.usage.prompt_tokens',
      'payload.usage.reasoning_tokens',
      'payload.cost_usd',
    ],
    'ai.error': [
      'payload.error',
      'payload.error.type',
      'payload.error.message',
      'payload.error.status',
      'payload.latency_ms',
    ],
    'agent.tool_call': [
      'payload.tool',
      'payload.arguments',
      'payload.call_id',
      'payload.session_id',
      'payload.result',
      'payload.monitor_mode',
    ],
  };
  const common = ['request_id', 'event_id', 'environment', 'provider', 'model', 'metadata', 'payload'];

  it('agree on every body', () => {
    const change = fc.constantFrom(...TYPES).chain((type) =>
      fc.record({
        type: fc.constant(type),
        edits: fc.array(fc.tuple(fc.constantFrom(...common, ...paths[type]), fc.option(any, { nil: undefined })), {
          maxLength: 3,
        }),
      }),
    );
    fc.assert(
      fc.property(change, ({ type, edits }) => {
        const body = copy(type);
        for (const [path, value] of edits) setIfPossible(body, path.split('.'), value);
        expect(validationErrors(type, body).length === 0).toBe(acceptsEvent(type, body));
      }),
      { numRuns: 3000 },
    );
  });
});

function setIfPossible(body: Record<string, unknown>, keys: string[], value: unknown): void {
  let at: unknown = body;
  for (const key of keys.slice(0, -1))
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  if (typeof at !== 'object' || at === null) return;
  const last = keys.at(-1) ?? '';
  if (Array.isArray(at) && value === undefined) at.splice(Number(last), 1);
  else if (value === undefined) delete (at as Record<string, unknown>)[last];
  else (at as Record<string, unknown>)[last] = value;
}
