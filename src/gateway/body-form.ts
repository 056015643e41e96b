import { JsonSyntaxError, parseJson } from '../core/index.js';
import { bodyOfPieces, stringPiece, type BodyPiece, type TextBody } from './body-pieces.js';
import { isReadableCharset, kindOfType } from './media-type.js';
import { multipartPieces } from './multipart.js';
import { UnreadableBody } from './unreadable-body.js';
import { utf8Bytes, utf8Text } from './utf8-pieces.js';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** What texts do not hold, and pictures, recordings, archives and UTF-16 do within a few bytes. */
const CONTROL = /[\0-\x08\x0e-\x1a\x1c\x1d\x1f\x7f]/;

/**
 * A body that is no JSON, with its texts as JSON, so that they are judged, redacted and stored like any other: a text as
 * one string, JSON lines as the list of their values, a form as the list of its decoded names and values in turn,
 * `multipart` as the list of its parts' texts. What does not say what it is, and looks like text, is text.
 *
 * @returns undefined for bytes that are no text
 * @throws UnreadableBody for what two readers could take for two things; JsonSyntaxError for more texts than are judged
 */
export function textsOfBody(body: Buffer, contentType: string | undefined): TextBody | undefined {
  const kind = kindOfType(contentType);
  if (kind === 'multipart') return bodyOfPieces(multipartPieces(body, contentType ?? '', textPieces), true);
  if (kind === 'form') return bodyOfPieces(formPieces(body), true);
  const pieces = textPieces(body, contentType);
  return pieces === undefined ? undefined : bodyOfPieces(pieces, pieces.length > 1);
}

/** Lines of JSON values as the list of them; undefined for any other text. @throws JsonSyntaxError */
export function jsonLines(
  text: string,
): { readonly body: TextBody; readonly pieces: readonly BodyPiece[] } | undefined {
  const pieces = /^[\s\x1e]*[[{]/.test(text) ? linePieces(text) : undefined;
  return pieces && { body: bodyOfPieces(pieces, true), pieces };
}

/** JSON behind a byte order mark, which stays where it is; undefined for a body without one. @throws JsonSyntaxError */
export function markedJson(body: Buffer): TextBody | undefined {
  if (!body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) return undefined;
  return bodyOfPieces([BYTE_ORDER_MARK, valuePiece(body.toString('utf8', BYTE_ORDER_MARK.length))], false);
}

/** The pieces of a body, or of a part of one, that may be text; undefined when it is none. */
function textPieces(body: Buffer, contentType: string | undefined): readonly BodyPiece[] | undefined {
  const kind = kindOfType(contentType);
  if (kind === 'binary') return undefined;
  if (kind === 'unknown' && !looksLikeText(body)) return undefined;
  if (!isReadableCharset(contentType) || body.includes(0)) throw new UnreadableBody('must be text in UTF-8');
  if (kind === 'form') return formPieces(body);
  const text = utf8Text(body);
  if (!/^[\s\x1e]*[[{]/.test(text)) return [stringPiece(body, text, utf8Bytes)];
  if (isJson(text)) return [valuePiece(text)];
  return linePieces(text) ?? [stringPiece(body, text, utf8Bytes)];
}

/** Whether bytes of which nobody says what they are can be text: that of a picture or an archive shows soon. */
export function looksLikeText(bytes: Buffer): boolean {
  return !CONTROL.test(bytes.toString('latin1'));
}

function valuePiece(json: string): BodyPiece {
  return { original: utf8Bytes(json), json, write: utf8Bytes };
}

/** Lines that each hold a JSON value, maybe behind a record separator (RFC 7464). Empty ones may stand between them. */
function linePieces(text: string): BodyPiece[] | undefined {
  const pieces: BodyPiece[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const json = line.replace(/^\x1e/, '').trim();
    if (json !== '' && !isJson(json)) return undefined;
    const at = line.indexOf(json);
    pieces.push(Buffer.from(line.slice(0, at)));
    if (json !== '') pieces.push(valuePiece(json));
    pieces.push(Buffer.from(line.slice(at + json.length)));
  }
  return pieces;
}

/** @throws JsonSyntaxError for what may well be JSON, but is over a limit */
function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return false;
    throw error;
  }
}

/** The names and values of a form in turn (WHATWG URL, section 5.1); parts that are not changed stay as written. */
function formPieces(body: Buffer): BodyPiece[] {
  const piece = (part: string): BodyPiece => stringPiece(utf8Bytes(part), decodedPart(part), encodedPart);
  return utf8Text(body)
    .split(/(?=&)/)
    .flatMap((pair) => {
      const start = pair.startsWith('&') ? 1 : 0;
      const equals = pair.indexOf('=');
      const separator = Buffer.from(pair.slice(0, start));
      if (equals < 0) return [separator, piece(pair.slice(start))];
      return [separator, piece(pair.slice(start, equals)), Buffer.from('='), piece(pair.slice(equals + 1))];
    });
}

/** What cannot be decoded is read as it stands. */
function decodedPart(part: string): string {
  const spaced = part.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

function encodedPart(text: string): Buffer {
  return Buffer.from(encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+'));
}
