import { cutsAtCodedText, cutsOfIdentifier, isIdentifier, isPlain, isPlainOf, type Segment } from '../core/index.js';
import { followsGrammar } from './call-envelope.js';
import { decodedPart } from './form-pieces.js';

/** A text in a header of a provider's answer, with the name of the header. */
export interface HeaderText {
  readonly name: string;
  readonly text: Segment;
}

/** Names of headers whose value is an amount or a time: limits, usage, durations. */
const OF_AMOUNTS =
  /(?:^|-)(?:age|after|bytes|characters|cost|count|duration|elapsed|hits|latency|length|limit|ms|remaining|requests|reset|retries|seconds|size|spend|time|timestamp|tokens|total|units|used)(?:-|$)|ratelimit/;
const AMOUNT = /^-?[0-9]{1,12}(?:\.[0-9]{1,12})?(?:, ?[0-9]{1,6}){0,4}$/;
/** Such as `6m0s` and `1h2m3.5s`. */
const DURATION = /^(?:[0-9]{1,5}(?:\.[0-9]{1,9})?(?:ms|us|ns|[smhd])){1,4}$/;
/** RFC 9110, section 5.6.7, and RFC 3339. */
const DATE =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-3][0-9] (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) 20[0-9]{2} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT|20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](?:\.[0-9]{1,9})?(?:Z|[+-][01][0-9]:?[0-5][0-9]))$/;
/** Names of headers for ids of requests and traces, and random ids in hexadecimal digits; digits alone can be the number of a card. */
const OF_IDS = /(?:id|trace)$/;
const RANDOM_ID = /^(?=[0-9]*[a-f])[0-9a-f]{16,64}$/;
/** Owners of a key at OpenAI. The prefix of an identifier has the same form. */
const OF_OWNERS: ReadonlySet<string> = new Set(['openai-organization', 'openai-project']);
const OWNER = /^(?:org|user|proj)[-_](?=[A-Za-z0-9]{1,64}$)/;
/** The words of these headers stand in lists, with parameters. */
const OF_WORDS: ReadonlySet<string> = new Set([
  'accept-ranges',
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'vary',
  'x-cache',
  'x-robots-tag',
]);
const SEPARATORS = /\s*[,;=]\s*/;
const SHORT_NUMBER = /^[0-9]{1,8}$/;
/** Expressions search a value several times. The longest usual one is the timing of a connection. */
const LONGEST_PLAIN = 1_024;
/** Other headers that most providers, or the networks in front of them, send with each answer. */
const GRAMMARS: ReadonlyMap<string, RegExp> = new Map([
  ['cf-ray', /^(?=[0-9]*[a-f])[0-9a-f]{16}(?:-[A-Z]{3})?$/],
  ['etag', /^(?:W\/)?"(?=[0-9]*[a-f])[0-9a-f]{1,64}(?:-[0-9a-f]{1,32})?"$/],
  ['server', /^[A-Za-z]{1,12}(?:-[A-Za-z]{1,12}){0,2}(?:\/[0-9]{1,3}(?:\.[0-9]{1,4}){0,3})?$/],
  [
    'server-timing',
    /^(?:[a-z]{1,15}(?:[A-Z0-9][a-z]{0,14}){0,4}(?:;\s?(?:dur=[0-9]{1,9}(?:\.[0-9]{1,9})?|desc="?(?:[a-z]{1,15}(?:[ _-][a-z]{1,15}){0,3}|\?(?:[a-z_]{1,20}=(?:[0-9]{1,10}|[0-9a-f]{16}|[A-Z]{2,5})&?){1,40})"?)){0,3}(?:,\s?|$)){1,20}$/,
  ],
  ['via', /^(?:(?:HTTP\/)?[123](?:\.[01])? [a-z]{1,15}(?:\.[a-z]{1,5})?(?:, ?|$)){1,5}$/i],
  ['x-served-by', /^(?:cache-[a-z]{3,4}-[a-z]{3,5}[0-9]{1,8}-[A-Z]{3}(?:, ?|$)){1,5}$/],
  ['x-timer', /^S[0-9]{10}\.[0-9]{1,6}(?:,V[SE][0-9]{1,6}){0,4}$/],
  ['x-vercel-id', /^(?:[a-z]{3}[0-9]::){1,4}[a-z0-9]{5}-[0-9]{13}-[0-9a-f]{12}$/],
]);

/**
 * Whether a header of an answer can contain no text: a word, a number, a date, an identifier, or a value that headers of this name have
 * at the usual providers. A credential has none of these forms.
 *
 * @param name in lower case
 */
export function isPlainHeader(name: string, value: string): boolean {
  if (value.length > LONGEST_PLAIN || !isPlain(name)) return false;
  if (isPlainOf(name, value) || DATE.test(value) || DURATION.test(value)) return true;
  if (AMOUNT.test(value) && OF_AMOUNTS.test(name)) return true;
  if (OF_IDS.test(name) && RANDOM_ID.test(value)) return true;
  if (GRAMMARS.get(name)?.test(value) === true) return true;
  if (OF_OWNERS.has(name) && isIdentifier(value.replace(OWNER, 'item_'))) return true;
  if (OF_WORDS.has(name)) return value.split(SEPARATORS).every(isWord);
  return followsGrammar(name, value) && cutsAtCodedText(value) === undefined;
}

function isWord(word: string): boolean {
  return isPlain(word.replaceAll('"', '')) || SHORT_NUMBER.test(word);
}

/**
 * The texts of a header that is not plain. A place is stored and reported, so a header whose name is not plain is identified by its
 * position.
 *
 * @param name in lower case
 */
export function headerTextsOf(name: string, value: string, position: number): HeaderText[] {
  const isPlainName = isPlain(name);
  const path = `headers.${isPlainName ? name : position}`;
  // Bytes of a header are decoded as UTF-8 or as Latin-1. Servers write UTF-8, or escapes where it is not allowed.
  const written = /[\u0100-\uffff]/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
  const text = decodedPart(written.replaceAll('+', '%2B'));
  const cuts = cutsOfIdentifier(text);
  const named = isPlainName ? [] : [textAt(path, decodedPart(name))];
  const texts = [...named, { ...textAt(path, text), ...(isPlainName && { key: name }), ...(cuts && { cuts }) }];
  return texts.map((each) => ({ name, text: each }));
}

/** A header can be removed from an answer, so unlike a text of a request's header it is not fixed. */
function textAt(path: string, text: string): Segment {
  return { path, role: 'metadata', text, ref: -1 };
}
