import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { COUNTED, expectExactBudgets } from '../support/budget-audit.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

type Environment = 'development' | 'production';
type Chaos = Parameters<SimulatedProvider['mock']['setChaos']>[0];
interface Stored {
  readonly type: string;
  readonly request_id: string;
  readonly reason: string | null;
  readonly upstream_status: number | null;
}

const CALLS = 8;
const ENVIRONMENTS: Environment[] = ['development', 'production'];
/** The failures of a faulty provider; the last row mixes all of them. */
const FAULTS: [string, Chaos][] = [
  ['answers 500', { dropRate: 1 }],
  ['answers 429 with Retry-After', { rateLimitRate: 1 }],
  ['sends malformed JSON', { malformedRate: 1 }],
  ['hangs up', { disconnectRate: 1 }],
  ['does a bit of everything', { dropRate: 0.3, rateLimitRate: 0.3, malformedRate: 0.3, disconnectRate: 0.3 }],
];

describe('a faulty provider', () => {
  let provider: SimulatedProvider;
  let app: TestApp;
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    app = await startTestApp({
      env: {
        WEIR_OPENAI_BASE_URL: provider.url,
        WEIR_ANTHROPIC_BASE_URL: provider.url,
        WEIR_RATE_PROXY: 'off',
        WEIR_UPSTREAM_HEADERS_TIMEOUT: '1s',
        WEIR_UPSTREAM_IDLE_TIMEOUT: '1s',
      },
      policies: {
        ...TEST_POLICIES,
        'development/policy.yaml': testPolicy('development', `mode: monitor\nclient_monitor_mode: honor\n${COUNTED}`),
        'production/policy.yaml': testPolicy(
          'production',
          `client_monitor_mode: ignore\ncontent: redacted\n${COUNTED}`,
        ),
      },
    });
    const { mock } = provider;
    mock.onMessage('hello', { content: 'Hello there, how are you today? I am fine, thank you.' }, { chunkSize: 4 });
    mock.onMessage('torn', { content: 'y'.repeat(200) }, { chunkSize: 4, truncateAfterChunks: 5 });
    mock.onMessage('stalls', { content: 'z'.repeat(20) }, { chunkSize: 4, latency: 1_500 });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });
  // After any failure, the budgets agree with the spending in the log, and no call holds a reservation.
  afterEach(async () => {
    provider.mock.clearChaos();
    await expectExactBudgets(app);
  });

  const headers = (environment: Environment, requestId: string) => ({
    'X-Service-Key': app.bootstrap.keys[environment],
    'X-Request-Id': requestId,
  });
  /** Calls of every kind; each returns a complete answer or raises. */
  const calls = (environment: Environment, prompt: string, requestId: (way: string) => string) => {
    const openai = (way: string): OpenAI =>
      new OpenAI({
        apiKey: 'provider-key',
        baseURL: `${app.url}/proxy/openai/v1`,
        defaultHeaders: headers(environment, requestId(way)),
        maxRetries: 0,
      });
    const anthropic = (way: string): Anthropic =>
      new Anthropic({
        apiKey: 'provider-key',
        baseURL: `${app.url}/proxy/anthropic`,
        defaultHeaders: headers(environment, requestId(way)),
        maxRetries: 0,
      });
    const chat = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: prompt }] };
    const message = { ...chat, model: 'claude-test', max_tokens: 64 };
    return new Map<string, () => Promise<unknown>>([
      ['chat', async () => (await openai('chat').chat.completions.create(chat)).choices[0]!.message.content],
      ['chat-stream', () => openai('chat-stream').chat.completions.stream(chat).finalContent()],
      [
        'response-stream',
        () => openai('response-stream').responses.stream({ model: 'gpt-5', input: prompt }).finalResponse(),
      ],
      ['message', () => anthropic('message').messages.create(message)],
      ['message-stream', () => anthropic('message-stream').messages.stream(message).finalText()],
    ]);
  };
  const stored = async (requestId: string): Promise<Stored[]> => {
    const response = await fetch(`${app.url}/v1/events?request_id=${requestId}`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    return ((await response.json()) as { data: Stored[] }).data;
  };
  /** The types of the request's event and of its end. The end is written when a stream has ended, so this waits for it. */
  const outcome = async (requestId: string): Promise<string[]> => {
    for (;;) {
      const types = (await stored(requestId)).map(({ type }) => type).sort();
      if (types.length >= 2) return types;
    }
  };

  describe.each(ENVIRONMENTS)('(%s)', (environment) => {
    it.each(FAULTS)('%s: every call ends, and is in the log', async (name, chaos) => {
      provider.mock.setChaos(chaos);
      for (let round = 0; round < (name.includes('everything') ? CALLS : 1); round++) {
        const id = (way: string): string => `${environment}-${name.replaceAll(' ', '-')}-${round}-${way}`;
        const ways = calls(environment, 'hello', id);
        const ends = await Promise.allSettled([...ways.values()].map((call) => call()));
        expect(ends).toHaveLength(ways.size);
        for (const way of ways.keys()) {
          const types = await outcome(id(way));
          expect(types).toContain('ai.request');
          expect(types.filter((type) => type === 'ai.response' || type === 'ai.error')).toHaveLength(1);
        }
      }
    });

    it.each(['torn', 'stalls'])(
      'makes every stream raise an error, and every call is in the log: %s',
      async (prompt) => {
        const id = (way: string): string => `${environment}-${prompt}-${way}`;
        const ways = [...calls(environment, prompt, id)].filter(([way]) => way.endsWith('stream'));
        const ends = await Promise.allSettled(ways.map(([, call]) => call()));
        expect(ends.map(({ status }) => status)).toEqual(ways.map(() => 'rejected'));
        for (const [way] of ways) expect(await outcome(id(way))).toEqual(['ai.error', 'ai.request']);
      },
    );

    it('does not affect later calls', async () => {
      const id = (way: string): string => `${environment}-after-${way}`;
      for (const call of calls(environment, 'hello', id).values()) await call();
      expect(await outcome(id('chat-stream'))).toEqual(['ai.request', 'ai.response']);
    });
  });
});
