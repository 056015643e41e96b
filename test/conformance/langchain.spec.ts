import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { z } from 'zod';
import { BothWays, type Way } from '../support/both-ways.js';

const weather = tool(({ city }: { city: string }) => `sunny in ${city}`, {
  name: 'get_weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
});

describe('LangChain, directly and through Weir', () => {
  let both: BothWays;
  beforeAll(async () => {
    both = await BothWays.start();
    const { mock } = both.provider;
    mock.onMessage('hello', { content: 'Hello there, how are you today? – “fine” 😀' });
    mock.onMessage('weather', {
      toolCalls: [{ id: 'call_weather_1', name: 'get_weather', arguments: '{"city":"Zürich"}' }],
    });
    mock.onMessage('extract', { content: '{"name":"Ada","age":36}' });
    mock.onEmbedding(/.*/, { embedding: [0.25, -0.5, 0.125] });
    mock.on({ userMessage: 'flaky', sequenceIndex: 0 }, { error: { message: 'slow' }, status: 429, retryAfter: 1 });
    mock.on({ userMessage: 'flaky', sequenceIndex: 1 }, { content: 'at last' });
    mock.onMessage('bad', { error: { message: 'No such model', type: 'not_found_error' }, status: 404 });
    mock.onMessage('secret', { content: 'It is mail-12, I think' });
  }, 60_000);
  afterAll(() => both.stop());

  const model = ({ openaiUrl, headers, fetch }: Way, useResponsesApi = false): ChatOpenAI =>
    new ChatOpenAI({
      model: 'gpt-4o',
      apiKey: 'provider-key',
      configuration: { baseURL: openaiUrl, defaultHeaders: headers, fetch },
      useResponsesApi,
      maxRetries: 2,
    });

  it.each([false, true])('invokes and streams (responses API: %s)', async (responses) => {
    await both.same(async (way) => {
      const { content, usage_metadata: usage } = await model(way, responses).invoke('hello');
      return { content, usage };
    });
    const streamed = await both.same(async (way) => {
      const pieces: unknown[] = [];
      for await (const { content } of await model(way, responses).stream('hello')) pieces.push(content);
      return pieces;
    });
    expect(JSON.stringify(streamed)).toContain('Hello');
  });

  it('calls tools', async () => {
    const called = await both.same(async (way) => (await model(way).bindTools([weather]).invoke('weather')).tool_calls);
    expect(JSON.stringify(called)).toContain('get_weather');
  });

  it('returns structured output', async () => {
    const person = z.object({ name: z.string(), age: z.number() });
    const given = await both.same((way) =>
      model(way).withStructuredOutput(person, { method: 'jsonSchema' }).invoke('extract'),
    );
    expect(given).toEqual({ value: { name: 'Ada', age: 36 } });
  });

  it('embeds', () =>
    both.same(({ openaiUrl, headers, fetch }) =>
      new OpenAIEmbeddings({
        apiKey: 'provider-key',
        model: 'text-embedding-3-small',
        configuration: { baseURL: openaiUrl, defaultHeaders: headers, fetch },
      }).embedDocuments(['one', 'two']),
    ));

  it('fails with the same errors, and retries the same number of times', async () => {
    const failed = await both.same((way) => model(way).invoke('bad'));
    expect(failed).toMatchObject({ error: { status: 404 } });
    const answered = await both.same(async (way) => (await model(way).invoke('flaky')).content);
    expect(answered).toEqual({ value: 'at last' });
    expect(both.provider.requests).toHaveLength(2);
  }, 30_000);

  it('reads a redacted answer, and does not retry a refusal', async () => {
    const way = both.through('production');
    expect((await model(way).invoke('secret')).content).toBe('It is [MAIL_1], I think');
    both.provider.mock.clearRequests();
    await expect(model(way).invoke('it is ssn-1')).rejects.toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    });
    expect(both.provider.requests).toHaveLength(0);
  });
});
