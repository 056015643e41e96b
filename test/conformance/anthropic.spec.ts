import Anthropic from '@anthropic-ai/sdk';
import { BothWays, type Way } from '../support/both-ways.js';

const TOOLS: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'The weather of a city.',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const ask = (content: string) => ({
  model: 'claude-test',
  max_tokens: 256,
  messages: [{ role: 'user' as const, content }],
});

describe('the Anthropic client, directly and through Weir', () => {
  let both: BothWays;
  beforeAll(async () => {
    both = await BothWays.start();
    const { mock } = both.provider;
    mock.onMessage('hello', { content: 'Hello there, how are you today? – “fine” 😀' });
    mock.onMessage('weather', {
      content: 'Let me look.',
      toolCalls: [{ name: 'get_weather', arguments: '{"city":"Zürich \\"HB\\""}' }],
    });
    mock.onMessage('think', { content: 'So it is.', reasoning: 'Let me think about it.' });
    mock.on({ userMessage: 'flaky', sequenceIndex: 0 }, { error: { message: 'overloaded' }, status: 529 });
    mock.on({ userMessage: 'flaky', sequenceIndex: 1 }, { error: { message: 'slow' }, status: 429, retryAfter: 1 });
    mock.on({ userMessage: 'flaky', sequenceIndex: 2 }, { content: 'at last' });
    mock.onMessage('bad', { error: { message: 'No such model', type: 'not_found_error' }, status: 404 });
    mock.onMessage('slow', { content: 'x'.repeat(200) }, { chunkSize: 4, latency: 20 });
    mock.onMessage('torn', { content: 'y'.repeat(400) }, { chunkSize: 4, truncateAfterChunks: 5 });
  }, 60_000);
  afterAll(() => both.stop());

  const client = ({ anthropicUrl, headers, guard }: Way, maxRetries = 2): Anthropic =>
    guard(new Anthropic({ apiKey: 'provider-key', baseURL: anthropicUrl, defaultHeaders: headers, maxRetries }));
  const eventsOf = async (stream: AsyncIterable<unknown>): Promise<unknown[]> => {
    const events: unknown[] = [];
    for await (const event of stream) events.push(event);
    return events;
  };

  it('creates a message, with a system prompt and content blocks', async () => {
    await both.same((way) => client(way).messages.create(ask('hello')));
    await both.same((way) =>
      client(way).messages.create({
        ...ask('hello'),
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
      }),
    );
  });

  it('creates a message even if the base URL of Weir ends with the version', async () => {
    const versioned = (way: Way): Way =>
      way.anthropicUrl.includes('/proxy/') ? { ...way, anthropicUrl: `${way.anthropicUrl}/v1` } : way;
    await both.same((way) => client(versioned(way)).messages.create(ask('hello')));
  });

  it('streams a message, event by event, and assembles it', async () => {
    await both.same(async (way) => eventsOf(await client(way).messages.create({ ...ask('hello'), stream: true })));
    await both.same((way) => client(way).messages.stream(ask('hello')).finalMessage());
  });

  it('uses tools, streamed or not', async () => {
    const plain = await both.same((way) => client(way).messages.create({ ...ask('weather'), tools: TOOLS }));
    expect(JSON.stringify(plain)).toContain('get_weather');
    await both.same((way) =>
      client(way)
        .messages.stream({ ...ask('weather'), tools: TOOLS })
        .finalMessage(),
    );
  });

  it('streams thinking', () =>
    both.same((way) =>
      client(way)
        .messages.stream({ ...ask('think'), max_tokens: 4096, thinking: { type: 'enabled', budget_tokens: 1024 } })
        .finalMessage(),
    ));

  it('sends its beta headers', () =>
    both.same((way) =>
      client(way).beta.messages.create({ ...ask('hello'), betas: ['context-1m-2025-08-07', 'some-beta-2026-01-01'] }),
    ));

  it('raises the same errors, after the same number of attempts, when the provider fails', async () => {
    const missing = await both.same((way) => client(way).messages.create(ask('bad')));
    expect(missing).toMatchObject({ error: { class: 'NotFoundError', status: 404 } });
    const answered = await both.same((way) => client(way).messages.create(ask('flaky')));
    expect(JSON.stringify(answered)).toContain('at last');
    expect(both.provider.requests).toHaveLength(3);
  }, 30_000);

  it('raises an error with the id of the request when a rule refuses', async () => {
    const refused = client(both.through('production'), 0).messages.create(ask('ssn-1'));
    const error: unknown = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    const { requestID, headers } = error as InstanceType<typeof Anthropic.BadRequestError>;
    expect(requestID).toMatch(/./);
    expect(requestID).toBe(headers.get('x-request-id'));
  });

  it('stops a stream before its end', () =>
    both.same(async (way) => {
      const stream = client(way).messages.stream(ask('slow'));
      for await (const event of stream) {
        if (event.type === 'content_block_delta') break;
      }
      return stream.controller.signal.aborted;
    }));

  it('raises an error when a stream is truncated', async () => {
    for (const environment of ['development', 'production'] as const) {
      const way = both.through(environment);
      await expect(client(way, 0).messages.stream(ask('torn')).finalMessage()).rejects.toThrow();
    }
  });
});
