import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { ChatAnthropic } from '@langchain/anthropic';
import { createHash } from 'node:crypto';
import { Weir, weir, WeirConfigError, weirFetch, type WeirOptions } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { fetchUntil } from './fetch-until.js';

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-test',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

describe('clients of Anthropic under other names', () => {
  const toWeir = fetchUntil(afterAll);
  let app: TestApp;
  let provider: RawUpstream;
  beforeAll(async () => {
    provider = await RawUpstream.start();
    provider.answerJson(MESSAGE);
    app = await startTestApp();
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const options = (more: WeirOptions = {}): WeirOptions => ({
    apiKey: app.bootstrap.keys.production,
    baseUrl: app.url,
    deadlineMs: 60_000,
    fetch: toWeir(),
    ...more,
  });
  const bedrock = (): AnthropicBedrock =>
    new AnthropicBedrock({
      awsAccessKey: 'AKIDEXAMPLE',
      awsSecretKey: 'not-a-secret',
      awsRegion: 'eu-central-1',
      baseURL: provider.url,
      maxRetries: 0,
    });
  const ask = (content: string) => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content }] });

  it('have their requests masked before Bedrock signs them, so the hash matches the sent bytes', async () => {
    const answer = await weir(bedrock(), options()).messages.create(ask('write to mail-4711'));
    expect(answer.content).toEqual(MESSAGE.content);
    const { body, headers } = provider.last;
    expect(body.toString()).toContain('write to [MAIL_1]');
    expect(body.toString()).not.toContain('mail-4711');
    expect(headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(headers['x-amz-content-sha256']).toBe(createHash('sha256').update(body).digest('hex'));
  });

  it('have text masked that middleware of the client or of the call adds to a request for Bedrock', async () => {
    const planting = (request: { body?: unknown }, next: (request: never) => unknown): never =>
      next({ ...request, body: JSON.stringify(ask('write to mail-4711')) } as never) as never;
    const client = weir(bedrock(), options());
    await client.messages.create(ask('harmless'), { middleware: [planting] });
    await client.withOptions({ middleware: [planting] }).messages.create(ask('harmless'));
    await weir(bedrock().withOptions({ middleware: [planting] }), options()).messages.create(ask('harmless'));
    for (const { body } of provider.requests.slice(-3)) {
      expect(body.toString()).toContain('write to [MAIL_1]');
      expect(body.toString()).not.toContain('mail-4711');
    }
  });

  it('ask Weir once about each call, with the last options, if a client for Bedrock is guarded twice', async () => {
    const connection = new Weir(options());
    await weir(weir(bedrock(), connection), connection).messages.create(ask('hi'));
    expect(connection.stats()).toMatchObject({ asked: 1, allowed: 1 });
    const last = new Weir(options());
    await weir(weir(bedrock(), connection), last).withOptions({}).messages.create(ask('hi'));
    expect([connection.stats().asked, last.stats().asked]).toEqual([1, 1]);
  });

  it('send nothing to Bedrock that a rule blocks', async () => {
    provider.requests.length = 0;
    const error = await weir(bedrock(), options())
      .messages.create(ask('my ssn-1'))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400 });
    expect(provider.requests).toHaveLength(0);
  });

  it('refuse to send signed requests through the proxy', () => {
    expect(() => weir(bedrock(), options({ via: 'proxy' }))).toThrow(WeirConfigError);
  });

  it('have requests of LangChain to Anthropic masked', async () => {
    const clientOptions = { baseURL: provider.url, fetch: weirFetch(options()) };
    const model = new ChatAnthropic({ model: 'claude-test', apiKey: 'k', maxRetries: 0, clientOptions });
    await model.invoke('write to mail-4711');
    expect(provider.last.body.toString()).toContain('write to [MAIL_1]');
  });

  const nothing = (): void => undefined;
  const unguardable: readonly (readonly [string, object, string])[] = [
    ['a socket', { send: nothing, addEventListener: nothing }, 'WebSocket'],
    ['a client of the AWS SDK', { send: nothing, middlewareStack: {} }, 'AWS SDK'],
    ['a client for Gemini of another age', { models: {}, chats: {}, live: {} }, 'Update the package'],
    ['a client that keeps its fetch elsewhere', { withOptions: nothing, chat: {} }, 'where Weir expects it'],
    ['anything else', {}, 'weirFetch'],
  ];
  it.each(unguardable)('are refused with a remedy if they are %s', (_, client, words) => {
    expect(() => weir(client, options())).toThrow(words);
    expect(() => weir(client, options())).toThrow(WeirConfigError);
  });
});
