import type { IncomingHttpHeaders } from 'node:http';

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
const NOT_UP: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'expect',
  'cookie',
  'forwarded',
  'via',
  'x-real-ip',
  'accept-encoding',
]);
const NOT_UP_PREFIXES = ['x-service-', 'x-forwarded-', 'x-weir-'];

/** Of the provider: what is about its own origin and connection. */
const NOT_DOWN: ReadonlySet<string> = new Set([
  'content-length',
  'set-cookie',
  'set-cookie2',
  'alt-svc',
  'strict-transport-security',
  'clear-site-data',
  'public-key-pins',
]);
/** What says something about the bytes of a body, and is wrong when they change. */
const ABOUT_THE_BYTES: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-md5',
  'content-digest',
  'repr-digest',
  'digest',
  'etag',
]);
const NOT_DOWN_PREFIXES = ['x-service-', 'x-weir-', 'access-control-'];

/**
 * The headers that go to the provider, names and values as the client sent them. Headers are an open list: what is not
 * known to stop here passes, the provider's credential among them.
 *
 * @param rawHeaders name and value in turn, as Node has them
 * @param secret the service key: a header that holds it does not pass, whatever its name
 * @param bodyChanged the body is not the client's own any more: its coding and digests do not hold
 */
export function headersUp(rawHeaders: readonly string[], secret: string, bodyChanged: boolean): string[] {
  const listed = connectionNames(valuesOf(rawHeaders, 'connection'));
  const result: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = rawHeaders[index + 1]!;
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || listed.has(lower) || NOT_UP.has(lower)) continue;
    if (NOT_UP_PREFIXES.some((prefix) => lower.startsWith(prefix)) || value.includes(secret)) continue;
    if (bodyChanged && ABOUT_THE_BYTES.has(lower)) continue;
    result.push(name, value);
  }
  // The answer has to be readable here. A provider that compresses all the same is understood, too.
  result.push('accept-encoding', 'identity');
  return result;
}

/**
 * The headers that go back to the client.
 *
 * @param bodyChanged the body is not the provider's own bytes: coding and digests do not hold
 */
export function headersDown(headers: IncomingHttpHeaders, bodyChanged: boolean): Record<string, string | string[]> {
  const listed = connectionNames([headers.connection ?? '']);
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || listed.has(name) || NOT_DOWN.has(name)) continue;
    if (NOT_DOWN_PREFIXES.some((prefix) => name.startsWith(prefix))) continue;
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
