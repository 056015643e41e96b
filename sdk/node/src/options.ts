import { bareFetch } from './bare-fetch.js';
import { WeirConfigError } from './errors.js';
import { environmentVariable, LONGEST_TIMER_MS } from './runtime.js';

export interface WeirOptions {
  /** The service key; default: the environment variable `WEIR_API_KEY`. */
  readonly apiKey?: string;
  /** The address of Weir; default: `WEIR_BASE_URL`, else `http://localhost:8080`. */
  readonly baseUrl?: string;
  /** Whether a call is refused (`closed`, the default) or sent unjudged (`open`) while Weir is unavailable. */
  readonly failMode?: 'closed' | 'open';
  /** The longest time that a call waits for its verdict, including retries, in milliseconds. Default: 2000; at most 2,147,483,647. */
  readonly deadlineMs?: number;
  /** Retries of a request to Weir after 429, 5xx or a broken connection, within the deadline. Default: 2. */
  readonly maxRetries?: number;
  /**
   * Ask Weir before each call and report the answer (`calls`, the default), or send the calls through Weir's proxy (`proxy`). With
   * `proxy`, `failMode` is `closed`, and a call is aborted if Weir itself does not respond within `deadlineMs`; the provider may take
   * longer.
   */
  readonly via?: 'calls' | 'proxy';
  /** Metadata that is stored with every call, shown in the dashboard, and usable in rules and budgets. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The session of the calls, such as the id of a conversation: 1 to 256 printable ASCII characters without spaces. */
  readonly session?: string;
  /** The id of the request for which the calls are made, in the same form as `session`. */
  readonly requestId?: string;
  /** Whether a request on a route that Weir does not govern is still judged and recorded (`log`, the default) or refused. */
  readonly unknownRoutes?: 'log' | 'refuse';
  /** Report answers in the background (the default), or delay the end of each answer until the answer is reported. */
  readonly report?: 'background' | 'await';
  /**
   * The maximum number of queued reports; further reports are dropped and counted, as are those that Weir has not accepted for an hour.
   * Default: 1000.
   */
  readonly queueMaxReports?: number;
  /** The maximum size of the answers in queued reports, in bytes. Default: 64 MiB. */
  readonly queueMaxBytes?: number;
  /**
   * The maximum size of a reported answer, in bytes; of a longer answer, or of one that is too large for Weir, only the beginning is
   * reported. Default: 32 MiB less 8 KiB, because Weir accepts 32 MiB with the lines around the answer.
   */
  readonly reportMaxBytes?: number;
  /** The time that `flush()` and the end of the process wait for reports, in milliseconds. Default: 5000; at most 2,147,483,647. */
  readonly flushTimeoutMs?: number;
  /** The provider's id in Weir. Detected for the official clients and the providers' own hosts. */
  readonly provider?: string;
  /** The function that sends requests to Weir; the runtime's own `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch;
  /** Receives warnings; `console.warn` by default. They never contain keys, prompts or answers. Its errors are ignored. */
  readonly onWarning?: (message: string) => void;
}

