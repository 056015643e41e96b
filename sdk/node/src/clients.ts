/**
 * Only this file reads private fields of the official clients. Each field is checked before it is used: a client whose internals have
 * changed is refused with an error that names it, and never used unguarded.
 */
import { guardOf } from './bare-fetch.js';
import { WeirConfigError } from './errors.js';
import { guardedCall } from './guard.js';
import type { WeirOptions } from './options.js';
import { noTimeoutFetch } from './no-timeout-fetch.js';
import { sharedState } from './shared.js';
import type { Weir } from './weir-client.js';
import { guardedAnew, guardedFetch, weirFrom } from './weir-fetch.js';

type Fetch = typeof globalThis.fetch;
type Middleware = (
  request: MiddlewareRequest,
  next: (request: MiddlewareRequest) => Promise<Response>,
  context?: MiddlewareContext,
) => Promise<Response>;
type MiddlewareRequest = RequestInit & { url: string };
interface MiddlewareContext {
  /** Absent while the client fetches a credential of its own. */
  readonly options?: unknown;
}

/** The internals that openai and @anthropic-ai/sdk share; the same generator produces both. */
interface GeneratedClient {
  withOptions(options: Record<string, unknown>): GeneratedClient;
  fetch: Fetch;
  backendMiddleware?(): readonly Middleware[];
  baseURL?: unknown;
  apiVersion?: unknown;
  deploymentName?: unknown;
  timeout?: unknown;
  /** The options that the client was created with. */
  _options?: { readonly timeout?: unknown };
}

const RECIPES =
  'weir(client) guards clients of openai, @anthropic-ai/sdk and @google/genai; weirFetch() guards any client that accepts a custom fetch';

/**
 * A guarded copy of a client, which asks Weir before each call. The client itself is not changed.
 *
 * @param client an official client: `OpenAI`, `AzureOpenAI`, `Anthropic`, `AnthropicBedrock`, `AnthropicVertex`, `GoogleGenAI`
 * @param options settings, or a `Weir` shared with other clients; those of a client that is guarded already are replaced
 * @throws WeirConfigError for wrong options, and for a client that cannot be guarded
 */
export function weir<T extends object>(client: T, options: WeirOptions | Weir = {}): T {
  const shared = weirFrom(options);
  if (isGoogleClient(client)) return guardedGoogleClient(client, shared) as unknown as T;
  const generated = generatedClient(client);
  const provider = shared.settings.provider ?? providerOf(client);
  const guard = signsLater(generated) ? new BackendGuard(shared, provider) : new FetchGuard(shared, provider);
  try {
    return keepGuarded(guard.copy(generated), guard) as unknown as T;
  } catch (cause) {
    if (cause instanceof WeirConfigError) throw cause;
    const message = `Weir cannot guard this ${nameOf(client)}: ${cause instanceof Error ? cause.message : 'it cannot be copied'}`;
    throw new WeirConfigError(message, { cause });
  }
}

/** The internals of `GoogleGenAI` of @google/genai. */
interface GoogleClient {
  readonly apiKey?: unknown;
  readonly vertexai?: unknown;
  readonly project?: unknown;
  readonly location?: unknown;
  readonly apiVersion?: unknown;
  readonly httpOptions?: object;
  readonly apiClient: GoogleApiClient;
  readonly live: Sockets & { readonly music?: Sockets };
}

interface GoogleApiClient {
  readonly clientOptions: Record<string, unknown>;
  getFetch?(): unknown;
  /** Merges the client's options with those of one call, which may include another `fetch`. */
  patchHttpOptions(client: object, call: object): { fetch?: Fetch };
}

interface Sockets {
  connect(): unknown;
}

function isGoogleClient(client: object): client is GoogleClient {
  return 'models' in client && 'chats' in client && 'live' in client;
}

