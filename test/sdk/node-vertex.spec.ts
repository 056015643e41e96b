import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { GoogleGenAI } from '@google/genai';
import {
  isBlocked,
  Weir,
  weir,
  WeirConfigError,
  weirFetch,
  weirOf,
  type WeirOptions,
} from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const CREDENTIAL = 'ya29.never-for-weir';
const MESSAGE = {
  ...{ id: 'msg_vertex_1', type: 'message', role: 'assistant', model: 'claude-test' },
  ...{ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', stop_sequence: null },
  usage: { input_tokens: 1, output_tokens: 1 },
};
const EVENTS = [
  { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'you' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const CONTENT = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, index: 0, finishReason: 'STOP' }],
  ...{ usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 }, responseId: 'response-vertex' },
};

describe('clients for Vertex AI', () => {
  let app: TestApp;
  let provider: RawUpstream;
  /** All requests to Weir. */
  const toWeir: string[] = [];
  beforeAll(async () => {
    provider = await RawUpstream.start();
    app = await startTestApp();
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });
  beforeEach(() => {
    toWeir.length = 0;
    provider.requests.length = 0;
    provider.answerJson(MESSAGE);
  });
  afterEach(() => expect(toWeir.join('\n')).not.toContain(CREDENTIAL));

  const options = (more: WeirOptions = {}): WeirOptions => ({
    ...{ apiKey: app.bootstrap.keys.production, baseUrl: app.url, deadlineMs: 60_000, flushTimeoutMs: 60_000 },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      toWeir.push(`${request.url} ${JSON.stringify([...request.headers])} ${await request.clone().text()}`);
      return fetch(request);
    },
    ...more,
  });
  /** A stub of Google's library, which provides the header with the credential. */
  const google = {
    ...{ projectId: 'project-1', getRequestHeaders: () => new Headers({ authorization: `Bearer ${CREDENTIAL}` }) },
  };
  const bare = (): AnthropicVertex =>
    new AnthropicVertex({
      ...{ region: 'europe-west1', projectId: 'project-1', baseURL: `${provider.url}/v1`, maxRetries: 0 },
      authClient: google as never,
    });
  const ask = (content: string) => ({
    ...{ model: 'claude-test', max_tokens: 9, messages: [{ role: 'user' as const, content }] },
  });
  const thrown = (call: PromiseLike<unknown>): Promise<unknown> =>
    Promise.resolve(call).then(
      () => undefined,
      (error: unknown) => error,
    );

  describe('Claude', () => {
    const MODEL = '/v1/projects/project-1/locations/europe-west1/publishers/anthropic/models/claude-test';

    it('gets the same requests as from a bare client, with the credential, if no rule acts', async () => {
      const answers = [
        await bare().messages.create(ask('hi')),
        await weir(bare(), options()).messages.create(ask('hi')),
      ];
      expect(answers[1]).toEqual(answers[0]);
      const [straight, guarded] = provider.requests;
      expect(guarded!.rawHeaders.filter((each) => !each.includes('127.0.0.1'))).toEqual(
        straight!.rawHeaders.filter((each) => !each.includes('127.0.0.1')),
      );
      expect([guarded!.url, guarded!.body.toString()]).toEqual([straight!.url, straight!.body.toString()]);
      expect([guarded!.url, guarded!.headers['authorization']]).toEqual([
        `${MODEL}:rawPredict`,
        `Bearer ${CREDENTIAL}`,
      ]);
      expect(toWeir).not.toEqual([]);
    });

    it('gets masks instead of masked text in whole, streamed and token-counting calls', async () => {
      const client = weir(bare(), options());
      await client.messages.create({ ...ask('write to mail-4711'), system: 'as mail-4711' });
      provider.answerSse(EVENTS);
      expect(await client.messages.stream(ask('write to mail-4711')).finalText()).toBe('Hi you');
      provider.answerJson({ input_tokens: 3 });
      await client.messages.countTokens({ model: 'claude-test', messages: ask('write to mail-4711').messages });
      expect(provider.requests.map(({ url }) => url.split(/[/:]/).at(-1))).toEqual([
        ...['rawPredict', 'streamRawPredict', 'rawPredict'],
      ]);
      for (const { body } of provider.requests) {
        expect(body.toString()).toContain('write to [MAIL_1]');
        expect(body.toString()).not.toContain('mail-4711');
      }
    });

    it('gets no call that a rule blocks', async () => {
      const error = await thrown(weir(bare(), options()).messages.create(ask('my ssn-1')));
      expect(error).toMatchObject({ status: 400 });
      expect(isBlocked(error)).toBe(true);
      expect(provider.requests).toHaveLength(0);
    });

    it('has its answers reported to Weir, whole and streamed', async () => {
      const connection = new Weir(options({ session: 'vertex' }));
      const client = weir(bare(), connection);
      const answer = await client.messages.create(ask('hi'));
      expect(await weirOf(answer)?.answered).toEqual([]);
      provider.answerSse(EVENTS);
      for await (const event of await client.messages.create({ ...ask('hi'), stream: true })) void event;
      expect(await connection.flush()).toBe(true);
      expect(connection.stats()).toMatchObject({ allowed: 2, reported: 2, dropped: 0 });
    });

    it('gives the same error as with a bare client if there is no credential', async () => {
      const none = { getRequestHeaders: () => Promise.reject(new Error('no default credentials')) } as never;
      const [left, right] = [
        bare().withOptions({ authClient: none }),
        weir(bare().withOptions({ authClient: none }), options()),
      ];
      const errors = await Promise.all([left, right].map((client) => thrown(client.messages.create(ask('hi')))));
      expect(errors.map((error) => [(error as Error).constructor.name, (error as Error).message])).toEqual(
        Array(2).fill(['APIConnectionError', 'Failed to acquire Google OAuth credentials.']),
      );
      expect(provider.requests).toHaveLength(0);
    });

    it('stays guarded in copies of the client', async () => {
      const copy = weir(bare(), options()).withOptions({ region: 'us-east5', middleware: [] });
      await copy.messages.create(ask('write to mail-4711'));
      expect(provider.last.url).toContain('us-east5');
      expect(provider.last.body.toString()).toContain('write to [MAIL_1]');
    });

    it('cannot be called through the proxy', () => {
      expect(() => weir(bare(), options({ via: 'proxy' }))).toThrow(WeirConfigError);
    });
  });

  const ways: readonly (readonly [string, object, string])[] = [
    [
      'a project',
      { project: 'project-1', location: 'eu', googleAuthOptions: { authClient: google } },
      '/projects/project-1/',
    ],
    ['a key', { apiKey: CREDENTIAL }, '/publishers/google/models/'],
  ];
  it.each(ways)('mask, block and report Gemini calls that use the credential of %s', async (_, credentials, path) => {
    provider.answerJson(CONTENT);
    const connection = new Weir(options());
    const httpOptions = { baseUrl: provider.url, fetch: weirFetch(connection), retryOptions: { attempts: 1 } };
    const client = new GoogleGenAI({ vertexai: true, ...credentials, httpOptions } as never);
    const ask = (contents: string) => client.models.generateContent({ model: 'gemini-test', contents });
    const answer = await ask('write to mail-4711');
    expect(answer.text).toBe('Hi');
    expect(weirOf(answer)).toMatchObject({ decision: 'redact' });
    expect(provider.last.url).toContain(path);
    expect(provider.last.body.toString()).toContain('write to [MAIL_1]');
    expect(`${provider.last.url} ${JSON.stringify(provider.last.headers)}`).toContain(CREDENTIAL);
    expect(isBlocked(await thrown(ask('my ssn-1')))).toBe(true);
    expect(provider.requests).toHaveLength(1);
    await connection.flush();
    expect(connection.stats()).toMatchObject({ redacted: 1, refused: 1, reported: 1 });
  });
});
