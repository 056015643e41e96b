import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { holdsOwnCredential } from '../calls/index.js';
import {
  FROM_PROVIDERS,
  HeaderNames,
  OF_THE_CLIENTS_NETWORK,
  OF_THE_PROVIDERS_ORIGIN,
  ORDERS_TO_WEB_SERVERS,
  REWRITES,
  TO_PROVIDERS,
  WEIR_HEADERS,
} from './header-names.js';

/** Hop-by-hop headers (RFC 9110, section 7.6.1), in addition to those named by `Connection`. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Client headers that concern the connection to Weir, or that Weir sets itself. */
const NOT_UP: ReadonlySet<string> = new Set(['host', 'content-length', 'expect', 'cookie', 'accept-encoding']);

/** Headers about the bytes of a body; they are wrong once the bytes change. */
const ABOUT_THE_BYTES: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-md5',
  'content-digest',
  'repr-digest',
  'digest',
  'etag',
]);

const UP = new HeaderNames(TO_PROVIDERS);
const DOWN = new HeaderNames(FROM_PROVIDERS);
const NONE = new HeaderNames([]);
const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * The maximum number of cached names. Clients choose them, so the cache must stay small. Names long enough to contain a
 * key are not cached.
 */
const KNOWN_NAMES = 500;
const LONGEST_KNOWN_NAME = 48;
/** Shorter values are not cached: a credential of Weir's has 62 characters, so judging them costs less than a digest. */
const SHORTEST_KNOWN_VALUE = 64;
/** The maximum number of cached values: enough for the providers' keys that clients send with each call. */
const KNOWN_VALUES = 1_000;
const SALT_BYTES = 32;

/**
 * Decides which headers of a client are forwarded to the provider. Clients send the same few names, so decisions are
 * cached by name. Values without a credential of Weir's are cached by a digest with a random salt, from which nobody can derive them.
 */
export class HeadersForProvider {
  private readonly known = new Map<string, boolean>();
  /** The digests of values that were judged clear, together with the service key of the call. A refused value is never cached. */
  private readonly clear = new LRUCache<string, true>({ max: KNOWN_VALUES });
  private readonly salt = randomBytes(SALT_BYTES).toString('base64');

  /** @param further additional names that this installation forwards */
  constructor(private readonly further: HeaderNames = NONE) {}

  /**
   * The headers that are forwarded to the provider, including its credential, with names and values as the client sent
   * them. Only headers known to concern AI calls are forwarded.
   *
   * @param rawHeaders alternating names and values, as Node.js provides them
   * @param secret the service key: a header that contains it, or another key of Weir's, in its name or value is not forwarded
   */
  of(rawHeaders: readonly string[], secret: string): readonly string[] {
    const listed = connectionNames(valuesOf(rawHeaders, 'connection'));
    const result: string[] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!;
      const value = rawHeaders[index + 1]!;
      const lower = name.toLowerCase();
      if (!this.passes(lower) || listed.has(lower)) continue;
      if (holdsOwnCredential(name, secret) || !this.isClear(value, secret)) continue;
      result.push(name, value);
    }
    // Weir must read the answer. Compressed answers are understood as well.
    result.push('accept-encoding', 'identity');
    return result;
  }

  /** Whether a header's value contains no credential of Weir's. */
  private isClear(value: string, secret: string): boolean {
    if (value.length < SHORTEST_KNOWN_VALUE) return !holdsOwnCredential(value, secret);
    // The length separates the secret from the value: no other pair results in the same text.
    const digest = hash('sha256', `${this.salt}${secret.length}:${secret}${value}`, 'base64');
    if (this.clear.get(digest) === true) return true;
    const isClear = !holdsOwnCredential(value, secret);
    if (isClear) this.clear.set(digest, true);
    return isClear;
  }

  private passes(lower: string): boolean {
    const known = this.known.get(lower);
    if (known !== undefined) return known;
    const passes = this.mayPass(lower);
    if (lower.length > LONGEST_KNOWN_NAME) return passes;
    if (this.known.size >= KNOWN_NAMES) this.known.clear();
    this.known.set(lower, passes);
    return passes;
  }

  private mayPass(lower: string): boolean {
    // Servers that pass headers on as variables (CGI, WSGI) read `x-http_method_override` as `x-http-method-override`.
    const read = lower.replace(/[^a-z0-9]/g, '-');
    if (HOP_BY_HOP.has(read) || NOT_UP.has(read) || WEIR_HEADERS.has(read) || REWRITES.has(read)) return false;
    return this.further.has(lower) || (UP.has(lower) && !OF_THE_CLIENTS_NETWORK.has(read));
  }
}

/** The outcome for a call whose headers are forwarded. */
interface Forwarded {
  /** Whether the body was changed or had a content coding that was removed, so that its coding and digests no longer match. */
  readonly bodyChanged: boolean;
  /**
   * Whether the answer will be judged. Then no byte ranges (RFC 9110, section 14) are requested, because a finding could be
   * spread over two of them.
   */
  readonly wholeAnswer: boolean;
}

/** The result of `HeadersForProvider.of`, adapted to the outcome for the call. */
export function headersOfForwarded(
  headers: readonly string[],
  { bodyChanged, wholeAnswer }: Forwarded,
): readonly string[] {
  const isWrong = (lower: string): boolean =>
    (bodyChanged && ABOUT_THE_BYTES.has(lower)) || (wholeAnswer && lower === 'range');
  const wrong = headers.map((name, index) => index % 2 === 0 && isWrong(name.toLowerCase()));
  return wrong.includes(true) ? headers.filter((_, index) => wrong[index - (index % 2)] !== true) : headers;
}

/**
 * The headers that are returned to the client: those known to describe the answer, and none about the provider's
 * connection or origin.
 *
 * @param bodyChanged whether the body was changed, so that its coding and digests no longer match
 * @param removed the names of headers that must not be sent
 */
export function headersForClient(
  headers: IncomingHttpHeaders,
  bodyChanged: boolean,
  removed: ReadonlySet<string> = NO_NAMES,
): Record<string, string | string[]> {
  const listed = listedByConnection(headers);
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || !isSentToClients(name) || listed.has(name) || removed.has(name)) continue;
    if (bodyChanged && ABOUT_THE_BYTES.has(name)) continue;
    result[name] = value;
  }
  return result;
}

/** Whether a header with this name, in lower case, is returned to the client, unless `Connection` lists it. */
export function isSentToClients(name: string): boolean {
  if (HOP_BY_HOP.has(name) || !DOWN.has(name)) return false;
  return !OF_THE_PROVIDERS_ORIGIN.has(name) && !ORDERS_TO_WEB_SERVERS.has(name) && !WEIR_HEADERS.has(name);
}

/** The names of headers about the provider's connection only. */
export function listedByConnection(headers: IncomingHttpHeaders): ReadonlySet<string> {
  return connectionNames([headers.connection ?? '']);
}

/** The header names that `Connection` lists; the usual `keep-alive` is hop-by-hop anyway. */
function connectionNames(values: readonly string[]): ReadonlySet<string> {
  if (values.every((value) => value === '' || value === 'keep-alive')) return NO_NAMES;
  return new Set(values.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase()));
}

function valuesOf(rawHeaders: readonly string[], wanted: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === wanted);
}
