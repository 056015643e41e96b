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
const NO_NAMES: ReadonlySet<string> = new Set();

/** Names that are remembered; clients write them, so they must not fill the memory. None of them is long enough for a key. */
const KNOWN_NAMES = 500;
const LONGEST_KNOWN_NAME = 48;

/** Which headers of a client go to the provider. Clients send the same few, so what was found of a name is remembered. */
export class HeadersUp {
  private readonly known = new Map<string, boolean>();

  /** @param further additional names that this installation lets pass */
  constructor(private readonly further: HeaderNames = NONE) {}

  /**
   * The headers that go to the provider, its credential among them, names and values as the client sent them. Only those
   * pass that are known to be about AI calls.
   *
   * @param rawHeaders name and value in turn, as Node has them
   * @param secret the service key: a header that holds it, or another key of Weir's, in its name or its value does not pass
   */
  of(rawHeaders: readonly string[], secret: string): readonly string[] {
    const listed = connectionNames(valuesOf(rawHeaders, 'connection'));
    const result: string[] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!;
      const value = rawHeaders[index + 1]!;
      const lower = name.toLowerCase();
      if (!this.passes(lower) || listed.has(lower)) continue;
      if (holdsOwnCredential(name, secret) || holdsOwnCredential(value, secret)) continue;
      result.push(name, value);
    }
    // The answer has to be readable here. A provider that compresses all the same is also understood.
    result.push('accept-encoding', 'identity');
    return result;
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
    if (HOP_BY_HOP.has(lower) || NOT_UP.has(lower) || WEIRS_OWN.has(lower) || REWRITES.has(lower)) return false;
    return this.further.has(lower) || (UP.has(lower) && !OF_THE_CLIENTS_NETWORK.has(lower));
  }
}

/** What is done with a call whose headers go up. */
interface Forwarded {
  /** The body is not the client's own any more: its coding and digests do not hold. */
  readonly bodyChanged: boolean;
  /** The answer will be judged: parts of it (RFC 9110, section 14) would hide what stands across them. */
  readonly wholeAnswer: boolean;
}

/** What is left of `HeadersUp.of` once it is known what becomes of the call. */
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

/** The names that `Connection` lists beside itself; the usual `keep-alive` is hop-by-hop anyway. */
function connectionNames(values: readonly string[]): ReadonlySet<string> {
  if (values.every((value) => value === '' || value === 'keep-alive')) return NO_NAMES;
  return new Set(values.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase()));
}

function valuesOf(rawHeaders: readonly string[], wanted: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === wanted);
}
