/**
 * Files that a body divides among the values of a list: their bytes as numbers, as in `{"type":"Buffer","data":[37,80,68,70]}` and in
 * typed arrays (`{"0":37,"1":80}`), and their base64 in several strings.
 */
import { readingTextOfBytes } from '../coding/text-coding.js';
import { isByte, isIndex } from '../json/code-row.js';
import type { JsonDocument } from '../json/json-document.js';
import {
  isArray,
  isString,
  type ArrayNode,
  type BytesWithin,
  type JsonNode,
  type ObjectNode,
  type TextNode,
} from '../json/json-node.js';
import { LEAST_BYTES } from '../json/open-container.js';
import type { EmbeddedBytes } from '../model/call.js';
import { isStop, sorted, type Steps } from '../steps/steps.js';
import { isBlob } from './blob-fields.js';
import { beginsAnotherFile, FILE_BEGINNINGS, SHORTEST_FILE } from './file-beginnings.js';
import { itemPath } from './json-path.js';
import type { Place } from './reading-place.js';
import { FEWEST_LETTERS } from './wrapped-base64.js';

/** What is known about a file besides its place. */
export type SaidOfFile = Pick<EmbeddedBytes, 'charset' | 'hex' | 'unsaid' | 'judged'>;

/** Collects the texts and files of a body. */
interface Collecting {
  readonly doc: Pick<JsonDocument, 'fileOfNumbers' | 'textFrom' | 'textOfNumbers'>;
  bytes(node: TextNode, start: number, place: Place, said?: SaidOfFile): void;
  nestedText(inner: TextNode, place: Place): Steps<void>;
}

/** Gemini's member with the bytes of a file. Lists of measured values and of pixels have the other names of files in base64. */
const OF_INLINE_DATA = 'data';

/** Whether the values of a list are bytes, or those of an object can be bytes in the order of its names. */
export function mayBeNumbers(node: ArrayNode | ObjectNode): boolean {
  if (isArray(node)) return node.bytes !== undefined;
  return node.members.length >= LEAST_BYTES && isIndex(node.members[0]?.key.text ?? '');
}

/**
 * Reads a file whose bytes are written as numbers. Other numbers of this size can be measured values, pixels or the parts of an embedding:
 * unless the object declares a file, only known formats and words count.
 *
 * @returns whether the file is read as a text that contains all rows of character codes, so that these need not be read
 */
export function* readingNumbers(collector: Collecting, node: ArrayNode | ObjectNode, place: Place): Steps<boolean> {
  const range = isArray(node) ? node.bytes : rangeOfObject(node);
  if (range === undefined) return false;
  const bytes = isArray(node) ? yield* bytesOfList(node) : yield* bytesOfObject(node);
  const read = bytes && (yield* readingTextOfBytes(bytes));
  if (bytes === undefined) return false;
  const isSaid = place.isFile === true || (place.key === OF_INLINE_DATA && isBlob(place));
  const coding = read?.coding.name;
  // Rows of codes in ASCII that can be words are judged and masked in place.
  const isAscii = coding === 'utf-8' && bytes.every((byte) => byte < BEYOND_ASCII);
  const judged = isAscii && node.codes !== undefined;
  const text = judged || coding === 'windows-1252' ? undefined : read?.text;
  if (text !== undefined && !isSaid && (isAscii || !isOfWords(text))) return false;
  const file = collector.doc.fileOfNumbers(range, yield* digitsOf(bytes));
  const at = place.path === '' ? { ...place, path: '$' } : place;
  collector.bytes(file, 0, at, { hex: true, ...(!isSaid && { unsaid: true }), ...(judged && { judged }) });
  if (text === undefined) return false;
  yield* collector.nestedText(collector.doc.textOfNumbers(file, text), at);
  return coding === 'utf-8' && (isArray(node) || (yield* checkingOrder(node)));
}

/** Whether the members of an object stand in the order of their indices. */
function* checkingOrder({ members }: ObjectNode): Steps<boolean> {
  let before = -1;
  for (const [position, { key }] of members.entries()) {
    const index = Number(key.text);
    if (index <= before) return false;
    before = index;
    if (isStop(position)) yield;
  }
  return true;
}

