import { fixedText } from '../contents/index.js';
import {
  credentialParameters,
  cutsAtCodedText,
  cutsOfIdentifier,
  isIdentifier,
  isIdentifierOf,
  isPlain,
  isPlainOf,
  PROVIDERS,
  type Segment,
} from '../core/index.js';
import { decodedPart } from './form-pieces.js';
import type { ProxyTarget } from './proxy-target.js';

/** The parts of a request outside its body that can contain text: its path, its query string, and the forwarded headers. */

/** The form of a credential in a provider's own credential parameters; any other value there is a text. */
const CREDENTIAL = /^[A-Za-z0-9._~+/=-]{8,4096}$/;
const CREDENTIAL_HEADER = /(?:^|-)(?:api-?key|key|auth|authorization|token|secret|signature|credentials?)$/;
/**
 * The value of a credential header: one token, optionally after a usual scheme. A value with words or an address is a text.
 */
const HEADER_CREDENTIAL = /^(?:(?:bearer|basic|token|key|api-?key) +)?[!-?A-~]{1,8192}$/i;
/** `Authorization` accepts any scheme, and parameters as in AWS signatures (RFC 9110, section 11.4). */
const AUTHORIZATION =
  /^[a-z][a-z0-9-]{0,31} +(?:[!-?A-~]{1,8192}|(?:[a-z][a-z0-9_-]{0,31}=(?:"[!#-?A-~]{0,4096}"|[!#-+--?A-~]{0,4096})(?:, *|$))+)$/i;
/** The value of digest headers. */
const DIGESTS =
  /^(?:(?:[a-z0-9-]{2,20}=:?)?(?:[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==):?(?:, ?|$))+$/;
/** Random ids of traces with 64 bits, which installations may forward (`WEIR_PROXY_HEADERS`): one in a few dozen looks like a card number. */
const TRACE_ID = /^[0-9]{1,20}$/;
/** Headers whose grammar excludes words, with that grammar. A value that does not follow it is a text. */
const STRUCTURED_HEADERS: ReadonlyMap<string, RegExp> = new Map([
  ...['content-digest', 'repr-digest', 'digest', 'content-md5'].map((name) => [name, DIGESTS] as const),
  ...['x-datadog-trace-id', 'x-datadog-parent-id'].map((name) => [name, TRACE_ID] as const),
  ['x-cloud-trace-context', /^[0-9a-f]{32}(?:\/[0-9]{1,20})?(?:;o=[0-9])?$/],
  ['content-length', /^[0-9]{1,15}$/],
  ['content-range', /^bytes (?:[0-9]{1,12}-[0-9]{1,12}|\*)\/(?:[0-9]{1,12}|\*)$/],
  ['range', /^bytes=[0-9]{0,15}-[0-9]{0,15}$/],
  ['traceparent', /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/],
  ...Object.values(PROVIDERS).flatMap(({ plainHeaders }) => plainHeaders),
]);
/**
 * Collections whose items providers number with decimal ids of up to 64 bits, as Vertex AI does. Of the random ones, one in a few dozen looks
 * like a card number.
 */
const NUMBERED =
  /^(?:projects|endpoints|models|tunedModels|operations|[a-z][A-Za-z]{0,40}Jobs|cachedContents|datasets|indexes|indexEndpoints|ragCorpora|ragFiles|reasoningEngines)$/;
/** Collections whose ids are chosen by clients, except in a reasoning engine, which numbers its items. */
const NUMBERED_BY_ENGINES = /^(?:sessions|memories)$/;
/** The id of a numbered item, before the name of a method. It cannot contain words, and the name is a text. */
const NUMBER = /^[0-9]{1,20}(?=$|:[A-Za-z]{1,64}$)/;
/**
 * The separators between plain words in headers such as `accept`. Without the blanks around them: an expression for those would read a row
 * of blanks once for each blank.
 */
const SEPARATORS = /[,;=]/;
/** The boundary of a form, which its reader checks. Only the forms of boundaries that common clients generate contain no words. */
const BOUNDARY =
  /;\s*boundary="?(?:-{0,40}(?:formdata-(?:undici|polyfill)-\d{11,16}|[A-Za-z]{0,24}(?:\d{20,48}|(?=\d*[a-f])[0-9a-f]{16,64}))|[A-Za-z])"?(?=\s*(?:;|$))/i;
const LISTS_OF_WORDS = /^(?:accept(?:-encoding|-language)?|content-(?:encoding|type))$/;
/** Weir's own credentials: `<prefix>wr1_<id><secret><crc>`. */
const OWN_CREDENTIAL = /(?:sk_live|sk_test|wt_live)_wr1_[0-9A-Za-z]{50}/;
const SHORTEST_OWN = 'sk_live_wr1_'.length + 50;
const BASE64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
const HEX = /(?:[0-9a-f]{2}){24,}/gi;
/** The maximum number of nested escapes or encodings that are undone. */
const MOST_ESCAPES = 3;

/** The maximum number of remembered headers, and the maximum length of their values: clients choose both. */
const MOST_HEADERS = 1_000;
const LONGEST_VALUE = 128;

/**
 * Headers in which no text was found. Clients send the same few with each call, and reading their words takes as long as scanning a short text.
 * Credentials are not remembered.
 */
export class PlainHeaders {
  private readonly known = new Set<string>();

  /** @param name in lower case */
  has(name: string, value: string): boolean {
    return value.length <= LONGEST_VALUE && this.known.has(`${name}:${value}`);
  }

  add(name: string, value: string): void {
    if (value.length > LONGEST_VALUE) return;
    if (this.known.size >= MOST_HEADERS) this.known.clear();
    this.known.add(`${name}:${value}`);
  }
}

/**
 * The texts outside of a request's body. They cannot be masked in place, so a call that needs a redaction there is refused.
 *
 * @param headers alternating names and values, as they are sent to the provider
 * @param plain the headers that earlier calls sent
 */
export function envelopeTexts(
  { path, provider, dialect }: ProxyTarget,
  headers: readonly string[],
  plain = new PlainHeaders(),
): Segment[] {
  const [, ...queries] = path.split('?');
  const credentials = credentialParameters(provider.style, dialect);
  return [
    ...routeTexts(path),
    ...queries.flatMap((query) => query.split('&')).flatMap((each, index) => parameterTexts(each, index, credentials)),
    ...headerTexts(headers, plain),
  ];
}

/** The texts of a path without its query. */
export function routeTexts(path: string): Segment[] {
  const [route = ''] = path.split('?', 1);
  const parts = route.split('/').map(decodedPart);
  return parts.flatMap((part, index) => {
    const text = NUMBER.test(part) && isNumbered(parts, index) ? part.replace(NUMBER, '') : part;
    return isIdentifier(text) || text === '' ? [] : [textAt(`path[${index}]`, text)];
  });
}

/** Whether a part of a path is the id of an item in a collection that its provider numbers. */
function isNumbered(parts: readonly string[], index: number): boolean {
  const collection = parts[index - 1] ?? '';
  return NUMBERED.test(collection) || (NUMBERED_BY_ENGINES.test(collection) && parts[index - 3] === 'reasoningEngines');
}

function parameterTexts(parameter: string, index: number, credentials: ReadonlySet<string>): Segment[] {
  const equals = parameter.indexOf('=');
  const name = decodedPart(equals < 0 ? parameter : parameter.slice(0, equals));
  const value = equals < 0 ? '' : decodedPart(parameter.slice(equals + 1));
  if (credentials.has(name.toLowerCase()) && CREDENTIAL.test(value)) return [];
  const at = `query[${index}]`;
  return [
    ...(isPlain(name) ? [] : [textAt(at, name)]),
    ...(isIdentifierOf(name, value) || value === '' ? [] : [textAt(at, value, isPlain(name) ? name : undefined)]),
  ];
}

function headerTexts(headers: readonly string[], plain: PlainHeaders): Segment[] {
  const texts: Segment[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const written = headers[index]!;
    const name = written.toLowerCase();
    const value = headers[index + 1]!;
    if (plain.has(name, value)) continue;
    // A place is stored and reported, so a header whose name is not plain is identified by its index.
    const isPlainName = isPlain(name);
    const place = `headers.${isPlainName ? name : index / 2}`;
    if (!isPlainName) texts.push(textAt(place, decodedPart(written)));
    if (isCredential(name, value)) continue;
    const isWord = isPlainOf(name, value);
    const isStructured = !isWord && followsGrammar(name, value);
    const cuts = isStructured ? cutsAtCodedText(value) : undefined;
    if (isWord || (isStructured && cuts === undefined)) {
      if (isPlainName) plain.add(name, value);
      continue;
    }
    // Node.js decodes header bytes as Latin-1, but clients write UTF-8, or escapes where UTF-8 is not allowed.
    texts.push(
      textAt(
        place,
        decodedPart(Buffer.from(value, 'latin1').toString('utf8').replaceAll('+', '%2B')),
        isPlainName ? name : undefined,
        cuts,
      ),
    );
  }
  return texts;
}

function isCredential(name: string, value: string): boolean {
  if (!CREDENTIAL_HEADER.test(name) || name === 'idempotency-key') return false;
  return HEADER_CREDENTIAL.test(value) || (name === 'authorization' && AUTHORIZATION.test(value));
}

/** Whether a header has the grammar of its name, which excludes words. @param name in lower case */
export function followsGrammar(name: string, value: string): boolean {
  if (LISTS_OF_WORDS.test(name))
    return value
      .replace(BOUNDARY, '')
      .split(SEPARATORS)
      .every((word) => isPlain(word.trim().replace(/[*"]/g, '')));
  return STRUCTURED_HEADERS.get(name)?.test(value) === true;
}

/** @param cuts see `Segment`; by default, those of an identifier that encodes a text */
function textAt(path: string, text: string, key?: string, cuts = cutsOfIdentifier(text)): Segment {
  return { ...fixedText(path, 'metadata', text, key), ...(cuts && { cuts }) };
}

/**
 * Whether a text contains a credential of Weir: unchanged, escaped, in hexadecimal digits, or in base64, as in
 * `Authorization: Basic`.
 *
 * @param secret the service key of this call
 */
export function holdsOwnCredential(text: string, secret: string): boolean {
  return holdsOwn(text, secret, MOST_ESCAPES);
}

/** @param times maximum number of nested encodings */
function holdsOwn(text: string, secret: string, times: number): boolean {
  // Undoing escapes, hexadecimal digits or base64 makes no text longer.
  if (text.length < (secret === '' ? SHORTEST_OWN : Math.min(SHORTEST_OWN, secret.length))) return false;
  if ((secret !== '' && text.includes(secret)) || OWN_CREDENTIAL.test(text)) return true;
  if (times === 0) return false;
  const within = (other: string): boolean => holdsOwn(other, secret, times - 1);
  const undone = decodedPart(text.replaceAll('+', '%2B'));
  return (
    (undone !== text && within(undone)) ||
    [...text.matchAll(HEX)].some(([code]) => within(Buffer.from(code, 'hex').toString('latin1'))) ||
    [...text.matchAll(BASE64)].some(([code]) => beginningsOf(code).some(within))
  );
}

/** Decodes base64 from each possible offset: its start is unknown, because the characters before it (`/`, `-`) may also be base64. */
function beginningsOf(code: string): readonly string[] {
  return [0, 1, 2, 3].map((from) => Buffer.from(code.slice(from), 'base64').toString('latin1'));
}