/** The copy is a new client, because the parts of a client refer to each other; it reuses the authentication of the original. */
function guardedGoogleClient(client: GoogleClient, shared: Weir): GoogleClient {
  const { apiClient, apiKey, vertexai, project, location, apiVersion, httpOptions } = client;
  if (typeof apiClient?.getFetch !== 'function' || typeof apiClient.clientOptions !== 'object') {
    throw notGuardable(client, 'before 2.23 (September 2026) @google/genai ignores a custom fetch. Update the package');
  }
  const provider = shared.settings.provider ?? 'gemini';
  const fetch = guardedAnew(shared, provider, (apiClient.getFetch() as Fetch | undefined) ?? noTimeoutFetch);
  const options = {
    ...{ apiKey, vertexai, apiVersion, httpOptions: { ...httpOptions, fetch } },
    // The client also reads project and location from the environment, and refuses them as options without Vertex AI.
    ...(vertexai === true ? { project, location } : {}),
  };
  const copy = new (client.constructor as new (options: object) => GoogleClient)(options);
  copy.apiClient.clientOptions['auth'] = apiClient.clientOptions['auth'];
  if (guardOf(copy.apiClient.getFetch?.()) === undefined) throw notGuardable(client, 'its fetch cannot be replaced');
  guardFetchOfCalls(copy, (own = noTimeoutFetch) => guardedFetch(shared, provider, own));
  for (const sockets of [copy.live, copy.live.music]) if (sockets !== undefined) refuseSockets(sockets, 'connect');
  return copy;
}

/** Guards the `fetch` that a call may have in its own `httpOptions`. */
function guardFetchOfCalls(client: GoogleClient, guardedBy: (own: Fetch | undefined) => Fetch): void {
  const { apiClient } = client;
  const joined = apiClient.patchHttpOptions;
  if (typeof joined !== 'function') {
    throw notGuardable(client, 'this version does not merge the options of a call where Weir expects it');
  }
  const value = (ofClient: object, ofCall: object): object => {
    const options = joined.call(apiClient, ofClient, ofCall);
    return { ...options, fetch: guardedBy(options.fetch) };
  };
  Object.defineProperty(apiClient, 'patchHttpOptions', { value, configurable: true, writable: true });
}

/** Replaces a method that would open a socket and so bypass the guard. */
function refuseSockets(holder: object, method: string): void {
  const value = (): never => {
    throw new WeirConfigError(SOCKETS);
  };
  Object.defineProperty(holder, method, { value, configurable: true, writable: true });
}

const SOCKETS =
  'Weir cannot guard WebSockets (Realtime, Live, Responses over WebSocket): they do not pass through fetch';

interface ClientGuard {
  copy(client: GeneratedClient): GeneratedClient;
  /** The options of a further copy, including the guard where it has to be an option. */
  optionsOf(client: GeneratedClient, options: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Restores the guard where options of a further copy have replaced it. */
  ensure(copy: GeneratedClient): void;
}

class FetchGuard implements ClientGuard {
  constructor(
    private readonly shared: Weir,
    private readonly provider: string,
  ) {}

  copy(client: GeneratedClient): GeneratedClient {
    const fetch = guardedAnew(this.shared, this.provider, client.fetch);
    return client.withOptions({ fetch, ...azureOptions(client), ...timeoutOption(client) });
  }

  /** Always sets `fetch`: a client that accepts no custom one (OpenAI's with X.509) then throws instead of bypassing the guard. */
  optionsOf({ fetch }: GeneratedClient, options: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const own = (options['fetch'] as Fetch | undefined) ?? fetch;
    return { ...options, fetch: guardedFetch(this.shared, this.provider, own) };
  }

  ensure(copy: GeneratedClient): void {
    let fetch = guardedFetch(this.shared, this.provider, copy.fetch);
    // A fetch that is assigned later is guarded as well.
    Object.defineProperty(copy, 'fetch', {
      get: () => fetch,
      set: (own: Fetch) => void (fetch = guardedFetch(this.shared, this.provider, own)),
      ...{ configurable: true, enumerable: true },
    });
    if (guardOf(copy.fetch) === undefined) throw notGuardable(copy, 'its fetch cannot be replaced');
  }
}

/** The functions `backendMiddleware` that already include a guard, each with its connection and the client's own function. */
const guardedBackends = sharedState('guarded backends', () => new WeakMap<object, GuardedBackend>());

interface GuardedBackend {
  readonly weir: Weir;
  readonly own: () => readonly Middleware[];
}

/**
 * For clients that rewrite and sign the request below their middleware: Bedrock, Vertex. The guard runs directly before the signature,
 * after the middleware of client and call, which may change the request.
 */
class BackendGuard implements ClientGuard {
  private readonly middleware: Middleware;

