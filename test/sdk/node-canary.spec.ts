import Anthropic from '@anthropic-ai/sdk';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { GoogleGenAI } from '@google/genai';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { Agent, OpenAIResponsesModel, run, setTracingDisabled } from '@openai/agents';
import { generateText, streamText } from 'ai';
import AnthropicYearOld from 'anthropic-year-old';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import OpenAI, { AzureOpenAI, toFile } from 'openai';
import OpenAIYearOld, { AzureOpenAI as AzureOpenAIYearOld } from 'openai-year-old';
import { fetch as undiciFetch } from 'undici';
import { weir, weirFetch, type WeirOptions } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { fetchUntil } from './fetch-until.js';

/** A text that the policy of the tests masks; a provider must never receive it. */
const PLANTED = 'mail-4711';
const SAYS = `write to ${PLANTED}, please`;
/** The mask, or, if the text was added too late to be sent, the body that was judged. */
const MASKED = /write[ +]to[ +]\[\w+_1\]|x{20}|"messages":\[\]/;
const CHAT = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: SAYS }] };
const MESSAGE = { model: 'claude-test', max_tokens: 9, messages: [{ role: 'user' as const, content: SAYS }] };
const EVERY_ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1, prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
  output: [],
  data: [],
  candidates: [],
  embeddings: [],
};

