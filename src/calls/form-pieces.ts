import { readingUtf8, utf8Bytes } from '../contents/index.js';
import { atOnce, replacing, THINGS_BETWEEN_STOPS, type Steps } from '../core/index.js';
import { makingStringPiece, requireFewPieces, type BodyPiece } from './body-pieces.js';
import { checkingJson, findingJson } from './json-pieces.js';

const PAIRS_BETWEEN_STOPS = 64;
/** Old receivers also split at semicolons (HTML 4.01, appendix B.2.2), which matters if JSON follows one. */
const PAIR_STARTS = /&|;(?=[\w.[\]-]{1,64}=(?:[[{]|%[57]b))/gi;

/** The pairs of a form, each with the separator before it. A generator, because there may be millions. */
function* pairsIn(text: string): Generator<string, void, void> {
  let from = 0;
  for (const { index } of text.matchAll(PAIR_STARTS)) {
    if (index > from) yield text.slice(from, index);
    from = index;
  }
  yield text.slice(from);
}

/** Reads the bytes of a decoded name or value. */
type PartReader = (decoded: Buffer) => Steps<void>;

/**
 * The alternating names and values of a form (WHATWG URL, section 5.1); unchanged parts keep their bytes. In steps.
 *
 * @param look is called with each name and value that may be more than text
 */
export function* formPieces(text: string, look: PartReader): Steps<BodyPiece[]> {
  const pieces: BodyPiece[] = [];
  const take = (taken: readonly BodyPiece[]): void => {
    for (const piece of taken) pieces.push(piece);
  };
  let count = 0;
  for (const pair of pairsIn(text)) {
    if (count % PAIRS_BETWEEN_STOPS === 0) {
      requireFewPieces(pieces);
      yield;
    }
    const start = count++ === 0 && !pair.startsWith('&') ? 0 : 1;
    const equals = pair.indexOf('=');
    pieces.push(Buffer.from(pair.slice(0, start)));
    take(yield* partPieces(pair.slice(start, equals < 0 ? undefined : equals), look));
    if (equals < 0) continue;
    pieces.push(Buffer.from('='));
    take(yield* partPieces(pair.slice(equals + 1), look));
  }
  return pieces;
}

/**
 * The pieces of a name or a value. Receivers that find JSON in it read the JSON even if other text follows, because old
 * receivers end a value at a semicolon.
 */
function* partPieces(part: string, look: PartReader): Steps<BodyPiece[]> {
  const decodedAs = yield* decodingBytes(part);
  if (BEYOND_TEXT.test(part)) yield* look(decodedAs);
  const decoded = yield* readingUtf8(decodedAs);
  const jsonPiece = (original: string, json: string): BodyPiece => {
    return { original: utf8Bytes(original), json, write: encodedPart };
  };
  if (/^\s*[[{]/.test(decoded) && (yield* checkingJson(decoded))) return [jsonPiece(part, decoded)];
  // Each byte becomes one character: brackets are unchanged, and positions are byte counts, which `writtenTo` needs.
  const bytes = decodedAs.toString('latin1');
  const ranges = /[[{]/.test(bytes) ? yield* findingJson(bytes) : [];
  if (ranges.length === 0) return [yield* makingStringPiece(utf8Bytes(part), decoded, encodedPart)];
  const pieces: BodyPiece[] = [];
  const writtenTo = placesIn(part);
  let [from, at] = [0, 0];
  const take = function* (end: number, isJson: boolean): Steps<void> {
    if (end === at) return;
    const to = end === bytes.length ? part.length : yield* writtenTo(end - at);
    const original = part.slice(from, to);
    const value = yield* readingUtf8(decodedAs.subarray(at, end));
    pieces.push(
      isJson ? jsonPiece(original, value) : yield* makingStringPiece(utf8Bytes(original), value, encodedPart),
    );
    [from, at] = [to, end];
  };
  for (const { start, end } of ranges) {
    yield* take(start, false);
    yield* take(end, true);
  }
  yield* take(bytes.length, false);
  return pieces;
}

/** The bytes of controls and beyond ASCII, as they are or in escapes. */
const BEYOND_TEXT = /[\0-\x08\x0e-\x1f\u0080-\uffff]|%(?:[0189a-f][0-9a-f]|u)/i;
const WRITTEN = /%u[0-9a-f]{4}|%[0-9a-f]{2}|[\ud800-\udbff][\udc00-\udfff]|[^]/gi;

/** Returns a function that advances by a number of decoded bytes and returns the position in the written part. */
function placesIn(part: string): (bytes: number) => Steps<number> {
  const written = part.matchAll(WRITTEN);
  let place = 0;
  let count = 0;
  return function* (bytes) {
    for (let left = bytes; left > 0;) {
      if (++count % THINGS_BETWEEN_STOPS === 0) yield;
      const { value, done } = written.next();
      if (done === true) break;
      left -= bytesOf(value[0]);
      place = value.index + value[0].length;
    }
    return place;
  };
}

/** The number of bytes that a character or escape of a form represents. */
function bytesOf(written: string): number {
  if (written.length === 1 && written < '\x80') return 1;
  if (/^%[0-9a-f]{2}$/i.test(written)) return 1;
  return utf8Bytes(/^%u/i.test(written) ? String.fromCharCode(Number.parseInt(written.slice(2), 16)) : written).length;
}

const ESCAPED_OR_BEYOND_ASCII = /[%+\u0080-\uffff]/;

/** A part with its escapes undone. An invalid escape stays unchanged and does not affect the others. */
export function decodedPart(part: string): string {
  // Plain ASCII without an escape needs no decoding; most parts are of this kind.
  if (!ESCAPED_OR_BEYOND_ASCII.test(part)) return part;
  return atOnce(decodingPart(part));
}

/** `decodedPart` in steps. */
export function* decodingPart(part: string): Steps<string> {
  return yield* readingUtf8(yield* decodingBytes(part));
}

/** The bytes that a part represents, in steps. */
function* decodingBytes(part: string): Steps<Buffer> {
  const spaced = yield* replacing(part, /\++/g, ([signs]) => ' '.repeat(signs.length));
  if (!spaced.includes('%')) return utf8Bytes(spaced);
  const units = yield* replacing(spaced, /%u([0-9a-f]{4})/gi, ([, code = '']) => charOf(code));
  const bytes = utf8Bytes(units).toString('latin1');
  return Buffer.from(yield* replacing(bytes, /%([0-9a-f]{2})/gi, ([, code = '']) => charOf(code)), 'latin1');
}

function charOf(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16));
}

function encodedPart(text: string): Buffer {
  return Buffer.from(encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+'));
}
