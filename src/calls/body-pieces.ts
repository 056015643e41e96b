import {
  applyingEdits,
  DEFAULT_JSON_LIMITS,
  atOnce,
  filtered,
  joining,
  JsonSyntaxError,
  mapped,
  parsingJson,
  type JsonDocument,
  type Steps,
  type TextEdit,
} from '../core/index.js';

/** A part of a body: bytes without text, or a text that is judged as JSON. */
export type BodyPiece = Buffer | TextPiece;

export interface TextPiece {
  /** The bytes that the client sent. */
  readonly original: Buffer;
  /** The piece as JSON: a value, or the string that the piece encodes. */
  readonly json: string;
  /** The string that the piece encodes; absent for a JSON value. */
  readonly text?: string;
  /** Encodes a changed JSON text as the bytes of the body. */
  write(json: string): Buffer;
}

/** A body that is not exactly one JSON text. */
export interface TextBody {
  /** The texts of the body: the JSON of its only text, or the list of all texts. */
  readonly doc: JsonDocument;
  /** Applies edits of `doc` to the body, in steps. Pieces without edits keep their original bytes. */
  editing(edits: readonly TextEdit[]): Steps<Buffer>;
}

/** Each text has bytes without text before and after it. */
const MOST_PIECES = 2 * DEFAULT_JSON_LIMITS.maxNodes;

/**
 * Limits the number of pieces while they are collected, because more pieces than a JSON document may contain would fill the memory.
 *
 * @throws JsonSyntaxError for too many pieces, like `joiningPieces`
 */
export function requireFewPieces(pieces: readonly BodyPiece[]): void {
  if (pieces.length > MOST_PIECES) throw new JsonSyntaxError('too many texts', '', 0, true);
}

/**
 * Creates a body from its pieces, which are given in order; in steps.
 *
 * @param isList whether the texts form a list even if there is only one
 * @param nonFinite whether the texts may contain `NaN` and infinities
 * @throws JsonSyntaxError for more texts than a JSON document may contain
 */
export function* joiningPieces(pieces: readonly BodyPiece[], isList: boolean, nonFinite = false): Steps<TextBody> {
  const texts = yield* filtered(pieces, (piece): piece is TextPiece => !Buffer.isBuffer(piece));
  const list = isList || texts.length !== 1;
  const doc = yield* parsingJson(list ? yield* writingList(texts) : texts[0]!.json, { nonFinite });
  return { doc, editing: (edits) => editingPieces(pieces, edits, list) };
}

/** The number of pieces that are joined in less than a millisecond. */
const PIECES_AT_ONCE = 1_024;

/** @param list whether the texts form a list, with a bracket before the first and a comma between them */
function* editingPieces(pieces: readonly BodyPiece[], edits: readonly TextEdit[], list: boolean): Steps<Buffer> {
  const written: Buffer[] = [];
  let waiting: Buffer[] = [];
  let at = list ? 1 : 0;
  let next = 0;
  for (const piece of pieces) {
    if (waiting.length === PIECES_AT_ONCE) {
      written.push(Buffer.concat(waiting));
      waiting = [];
      yield;
    }
    if (Buffer.isBuffer(piece)) {
      waiting.push(piece);
      continue;
    }
    const { json } = piece;
    const start = at;
    at += json.length + 1;
    const own: TextEdit[] = [];
    for (let edit = edits[next]; edit !== undefined && edit.end <= start + json.length; edit = edits[++next]) {
      own.push({ start: edit.start - start, end: edit.end - start, replacement: edit.replacement });
    }
    waiting.push(own.length === 0 ? piece.original : piece.write(yield* applyingEdits(json, own)));
  }
  return Buffer.concat([...written, ...waiting]);
}

/** Joined in one step, because adding to a long text later would copy it. */
function* writingList(texts: readonly TextPiece[]): Steps<string> {
  const jsons = yield* mapped(texts, ({ json }) => json);
  if (jsons.length === 0) return '[]';
  const last = jsons.length - 1;
  jsons[0] = `[${jsons[0]!}`;
  jsons[last] = `${jsons[last]!}]`;
  return yield* joining(jsons, ',');
}

/** A text as one JSON string. @param write encodes a changed text */
export function stringPiece(original: Buffer, text: string, write: (text: string) => Buffer): TextPiece {
  return atOnce(makingStringPiece(original, text, write));
}

/** `stringPiece` in steps. */
export function* makingStringPiece(
  original: Buffer,
  text: string,
  write: (text: string) => Buffer,
): Steps<TextPiece & { readonly text: string }> {
  const json = yield* quoting(text);
  return { original, json, text, write: (changed) => write(JSON.parse(changed) as string) };
}

/** The number of units that are written as JSON in a few milliseconds. */
const UNITS_AT_ONCE = 262_144;
const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** `JSON.stringify` of a text, in steps. */
function* quoting(text: string): Steps<string> {
  if (text.length <= UNITS_AT_ONCE) return JSON.stringify(text);
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    // The two halves of a surrogate pair must stay together: a single half would be escaped.
    const whole = HIGH_SURROGATE.test(text.charAt(from + UNITS_AT_ONCE - 1)) ? UNITS_AT_ONCE - 1 : UNITS_AT_ONCE;
    parts.push(JSON.stringify(text.slice(from, from + whole)).slice(1, -1));
    from += whole;
    yield;
  }
  return `"${parts.join('')}"`;
}
