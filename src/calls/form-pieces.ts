import { utf8Bytes, utf8Text } from '../contents/index.js';
import type { Steps } from '../core/index.js';
import { stringPiece, type BodyPiece } from './body-pieces.js';
import { checkingJson, findingJson } from './json-pieces.js';

const PAIRS_BETWEEN_STOPS = 64;
/** Old receivers split at semicolons, too (HTML 4.01, appendix B.2.2): that matters where JSON comes behind one. */
const PAIRS = /(?=&)|(?=;[\w.[\]-]{1,64}=(?:[[{]|%[57]b))/i;

/** The names and values of a form in turn (WHATWG URL, section 5.1); parts that are not changed stay as written. In steps. */
export function* formPieces(text: string): Steps<BodyPiece[]> {
  const pieces: BodyPiece[] = [];
  const take = (taken: readonly BodyPiece[]): void => {
    for (const piece of taken) pieces.push(piece);
  };
  for (const [index, pair] of text.split(PAIRS).entries()) {
    if (index % PAIRS_BETWEEN_STOPS === 0) yield;
    const start = index === 0 && !pair.startsWith('&') ? 0 : 1;
    const equals = pair.indexOf('=');
    pieces.push(Buffer.from(pair.slice(0, start)));
    take(yield* partPieces(pair.slice(start, equals < 0 ? undefined : equals)));
    if (equals < 0) continue;
    pieces.push(Buffer.from('='));
    take(yield* partPieces(pair.slice(equals + 1)));
  }
  return pieces;
}

/**
 * A name or a value. Receivers that find JSON in one read what stands in that, with something behind it, too: old ones end
 * a value at a semicolon.
 */
function* partPieces(part: string): Steps<BodyPiece[]> {
  const decoded = decodedPart(part);
  const jsonPiece = (original: string, json: string): BodyPiece => {
    return { original: utf8Bytes(original), json, write: encodedPart };
  };
  if (/^\s*[[{]/.test(decoded) && (yield* checkingJson(decoded))) return [jsonPiece(part, decoded)];
  // Each byte as one character: brackets are the same, and bytes can be counted in what is written.
  const bytes = decodedBytes(part).toString('latin1');
  const ranges = /[[{]/.test(bytes) ? yield* findingJson(bytes) : [];
  if (ranges.length === 0) return [stringPiece(utf8Bytes(part), decoded, encodedPart)];
  const pieces: BodyPiece[] = [];
  const writtenTo = placesIn(part);
  let [from, at] = [0, 0];
  const take = (end: number, isJson: boolean): void => {
    if (end === at) return;
    const to = end === bytes.length ? part.length : writtenTo(end - at);
    const [original, value] = [part.slice(from, to), utf8Text(Buffer.from(bytes.slice(at, end), 'latin1'))];
    pieces.push(isJson ? jsonPiece(original, value) : stringPiece(utf8Bytes(original), value, encodedPart));
    [from, at] = [to, end];
  };
  for (const { start, end } of ranges) {
    take(start, false);
    take(end, true);
  }
  take(bytes.length, false);
  return pieces;
}

const WRITTEN = /%u[0-9a-f]{4}|%[0-9a-f]{2}|[\ud800-\udbff][\udc00-\udfff]|[^]/gi;

/** Where in a part of a form so many bytes more are written. */
function placesIn(part: string): (bytes: number) => number {
  const written = part.matchAll(WRITTEN);
  let place = 0;
  return (bytes) => {
    for (let left = bytes; left > 0;) {
      const { value, done } = written.next();
      if (done === true) break;
      left -= bytesOf(value[0]);
      place = value.index + value[0].length;
    }
    return place;
  };
}

/** How many bytes something written in a form stands for. */
function bytesOf(written: string): number {
  if (/^%[0-9a-f]{2}$/i.test(written)) return 1;
  return utf8Bytes(/^%u/i.test(written) ? String.fromCharCode(Number.parseInt(written.slice(2), 16)) : written).length;
}

/** Every escape by itself: one that is none stays as it stands, and the others are undone all the same. */
export function decodedPart(part: string): string {
  return utf8Text(decodedBytes(part));
}

function decodedBytes(part: string): Buffer {
  const spaced = part.replaceAll('+', ' ');
  if (!spaced.includes('%')) return utf8Bytes(spaced);
  const units = spaced.replace(/%u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(
    utf8Bytes(units)
      .toString('latin1')
      .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}

function encodedPart(text: string): Buffer {
  return Buffer.from(encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+'));
}
