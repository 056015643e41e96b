import { isArray, isObject, isString } from '../json/json-node.js';
import type { FieldReader } from './call-collector.js';
import type { SegmentRole } from './call.js';

/** What an identifier, an enum value or a date looks like. Anything else under such a key is read as text. */
const PLAIN = /^[A-Za-z0-9_.:/+-]{0,128}$/;
/** Base64 of either alphabet; shorter strings are read as text, whatever they are. */
const OPAQUE = /^[A-Za-z0-9+/_=-]{64,}$/;
const BINARY_DATA_URL =
  /^data:(?:image|audio|video|font)\/[\w.+-]+;base64,|^data:application\/(?:pdf|octet-stream);base64,/;

/** Free-form: every string below, whatever it is called. */
export const text: FieldReader = (collector, node, place) => collector.freeform(node, place);

/** Not text: skipped as long as it looks like an identifier, a number or a switch. */
export const plain: FieldReader = (collector, node, place) => {
  if (isString(node) ? !PLAIN.test(node.text) : isObject(node) || isArray(node)) collector.freeform(node, place);
};

/** An object of which every value is plain, such as `cache_control` or `usage`. */
export const plainObject: FieldReader = (collector, node, place) => {
  if (!isObject(node)) return plain(collector, node, place);
  const keys = node.members.map(({ key }) => key.text).filter((key) => PLAIN.test(key));
  collector.fields(node, place, new Map(keys.map((key) => [key, plainObject])));
};

/** Encrypted or binary data in base64. */
export const opaque: FieldReader = (collector, node, place) => {
  if (!isString(node) || !OPAQUE.test(node.text)) collector.freeform(node, place);
};

/** A URL; data URLs of pictures, recordings and PDF files are not text. */
export const url: FieldReader = (collector, node, place) => {
  if (!isString(node) || !BINARY_DATA_URL.test(node.text.slice(0, 128))) collector.freeform(node, place);
};

/** Logged token texts repeat pieces of a text that is judged as a whole; see `logprobEdits`. */
export const tokenTexts: FieldReader = (collector, node, place) => {
  if (!isObject(node) && !isArray(node)) plain(collector, node, place);
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

/** Fields that hold identifiers and switches wherever they occur. */
export const PLAIN_FIELDS: readonly (readonly [string, FieldReader])[] = [
  'type',
  'role',
  'id',
  'object',
  'model',
  'status',
  'index',
  'created',
  'created_at',
  'completed_at',
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
].map((key) => [key, plain] as const);