describe.each(['calls', 'proxy'] as const)('masked text never reaches the provider (via %s)', (via) => {
  const toWeir = fetchUntil(afterAll);
  let app: TestApp;
  let provider: RawUpstream;
  beforeAll(async () => {
    setTracingDisabled(true);
    provider = await RawUpstream.start();
    app = await startTestApp({
      env: {
        WEIR_OPENAI_BASE_URL: provider.url,
        WEIR_ANTHROPIC_BASE_URL: provider.url,
        WEIR_GEMINI_BASE_URL: provider.url,
      },
    });
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.requests.length = 0;
    provider.answerJson(EVERY_ANSWER);
  });

  const options = (more: WeirOptions = {}): WeirOptions => ({
    apiKey: app.bootstrap.keys.production,
    baseUrl: app.url,
    via,
    deadlineMs: 60_000,
    fetch: toWeir(),
    ...more,
  });
  const url = (): string => `${provider.url}/v1`;
  const setup = () => ({ apiKey: 'provider-key', baseURL: url(), maxRetries: 0 });
  const openai = (more: object = {}): OpenAI => weir(new OpenAI({ ...setup(), ...more }), options());
  const older = (): OpenAIYearOld => weir(new OpenAIYearOld(setup()), options());
  const azure = { apiKey: 'k', endpoint: '', apiVersion: '2024-10-21', maxRetries: 0 };
  const anthropic = (more: object = {}): Anthropic =>
    weir(new Anthropic({ apiKey: 'provider-key', baseURL: provider.url, maxRetries: 0, ...more }), options());
  const direct = (more: WeirOptions = {}): typeof globalThis.fetch => weirFetch(options(more));
  const text = JSON.stringify(CHAT);
  const json = { 'content-type': 'application/json' };
  const chatUrl = (): string => `${url()}/chat/completions`;
  const post = (body: unknown): RequestInit => ({ method: 'POST', headers: json, body: body as string, ...half });
  const half = { duplex: 'half' } as object;
  const drain = async (stream: AsyncIterable<unknown>): Promise<void> => {
    for await (const part of stream) void part;
  };

  /** All ways to call a provider. */
  const ways: Readonly<Record<string, () => PromiseLike<unknown>>> = {
    'openai chat': () => openai().chat.completions.create(CHAT),
    'openai chat, streamed': async () => drain(await openai().chat.completions.create({ ...CHAT, stream: true })),
    'openai chat, stream helper': () => openai().chat.completions.stream(CHAT).done(),
    'openai completions': () => openai().completions.create({ model: 'm', prompt: SAYS }),
    'openai responses': () => openai().responses.create({ model: 'm', input: SAYS, instructions: SAYS }),
    'openai embeddings': () => openai().embeddings.create({ model: 'm', input: [SAYS, SAYS] }),
    'openai moderations': () => openai().moderations.create({ input: SAYS }),
    'openai images': () => openai().images.generate({ prompt: SAYS }),
    'openai speech': () => openai().audio.speech.create({ model: 'm', voice: 'alloy', input: SAYS }),
    'openai upload': async () =>
      openai().files.create({ purpose: 'batch', file: await toFile(Buffer.from(`${text}\n`), 'batch.jsonl') }),
    'openai metadata of a stored completion': () =>
      openai().chat.completions.update('c-1', { metadata: { note: SAYS } }),
    'openai query': () => openai().chat.completions.list({ metadata: { note: SAYS } }),
    'openai raw response': () => openai().chat.completions.create(CHAT).asResponse(),
    'openai beta parse': () => openai().chat.completions.parse(CHAT),
    'openai path of its own': () => openai().post('/chat/completions', { body: CHAT }),
    'openai, a copy of the guarded client': () => openai().withOptions({ timeout: 9000 }).chat.completions.create(CHAT),
    'openai, a copy with a fetch of its own': () =>
      openai()
        .withOptions({ fetch: (input, init) => globalThis.fetch(input, init) })
        .chat.completions.create(CHAT),
    'openai, a copy of a copy': () =>
      openai()
        .withOptions({ fetch: globalThis.fetch })
        .withOptions({ fetch: globalThis.fetch })
        .chat.completions.create(CHAT),
    'openai, whose fetch is replaced when it is guarded already': () => {
      const client = openai();
      const inside = client as unknown as { fetch: typeof globalThis.fetch };
      inside.fetch = (input, init) => globalThis.fetch(input, init);
      return client.withOptions({}).chat.completions.create(CHAT);
    },
    'openai with a fetch of its own': () =>
      openai({ fetch: (input: string, init: RequestInit) => globalThis.fetch(input, init) }).chat.completions.create(
        CHAT,
      ),
    'openai with the fetch of undici': () => openai({ fetch: undiciFetch }).chat.completions.create(CHAT),
    'openai with options of its own': () =>
      openai({ defaultHeaders: { 'x-mine': '1' }, defaultQuery: { a: 'b' } }).chat.completions.create(CHAT),
    'openai, a year old': () => older().chat.completions.create(CHAT),
    'openai, a year old, streamed': async () => drain(await older().chat.completions.create({ ...CHAT, stream: true })),
    'openai, a year old, responses': () => older().responses.create({ model: 'm', input: SAYS }),
    azure: () => weir(new AzureOpenAI({ ...azure, endpoint: provider.url }), options()).chat.completions.create(CHAT),
    'azure with a deployment': () =>
      weir(
        new AzureOpenAI({ ...azure, endpoint: provider.url, deployment: 'mine' }),
        options(),
      ).chat.completions.create(CHAT),
    'azure, a year old': () =>
      weir(
        new AzureOpenAIYearOld({ ...azure, endpoint: provider.url, deployment: 'mine' }),
        options(),
      ).chat.completions.create(CHAT),
    'anthropic messages': () => anthropic().messages.create(MESSAGE),
    'anthropic messages, streamed': async () => drain(await anthropic().messages.create({ ...MESSAGE, stream: true })),
    'anthropic stream helper': () => anthropic().messages.stream(MESSAGE).done(),
    'anthropic system': () => anthropic().messages.create({ ...MESSAGE, system: SAYS }),
    'anthropic count': () => anthropic().messages.countTokens({ model: 'm', messages: MESSAGE.messages }),
    'anthropic beta': () => anthropic().beta.messages.create({ ...MESSAGE, betas: ['b-1'] }),
    'anthropic batch': () => anthropic().messages.batches.create({ requests: [{ custom_id: 'a', params: MESSAGE }] }),
    'anthropic with middleware that plants': () =>
      anthropic({
        middleware: [
          (request: { body: string }, next: (request: unknown) => unknown) =>
            next({ ...request, body: JSON.stringify(MESSAGE) }),
        ],
      }).messages.create({ ...MESSAGE, messages: [{ role: 'user', content: 'harmless' }] }),
    'anthropic with middleware of the call that plants': () =>
      anthropic().messages.create(
        { ...MESSAGE, messages: [{ role: 'user', content: 'harmless' }] },
        { middleware: [(request, next) => next({ ...request, body: JSON.stringify(MESSAGE) })] },
      ),
    'anthropic, a year old': () =>
      weir(new AnthropicYearOld({ apiKey: 'k', baseURL: provider.url, maxRetries: 0 }), options()).messages.create(
        MESSAGE,
      ),
    'Vercel AI SDK, OpenAI': () =>
      generateText({ model: createOpenAI({ ...setup(), fetch: direct() }).chat('m'), prompt: SAYS, maxRetries: 0 }),
    'Vercel AI SDK, OpenAI responses': () =>
      generateText({ model: createOpenAI({ ...setup(), fetch: direct() })('m'), prompt: SAYS, maxRetries: 0 }),
    'Vercel AI SDK, streamed': async () =>
      drain(
        streamText({
          model: createOpenAI({ ...setup(), fetch: direct() }).chat('m'),
          prompt: SAYS,
          maxRetries: 0,
          onError: () => undefined,
        }).textStream,
      ),
    'Vercel AI SDK, Anthropic': () =>
      generateText({ model: createAnthropic({ ...setup(), fetch: direct() })('m'), prompt: SAYS, maxRetries: 0 }),
    LangChain: () =>
      new ChatOpenAI({
        model: 'm',
        apiKey: 'k',
        maxRetries: 0,
        configuration: { baseURL: url(), fetch: direct() },
      }).invoke(SAYS),
    'LangChain embeddings': () =>
      new OpenAIEmbeddings({
        apiKey: 'k',
        maxRetries: 0,
        configuration: { baseURL: url(), fetch: direct() },
      }).embedQuery(SAYS),
    'OpenAI Agents': () => run(new Agent({ name: 'a', model: new OpenAIResponsesModel(openai(), 'm') }), SAYS),
    Gemini: () => gemini().models.generateContent({ model: 'gemini-test', contents: SAYS }),
    'Gemini, guarded when it is finished': () =>
      weir(
        new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: provider.url, retryOptions: { attempts: 1 } } }),
        options(),
      ).models.generateContent({ model: 'gemini-test', contents: SAYS }),
    'Gemini of Vertex AI': () => vertex().models.generateContent({ model: 'gemini-test', contents: SAYS }),
    'Gemini of Vertex AI, streamed': async () =>
      drain(await vertex().models.generateContentStream({ model: 'gemini-test', contents: SAYS })),
    'Gemini, streamed': async () =>
      drain(await gemini().models.generateContentStream({ model: 'gemini-test', contents: SAYS })),
    'Gemini embeddings': () => gemini().models.embedContent({ model: 'gemini-test', contents: SAYS }),
    'fetch: text': () => direct()(chatUrl(), post(text)),
    'fetch: a URL': () => direct()(new URL(chatUrl()), post(text)),
    'fetch: a Request': () => direct()(new Request(chatUrl(), post(text))),
    'fetch: a Request with another body': () => direct()(new Request(chatUrl(), post('{}')), { body: text }),
    'fetch: bytes': () => direct()(chatUrl(), post(new TextEncoder().encode(text))),
    'fetch: bytes in the middle of a buffer': () =>
      direct()(chatUrl(), post(new TextEncoder().encode(`xx${text}yy`).subarray(2, -2))),
    'fetch: a buffer': () => direct()(chatUrl(), post(new TextEncoder().encode(text).buffer)),
    'fetch: a Node buffer': () => direct()(chatUrl(), post(Buffer.from(text))),
    'fetch: a blob': () => direct()(chatUrl(), post(new Blob([text]))),
    'fetch: a stream': () => direct()(chatUrl(), post(new Blob([text]).stream())),
    'fetch: a Node stream': () => direct()(chatUrl(), post(Readable.from([Buffer.from(text)]))),
    'fetch: pieces that come late': () =>
      direct()(
        chatUrl(),
        post(
          (async function* () {
            for (const letter of text.match(/.{1,3}/g)!) yield Promise.resolve(Buffer.from(letter));
          })(),
        ),
      ),
    'fetch: a form': () => {
      const form = new FormData();
      form.set('note', SAYS);
      return direct({ provider: 'openai' })(`${url()}/files`, { method: 'POST', body: form });
    },
    'fetch: parameters': () =>
      direct({ provider: 'openai' })(`${url()}/forms`, { method: 'POST', body: new URLSearchParams({ note: SAYS }) }),
    'fetch: a buffer that is used again': () => {
      const bytes = new TextEncoder().encode(
        JSON.stringify({ ...CHAT, messages: [{ role: 'user', content: 'x'.repeat(SAYS.length) }] }),
      );
      const call = direct()(chatUrl(), post(bytes));
      bytes.set(new TextEncoder().encode(text));
      return call;
    },
    'fetch: options that change meanwhile': () => {
      const init = post(JSON.stringify({ ...CHAT, messages: [] })) as { body: unknown };
      const call = direct()(chatUrl(), init as RequestInit);
      init.body = text;
      return call;
    },
    'fetch: another method': () =>
      direct({ provider: 'openai' })(`${url()}/stored/1`, { ...post(text), method: 'PATCH' }),
    'fetch: a path that nobody knows': () => direct({ provider: 'openai' })(`${url()}/next/years/route`, post(text)),
    'fetch: a prefix that nobody knows': () => direct()(`${provider.url}/my/gateway/v9/chat/completions`, post(text)),
    'fetch: a host that nobody knows': () => direct()(`${provider.url}/next/years/route`, post(text)),
  };
  const vertex = (): GoogleGenAI =>
    weir(
      new GoogleGenAI({
        ...{ vertexai: true, project: 'project-1', location: 'eu' },
        googleAuthOptions: { authClient: { getRequestHeaders: () => new Headers() } as never },
        httpOptions: { baseUrl: provider.url, retryOptions: { attempts: 1 } },
      }),
      options(),
    );
  const gemini = (): GoogleGenAI =>
    new GoogleGenAI({
      apiKey: 'k',
      httpOptions: { baseUrl: provider.url, fetch: direct() as never, retryOptions: { attempts: 1 } },
    });

  it.each(Object.entries(ways))('%s', async (_, call) => {
    const said = await Promise.resolve(call()).then(
      (result) => (result instanceof Response ? result.text() : ''),
      (error: unknown) => inspect(error, { depth: 9 }),
    );
    const seen = provider.requests.map(
      ({ url: path, rawHeaders, body }) => `${path} ${rawHeaders.join(' ')} ${body.toString()}`,
    );
    expect(decodeURIComponent(seen.join('\n'))).not.toContain(PLANTED);
    // The call did take place: the provider received a mask instead of the text, or Weir refused the call.
    if (seen.length === 0) expect(said).toMatch(/weir|trace_id/i);
    else expect(decodeURIComponent(seen.join('\n'))).toMatch(MASKED);
  });
});
