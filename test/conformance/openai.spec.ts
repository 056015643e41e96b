import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { BothWays, type Way } from '../support/both-ways.js';

const TOOLS: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];
const ask = (content: string) => ({ model: 'gpt-4o', messages: [{ role: 'user' as const, content }] });

describe('the OpenAI client, directly and through Weir', () => {
  let both: BothWays;
  beforeAll(async () => {
    both = await BothWays.start();
    const { mock } = both.provider;
    mock.onMessage('hello', { content: 'Hello there, how are you today? – “fine” 😀' });
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Zürich \\"HB\\""}' }] });
    mock.onMessage('think', { content: 'So it is.', reasoning: 'Let me think about it.' });
    mock.onMessage('extract', { content: '{"name":"Ada","age":36}' });
    mock.onEmbedding(/.*/, { embedding: [0.25, -0.5, 0.125] });
    mock.on({ userMessage: 'flaky', sequenceIndex: 0 }, { error: { message: 'try later' }, status: 500 });
    mock.on({ userMessage: 'flaky', sequenceIndex: 1 }, { error: { message: 'slow' }, status: 429, retryAfter: 1 });
    mock.on({ userMessage: 'flaky', sequenceIndex: 2 }, { content: 'at last' });
    mock.onMessage('bad', {
      error: { message: 'No such model', type: 'invalid_request_error', code: 'x' },
      status: 404,
    });
    mock.onMessage('limited', { error: { message: 'slow', type: 'rate_limit_error' }, status: 429, retryAfter: 1 });
    mock.onMessage('slow', { content: 'x'.repeat(200) }, { chunkSize: 4, latency: 20 });
    mock.onMessage('torn', { content: 'y'.repeat(400) }, { chunkSize: 4, truncateAfterChunks: 5 });
  }, 60_000);
  afterAll(() => both.stop());

  const client = ({ openaiUrl, headers, guard }: Way, maxRetries = 2): OpenAI =>
    guard(new OpenAI({ apiKey: 'provider-key', baseURL: openaiUrl, defaultHeaders: headers, maxRetries }));
  const chunksOf = async (stream: AsyncIterable<unknown>): Promise<unknown[]> => {
    const chunks: unknown[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };

  it('chats', () => both.same((way) => client(way).chat.completions.create(ask('hello'))));

  it('streams a chat, chunk by chunk, with and without usage', async () => {
    await both.same(async (way) => {
      const create = { ...ask('hello'), stream: true as const };
      return chunksOf(await client(way).chat.completions.create(create));
    });
    const withUsage = await both.same(async (way) => {
      const create = { ...ask('hello'), stream: true as const, stream_options: { include_usage: true } };
      return chunksOf(await client(way).chat.completions.create(create));
    });
    expect(JSON.stringify(withUsage)).toContain('"prompt_tokens"');
  });

  it('assembles a streamed chat with its helper', () =>
    both.same((way) => client(way).chat.completions.stream(ask('hello')).finalChatCompletion()));

  it('calls tools, streamed or not', async () => {
    const plain = await both.same((way) => client(way).chat.completions.create({ ...ask('weather'), tools: TOOLS }));
    expect(JSON.stringify(plain)).toContain('get_weather');
    await both.same((way) =>
      client(way)
        .chat.completions.stream({ ...ask('weather'), tools: TOOLS })
        .finalChatCompletion(),
    );
  });

  it('parses structured output', async () => {
    const format = zodResponseFormat(z.object({ name: z.string(), age: z.number() }), 'person');
    const parsed = await both.same(async (way) => {
      const completion = await client(way).chat.completions.parse({ ...ask('extract'), response_format: format });
      return completion.choices[0]!.message.parsed;
    });
    expect(parsed).toEqual({ value: { name: 'Ada', age: 36 } });
  });

  it('streams reasoning', () =>
    both.same(async (way) =>
      chunksOf(await client(way).chat.completions.create({ ...ask('think'), stream: true as const })),
    ));

  it('embeds, as floats and as base64', async () => {
    const create = { model: 'text-embedding-3-small', input: ['one', 'two'] };
    await both.same((way) => client(way).embeddings.create(create));
    await both.same((way) => client(way).embeddings.create({ ...create, encoding_format: 'float' }));
  });

  it('uses responses, streamed or not, with tools', async () => {
    const create = { model: 'gpt-5', input: 'hello' };
    await both.same((way) => client(way).responses.create(create));
    await both.same(async (way) => chunksOf(await client(way).responses.create({ ...create, stream: true })));
    const tools = [
      {
        type: 'function' as const,
        name: 'get_weather',
        parameters: { type: 'object', properties: {}, additionalProperties: false },
        strict: false,
      },
    ];
    await both.same((way) => client(way).responses.create({ model: 'gpt-5', input: 'weather', tools }));
    await both.same(async (way) =>
      chunksOf(await client(way).responses.create({ model: 'gpt-5', input: 'weather', tools, stream: true })),
    );
  });

  it('lists models', () =>
    both.same(async (way) => {
      const page = await client(way).models.list();
      return page.data;
    }));

  it('raises the same errors, after the same number of attempts, when the provider fails', async () => {
    const missing = await both.same((way) => client(way).chat.completions.create(ask('bad')));
    expect(missing).toMatchObject({ error: { class: 'NotFoundError', status: 404, code: 'x' } });
    const limited = await both.same((way) => client(way, 1).chat.completions.create(ask('limited')));
    expect(limited).toMatchObject({ error: { class: 'RateLimitError', status: 429 } });
    expect(both.provider.requests).toHaveLength(2);
    await both.same((way) => client(way, 0).chat.completions.create({ ...ask('bad'), stream: true }));
  });

  it('retries the same number of times, after the delay that the provider requests', async () => {
    const answered = await both.same((way) => client(way).chat.completions.create(ask('flaky')));
    expect(JSON.stringify(answered)).toContain('at last');
    expect(both.provider.requests).toHaveLength(3);
  }, 30_000);

  it('stops a stream before its end', () =>
    both.same(async (way) => {
      const stream = await client(way).chat.completions.create({ ...ask('slow'), stream: true as const });
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content) break;
      }
      return stream.controller.signal.aborted;
    }));

  it('does not retry a call that its caller aborts', async () => {
    const aborted = await both.same((way) => {
      const abort = new AbortController();
      const call = client(way).chat.completions.create(ask('hello'), { signal: abort.signal });
      abort.abort();
      return call;
    });
    expect(aborted).toMatchObject({ error: { class: 'APIUserAbortError' } });
  });

  it('raises an error when a stream is truncated, instead of returning a partial answer as complete', async () => {
    const read = async (way: Way): Promise<unknown> =>
      chunksOf(await client(way, 0).chat.completions.create({ ...ask('torn'), stream: true as const }));
    await expect(read(both.through('development'))).rejects.toThrow();
    await expect(read(both.through('production'))).rejects.toThrow();
  });
});