  constructor(
    private readonly shared: Weir,
    provider: string,
  ) {
    if (shared.settings.via === 'proxy') {
      throw new WeirConfigError("a client that signs its requests cannot go through the proxy: use via: 'calls'");
    }
    this.middleware = (request, next, context) => {
      if (context !== undefined && context.options === undefined) return next(request);
      const send = (url: string, init: RequestInit): Promise<Response> => next({ ...init, url });
      const { url, ...init } = request;
      return guardedCall({ weir: shared, provider, signedLater: true }, send, url, init);
    };
  }

  copy(client: GeneratedClient): GeneratedClient {
    return client.withOptions(timeoutOption(client));
  }

  optionsOf(_: GeneratedClient, options: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return { ...options };
  }

  ensure(copy: GeneratedClient): void {
    const { backendMiddleware: present } = copy;
    if (typeof present !== 'function') {
      throw notGuardable(copy, 'this version does not sign its requests where Weir expects it');
    }
    const guarded = guardedBackends.get(present);
    if (guarded?.weir === this.shared) return;
    // The guard of another connection is replaced, so that each call is judged once.
    const own = guarded?.own ?? present;
    const value = (): readonly Middleware[] => [this.middleware, ...own.call(copy)];
    guardedBackends.set(value, { weir: this.shared, own });
    Object.defineProperty(copy, 'backendMiddleware', { value, configurable: true, writable: true });
  }
}

/** Makes sure that copies of the guarded client are guarded as well, whatever options they are created with. */
function keepGuarded(copy: GeneratedClient, guard: ClientGuard): GeneratedClient {
  guard.ensure(copy);
  // The client's own sockets call this method before they are opened.
  if ('_buildWebSocketHeaders' in copy) refuseSockets(copy, '_buildWebSocketHeaders');
  const withOptions = copy.withOptions;
  Object.defineProperty(copy, 'withOptions', {
    value: (options: Record<string, unknown>) =>
      keepGuarded(withOptions.call(copy, guard.optionsOf(copy, options)), guard),
    configurable: true,
    writable: true,
  });
  return copy;
}

function generatedClient(client: unknown): GeneratedClient {
  if (typeof client !== 'object' || client === null) throw new WeirConfigError(`weir() takes a client. ${RECIPES}`);
  const read = client as Readonly<Record<string, unknown>>;
  if (typeof read['send'] === 'function' && typeof read['addEventListener'] === 'function') {
    throw new WeirConfigError(SOCKETS);
  }
  if (typeof read['send'] === 'function' && 'middlewareStack' in read) {
    throw new WeirConfigError(
      'Weir cannot guard clients of the AWS SDK: use AnthropicBedrock, or the openai client for Bedrock',
    );
  }
  if (typeof read['withOptions'] !== 'function') throw notGuardable(client, RECIPES);
  if (typeof read['fetch'] !== 'function') {
    throw notGuardable(client, 'this version does not keep its fetch where Weir expects it');
  }
  return client as unknown as GeneratedClient;
}

function providerOf(client: object): string {
  if ('chat' in client) return 'openai';
  if ('messages' in client) return 'anthropic';
  throw new WeirConfigError(
    `Weir does not know which provider this ${nameOf(client)} calls: set the option "provider"`,
  );
}

function signsLater(client: GeneratedClient): boolean {
  return typeof client.backendMiddleware === 'function' && client.backendMiddleware().length > 0;
}

/** Before version 7, clients for Azure lose these two options when they are copied. */
function azureOptions({ apiVersion, deploymentName }: GeneratedClient): Record<string, unknown> {
  if (typeof apiVersion !== 'string') return {};
  return { apiVersion, ...(typeof deploymentName === 'string' ? { deployment: deploymentName } : {}) };
}

/** Keeps a default timeout unset: otherwise a copy would treat it as its user's choice, and be less careful about long calls. */
function timeoutOption(client: GeneratedClient): Record<string, unknown> {
  const { DEFAULT_TIMEOUT } = client.constructor as { DEFAULT_TIMEOUT?: unknown };
  const { _options: options } = client;
  const isDefault = typeof options === 'object' && options.timeout === undefined && client.timeout === DEFAULT_TIMEOUT;
  return isDefault ? { timeout: undefined } : {};
}

function notGuardable(client: object, why: string): WeirConfigError {
  return new WeirConfigError(`Weir cannot guard this ${nameOf(client)}: ${why}`);
}

function nameOf(client: object): string {
  const name = (client.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? name : 'object';
}
