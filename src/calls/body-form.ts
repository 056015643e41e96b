import { isUtf8 } from 'node:buffer';
import {
  documentText,
  fixedText,
  isForReader,
  joinBeside,
  NOTHING_BESIDE,
  readingContent,
  readingDecodedValue,
  readingMedia,
  readingOtherwise,
  readingUtf8,
  utf8Bytes,
  type EmbeddedReading,
} from '../contents/index.js';
import {
  joinedLists,
  joining,
  mapped,
  oneStep,
  parsingJson,
  readingTwoBytes,
  THINGS_BETWEEN_STOPS,
  type JsonDocument,
  type Segment,
  type Steps,
} from '../core/index.js';
import { joiningPieces, makingStringPiece, requireFewPieces, type BodyPiece, type TextBody } from './body-pieces.js';
import { isTwoByteSet, requireAsciiSet, type ContentType } from './content-type.js';
import { decodingPart, formPieces } from './form-pieces.js';
import { checkingJson, findingJson } from './json-pieces.js';
import { multipartPieces } from './multipart.js';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** Characters that do not occur in texts, but do occur in the first few bytes of images, audio, archives and UTF-16. */
const CONTROL = /[\0-\x08\x0e-\x1a\x1c\x1d\x1f\x7f]/;
const EVERY_CONTROL = new RegExp(CONTROL, 'g');
const FORM = 'application/x-www-form-urlencoded';
/** Shorter values of forms cannot be files with words, not even compressed ones. */
const MIN_FILE_BYTES = 12;

/** The content of a body that is not JSON. */
export interface BodyReading {
  /** The texts of the body; absent when it has no text that could be changed. */
  readonly textBody?: TextBody;
  readonly beside: EmbeddedReading;
  /** Whether the body is an upload with the field `purpose`. */
  readonly hasPurpose: boolean;
}

interface ReadPieces {
  readonly pieces: readonly BodyPiece[];
  readonly beside: EmbeddedReading;
}

/**
 * A body that is not JSON, with its texts as JSON, so that they are judged, redacted and stored like any other: a text as
 * one string, JSON lines as the list of their values, a form as the list of its decoded names and values in turn,
 * `multipart` as the list of its parts' texts. `multipart` and forms are recognised by the declared type, all other content by its
 * bytes. In steps.
 *
 * @throws UnreadableBody for a body that two readers could read differently; JsonSyntaxError for more texts than are judged
 */
export function* readingBodyForm(body: Buffer, type: ContentType | undefined): Steps<BodyReading> {
  if (type?.type.startsWith('multipart/')) {
    const besides: EmbeddedReading[] = [];
    // Some receivers decode every part with the character set of the body.
    requireAsciiSet(type);
    const { pieces, names, beside } = yield* multipartPieces(body, type, function* (content, partType, index) {
      const read = yield* contentPieces(content, `parts[${index}]`, partType, type);
      besides.push(read.beside);
      return read.pieces;
    });
    return {
      textBody: yield* joiningPieces(pieces, true),
      beside: joinBeside([
        ...besides,
        { ...NOTHING_BESIDE, texts: beside.map((text) => fixedText('body', 'other', text)) },
      ]),
      hasPurpose: names.some((name) => name.toLowerCase() === 'purpose'),
    };
  }
  const { pieces, beside } = yield* contentPieces(body, 'body', type);
  const hasText = pieces.some((piece) => !Buffer.isBuffer(piece));
  const isList = type?.type === FORM || pieces.length > 1;
  return { ...(hasText ? { textBody: yield* joiningPieces(pieces, isList) } : {}), beside, hasPurpose: false };
}

/** Several JSON values as one body. */
export interface SeveralValues {
  readonly body: TextBody;
  readonly pieces: readonly BodyPiece[];
}

/**
 * Reads lines of JSON values in an answer as a list of these values; undefined for any other text. `NaN` and infinities are accepted,
 * because some clients accept them. In steps. @throws JsonSyntaxError
 */
export function* readingLines(text: string): Steps<SeveralValues | undefined> {
  const pieces = /^[\s\x1e]*[[{]/.test(text) ? yield* linePieces(text, utf8Bytes, true) : undefined;
  return pieces && { body: yield* joiningPieces(pieces, true, true), pieces };
}

/** Prefixes with which servers prevent answers from being run as scripts. */
const JSON_START = /^(?:\)\]\}',?)?[\s\x1e]*[[{]/;

/**
 * Reads an answer that continues after a JSON value as the list of its contents: some readers take only the first value, others ignore
 * lines that are not JSON.
 *
 * @param isOfLines whether the answer is declared as lines of JSON, so that it may also begin with other text
 */