/** The options with all defaults applied. */
export interface Settings {
  readonly apiKey: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly failMode: 'closed' | 'open';
  readonly deadlineMs: number;
  readonly maxRetries: number;
  readonly via: 'calls' | 'proxy';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly session: string | undefined;
  readonly requestId: string | undefined;
  readonly unknownRoutes: 'log' | 'refuse';
  readonly report: 'background' | 'await';
  readonly queueMaxReports: number;
  readonly queueMaxBytes: number;
  readonly reportMaxBytes: number;
  readonly flushTimeoutMs: number;
  readonly provider: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly warn: (message: string) => void;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const NAMES: ReadonlySet<string> = new Set([
  'apiKey',
  'baseUrl',
  'failMode',
  'deadlineMs',
  'maxRetries',
  'via',
  'metadata',
  'session',
  'requestId',
  'unknownRoutes',
  'report',
  'queueMaxReports',
  'queueMaxBytes',
  'reportMaxBytes',
  'flushTimeoutMs',
  'provider',
  'fetch',
  'onWarning',
] satisfies (keyof WeirOptions)[]);

/** @throws WeirConfigError that names every option that is wrong; values are not printed */
export function settingsOf(options: WeirOptions): Settings {
  const wrong: string[] = [];
  const given = options as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(options)) if (!NAMES.has(name)) wrong.push(`${name}: unknown option`);
  const oneOf = <T extends string>(name: keyof WeirOptions, values: readonly [T, ...T[]]): T => {
    const value = given[name];
    if (value === undefined || values.includes(value as T)) return (value as T | undefined) ?? values[0];
    wrong.push(`${name}: must be ${values.map((each) => `'${each}'`).join(' or ')}`);
    return values[0];
  };
  const count = (name: keyof WeirOptions, standard: number, most = Number.MAX_VALUE): number => {
    const value = given[name] ?? standard;
    if (typeof value === 'number' && value >= 0 && value <= most) return value;
    wrong.push(`${name}: must be a number ${most === Number.MAX_VALUE ? 'of at least 0' : `from 0 to ${most}`}`);
    return standard;
  };
  const settings: Settings = {
    apiKey: apiKeyOf(options, wrong),
    baseUrl: baseUrlOf(options, wrong),
    failMode: oneOf('failMode', ['closed', 'open']),
    deadlineMs: count('deadlineMs', 2000, LONGEST_TIMER_MS),
    maxRetries: count('maxRetries', 2),
    via: oneOf('via', ['calls', 'proxy']),
    metadata: metadataOf(options, wrong),
    session: textOf(options, 'session', wrong),
    requestId: textOf(options, 'requestId', wrong),
    unknownRoutes: oneOf('unknownRoutes', ['log', 'refuse']),
    report: oneOf('report', ['background', 'await']),
    queueMaxReports: count('queueMaxReports', 1000),
    queueMaxBytes: count('queueMaxBytes', 64 * MEBIBYTE),
    reportMaxBytes: count('reportMaxBytes', 32 * MEBIBYTE - 8 * KIBIBYTE),
    flushTimeoutMs: count('flushTimeoutMs', 5000, LONGEST_TIMER_MS),
    provider: textOf(options, 'provider', wrong),
    fetch: options.fetch ?? ((input, init) => bareFetch()(input, init)),
    // eslint-disable-next-line no-console -- the default: callers without `onWarning` look at the console
    warn: options.onWarning ?? ((message) => console.warn(message)),
  };
  if (settings.via === 'proxy' && settings.failMode === 'open') {
    wrong.push("failMode: 'open' needs via: 'calls', because a call through the proxy cannot bypass Weir");
  }
  if (wrong.length > 0) throw new WeirConfigError(`The options for Weir are invalid: ${wrong.join('; ')}`);
  return settings;
}

function apiKeyOf(options: WeirOptions, wrong: string[]): string {
  const key = options.apiKey ?? environmentVariable('WEIR_API_KEY');
  if (key === undefined) wrong.push('apiKey: missing; pass it or set WEIR_API_KEY');
  else if (isCredential(key)) return key;
  else wrong.push('apiKey: must be a service key, without spaces or line breaks');
  return '';
}

/** Whether a header can contain a credential. Otherwise the error of `fetch` would quote it. */
export function isCredential(key: unknown): key is string {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);
}

function baseUrlOf(options: WeirOptions, wrong: string[]): string {
  const url = usableUrl(options.baseUrl);
  if (url === undefined) wrong.push(WRONG_BASE_URL);
  return url ?? '';
}

export const WRONG_BASE_URL = 'baseUrl: must be an http(s) URL without credentials, query or fragment';

/**
 * The address of Weir without a slash at its end, normalised as `fetch` does: white space around it, as of a file that an environment
 * variable was read from, would lead to addresses that cannot be reached. Undefined for a text that is no address of Weir.
 *
 * @param given by default the environment variable `WEIR_BASE_URL`, else `http://localhost:8080`
 */
export function usableUrl(given: string | undefined): string | undefined {
  try {
    const url = new URL(given ?? environmentVariable('WEIR_BASE_URL') ?? 'http://localhost:8080');
    const { protocol, username, password, search, hash, href } = url;
    const isPlain = [username, password, search, hash].every((part) => part === '');
    return /^https?:$/.test(protocol) && isPlain ? href.replace(/[/?#]+$/, '') : undefined;
  } catch {
    return undefined;
  }
}

/** The annotations that cannot be sent to Weir with a call. They are checked early, not when a call is made. */
export function wrongAnnotations(said: Pick<WeirOptions, 'metadata' | 'session' | 'requestId'>): readonly string[] {
  const wrong: string[] = [];
  metadataOf(said, wrong);
  textOf(said, 'session', wrong);
  textOf(said, 'requestId', wrong);
  return wrong;
}

function metadataOf(options: WeirOptions, wrong: string[]): Readonly<Record<string, unknown>> {
  const { metadata } = options;
  if (metadata === undefined) return {};
  try {
    if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)) {
      JSON.stringify(metadata);
      return metadata;
    }
  } catch {
    // Reported below.
  }
  wrong.push('metadata: must be an object that JSON can represent');
  return {};
}

function textOf(options: WeirOptions, name: 'session' | 'requestId' | 'provider', wrong: string[]): string | undefined {
  const value: unknown = options[name];
  if (value === undefined || (typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value))) return value;
  wrong.push(`${name}: must be 1 to 256 printable ASCII characters without spaces`);
  return undefined;
}
