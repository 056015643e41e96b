import { bareFetch } from '../bare-fetch.js';
import { WeirConfigError } from '../errors.js';
import { isCredential, usableUrl, WRONG_BASE_URL } from '../options.js';
import { environmentVariable, fetchStraight, LONGEST_TIMER_MS, pause } from '../runtime.js';
import { USER_AGENT } from '../version.js';
import { WeirApiError, WeirConnectionError } from './errors.js';
import { GROUPS } from './groups.js';
import { OPERATIONS } from './operations.js';
import type { CallOptions, Method, OperationId, Output } from './types.js';

export interface WeirApiOptions {
  /** The address of Weir; default: `WEIR_BASE_URL`, or `http://localhost:8080`. */
  readonly baseUrl?: string;
  /** Management token, for everything except submitting events; default: `WEIR_TOKEN`. */
  readonly token?: string;
  /** Service key, for submitting events; default: `WEIR_API_KEY`. */
  readonly apiKey?: string;
  /** The timeout of one request, in milliseconds. Default: 30,000; at most 2,147,483,647. */
  readonly timeoutMs?: number;
  /**
   * Retries of a request that may be repeated, after 429, 5xx and broken connections. Default: 2. A request is not repeated if Weir asks
   * to wait for more than a minute: the error has `retryAfterMs`.
   */
  readonly maxRetries?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** The longest pause before a retry. Rate limits are counted per minute. */
const LONGEST_PAUSE_MS = 60_000;

type Groups = typeof GROUPS;

/** The whole API, grouped by subject: `api.events.list({ decision: ['block'] })`. */
export type WeirApi = {
  readonly [Group in keyof Groups]: {
    readonly [Name in keyof Groups[Group]]: Groups[Group][Name] extends OperationId
      ? Method<Groups[Group][Name]>
      : never;
  };
};

/** @throws WeirConfigError for a credential of the environment that no request can have */
type Credential = () => string | undefined;

interface Settings {
  readonly baseUrl: string;
  readonly credentials: Readonly<Record<'management_token' | 'service_key' | 'none', Credential>>;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * A client of Weir's own API. A missing credential, or an unusable one of the environment, is reported only when an operation needs it.
 *
 * @throws WeirConfigError for a timeout that no timer has, a number of retries that is none, and an address or a credential that no
 *   request can have; values are not printed
 */
export function weirApi(options: WeirApiOptions = {}): WeirApi {
  const { timeoutMs = 30_000, maxRetries = 2 } = options;
  if (!(timeoutMs >= 0 && timeoutMs <= LONGEST_TIMER_MS)) {
    throw new WeirConfigError(`timeoutMs: must be a number from 0 to ${LONGEST_TIMER_MS}`);
  }
  if (!(maxRetries >= 0 && maxRetries <= Number.MAX_SAFE_INTEGER)) {
    throw new WeirConfigError('maxRetries: must be a number of at least 0');
  }
  const baseUrl = usableUrl(options.baseUrl);
  if (baseUrl === undefined) throw new WeirConfigError(WRONG_BASE_URL);
  const settings: Settings = {
    baseUrl,
    credentials: {
      management_token: credentialOf(options, 'token', 'WEIR_TOKEN'),
      service_key: credentialOf(options, 'apiKey', 'WEIR_API_KEY'),
      none: () => undefined,
    },
    timeoutMs,
    maxRetries,
    fetch: options.fetch ?? ((input, init) => bareFetch()(input, init)),
  };
  const groups = Object.entries(GROUPS).map(([group, methods]) => [
    group,
    Object.fromEntries(Object.entries(methods).map(([name, id]) => [name, methodOf(settings, id)])),
  ]);
  return Object.fromEntries(groups) as WeirApi;
}

/**
 * A credential from the options, or from the environment if it is missing or empty there. White space around it is ignored: mounted secrets
 * end in a line break. A credential of the environment is checked when an operation uses it, because it may be for something else.
 */
function credentialOf(options: WeirApiOptions, name: 'token' | 'apiKey', variable: string): Credential {
  const given = trimmed(options[name]);
  if (given !== undefined) {
    const own = checked(name, given);
    return () => own;
  }
  const found = trimmed(environmentVariable(variable));
  return () => (found === undefined ? undefined : checked(variable, found));
}

function trimmed(credential: unknown): unknown {
  if (typeof credential !== 'string') return credential;
  const text = credential.trim();
  return text === '' ? undefined : text;
}

function checked(name: string, credential: unknown): string {
  if (isCredential(credential)) return credential;
  throw new WeirConfigError(`${name}: must be printable ASCII, without spaces or line breaks`);
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor?: string | null;
}

/**
 * All items of a list, page by page: `for await (const event of pages(api.events.list, { q: 'x' }))`.
 *
 * @param list a method that returns pages
 * @param input as for one page
 */
export async function* pages<Item, Given extends object>(
  list: (input: Given) => Promise<Page<Item>>,
  input: Given,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | null | undefined;
  do {
    const page = await list(cursor === undefined ? input : { ...input, cursor });
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor !== null && cursor !== undefined);
}

function methodOf<Id extends OperationId>(
  settings: Settings,
  id: Id,
): (input?: object, options?: CallOptions) => Promise<Output<Id>> {
  const [method, path, scheme] = OPERATIONS[id];
  return async (input = {}, options = {}) => {
    const credential = settings.credentials[scheme]();
    if (credential === undefined && scheme !== 'none') {
      const needed =
        scheme === 'service_key' ? 'a service key: apiKey or WEIR_API_KEY' : 'a token: token or WEIR_TOKEN';
      throw new WeirConfigError(`${id} needs ${needed}`);
    }
    const { body, ...parameters } = input as Readonly<Record<string, unknown>>;
    const url = settings.baseUrl + target(path, parameters);
    const init: RequestInit = {
      method,
      headers: {
        accept: 'application/json, */*',
        'user-agent': USER_AGENT,
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const mayRepeat = (method !== 'POST' && method !== 'PATCH') || haveEventIds(path, body);
    return (await send(settings, url, init, mayRepeat, options.signal)) as Output<Id>;
  };
}

/** Whether all submitted events have ids, with which Weir records them only once. */
function haveEventIds(path: string, body: unknown): boolean {
  if (path !== '/v1/events' && path !== '/v1/events:batch') return false;
  const events = (Array.isArray(body) ? body : [body]) as readonly ({ readonly event_id?: unknown } | undefined)[];
  return events.every((event) => typeof event?.event_id === 'string' && event.event_id !== '');
}

/** Puts parameters named in the path into it and all others into the query, where a list becomes one parameter per item. */
function target(path: string, parameters: Readonly<Record<string, unknown>>): string {
  const rest = new Map(Object.entries(parameters));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    if (value === undefined || value === null || value === '') throw new WeirConfigError(`${name}: missing`);
    const text = String(value);
    // A URL is normalised before it is sent, which would remove these segments and reach another operation.
    if (text === '.' || text === '..') throw new WeirConfigError(`${name}: must not be '.' or '..'`);
    rest.delete(name);
    return encodeURIComponent(text);
  });
  const query = new URLSearchParams();
  for (const [name, value] of rest) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) query.append(name, String(each));
    }
  }
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}