export function* readingFirstValues(text: string, isOfLines: boolean): Steps<SeveralValues | undefined> {
  const pieces = isOfLines || JSON_START.test(text) ? yield* textPieces(text, utf8Bytes, undefined, true) : [];
  const hasValue = pieces.some((piece) => !Buffer.isBuffer(piece) && piece.text === undefined);
  return hasValue ? { body: yield* joiningPieces(pieces, true, true), pieces } : undefined;
}

/**
 * Reads the JSON objects and lists that lenient readers find in the text of an answer, as a list of these values. In steps.
 * @throws JsonSyntaxError
 */
export function* readingValuesIn(text: string): Steps<JsonDocument | undefined> {
  const ranges = yield* findingJson(text, true);
  if (ranges.length === 0) return undefined;
  const values = yield* mapped(ranges, ({ start, end }) => text.slice(start, end));
  return yield* parsingJson(`[${yield* joining(values, ',')}]`, { nonFinite: true });
}

/** Reads JSON after a byte order mark, which is kept; undefined for a body without such a mark. In steps. @throws JsonSyntaxError */
export function* readingMarkedJson(body: Buffer): Steps<TextBody | undefined> {
  const json = withoutMark(body);
  if (json === body) return undefined;
  return yield* joiningPieces([BYTE_ORDER_MARK, valuePiece(json.toString('utf8'), utf8Bytes)], false);
}

/** A body without the byte order mark of UTF-8; the same buffer if it has none. */
export function withoutMark(body: Buffer): Buffer {
  const { length } = BYTE_ORDER_MARK;
  return body.subarray(0, length).equals(BYTE_ORDER_MARK) ? body.subarray(length) : body;
}

/** Reads the fields that a receiver finds if it takes a JSON body for `application/x-www-form-urlencoded`. In steps. */
export function* readingAsForm(body: Buffer, type: ContentType | undefined): Steps<EmbeddedReading> {
  if (type?.type !== FORM) return NOTHING_BESIDE;
  const texts: Segment[] = [];
  let count = 0;
  for (const [part] of (yield* readingUtf8(body)).matchAll(/[^&=]+/g)) {
    if (++count % THINGS_BETWEEN_STOPS === 0) yield;
    if (part.includes('%')) texts.push(fixedText('body', 'other', yield* decodingPart(part)));
  }
  return { ...NOTHING_BESIDE, texts };
}

/** Whether bytes without a known type can be text: the first bytes of images and archives contain characters that texts do not. */
export function looksLikeText(bytes: Buffer): boolean {
  return !CONTROL.test(bytes.toString('latin1'));
}

/** In images, archives and compressed documents, about every ninth byte is such a character; a text may contain a few of them. */
const CHARACTERS_PER_CONTROL = 50;
const FEW_CONTROLS = 4;

/** Whether bytes may be text that contains at most a few control characters. */
export function mayBeText(bytes: Buffer): boolean {
  const controls = bytes.toString('latin1').match(EVERY_CONTROL)?.length ?? 0;
  return controls <= Math.max(FEW_CONTROLS, bytes.length / CHARACTERS_PER_CONTROL);
}

/** The pieces of a body, or of a part of one, and its other content. @param outer the type of the body around a part */
function* contentPieces(
  bytes: Buffer,
  path: string,
  type: ContentType | undefined,
  outer?: ContentType,
): Steps<ReadPieces> {
  const content = yield* readingContent(bytes);
  const size = { path, bytes: bytes.length };
  if (content.kind === 'media') {
    return { pieces: [bytes], beside: yield* readingMedia(bytes, path, 'other', content.type) };
  }
  if (content.kind === 'unread') {
    const texts = yield* mapped(content.texts, (text) => documentText(path, 'other', text));
    const until = { ...size, why: content.why };
    const files = [{ path, role: 'other' as const, bytes, until }];
    return { pieces: [bytes], beside: { ...NOTHING_BESIDE, texts, unread: [until], files } };
  }
  const { text, mark, encode, why, others: narrow = [] } = content;
  const until = why === undefined ? undefined : { ...size, why };
  if (encode === utf8Bytes) requireAsciiSet(type);
  const isForm = type?.type === FORM && encode === utf8Bytes;
  const isTwoByte = [type, outer].some(isTwoByteSet);
  const values = new FormValues(path, isTwoByte);
  const pieces = isForm
    ? yield* formPieces(text, (decoded) => values.reading(decoded))
    : yield* textPieces(text, encode, content.written);
  const others = yield* otherTexts(pieces);
  const readsTwoBytes = encode === utf8Bytes && (isTwoByte || !isUtf8(bytes));
  const twoBytes = readsTwoBytes ? yield* readingTwoBytes(bytes.toString('latin1')) : [];
  const read = joinedLists([others, narrow, twoBytes, values.texts]);
  const beside: EmbeddedReading = {
    ...NOTHING_BESIDE,
    texts: yield* mapped(read, (other) => fixedText(path, 'other', other)),
    unread: until === undefined ? [] : [until],
    files: isForReader(bytes, text)
      ? [{ path, role: 'other', bytes, text, ...(why === 'document' ? { until } : {}) }]
      : [],
  };
  return {
    pieces: mark === undefined ? pieces : [mark, ...pieces],
    beside: values.besides.length === 0 ? beside : joinBeside([...values.besides, beside]),
  };
}

