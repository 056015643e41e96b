import { isArray, isObject, isString } from '../json/json-node.js';
import { charsetOfDataUrl, checkingBase64File } from './base64-places.js';
import type { CallCollector, FieldReader, Place, RemainingSteps } from './call-collector.js';
import type { TextNode } from '../json/json-node.js';
import type { Steps } from '../steps/steps.js';
import { checkingBinaryUrl, checkingOpaque, cutsOfIdentifier, dataStart, isPlain, isPlainOf } from './scalar-forms.js';
import type { SegmentRole } from '../model/call.js';

/** Reads free-form data: every nested string, regardless of its name. */
export const text: FieldReader = (collector, node, place) => collector.freeform(node, place);

/** Skips a value that looks like an identifier, a number or a switch; reads any other value as text. */
export const plain: FieldReader = (collector, node, place) => {
  if (!isString(node)) return collector.other(node, place);
  return isPlain(node.text) ? undefined : readText(collector, node, place);
};

/** Reads a value that is not plain. Detectors read the parts of an identifier separately if one of them encodes a text. */
function readText(collector: CallCollector, node: TextNode, place: Place): RemainingSteps {
  const cuts = cutsOfIdentifier(node.text);
  return cuts === undefined ? collector.freeform(node, place) : collector.words(node, place, cuts);
}

/** The role of a message in all APIs, such as `user`, `ipython`, or Cohere's `CHATBOT`: one word. Some events leave it empty. */
const ROLE = /^[A-Za-z_]{0,24}$/;

/**
 * Skips the role of a message. Chat templates of self-hosted models write it into the prompt, so several words, which would be plain in
 * another field, are read as text.
 */
export const messageRole: FieldReader = (collector, node, place) => {
  if (!isString(node)) return collector.other(node, place);
  return ROLE.test(node.text) ? undefined : readText(collector, node, place);
};

/** Skips a time: seconds or milliseconds since the epoch, with or without a fraction, or a date. */
const timestamp: FieldReader = (collector, node, place) => {
  const seconds = typeof node === 'object' && node !== null && node.kind === 'number' ? node.text : undefined;
  return seconds === undefined || !/^\d{8,13}(?:\.\d{1,9})?$/.test(seconds) ? plain(collector, node, place) : undefined;
};

/** Reads an object with only plain values, such as `cache_control` or `usage`. */
export const plainObject: FieldReader = (collector, node, place) => {
  return isObject(node) ? collector.fields(node, place, OF_PLAIN_NAMES) : plain(collector, node, place);
};
/** Reads a member of such an object, whose name the sender may have chosen. */
const plainMember: FieldReader = (collector, node, place) => {
  if (!isString(node)) return plainObject(collector, node, place);
  return isPlainOf(place.key ?? '', node.text) ? undefined : readText(collector, node, place);
};
/** Returns the reader for members with plain names. */
const OF_PLAIN_NAMES = { get: (key: string): FieldReader | undefined => (isPlain(key) ? plainMember : undefined) };

/** Skips encrypted or binary data in base64; if it contains text, that text is read. */
export const opaque: FieldReader = (collector, node, place) =>
  isString(node) ? collector.begun(readOpaque(collector, node, place)) : collector.other(node, place);

function* readOpaque(collector: CallCollector, node: TextNode, place: Place): Steps<void> {
  const isText = yield* collector.base64Text(node, 0, place);
  if (!(yield* checkingOpaque(node.text)) || (!isText && !(yield* checkingBase64File(node.text, 0))))
    yield* collector.rest(collector.freeform(node, place));
}

/** Reads a file in base64; see `CallCollector.fileBytes`. */
export const fileBytes: FieldReader = (collector, node, place) => collector.fileBytes(node, place);

/**
 * Reads a URL. Data URLs of images, audio and PDF files are not text; data URLs of text files are read as the text they contain.
 */
export const url: FieldReader = (collector, node, place) => {
  if (!isString(node)) return collector.other(node, place);
  const start = dataStart(node.text);
  if (start === undefined) return collector.freeform(node, place);
  return collector.begun(readDataUrl(collector, node, start, place));
};

function* readDataUrl(collector: CallCollector, node: TextNode, start: number, place: Place): Steps<void> {
  const charset = charsetOfDataUrl(node.text.slice(0, start));
  const isText = yield* collector.base64Text(node, start, place, charset);
  collector.bytes(node, start, place, charset === undefined ? {} : { charset });
  if (!isText && !(yield* checkingBinaryUrl(node.text))) yield* collector.rest(collector.freeform(node, place));
}

/**
 * Skips the token texts of log probabilities in an answer, which usually repeat a text that is judged as a whole; see `withTokenTexts` and
 * `logprobEdits`. In a request they are read, because they can contain anything.
 */
export const tokenTexts: FieldReader = (collector, node, place) => {
  const repeats = collector.calls === 'new' && (isObject(node) || isArray(node));
  return repeats ? undefined : plain(collector, node, place);
};

/** Returns a reader of lists whose items all use `reader`; a single value counts as a list of one. */
export function listOf(reader: FieldReader): FieldReader {
  return (collector, node, place) => {
    return isArray(node) ? collector.items(node, place, reader) : reader(collector, node, place);
  };
}

/** Returns a reader that reads like `reader`, but gives the texts another role. */
export function as(role: SegmentRole, reader: FieldReader): FieldReader {
  return (collector, node, place) => reader(collector, node, { ...place, role });
}

const NAMES_OF_PLAIN_FIELDS = [
  'type',
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

/** Fields that hold identifiers, roles and switches wherever they occur. */
export const PLAIN_FIELDS: readonly (readonly [string, FieldReader])[] = [
  ...NAMES_OF_PLAIN_FIELDS.map((key) => [key, plain] as const),
  ['role', messageRole],
  ...NAMES_OF_TIMESTAMPS.map((key) => [key, timestamp] as const),
];
