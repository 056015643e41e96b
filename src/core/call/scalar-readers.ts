import { isArray, isObject, isString } from '../json/json-node.js';
import { charsetOfDataUrl, isBase64File, looksLikeBase64 } from './base64-places.js';
import type { FieldReader } from './call-collector.js';
import type { SegmentRole } from '../model/call.js';

/** An enum value, a model's name or a media type: short words with few digits, so no key, card or telephone number. */
const WORD = /^[A-Za-z0-9]{0,15}$/;
/** A word of this length in which capitals, small letters and digits take turns more often was made by a machine. */
const MIN_RANDOM = 8;
const MAX_TURNS = 4;
const TURNS = /[a-z]+|[A-Z]+|[0-9]+/g;
const WORD_ENDS = /[_.:/+-]/;
const MAX_PLAIN = 128;
const MAX_DIGITS = 6;
/** The date in a model's name or a time stamp; its digits do not count. */
const DATE = /20\d\d-?[01]\d-?[0-3]\d/;
/**
 * Identifiers that providers make, by their marks, in the forms that they make them. Random characters in them can look like
 * personal data, and a call does not work any more when one of them is masked. What else stands behind such a mark is read:
 * a credential does not become an identifier by it.
 */
const IDENTIFIERS: readonly RegExp[] = [
  /^(?:(?:call|toolu|srvtoolu|mcptoolu|msg|msgbatch|resp|item|run|step|thread|asst|chatcmpl|cmpl|gen|file|batch|container|cntr|req)[_-]|(?:rs|fc|ctc|ws|fs|ci|ig|lsh|sh|cu|mcp|mcpl|mcpr|apc|fp|vs)_)(?:(?:bdrk|vrtx)_)?(?![0-9]{7,}$)[A-Za-z0-9]{1,64}$/,
  /^gen-[0-9]{10}-[A-Za-z0-9]{20}$/,
  /^tooluse_[A-Za-z0-9_-]{22}$/,
  /^function-call-[0-9]{1,20}$/,
  /^(?:lc_run--?|run--|[a-z]{2,12}[_-])?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:-[0-9]{1,3})?$/,
];
/** How credentials begin or what stands in them that are made of letters and digits alone. */
const CREDENTIAL_MARK =
  /A(?:KIA|SIA|BIA|CCA)[A-Z0-9]|AIza|AKID|LTAI|AZDO|AzSe|dapi|dckr|EAA[A-Za-z]|eyJ|[_-](?:(?:SK|AC)[0-9a-f]{32}$|SCW|DO|cio|oy2|AKC|ATTA|FLW|EZ[AT]K|4b1d)/;
/** Shorter base64 is read as text, whatever it is. */
const MIN_OPAQUE = 64;
/** How Fernet tokens begin, the form of OpenAI's encrypted contents. Other base64url is read as text: many credentials look like it. */
const FERNET = 'gAAAAA';
const BASE64_URL = /^data:[^,]*;base64,/i;
const BINARY_DATA_URL = /^data:(?:(?:image|audio|video|font)\/[\w.+-]{1,64}|application\/(?:pdf|octet-stream));base64,/;

/** An identifier that a provider made, or a UUID. */
export function isIdentifier(value: string): boolean {
  return IDENTIFIERS.some((form) => form.test(value)) && !CREDENTIAL_MARK.test(value);
}

/** What an identifier, an enum value or a date looks like. Anything else under such a key is read as text. */
export function isPlain(value: string): boolean {
  if (isIdentifier(value)) return true;
  if (value.length > MAX_PLAIN || !value.split(WORD_ENDS).every(isWord)) return false;
  return value.replace(DATE, '').replace(/\D/g, '').length <= MAX_DIGITS;
}

function isWord(word: string): boolean {
  return WORD.test(word) && (word.length < MIN_RANDOM || (word.match(TURNS)?.length ?? 0) <= MAX_TURNS);
}

/** Base64 as RFC 4648 has it, from `start` to the end. A loop, because regular expressions run out of stack on megabytes. */
function isBase64(value: string, start: number, special: '+/' | '-_'): boolean {
  let end = value.length;
  while (end > start && end > value.length - 2 && value.charCodeAt(end - 1) === 0x3d) end--;
  const [first, second] = [special.charCodeAt(0), special.charCodeAt(1)];
  for (let index = start; index < end; index++) {
    const unit = value.charCodeAt(index);
    const letter = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
    if (!letter && !(unit >= 0x30 && unit <= 0x39) && unit !== first && unit !== second) return false;
  }
  return true;
}

function isOpaque(value: string): boolean {
  return value.length >= MIN_OPAQUE && isBase64(value, 0, value.startsWith(FERNET) ? '-_' : '+/');
}

/** Where the content of a base64 data URL begins; undefined for any other text. */
function dataStart(value: string): number | undefined {
  return BASE64_URL.exec(value.slice(0, 256))?.[0].length;
}

