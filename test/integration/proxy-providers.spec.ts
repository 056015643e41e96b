import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { AzureOpenAI } from 'openai';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const CHAT = { model: 'local-model', messages: [{ role: 'user' as const, content: 'write to mail-7' }] };

describe('the proxy with configured providers', () => {
  let simulated: SimulatedProvider;
  let azure: RawUpstream;
  let app: TestApp;
  const folder = mkdtempSync(join(tmpdir(), 'weir-providers-'));
  beforeAll(async () => {
    simulated = await SimulatedProvider.start();
    azure = await RawUpstream.start();
    const file = join(folder, 'weir.yaml');
    writeFileSync(
      file,
      `providers:
  - { id: local, style: openai, base_url: "${simulated.url}/v1" }
  - { id: azure, style: openai, base_url: "${azure.url}" }
`,
    );
    const env = { WEIR_CONFIG: file, WEIR_RATE_PROXY: 'off', WEIR_ANTHROPIC_BASE_URL: azure.url };
    app = await startTestApp({ env });
    simulated.say('write to', 'It is mail-12, I think');
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await azure.close();
    await simulated.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const headers = (environment: 'development' | 'production' = 'production') => ({
    'X-Service-Key': app.bootstrap.keys[environment],
  });

  it('governs a second OpenAI-compatible server, streamed or not', async () => {
    const client = new OpenAI({
      apiKey: 'local-key',
      baseURL: `${app.url}/proxy/local/v1`,
      defaultHeaders: headers(),
    });
    const { data, response } = await client.chat.completions.create(CHAT).withResponse();
    expect(data.choices[0]!.message.content).toBe('It is [MAIL_1], I think');
    expect(response.headers.get('x-weir-redactions')).toContain('contains_pii=1');
    expect(await client.chat.completions.stream(CHAT).finalContent()).toBe('It is [MAIL_1], I think');
    expect(JSON.stringify(simulated.requests.map(({ body }) => body))).not.toContain('mail-7');
    const events = await fetch(`${app.url}/v1/events?type=ai.request`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    const { data: stored } = (await events.json()) as { data: { provider: string }[] };
    expect(stored.map(({ provider }) => provider)).toEqual(['local', 'local']);
  });

  it('governs the paths of Azure, and forwards its query unchanged', async () => {
    azure.answerJson({ choices: [{ index: 0, message: { role: 'assistant', content: 'ask mail-3' } }] });
    const client = new AzureOpenAI({
      apiKey: 'azure-key',
      apiVersion: '2024-10-21',
      endpoint: `${app.url}/proxy/azure`,
      deployment: 'my deployment',
      defaultHeaders: headers(),
    });
    const completion = await client.chat.completions.create({ ...CHAT, model: '' });
    expect(completion.choices[0]!.message.content).toBe('ask [MAIL_1]');
    expect(azure.last.url).toBe('/openai/deployments/my%20deployment/chat/completions?api-version=2024-10-21');
    expect(azure.last.headers['api-key']).toBe('azure-key');
    expect(azure.last.body.toString('utf8')).toContain('write to [MAIL_1]');
  });

  /** Sends the beginning of a stream, and breaks the connection once the client has read an event. */
  const brokenOff = async (event: object, ask: () => Promise<AsyncIterable<unknown>>): Promise<void> => {
    let breakOff = (): void => undefined;
    azure.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const { type } = event as { readonly type?: string };
      response.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`);
      breakOff = () => void response.destroy();
    });
    const events = (await ask())[Symbol.asyncIterator]();
    for (let next = await events.next(); next.done !== true; next = await events.next()) breakOff();
  };

  it('sends its errors about chat completions at Anthropic in the format that a client of OpenAI reads', async () => {
    const clientOf = (environment: 'development' | 'production') =>
      new OpenAI({
        apiKey: 'key',
        baseURL: `${app.url}/proxy/anthropic/v1`,
        defaultHeaders: headers(environment),
        maxRetries: 0,
      });
    const refused = { ...CHAT, messages: [{ role: 'user' as const, content: 'my ssn-1' }] };
    await expect(clientOf('production').chat.completions.create(refused)).rejects.toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    });
    const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'It ' } }] };
    const ask = () => clientOf('development').chat.completions.create({ ...CHAT, stream: true });
    await expect(brokenOff(chunk, ask)).rejects.toMatchObject({ code: 'upstream_unreachable' });
  });

  it('sends its errors about messages at another provider in the format that a client of Anthropic reads', async () => {
    const clientOf = (environment: 'development' | 'production') =>
      new Anthropic({
        apiKey: 'key',
        baseURL: `${app.url}/proxy/azure`,
        defaultHeaders: headers(environment),
        maxRetries: 0,
      });
    const asked = { ...CHAT, max_tokens: 9 };
    const refused = { ...asked, messages: [{ role: 'user' as const, content: 'my ssn-1' }] };
    await expect(clientOf('production').messages.create(refused)).rejects.toMatchObject({
      status: 400,
      requestID: expect.any(String),
      error: { type: 'error', error: { weir: { code: 'content_policy_violation' } } },
    });
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
    const ask = () => clientOf('development').messages.create({ ...asked, stream: true });
    await expect(brokenOff({ type: 'message_start', message }, ask)).rejects.toMatchObject({
      error: { type: 'error', error: { weir: { code: 'upstream_unreachable' } } },
    });
  });
});
