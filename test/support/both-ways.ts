import { weir, weirFetch, type WeirOptions } from '../../sdk/node/src/index.js';
import { SimulatedProvider } from './simulated-provider.js';
import { startTestApp, type TestApp } from './test-app.js';

/** One way to call a provider: directly, through Weir's proxy, or with a guarded client. */
export interface Way {
  /** For clients that speak OpenAI's API. */
  readonly openaiUrl: string;
  /** For the official Anthropic client, which adds `/v1` itself. */
  readonly anthropicUrl: string;
  /** For clients that expect the full prefix. */
  readonly anthropicV1Url: string;
  /** For Google's official client, which adds `/v1beta` itself. */
  readonly geminiUrl: string;
  /** The service key; empty if the client does not send it itself. */
  readonly headers: Record<string, string>;
  /** The `fetch` for clients that accept one. */
  readonly fetch: typeof globalThis.fetch;
  /** Wraps an official client before its first use. */
  guard<T extends object>(client: T): T;
}

/** The result of a call, in a form that can be compared with another one. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A request as the provider received it. */
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

/** Headers of the connection, and `sec-fetch-mode`, which Node's fetch adds to every request. */
const HIDDEN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'keep-alive',
  'sec-fetch-mode',
]);
/** Ids that clients and the simulated provider generate for each call. */
const FRESH_ID = /\b(chatcmpl|cmpl|msg|resp|call|toolu|fc|rs|req|run|aitxt|aiobj|gen)[-_][A-Za-z0-9_-]{6,}/g;
const FRESH_KEYS = new Set(['created', 'created_at', 'createdAt', 'completed_at', 'timestamp', 'date', 'signature']);

/** Runs the same client several times against one simulated provider: directly, and in each way that Weir guards it. */
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

  /** A client with its provider's addresses, guarded by the package for Node.js. */
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

  /** Runs a call in all ways and expects the same outcome for the caller and the same requests at the provider. Returns the outcome. */
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

/** Makes a call; returns its value, or the error that it threw, in comparable form. */
export async function outcomeOf(call: () => PromiseLike<unknown>): Promise<Outcome> {
  try {
    return { value: comparable(await call()) };
  } catch (error) {
    return { error: comparable(describeError(error)) };
  }
}

/** The error properties that programs read. */
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

/** The value as JSON, with placeholders for ids and times that differ between calls. */
function comparable(value: unknown): unknown {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value, (key, each: unknown) => (FRESH_KEYS.has(key) ? 'fresh' : each)) ?? 'null';
  return JSON.parse(text.replace(FRESH_ID, '$1-fresh')) as unknown;
}