function isBinaryUrl(value: string): boolean {
  const head = BINARY_DATA_URL.exec(value.slice(0, 128));
  return head !== null && isBase64(value, head[0].length, '+/');
}

/** Free-form: every string below, whatever it is called. */
export const text: FieldReader = (collector, node, place) => collector.freeform(node, place);

/** Not text: skipped as long as it looks like an identifier, a number or a switch. */
export const plain: FieldReader = (collector, node, place) => {
  if (!isString(node)) collector.other(node, place);
  else if (!isPlain(node.text)) collector.freeform(node, place);
};

/** A point in time: seconds or milliseconds since the epoch, or a date. */
const timestamp: FieldReader = (collector, node, place) => {
  const seconds = typeof node === 'object' && node !== null && node.kind === 'number' ? node.text : undefined;
  if (seconds === undefined || !/^\d{8,13}$/.test(seconds)) plain(collector, node, place);
};

/** An object of which every value is plain, such as `cache_control` or `usage`. */
export const plainObject: FieldReader = (collector, node, place) => {
  if (!isObject(node)) return plain(collector, node, place);
  const keys = node.members.map(({ key }) => key.text).filter(isPlain);
  collector.fields(node, place, new Map(keys.map((key) => [key, plainObject])));
};

/** Encrypted or binary data in base64. Where it holds text, that text. */
export const opaque: FieldReader = (collector, node, place) => {
  if (!isString(node)) return collector.other(node, place);
  const isText = collector.base64Text(node, 0, place);
  if (!isOpaque(node.text)) return collector.freeform(node, place);
  if (!isText && !isBase64File(node.text, 0)) collector.freeform(node, place);
};

/** A file in base64. Where it holds text, that text; whether it is more than that is somebody else's to read. */
export const fileBytes: FieldReader = (collector, node, place) => {
  if (!isString(node)) return collector.other(node, place);
  const isText = collector.base64Text(node, 0, place);
  const isFile = isBase64File(node.text, 0);
  if (isFile) collector.bytes(node, 0, place);
  else if (looksLikeBase64(node.text)) collector.bytes(node, 0, place, undefined, true);
  // Many credentials look like base64 in its other alphabet: it is read as it stands, too.
  if (!(isFile && isOpaque(node.text)) && !(isText && node.text.length >= MIN_OPAQUE)) collector.words(node, place);
};

/** A URL; data URLs of pictures, recordings and PDF files are not text, those of text files are what they hold. */
export const url: FieldReader = (collector, node, place) => {
  if (!isString(node)) return collector.other(node, place);
  const start = dataStart(node.text);
  if (start === undefined) return collector.freeform(node, place);
  const isText = collector.base64Text(node, start, place, charsetOfDataUrl(node.text.slice(0, start)));
  collector.bytes(node, start, place);
  if (!isText && !isBinaryUrl(node.text)) collector.freeform(node, place);
};

/**
 * Logged token texts of an answer repeat pieces of a text that is judged as a whole; see `logprobEdits`. In a request
 * they can be anything.
 */
export const tokenTexts: FieldReader = (collector, node, place) => {
  const repeats = collector.calls === 'new' && (isObject(node) || isArray(node));
  if (!repeats) plain(collector, node, place);
};

/** A list of which each item is read alike; a single value counts as a list of one. */
export function listOf(reader: FieldReader): FieldReader {
  return (collector, node, place) => {
    if (!isArray(node)) return reader(collector, node, place);
    node.items.forEach((item, index) => reader(collector, item, collector.itemPlace(place, item, index)));
  };
}

/** The same reader, with another role for the texts. */
export function as(role: SegmentRole, reader: FieldReader): FieldReader {
  return (collector, node, place) => reader(collector, node, { ...place, role });
}

const NAMES_OF_PLAIN_FIELDS = [
  'type',
  'role',
  'id',
  'object',
  'model',
  'status',
  'finish_reason',
  'stop_reason',
  'tool_call_id',
  'tool_use_id',
  'call_id',
  'item_id',
  'file_id',
  'response_id',
  'previous_response_id',
  'system_fingerprint',
  'service_tier',
  'encoding_format',
  'reasoning_effort',
  'truncation',
  'detail',
  'format',
  'media_type',
  'mime_type',
  'phase',
];
const NAMES_OF_TIMESTAMPS = ['created', 'created_at', 'completed_at', 'expires_at'];

/** Fields that hold identifiers and switches wherever they occur. */
export const PLAIN_FIELDS: readonly (readonly [string, FieldReader])[] = [
  ...NAMES_OF_PLAIN_FIELDS.map((key) => [key, plain] as const),
  ...NAMES_OF_TIMESTAMPS.map((key) => [key, timestamp] as const),
];
