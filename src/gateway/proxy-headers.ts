import { holdsOwnCredential } from '../calls/index.js';
import type { IncomingHttpHeaders } from 'node:http';
import {
  FROM_PROVIDERS,
  HeaderNames,
  OF_THE_CLIENTS_NETWORK,
  OF_THE_PROVIDERS_ORIGIN,
  REWRITES,
  TO_PROVIDERS,
  WEIRS_OWN,
} from './header-names.js';

/** Hop-by-hop headers (RFC 9110, section 7.6.1), beside those that `Connection` names. */
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

/** Of the client: what belongs to the way to Weir, or is Weir's to say. */
const NOT_UP: ReadonlySet<string> = new Set(['host', 'content-length', 'expect', 'cookie', 'accept-encoding']);

/** What says something about the bytes of a body, and is wrong when they change. */
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

/**
 * The headers that go to the provider, its credential among them, names and values as the client sent them. Only those
 * pass that are known to be about AI calls.
 *
 * @param rawHeaders name and value in turn, as Node has them
 * @param secret the service key: a header that holds it, or another key of Weir's, in its name or its value does not pass
 * @param bodyChanged the body is not the client's own any more: its coding and digests do not hold
 * @param further additional names that this installation lets pass
 * @param wholeAnswer the answer will be judged: parts of it (RFC 9110, section 14) would hide what stands across them
 */
export function headersUp(
  rawHeaders: readonly string[],
  secret: string,
  bodyChanged: boolean,
  further: HeaderNames = NONE,
  wholeAnswer = false,
): string[] {
  const listed = connectionNames(valuesOf(rawHeaders, 'connection'));
  const result: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = rawHeaders[index + 1]!;
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || listed.has(lower) || NOT_UP.has(lower) || WEIRS_OWN.has(lower)) continue;
    if (REWRITES.has(lower) || (wholeAnswer && lower === 'range')) continue;
    const known = further.has(lower) || (UP.has(lower) && !OF_THE_CLIENTS_NETWORK.has(lower));
    if (!known || [name, value].some((text) => holdsOwnCredential(text, secret))) continue;
    if (bodyChanged && ABOUT_THE_BYTES.has(lower)) continue;
    result.push(name, value);
  }
  // The answer has to be readable here. A provider that compresses all the same is also understood.
  result.push('accept-encoding', 'identity');
  return result;
}

/**
 * The headers that go back to the client: those known to be about the answer, and none about the provider's connection
 * or origin.
 *
 * @param bodyChanged the body is not the provider's own bytes: coding and digests do not hold
 */
export function headersDown(headers: IncomingHttpHeaders, bodyChanged: boolean): Record<string, string | string[]> {
  const listed = connectionNames([headers.connection ?? '']);
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || listed.has(name)) continue;
    if (!DOWN.has(name) || OF_THE_PROVIDERS_ORIGIN.has(name) || WEIRS_OWN.has(name)) continue;
    if (bodyChanged && ABOUT_THE_BYTES.has(name)) continue;
    result[name] = value;
  }
  return result;
}

function connectionNames(values: readonly string[]): ReadonlySet<string> {
  return new Set(values.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase()));
}

function valuesOf(rawHeaders: readonly string[], wanted: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === wanted);
}
