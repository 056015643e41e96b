import { once } from 'node:events';
import { createServer } from 'node:http';
import { ApiError, GoogleGenAI, type GenerateContentResponse } from '@google/genai';
import { providerOfStyle } from '../../src/core/index.js';
import { BothWays, outcomeOf, type Way } from '../support/both-ways.js';
import { urlOf } from '../support/ports.js';
import { recordedAnswer, recordedEvents } from '../support/recorded-answer.js';

const MODEL = 'gemini-2.5-flash';
const TOOLS = [
  {
    functionDeclarations: [
      {
        name: 'get_weather',
        description: 'The weather of a city.',
        parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ],
  },
];
const USAGE = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };

describe('the Google client, directly and through Weir', () => {
  let both: BothWays;
  beforeAll(async () => {
    both = await BothWays.start();
    const { mock } = both.provider;
    mock.onMessage('hello', { content: 'Hello there, how are you today? – “fine” 😀', usage: USAGE });
    mock.onMessage('weather', {
      content: 'Let me look.',
      toolCalls: [{ name: 'get_weather', arguments: '{"city":"Zürich \\"HB\\""}' }],
    });
    mock.onMessage('think', { content: 'So it is.', reasoning: 'Let me think about it.' });
    mock.onMessage('write', { content: 'Write to mail-1 or to mail-2, please.', usage: USAGE });
    mock.onMessage('shell', { toolCalls: [{ name: 'run_shell', arguments: '{"command":"ls"}' }] });
    mock.onMessage('bad', { error: { message: 'No such model', type: 'not_found_error' }, status: 404 });
    mock.onMessage('slow', { content: 'x'.repeat(200) }, { chunkSize: 4, latency: 20 });
  }, 60_000);
  afterAll(() => both.stop());

  const client = ({ geminiUrl, headers }: Way, more: Record<string, string> = {}): GoogleGenAI =>
    new GoogleGenAI({
      apiKey: 'provider-key',
      httpOptions: { baseUrl: geminiUrl, headers: { ...headers, ...more } },
    });
  const chunksOf = async (stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> => {
    const chunks: GenerateContentResponse[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks.map(({ sdkHttpResponse: _, ...rest }) => rest as GenerateContentResponse);
  };
  const generate = async (way: Way, contents: string, config = {}, more = {}): Promise<GenerateContentResponse> => {
    const { sdkHttpResponse: _, ...rest } = await client(way, more).models.generateContent({
      model: MODEL,
      contents,
      config,
    });
    return rest as GenerateContentResponse;
  };
  const streamed = async (way: Way, contents: string, config = {}, more = {}): Promise<GenerateContentResponse[]> =>
    chunksOf(await client(way, more).models.generateContentStream({ model: MODEL, contents, config }));
  const textOf = (chunks: readonly GenerateContentResponse[]): string =>
    chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []).reduce((all, { text }) => all + text, '');

  it('generates content, with instructions and settings', async () => {
    await both.same((way) => generate(way, 'hello'));
    await both.same((way) => generate(way, 'hello', { systemInstruction: 'Be brief.', maxOutputTokens: 64 }));
  });

  it('streams content, entry by entry', async () => {
    await both.same((way) => streamed(way, 'hello'));
    await both.same((way) => streamed(way, 'think'));
  });

  it('uses tools, streamed or not, and sends their results', async () => {
    const plain = await both.same((way) => generate(way, 'weather', { tools: TOOLS }));
    expect(JSON.stringify(plain)).toContain('get_weather');
    await both.same((way) => streamed(way, 'weather', { tools: TOOLS }));
    await both.same(async (way) => {
      const chat = client(way).chats.create({ model: MODEL, config: { tools: TOOLS } });
      await chat.sendMessage({ message: 'weather' });
      const response = { name: 'get_weather', response: { output: 'hello, rain' } };
      await outcomeOf(() => chat.sendMessage({ message: [{ functionResponse: response }, { text: 'hello' }] }));
      return chat.getHistory();
    });
  });

  it('raises the same errors when the provider fails', async () => {
    const missing = await both.same((way) => generate(way, 'bad'));
    expect(missing).toMatchObject({ error: { class: 'ApiError', status: 404 } });
  });

  it('stops a stream before its end', () =>
    both.same(async (way) => {
      const stream = await client(way).models.generateContentStream({ model: MODEL, contents: 'slow' });
      for await (const { text } of stream) return typeof text;
      return undefined;
    }));

  it('receives masks in place of what a rule redacts in requests and in answers, streamed or not', async () => {
    const way = both.through('production');
    both.provider.mock.clearRequests();
    expect(textOf([await generate(way, 'write, as mail-7 asks')])).toBe('Write to [MAIL_1] or to [MAIL_2], please.');
    expect(JSON.stringify(both.provider.requests.at(-1)?.body)).not.toContain('mail-7');
    expect(textOf(await streamed(way, 'write'))).toBe('Write to [MAIL_1] or to [MAIL_2], please.');
  });

  it('raises its own error, in the format of Google, when a rule refuses', async () => {
    const way = both.through('production');
    const refused = async (
      call: () => Promise<unknown>,
    ): Promise<{ status: number; error: Record<string, unknown> }> => {
      const error: unknown = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ApiError);
      const { status, message } = error as ApiError;
      return { status, ...(JSON.parse(message.slice(message.indexOf('{'))) as { error: Record<string, unknown> }) };
    };
    for (const call of [() => generate(way, 'ssn-1'), () => streamed(way, 'ssn-1')]) {
      expect(await refused(call)).toMatchObject({
        status: 400,
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          details: [
            { reason: 'CONTENT_POLICY_VIOLATION' },
            { '@type': 'weir', code: 'content_policy_violation', violations: [{ rule: 'words.block-ssn' }] },
          ],
          weir: { code: 'content_policy_violation', violations: [{ rule: 'words.block-ssn' }] },
        },
      });
    }
    for (const call of [() => generate(way, 'shell'), () => streamed(way, 'shell')]) {
      expect((await refused(call)).error).toMatchObject({ code: 400, weir: { code: 'tool_use_blocked' } });
    }
  });

  it('leaves model, tokens and cost of answers in the log, streamed or not', async () => {
    const way = both.through('production');
    await generate(way, 'hello', {}, { 'x-request-id': 'gemini-plain' });
    await streamed(way, 'hello', {}, { 'x-request-id': 'gemini-streamed' });
    for (const id of ['gemini-plain', 'gemini-streamed']) {
      const answer = await recordedAnswer(both.app, id);
      // 11 tokens at 0.30 and 7 at 2.50 dollars per million.
      expect(answer).toMatchObject({
        model: MODEL,
        usage: { prompt_tokens: 11, completion_tokens: 7 },
        cost_nano_usd: '20800',
      });
      const [request] = (await recordedEvents(both.app, id)).filter(({ type }) => type === 'ai.request');
      expect(request).toMatchObject({ model: MODEL, provider: 'gemini' });
    }
  });
});

describe('the Google client', () => {
  it('reads a stream with keep-alive bytes, and keeps its texts in the history of a chat', async () => {
    const event = (text: string, more: object = {}): string =>
      `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }] })}\r\n\r\n`;
    const server = createServer((request, response) => {
      const frame = providerOfStyle('gemini').keepAlive((name) => request.headers[name]?.toString()) ?? 'none';
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of [frame, event('a'), frame, frame, event('b', { finishReason: 'STOP' }), frame])
        response.write(piece);
      response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const baseUrl = urlOf(server);
      const chat = new GoogleGenAI({ apiKey: 'provider-key', httpOptions: { baseUrl } }).chats.create({ model: MODEL });
      const texts: unknown[] = [];
      for await (const { text } of await chat.sendMessageStream({ message: 'hello' })) texts.push(text);
      expect(texts).toEqual(['a', 'b']);
      const kept = chat.getHistory(true).flatMap(({ parts = [] }) => parts.map(({ text }) => text));
      expect(kept).toEqual(['hello', 'a', 'b']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