const BEYOND_ASCII = 0x80;

function rangeOfObject({ members }: ObjectNode): BytesWithin | undefined {
  const [first, last] = [members[0], members.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { source: first.key.source, start: first.start, end: last.end };
}

function* bytesOfList({ items }: ArrayNode): Steps<Uint8Array> {
  const bytes = new Uint8Array(items.length);
  for (let index = 0; index < items.length; index++) {
    bytes[index] = Number(items[index]);
    if (index % BYTES_AT_ONCE === BYTES_AT_ONCE - 1) yield;
  }
  return bytes;
}

/** The bytes in the order of their indices, as programs read them; undefined if the values are no bytes, or the names no indices. */
function* bytesOfObject({ members }: ObjectNode): Steps<Uint8Array | undefined> {
  const byIndex = new Map<number, number>();
  for (const [index, { key, value }] of members.entries()) {
    if (!isByte(value) || !isIndex(key.text)) return undefined;
    byIndex.set(Number(key.text), value);
    if (isStop(index)) yield;
  }
  const entries: (readonly [index: number, byte: number])[] = [];
  for (const entry of byIndex) {
    entries.push(entry);
    if (isStop(entries.length)) yield;
  }
  const ordered = yield* sorted(entries, ([left], [right]) => left - right);
  const bytes = new Uint8Array(ordered.length);
  for (const [at, [, byte]] of ordered.entries()) {
    bytes[at] = byte;
    if (isStop(at)) yield;
  }
  return bytes;
}

/** The number of bytes that are read or written in less than a millisecond. */
const BYTES_AT_ONCE = 16_384;
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function* digitsOf(bytes: Uint8Array): Steps<string> {
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
    parts.push(Array.from(bytes.subarray(from, from + BYTES_AT_ONCE), (byte) => DIGITS[byte]).join(''));
    if (from + BYTES_AT_ONCE < bytes.length) yield;
  }
  return parts.join('');
}

const LETTERS = /\p{L}/gu;
const CONTROLS = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g;
/** The number of characters that are examined. */
const SAMPLE = 65_536;

/** Whether a text has as many letters and as few control characters as words have. */
function isOfWords(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  const count = (pattern: RegExp): number => sample.match(pattern)?.length ?? 0;
  return 8 * count(LETTERS) >= sample.length && 16 * count(CONTROLS) <= sample.length;
}

const BEGINS = new RegExp(`^\\s{0,64}(?:${FILE_BEGINNINGS.join('|')})`);
const NO_LETTER = /[^A-Za-z0-9+/_-]/;
const PADDING = /={1,2}$/;

/**
 * Reads a file in base64 that begins with a string of a list and continues in the next ones, of which all but the last have its length.
 * @returns the position of the last string that was read
 */
export function readJoined(collector: Collecting, items: readonly JsonNode[], position: number, place: Place): number {
  const first = items[position];
  if (!isString(first) || first.text.length < FEWEST_LETTERS || !BEGINS.test(first.text)) return position;
  const { length } = first.text.trim();
  const lines: string[] = [];
  let last = first;
  for (let at = position; lines.length === 0 || lines.at(-1)?.length === length; at++) {
    const item = items[at];
    const line = isString(item) ? item.text.trim() : '';
    if (!isString(item) || line.length > length || NO_LETTER.test(line.replace(PADDING, ''))) break;
    if (lines.length === 1 && beginsAnotherFile(line, 0, length)) break;
    lines.push(line);
    last = item;
  }
  const text = lines.join('');
  // A single string before a shorter one can be a whole file before a word.
  const isShort = lines.length < 2 || (lines.length === 2 && lines[1]?.length !== length);
  if (isShort || text.length < SHORTEST_FILE) return position;
  const file = collector.doc.textFrom(first, last, text);
  collector.bytes(file, 0, { ...place, path: itemPath(place.path, position) }, { unsaid: true });
  return position + lines.length - 1;
}