/** What the decoded names and values of a form are besides text in UTF-8. */
class FormValues {
  readonly texts: string[] = [];
  readonly besides: EmbeddedReading[] = [];

  /** @param isTwoByte whether the byte of a letter may be the second half of another character */
  constructor(
    private readonly path: string,
    private readonly isTwoByte: boolean,
  ) {}

  *reading(decoded: Buffer): Steps<void> {
    const isText = isUtf8(decoded);
    const mayBeFile = decoded.length >= MIN_FILE_BYTES && !(isText && looksLikeText(decoded));
    // Longer bytes that are not UTF-8 are also read so below.
    if (isText ? this.isTwoByte : !mayBeFile)
      for (const text of yield* readingTwoBytes(decoded.toString('latin1'))) this.texts.push(text);
    if (!mayBeFile) return;
    const beside = yield* readingDecodedValue(decoded, { path: this.path, role: 'other' });
    if (Object.values(beside).some((list: readonly unknown[]) => list.length > 0)) this.besides.push(beside);
  }
}

/** The strings among the pieces, as they are read by receivers that undo escapes. */
function* otherTexts(pieces: readonly BodyPiece[]): Steps<string[]> {
  const others: string[] = [];
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) continue;
    const text = piece.text ?? (piece.json.startsWith('"') ? (JSON.parse(piece.json) as string) : undefined);
    if (text !== undefined) for (const other of yield* readingOtherwise(text)) others.push(other);
    yield;
  }
  return others;
}

type Encode = (text: string) => Buffer;

/**
 * A text as one string, or, where it contains JSON values, as those values and the strings between them.
 *
 * @param asWritten the bytes of the whole text, where they are known
 * @param nonFinite whether `NaN` and infinities are accepted in the values
 */
function* textPieces(text: string, encode: Encode, asWritten?: Buffer, nonFinite = false): Steps<BodyPiece[]> {
  const written = (part: string): Steps<Buffer> => oneStep(() => encode(part));
  const string = function* (part: string): Steps<BodyPiece> {
    const original = yield* written(part);
    return part.trim() === '' ? original : yield* makingStringPiece(original, part, encode);
  };
  if (/^[\s\x1e]*[[{]/.test(text)) {
    if (yield* checkingJson(text, nonFinite)) return [valuePiece(text, encode)];
    const lines = yield* linePieces(text, encode, nonFinite);
    if (lines !== undefined) return lines;
  }
  const pieces: BodyPiece[] = [];
  let at = 0;
  for (const { start, end } of yield* findingJson(text, nonFinite)) {
    if (start > at) pieces.push(yield* string(text.slice(at, start)));
    pieces.push(valuePiece(text.slice(start, end), encode));
    at = end;
  }
  if (at === 0) return [yield* makingStringPiece(asWritten ?? (yield* written(text)), text, encode)];
  return at < text.length ? [...pieces, yield* string(text.slice(at))] : pieces;
}

function valuePiece(json: string, encode: Encode): BodyPiece {
  return { original: encode(json), json, write: encode };
}

/** Lines that each contain a JSON value, optionally after a record separator (RFC 7464). Empty lines may separate them. */
function* linePieces(text: string, encode: Encode, nonFinite: boolean): Steps<BodyPiece[] | undefined> {
  const pieces: BodyPiece[] = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    const feed = text.indexOf('\n', from);
    to = feed < 0 ? text.length : feed + 1;
    const line = text.slice(from, to);
    const json = line.replace(/^\x1e/, '').trim();
    if (json !== '' && !(yield* checkingJson(json, nonFinite))) return undefined;
    requireFewPieces(pieces);
    yield;
    const at = line.indexOf(json);
    pieces.push(encode(line.slice(0, at)));
    if (json !== '') pieces.push(valuePiece(json, encode));
    pieces.push(encode(line.slice(at + json.length)));
  }
  return pieces;
}
