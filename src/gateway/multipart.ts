import { stringPiece, type BodyPiece } from './body-pieces.js';
import { parameterOf } from './media-type.js';
import { UnreadableBody } from './unreadable-body.js';
import { utf8Bytes, utf8Text } from './utf8-pieces.js';

const HEAD_END = Buffer.from('\r\n\r\n');
const DASHES = Buffer.from('--');
/** RFC 2046, section 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{1,70}$/;
const LONGEST_HEAD_BYTES = 16 * 1024;
/** How names of fields and of files are written in a part's head, and what a changed one must not hold: it would end there. */
const NAMES = [
  { place: /(?<=[;\s](?:file)?name=")(?:[^"\\\r\n]|\\.)*(?=")/gi, isEncoded: false, notIn: /["\\\r\n]/g },
  { place: /(?<=[;\s](?:file)?name=)[^"\s;]+/gi, isEncoded: false, notIn: /[^\w.@+-]/g },
  { place: /(?<=[;\s](?:file)?name\*=[\w-]*'[\w-]*')[^;\s]*/gi, isEncoded: true, notIn: /\p{Cs}/gu },
];

type PiecesOf = (body: Buffer, contentType: string | undefined) => readonly BodyPiece[] | undefined;

/**
 * The texts of a `multipart` body (RFC 7578): the names of fields and files, and what parts hold that are text; all other
 * bytes as they are.
 *
 * @param piecesOf the pieces of one part, by its content type; undefined for a part without text
 * @throws UnreadableBody where readers could disagree about what the parts are
 */
export function multipartPieces(body: Buffer, contentType: string, piecesOf: PiecesOf): BodyPiece[] {
  const boundary = parameterOf(contentType, 'boundary') ?? '';
  if (!BOUNDARY.test(boundary)) throw unreadable('a boundary');
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(2);
  if (!body.subarray(0, first.length).equals(first)) throw unreadable('its boundary at its beginning');
  const pieces: BodyPiece[] = [first];
  for (let at = first.length; ; at += delimiter.length) {
    if (body.subarray(at, at + 2).equals(DASHES)) return [...pieces, epilogue(body.subarray(at))];
    const end = body.indexOf(delimiter, at);
    if (end < 0) throw unreadable('its boundary at its end');
    pieces.push(...partPieces(body.subarray(at, end), piecesOf), delimiter);
    at = end;
  }
}

/** @param part begins with the line end behind the boundary */
function partPieces(part: Buffer, piecesOf: PiecesOf): BodyPiece[] {
  const headEnd = part.indexOf(HEAD_END);
  if (part[0] !== 0x0d || part[1] !== 0x0a || headEnd < 0 || headEnd > LONGEST_HEAD_BYTES) throw unreadable('heads');
  const head = utf8Text(part.subarray(0, headEnd));
  const content = part.subarray(headEnd + HEAD_END.length);
  if (/[^\r]\n|\r(?!\n)/.test(head) || /\r\n[ \t]/.test(head)) throw unreadable('plain line ends in heads');
  if (/^content-transfer-encoding:\s*(?!7bit|8bit|binary)/im.test(head)) throw unreadable('parts that are not coded');
  const type = /^content-type:([^\r]*)/im.exec(head)?.[1]?.trim() ?? 'text/plain';
  const texts = content.length === 0 ? undefined : piecesOf(content, type);
  return [...headPieces(head), HEAD_END, ...(texts ?? [content])];
}

function headPieces(head: string): BodyPiece[] {
  const names = NAMES.flatMap((form) => [...head.matchAll(form.place)].map((match) => ({ ...form, match })));
  const pieces: BodyPiece[] = [];
  let at = 0;
  for (const { match, isEncoded, notIn } of names.sort((a, b) => a.match.index - b.match.index)) {
    const [name] = match;
    const write = (text: string): Buffer => {
      const allowed = text.replace(notIn, '_');
      return isEncoded ? Buffer.from(encodeURIComponent(allowed)) : utf8Bytes(allowed);
    };
    pieces.push(utf8Bytes(head.slice(at, match.index)));
    pieces.push(stringPiece(utf8Bytes(name), isEncoded ? decoded(name) : name, write));
    at = match.index + name.length;
  }
  return [...pieces, utf8Bytes(head.slice(at))];
}

/** What follows the last boundary is nobody's. */
function epilogue(rest: Buffer): Buffer {
  if (!/^--\s*$/.test(rest.toString('latin1'))) throw unreadable('nothing behind its last boundary');
  return rest;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function unreadable(what: string): UnreadableBody {
  return new UnreadableBody(`must have ${what}, as RFC 7578 says`);
}
