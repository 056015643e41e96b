import { weir, weirFetch, type WeirOptions } from '../../sdk/node/src/index.js';
import { SimulatedProvider } from './simulated-provider.js';
import { startTestApp, type TestApp } from './test-app.js';

/** One way to a provider: straight to it, through Weir, or guarded where it stands. */
export interface Way {
  /** For clients that speak OpenAI's API. */
  readonly openaiUrl: string;
  /** For the official Anthropic client, which adds `/v1` itself. */
  readonly anthropicUrl: string;
  /** For clients that want the whole prefix. */
  readonly anthropicV1Url: string;
  /** For Google's official client, which adds `/v1beta` itself. */
  readonly geminiUrl: string;
  /** The service key; nothing where the client does not tell it itself. */
  readonly headers: Record<string, string>;
  /** What a client is made with that takes a `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** What an official client goes through before it is used. */
  guard<T extends object>(client: T): T;
}

/** What a call came to, in a form in which two of them can be compared. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** What the provider saw of a call. */
interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: readonly string[];
}

const UNGUARDED: Pick<Way, 'fetch' | 'guard'> = {
  fetch: (input, init) => globalThis.fetch(input, init),
  guard: (client) => client,
};

/** About the connection, or (`sec-fetch-mode`) added by Node's own fetch to whatever it sends. */
const HIDDEN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'keep-alive',
  'sec-fetch-mode',
]);
/** Made anew for each call by clients and by the simulated provider. */
const FRESH_ID = /\b(chatcmpl|cmpl|msg|resp|call|toolu|fc|rs|req|run|aitxt|aiobj|gen)[-_][A-Za-z0-9_-]{6,}/g;
const FRESH_KEYS = new Set(['created', 'created_at', 'createdAt', 'completed_at', 'timestamp', 'date', 'signature']);

/** The same client several times: straight to a simulated provider, and each way that Weir guards it to the same one. */
export class BothWays {
  private constructor(
    readonly provider: SimulatedProvider,
    readonly app: TestApp,
  ) {}

  static async start(): Promise<BothWays> {
    const provider = await SimulatedProvider.start();
    const app = await startTestApp({
      env: {
        WEIR_OPENAI_BASE_URL: provider.url,
        WEIR_ANTHROPIC_BASE_URL: provider.url,
        WEIR_GEMINI_BASE_URL: provider.url,
        WEIR_RATE_PROXY: 'off',
        WEIR_RATE_CALLS: 'off',
      },
    });
    return new BothWays(provider, app);
  }

  get straight(): Way {
    const { url } = this.provider;
    return {
      openaiUrl: `${url}/v1`,
      anthropicUrl: url,
      anthropicV1Url: `${url}/v1`,
      geminiUrl: url,
      headers: {},
      ...UNGUARDED,
    };
  }

  /** The client at its provider, guarded by the package for Node.js. */
  guarded(via: 'calls' | 'proxy'): Way {
    const { url, bootstrap } = this.app;
    const options: WeirOptions = { apiKey: bootstrap.keys.production, baseUrl: url, via, deadlineMs: 60_000 };
    return { ...this.straight, fetch: weirFetch(options), guard: (client) => weir(client, options) };
  }

  through(environment: 'development' | 'production' = 'production'): Way {
    const { url, bootstrap } = this.app;
    return {
      openaiUrl: `${url}/proxy/openai/v1`,
      anthropicUrl: `${url}/proxy/anthropic`,
      anthropicV1Url: `${url}/proxy/anthropic/v1`,
      geminiUrl: `${url}/proxy/gemini`,
      headers: { 'X-Service-Key': bootstrap.keys[environment] },
      ...UNGUARDED,
    };
  }

  /**
   * Runs a call on all ways and expects that the caller saw the same, and the provider the same requests, as many of
   * them. Gives what the caller saw.
   */
  async same(call: (way: Way) => PromiseLike<unknown>): Promise<Outcome> {
    const straight = await this.observe(() => call(this.straight));
    const ways = {
      'through the proxy': this.through('production'),
      'through the proxy, monitored': this.through('development'),
      'guarded by the SDK': this.guarded('calls'),
      'guarded by the SDK, through the proxy': this.guarded('proxy'),
    };
    for (const [name, way] of Object.entries(ways)) {
      expect({ name, ...(await this.observe(() => call(way))) }).toEqual({ name, ...straight });
    }
    return straight.outcome;
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.provider.stop();
  }

  private async observe(call: () => PromiseLike<unknown>): Promise<{ outcome: Outcome; arrived: Arrived[] }> {
    this.provider.mock.clearRequests();
    this.provider.mock.resetMatchCounts();
    const outcome = await outcomeOf(call);
    const arrived = this.provider.requests.map(({ method, path, headers, body }) => ({
      method,
      path,
      body: comparable(body),
      headers: Object.keys(headers)
        .filter((name) => !HIDDEN_HEADERS.has(name))
        .sort(),
    }));
    return { outcome, arrived };
  }
}

/** What a call gave, or what it failed with; fails the test when nothing happened. */
export async function outcomeOf(call: () => PromiseLike<unknown>): Promise<Outcome> {
  try {
    return { value: comparable(await call()) };
  } catch (error) {
    return { error: comparable(describeError(error)) };
  }
}

/** What programs look at when a call fails. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const {
    status,
    statusCode,
    code,
    type,
    param,
    isRetryable,
    lc_error_code: lcCode,
  } = error as unknown as Record<string, unknown>;
  return {
    name: error.name,
    class: error.constructor.name,
    message: error.message,
    status,
    statusCode,
    code,
    type,
    param,
    isRetryable,
    lcCode,
  };
}

/** As JSON, without what is made anew for each call. */
function comparable(value: unknown): unknown {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value, (key, each: unknown) => (FRESH_KEYS.has(key) ? 'fresh' : each)) ?? 'null';
  return JSON.parse(text.replace(FRESH_ID, '$1-fresh')) as unknown;
}
