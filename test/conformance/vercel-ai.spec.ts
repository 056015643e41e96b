import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { embedMany, generateObject, generateText, stepCountIs, streamText, tool, type LanguageModel } from 'ai';
import { z } from 'zod';
import { BothWays, type Way } from '../support/both-ways.js';

type ModelOf = (way: Way) => LanguageModel;

const chat: ModelOf = ({ openaiUrl, headers, fetch }) =>
  createOpenAI({ apiKey: 'provider-key', baseURL: openaiUrl, headers, fetch }).chat('gpt-4o');
const responses: ModelOf = ({ openaiUrl, headers, fetch }) =>
  createOpenAI({ apiKey: 'provider-key', baseURL: openaiUrl, headers, fetch }).responses('gpt-4o');
const messages: ModelOf = ({ anthropicV1Url, headers, fetch }) =>
  createAnthropic({ apiKey: 'provider-key', baseURL: anthropicV1Url, headers, fetch })('claude-test');

const weather = tool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => Promise.resolve(`sunny in ${city}`),
});

describe('the Vercel AI SDK, directly and through Weir', () => {
  let both: BothWays;
  beforeAll(async () => {
    both = await BothWays.start();
    const { mock } = both.provider;
    mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is sunny.' });
    mock.on(
      { userMessage: 'weather', hasToolResult: false },
      { toolCalls: [{ id: 'call_weather_1', name: 'get_weather', arguments: '{"city":"Zürich"}' }] },
    );
    mock.onMessage('hello', { content: 'Hello there, how are you today? – “fine” 😀' });
    mock.onMessage('extract', { content: '{"name":"Ada","age":36}' });
    mock.onEmbedding(/.*/, { embedding: [0.25, -0.5, 0.125] });
    mock.on({ userMessage: 'flaky', sequenceIndex: 0 }, { error: { message: 'slow' }, status: 429, retryAfter: 1 });
    mock.on({ userMessage: 'flaky', sequenceIndex: 1 }, { content: 'at last' });
    mock.onMessage('bad', { error: { message: 'No such model', type: 'not_found_error' }, status: 404 });
    mock.onMessage('slow', { content: 'x'.repeat(200) }, { chunkSize: 4, latency: 20 });
    mock.onMessage('torn', { content: 'y'.repeat(400) }, { chunkSize: 4, truncateAfterChunks: 5 });
    mock.onMessage('secret', { content: 'It is mail-12, I think' });
  }, 60_000);
  afterAll(() => both.stop());

  describe.each([
    ['OpenAI chat completions', chat],
    ['OpenAI responses', responses],
    ['Anthropic messages', messages],
  ])('with %s', (_, model) => {
    it('generates and streams text', async () => {
      await both.same(async (way) => {
        const { text, finishReason, usage } = await generateText({ model: model(way), prompt: 'hello' });
        return { text, finishReason, usage };
      });
      const streamed = await both.same(async (way) => {
        const parts: unknown[] = [];
        const { stream } = streamText({ model: model(way), prompt: 'hello' });
        for await (const part of stream) {
          if (part.type === 'text-delta') parts.push(part.text);
          else parts.push(part.type);
        }
        return parts;
      });
      expect(JSON.stringify(streamed)).toContain('Hello');
    });

    it('runs a tool and continues', async () => {
      const answered = await both.same(async (way) => {
        const options = { model: model(way), prompt: 'weather', tools: { get_weather: weather } };
        const { text, steps } = await generateText({ ...options, stopWhen: stepCountIs(3) });
        return {
          text,
          calls: steps.map(({ toolCalls }) => toolCalls.map(({ toolName, input }) => ({ toolName, input }))),
        };
      });
      expect(answered).toMatchObject({ value: { text: 'It is sunny.' } });
      expect(both.provider.requests).toHaveLength(2);
    });

    it('generates an object', async () => {
      const schema = z.object({ name: z.string(), age: z.number() });
      await both.same(async (way) => (await generateObject({ model: model(way), schema, prompt: 'extract' })).object);
    });

    it('fails with the same errors, and retries the same number of times', async () => {
      const failed = await both.same((way) => generateText({ model: model(way), prompt: 'bad' }));
      expect(failed).toMatchObject({ error: { statusCode: 404, isRetryable: false } });
      const answered = await both.same(
        async (way) => (await generateText({ model: model(way), prompt: 'flaky' })).text,
      );
      expect(answered).toEqual({ value: 'at last' });
      expect(both.provider.requests).toHaveLength(2);
    }, 30_000);

    it('stops when its caller aborts', () =>
      both.same(async (way) => {
        const abort = new AbortController();
        const parts = new Set<string>();
        const { stream } = streamText({ model: model(way), prompt: 'slow', abortSignal: abort.signal });
        for await (const part of stream) {
          parts.add(part.type);
          if (part.type === 'text-delta') abort.abort();
        }
        return [...parts];
      }));

    it('reads a redacted answer, and does not retry a refusal', async () => {
      const way = both.through('production');
      expect((await generateText({ model: model(way), prompt: 'secret' })).text).toBe('It is [MAIL_1], I think');
      both.provider.mock.clearRequests();
      await expect(generateText({ model: model(way), prompt: 'it is ssn-1' })).rejects.toMatchObject({
        statusCode: 400,
        isRetryable: false,
      });
      expect(both.provider.requests).toHaveLength(0);
    });
  });

  it('embeds', () =>
    both.same(async ({ openaiUrl, headers, fetch }) => {
      const openai = createOpenAI({ apiKey: 'provider-key', baseURL: openaiUrl, headers, fetch });
      const { embeddings, usage } = await embedMany({
        model: openai.embedding('text-embedding-3-small'),
        values: ['one', 'two'],
      });
      return { embeddings, usage };
    }));
});