async function send(
  settings: Settings,
  url: string,
  init: RequestInit,
  mayRepeat: boolean,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  for (let tries = 0; ; tries++) {
    const last = tries >= settings.maxRetries;
    try {
      return await sendOnce(settings, url, init, signal);
    } catch (error) {
      if (signal?.aborted === true || last || !canHelp(error, mayRepeat)) throw error;
      const retryAfterMs = error instanceof WeirApiError ? error.retryAfterMs : undefined;
      await pause(retryAfterMs ?? Math.random() * 200 * 2 ** tries, signal);
    }
  }
}

/** Whether a retry can help: Weir has stated when one can succeed, or a repetition has no further effect and the failure may pass. */
function canHelp(error: unknown, mayRepeat: boolean): boolean {
  if (error instanceof WeirConnectionError) return mayRepeat;
  if (!(error instanceof WeirApiError) || (error.retryAfterMs ?? 0) > LONGEST_PAUSE_MS) return false;
  // With these errors, Weir has done nothing yet. After any other failure, a request may have had its effect.
  const isUndone = error.status === 429 || error.status === 409 || error.type === 'overloaded';
  if (isUndone || error.status === 503) return (isUndone || mayRepeat) && error.retryAfterMs !== undefined;
  return mayRepeat && error.status >= 500;
}

async function sendOnce(
  { fetch, timeoutMs }: Settings,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  // A file or a stream may be read, and aborted, after it is returned.
  let isRead = true;
  try {
    const response = await fetchStraight(fetch, url, { ...init, signal: controller.signal });
    if (!response.ok) throw new WeirApiError(response.status, await jsonOf(response), retryAfterOf(response));
    if (response.status === 204 || response.body === null) return undefined;
    const isJson = /^application\/json\b/i.test(response.headers.get('content-type') ?? '');
    if (isJson) return (await response.json()) as unknown;
    isRead = false;
    return response;
  } catch (error) {
    if (error instanceof WeirApiError) throw error;
    if (signal?.aborted === true) throw signal.reason ?? error;
    const why = controller.signal.aborted ? `did not answer within ${timeoutMs} ms` : 'could not be reached';
    throw new WeirConnectionError(`Weir ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
    if (isRead) signal?.removeEventListener('abort', stop);
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? '');
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}
