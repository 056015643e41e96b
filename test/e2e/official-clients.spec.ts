import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

type Environment = 'development' | 'staging' | 'production';

/** The error of a call; fails the test if the call succeeds. */
async function failure(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}

describe('the official clients through the proxy', () => {
  let provider: SimulatedProvider;
  let app: TestApp;
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    app = await startTestApp({ env: { WEIR_OPENAI_BASE_URL: provider.url, WEIR_ANTHROPIC_BASE_URL: provider.url } });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });
  beforeEach(() => provider.reset());

  const openai = (environment: Environment = 'production', key: string = app.bootstrap.keys[environment]): OpenAI =>
    new OpenAI({
      apiKey: 'provider-key',
      baseURL: `${app.url}/proxy/openai/v1`,
      defaultHeaders: { 'X-Service-Key': key },
    });
  const anthropic = (
    environment: Environment = 'production',
    key: string = app.bootstrap.keys[environment],
  ): Anthropic =>
    new Anthropic({
      apiKey: 'provider-key',
      baseURL: `${app.url}/proxy/anthropic`,
      defaultHeaders: { 'X-Service-Key': key },
    });
  const ask = (content: string) => ({ model: 'gpt-4o', messages: [{ role: 'user' as const, content }] });
  const askClaude = (content: string) => ({
    model: 'claude-test',
    max_tokens: 64,
    messages: [{ role: 'user' as const, content }],
  });
  const arrived = (): string => JSON.stringify(provider.requests.map(({ body }) => body));

  describe('openai', () => {
    it('completes a chat', async () => {
      provider.say('hello', 'Hi there');
      const completion = await openai().chat.completions.create(ask('hello'));
      expect(completion.choices[0]!.message.content).toBe('Hi there');
      expect(completion._request_id).toBeTruthy();
      expect(provider.requests[0]!.headers['authorization']).toBeTruthy();
      expect(JSON.stringify(provider.requests[0]!.headers)).not.toContain(app.bootstrap.keys.production);
    });

    it('streams a chat', async () => {
      provider.say('hello', 'Hi there, how are you?');
      let text = '';
      for await (const chunk of await openai().chat.completions.create({ ...ask('hello'), stream: true })) {
        text += chunk.choices[0]?.delta.content ?? '';
      }
      expect(text).toBe('Hi there, how are you?');
    });

    it('streams a chat without buffering if no rule can change it', async () => {
      provider.say('hello', 'Hi mail-1, how are you?');
      const stream = openai('development').chat.completions.stream(ask('hello'));
      expect(await stream.finalContent()).toBe('Hi mail-1, how are you?');
    });

    it('sends the provider a redacted prompt', async () => {
      provider.say('write to', 'Done');
      const { response } = await openai().chat.completions.create(ask('write to mail-7')).withResponse();
      expect(response.headers.get('x-weir-decision')).toBe('redact');
      expect(response.headers.get('x-weir-redactions')).toBe('contains_pii=1');
      expect(arrived()).toContain('write to [MAIL_1]');
      expect(arrived()).not.toContain('mail-7');
    });

    it('has an answer redacted, plain and streamed', async () => {
      provider.say('who', 'It is mail-12 and mail-34, I think');
      const plain = await openai().chat.completions.create(ask('who'));
      expect(plain.choices[0]!.message.content).toBe('It is [MAIL_1] and [MAIL_2], I think');
      const streamed = openai().chat.completions.stream(ask('who'));
      expect(await streamed.finalContent()).toBe('It is [MAIL_1] and [MAIL_2], I think');
    });

    it.each([false, true])(
      'raises its own exception for a blocked prompt, without a retry (stream: %s)',
      async (stream) => {
        const error = await failure(openai().chat.completions.create({ ...ask('it is ssn-1'), stream }));
        expect(error).toBeInstanceOf(OpenAI.BadRequestError);
        const refusal = error as InstanceType<typeof OpenAI.BadRequestError>;
        expect(refusal).toMatchObject({
          status: 400,
          code: 'content_policy_violation',
          type: 'invalid_request_error',
          param: 'messages[0].content',
        });
        expect(refusal.requestID).toBeTruthy();
        expect(refusal.error).toMatchObject({
          weir: {
            code: 'content_policy_violation',
            decision: 'block',
            violations: [{ rule: 'words.block-ssn', locations: ['messages[0].content'] }],
            redactions: [],
          },
        });
        expect(JSON.stringify(refusal.error)).not.toContain('ssn-1');
        expect(provider.requests).toHaveLength(0);
        expect(await proxiedCalls()).toBe(1);
      },
    );

    it.each([false, true])('raises an exception for a forbidden tool call (stream: %s)', async (stream) => {
      provider.callTool('clean up', 'run_shell', { cmd: 'ls' });
      const error = await failure(openai().chat.completions.create({ ...ask('clean up'), stream }));
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ code: 'tool_use_blocked' });
      expect(provider.requests).toHaveLength(1);
    });

    it('accepts an earlier call of the same tool in the conversation', async () => {
      provider.mock.onMessage('and now', { content: 'Nothing more' });
      const completion = await openai().chat.completions.create({
        model: 'gpt-4o',
        messages: [
          { role: 'user', content: 'clean up' },
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'run_shell', arguments: '{"cmd":"ls"}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: 'refused' },
          { role: 'user', content: 'and now?' },
        ],
      });
      expect(completion.choices[0]!.message.content).toBe('Nothing more');
    });

    it.each([false, true])('has the arguments of a tool call redacted (stream: %s)', async (stream) => {
      provider.callTool('invite', 'send_mail', { to: 'mail-5', subject: 'a "party"' });
      const message = stream
        ? (await openai().chat.completions.stream(ask('invite')).finalChatCompletion()).choices[0]!.message
        : (await openai().chat.completions.create(ask('invite'))).choices[0]!.message;
      const call = message.tool_calls![0]!;
      expect(call.type === 'function' && JSON.parse(call.function.arguments)).toEqual({
        to: '[MAIL_1]',
        subject: 'a "party"',
      });
    });

    it('reports a wrong key as the provider does', async () => {
      const error = await failure(openai('production', 'sk_live_wrong').chat.completions.create(ask('hello')));
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({ status: 401, code: 'authentication_error' });
      expect(provider.requests).toHaveLength(0);
    });

    it('receives errors of the provider', async () => {
      provider.failNext(429, 'slow down');
      const error = await failure(openai().chat.completions.create(ask('hello'), { maxRetries: 0 }));
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect((error as Error).message).toContain('slow down');
    });

    it('has its calls to the Responses API and for embeddings judged', async () => {
      provider.say('who', 'It is mail-12');
      const response = await openai().responses.create({ model: 'gpt-5', input: 'who' });
      expect(response.output_text).toBe('It is [MAIL_1]');
      let streamed = '';
      for await (const event of await openai().responses.create({ model: 'gpt-5', input: 'who', stream: true })) {
        expect(JSON.stringify(event)).not.toContain('mail-12');
        if (event.type === 'response.output_text.delta') streamed += event.delta;
      }
      expect(streamed).toBe('It is [MAIL_1]');
      provider.mock.onEmbedding(/.*/, { embedding: [0.1, 0.2] });
      const embeddings = await openai().embeddings.create({ model: 'text-embedding-3-small', input: ['about mail-9'] });
      expect(embeddings.data).toHaveLength(1);
      expect(arrived()).not.toContain('mail-9');
      const error = await failure(
        openai().embeddings.create({ model: 'text-embedding-3-small', input: ['x', 'ssn-3'] }),
      );
      expect(error).toMatchObject({ code: 'content_policy_violation', param: 'input[1]' });
    });
  });

  describe('anthropic', () => {
    const textOf = (message: Anthropic.Message): string =>
      message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

    it('creates and streams a message', async () => {
      provider.say('hello', 'Hi there, how are you?');
      expect(textOf(await anthropic().messages.create(askClaude('hello')))).toBe('Hi there, how are you?');
      expect(textOf(await anthropic().messages.stream(askClaude('hello')).finalMessage())).toBe(
        'Hi there, how are you?',
      );
      expect(textOf(await anthropic('development').messages.stream(askClaude('hello')).finalMessage())).toBe(
        'Hi there, how are you?',
      );
    });

    it('has prompt and answer redacted, plain and streamed', async () => {
      provider.say('who', 'It is mail-12 and mail-34');
      expect(textOf(await anthropic().messages.create({ ...askClaude('who is mail-1'), system: 'for mail-2' }))).toBe(
        'It is [MAIL_1] and [MAIL_2]',
      );
      expect(textOf(await anthropic().messages.stream(askClaude('who')).finalMessage())).toBe(
        'It is [MAIL_1] and [MAIL_2]',
      );
      expect(arrived()).not.toMatch(/mail-[12]\b/);
    });

    it.each([false, true])(
      'raises its own exception for a blocked prompt, without a retry (stream: %s)',
      async (stream) => {
        const error = await failure(anthropic().messages.create({ ...askClaude('it is ssn-1'), stream }));
        expect(error).toBeInstanceOf(Anthropic.BadRequestError);
        expect(error).toMatchObject({
          status: 400,
          error: {
            type: 'error',
            error: { type: 'invalid_request_error', weir: { code: 'content_policy_violation', decision: 'block' } },
            request_id: expect.any(String),
          },
        });
        expect(provider.requests).toHaveLength(0);
        expect(await proxiedCalls()).toBe(1);
      },
    );

    it.each([false, true])(
      'raises an exception for a forbidden tool call, and has the arguments of an allowed one redacted (stream: %s)',
      async (stream) => {
        provider.callTool('clean up', 'run_shell', { cmd: 'ls' });
        provider.callTool('invite', 'send_mail', { to: 'mail-5' });
        const create = (content: string): Promise<Anthropic.Message> =>
          stream
            ? anthropic().messages.stream(askClaude(content)).finalMessage()
            : anthropic().messages.create(askClaude(content));
        expect(await failure(create('clean up'))).toMatchObject({
          status: 400,
          error: { error: { weir: { code: 'tool_use_blocked' } } },
        });
        expect((await create('invite')).content.find((block) => block.type === 'tool_use')).toMatchObject({
          name: 'send_mail',
          input: { to: '[MAIL_1]' },
        });
      },
    );

    it('reports a wrong key as the provider does, and receives errors of the provider', async () => {
      const wrong = await failure(anthropic('production', 'sk_live_wrong').messages.create(askClaude('hello')));
      expect(wrong).toBeInstanceOf(Anthropic.AuthenticationError);
      provider.failNext(429, 'slow down');
      const error = await failure(anthropic().messages.create(askClaude('hello'), { maxRetries: 0 }));
      expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    });
  });

  /** The number of proxied requests in the log since the previous invocation. */
  let seen = new Set<string>();
  async function proxiedCalls(): Promise<number> {
    const response = await fetch(`${app.url}/v1/events?type=ai.request&limit=200`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    const ids = ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    const fresh = ids.filter((id) => !seen.has(id));
    seen = new Set(ids);
    return fresh.length;
  }
  beforeEach(async () => void (await proxiedCalls()));
});
