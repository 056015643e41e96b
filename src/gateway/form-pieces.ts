import { utf8Bytes, utf8Text } from '../contents/index.js';
import { stringPiece, type BodyPiece } from './body-pieces.js';
import { isJsonValue } from './json-pieces.js';

/** The names and values of a form in turn (WHATWG URL, section 5.1); parts that are not changed stay as written. */
export function formPieces(text: string): BodyPiece[] {
  const piece = (part: string): BodyPiece => {
    const [original, decoded] = [utf8Bytes(part), decodedPart(part)];
    // Receivers that find JSON in a value read what stands in that.
    const isJson = /^\s*[[{]/.test(decoded) && isJsonValue(decoded);
    return isJson ? { original, json: decoded, write: encodedPart } : stringPiece(original, decoded, encodedPart);
  };
  return text.split(/(?=&)/).flatMap((pair) => {
    const start = pair.startsWith('&') ? 1 : 0;
    const equals = pair.indexOf('=');
    const separator = Buffer.from(pair.slice(0, start));
    if (equals < 0) return [separator, piece(pair.slice(start))];
    return [separator, piece(pair.slice(start, equals)), Buffer.from('='), piece(pair.slice(equals + 1))];
  });
}

/** Every escape by itself: one that is none stays as it stands, and the others are undone all the same. */
export function decodedPart(part: string): string {
  const spaced = part.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  const units = spaced.replace(/%u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const bytes = Buffer.from(
    utf8Bytes(units)
      .toString('latin1')
      .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
  return utf8Text(bytes);
}

function encodedPart(text: string): Buffer {
  return Buffer.from(encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+'));
}
