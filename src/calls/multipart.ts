/** No library for forms is used: bytes outside changed texts stay as they are, and a body that readers could divide differently is refused. */
import { isUtf8 } from 'node:buffer';
import { utf8Bytes, utf8Text } from '../contents/index.js';
import { readingTwoBytes, type Steps } from '../core/index.js';
import { requireFewPieces, stringPiece, type BodyPiece } from './body-pieces.js';
import { contentTypeOf, isTwoByteSet, type ContentType } from './content-type.js';
import { UnreadableBody } from './unreadable-body.js';

const FEED = 0x0a;
const RETURN = 0x0d;
const DASHES = Buffer.from('--');
/** The form of a boundary: RFC 2046, section 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;
const LONGEST_HEAD_BYTES = 16 * 1024;
const HEAD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0\r\n]*)$/;
const DISPOSITION_PARAMETER = /;[ \t]*([!#$&+.^_`|~0-9A-Za-z-]+\*?)=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;"]*))[ \t]*/gy;
/** Header fields with which some readers would interpret the part differently. */
const NOT_IN_PARTS: ReadonlySet<string> = new Set(['content-encoding', 'content-md5', 'transfer-encoding']);
/** The places of field and file names in a part's head, and the characters that a changed name must not contain: they would end it. */
const NAMES = [
  { place: /(?<=[;\s](?:file)?name=")(?:[^"\\\r\n]|\\.)*(?=")/gi, isEncoded: false, notIn: /["\\\r\n]/g },
  { place: /(?<=[;\s](?:file)?name=)[^"\s;]+/gi, isEncoded: false, notIn: /[^\w.@+-]/g },
  { place: /(?<=[;\s](?:file)?name\*=[\w-]*'[\w-]*')[^;\s]*/gi, isEncoded: true, notIn: /\p{Cs}/gu },
];
/** The header lines that forms need, with known words only. */
const PLAIN_LINE =
  /^(?:content-disposition: *(?:form-data|attachment)(?:; *(?:file)?name(?:=(?:"")?|\*=utf-8''))*;?|content-type: *(?:text\/(?:plain|csv)|application\/(?:json|jsonl|octet-stream|pdf)|image\/(?:png|jpeg|webp|gif))(?:; *charset="?utf-8"?)?|content-transfer-encoding: *(?:7bit|8bit|binary)|content-length: *\d{1,12})$/i;

type LineEnd = '\r\n' | '\n';
type PiecesOf = (body: Buffer, type: ContentType | undefined, index: number) => Steps<readonly BodyPiece[]>;

interface PartPieces {
  readonly pieces: readonly BodyPiece[];
  readonly head: Buffer;
  /** The other texts in the part's head. */
  readonly beside: readonly string[];
  /** The name of the form's field. */
  readonly name: string;
}

/** All pieces of a body, and the names of its parts. */
export interface MultipartPieces {
  readonly pieces: readonly BodyPiece[];
  readonly names: readonly string[];
  /** The texts in heads other than the names of fields and files: readers see them, but they cannot be rewritten. */
  readonly beside: readonly string[];
}

/**
 * The pieces of a `multipart` body (RFC 7578): the names of fields and files and the texts of parts; all other bytes stay
 * unchanged. In steps.
 *
 * @param piecesOf the pieces of one part's content
 * @throws UnreadableBody for a body that readers could divide into different parts
 */
export function* multipartPieces(body: Buffer, type: ContentType, piecesOf: PiecesOf): Steps<MultipartPieces> {
  const boundary = type.parameters['boundary'] ?? '';
  if (!BOUNDARY.test(boundary)) throw unreadable('no boundary in the content type');
  const first = Buffer.from(`--${boundary}`);
  if (!body.subarray(0, first.length).equals(first)) throw unreadable('no opening boundary');
  const lineEnd = lineEndOf(body, type, first.length);
  const delimiter = Buffer.from(`${lineEnd}--${boundary}`);
  const pieces: BodyPiece[] = [first];
  const names: string[] = [];
  const beside: string[] = [];
  const isTwoByte = isTwoByteSet(type);
  for (let at = first.length; ; at += delimiter.length) {
    if (body.subarray(at, at + 2).equals(DASHES))
      return { pieces: [...pieces, epilogue(body.subarray(at), lineEnd)], names, beside };
    const end = body.indexOf(delimiter, at);
    // Some readers accept a boundary after any line end, or anywhere.
    if (end < 0 || body.indexOf(first, at) !== end + lineEnd.length)
      throw unreadable('a part without a closing boundary');
    if (lineEnd === '\n' && body[end - 1] === RETURN) throw unreadable('boundaries after different line ends');
    const part = yield* partPieces(body.subarray(at, end), lineEnd, names.length, piecesOf);
    for (const piece of part.pieces) pieces.push(piece);
    requireFewPieces(pieces);
    pieces.push(delimiter);
    names.push(part.name);
    beside.push(...part.beside, ...(yield* otherHeadTexts(part.head, isTwoByte)));
    at = end;
    yield;
  }
}

/**
 * The line ends of a body, by the one after its first boundary. In `multipart/related` they may be bare line feeds: Python's generator of
 * emails writes them, and with it some clients write uploads.
 */
function lineEndOf(body: Buffer, { type }: ContentType, at: number): LineEnd {
  return type === 'multipart/related' && body[at] === FEED ? '\n' : '\r\n';
}

/** @param part begins with the line end after the boundary */
function* partPieces(part: Buffer, lineEnd: LineEnd, index: number, piecesOf: PiecesOf): Steps<PartPieces> {
  const emptyLine = Buffer.from(lineEnd + lineEnd);
  const headEnd = part.indexOf(emptyLine);
  if (part.indexOf(lineEnd) !== 0 || headEnd < 0 || headEnd > LONGEST_HEAD_BYTES)
    throw unreadable('a part without an empty line after its headers');
  // A reader that ends headers only at this mark would take the content before it for headers.
  if (lineEnd === '\n' && part.includes('\r\n\r\n')) throw unreadable('headers that could end in different places');
  const headBytes = part.subarray(0, headEnd);
  const written = utf8Text(headBytes);
  const lines = written === '' ? [] : written.slice(lineEnd.length).split(lineEnd);
  const fields = headFields(lines);
  const type = contentTypeOf(fields.get('content-type'));
  if (type?.type.startsWith('multipart/')) throw unreadable('a nested multipart part');
  const name = dispositionName(fields.get('content-disposition'));
  if (name.toLowerCase() === '_charset_') throw unreadable('a field _charset_: texts are read as UTF-8');
  const content = part.subarray(headEnd + emptyLine.length);
  const pieces = content.length === 0 ? [content] : yield* piecesOf(content, type, index);
  const beside = headTexts(lines);
  return { pieces: [...headPieces(written), emptyLine, ...pieces], name, head: headBytes, beside };
}

/** The words of a head in which a letter is the second half of another character, for a receiver that decodes it in such a set. */
function* otherHeadTexts(head: Buffer, isTwoByte: boolean): Steps<string[]> {
  return isTwoByte || !isUtf8(head) ? yield* readingTwoBytes(head.toString('latin1')) : [];
}

/** The lines of a head that contain more than forms need, each without the names of fields and files. */
function headTexts(lines: readonly string[]): string[] {
  return lines
    .map((line) => NAMES.reduce((rest, { place }) => rest.replace(place, ''), line))
    .filter((line) => line !== '' && !PLAIN_LINE.test(line));
}

/** @throws UnreadableBody for lines that are not fields, and for fields that are given twice */
function headFields(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = HEAD_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw unreadable('unreadable headers of a part');
    const lower = name.toLowerCase();
    if (fields.has(lower)) throw unreadable('a repeated header field in a part');
    if (NOT_IN_PARTS.has(lower)) throw unreadable('a part with Content-Encoding, Content-MD5 or Transfer-Encoding');
    fields.set(lower, withoutBlanksAtEnd(value));
  }
  if (!/^(?:7bit|8bit|binary)$/i.test(fields.get('content-transfer-encoding') ?? 'binary')) {
    throw unreadable('a part with a Content-Transfer-Encoding');
  }
  return fields;
}

/** Uses a loop, because a regular expression would read a row of blanks once for each blank. */
function withoutBlanksAtEnd(value: string): string {
  let end = value.length;
  while (value[end - 1] === ' ' || value[end - 1] === '\t') end--;
  return value.slice(0, end);
}

/** @throws UnreadableBody for parameters that are given twice, in pieces, or against the grammar */
function dispositionName(value: string | undefined): string {
  if (value === undefined) return '';
  const kind = /^[A-Za-z-]+[ \t]*/.exec(value)?.[0] ?? '';
  const parameters = new Map<string, string>();
  let at = kind.length;
  DISPOSITION_PARAMETER.lastIndex = at;
  for (const match of value.matchAll(DISPOSITION_PARAMETER)) {
    const name = match[1]!.toLowerCase();
    if (match.index !== at || parameters.has(name) || (name.includes('*') && name !== 'filename*')) break;
    parameters.set(name, match[2] ?? match[3] ?? '');
    at += match[0].length;
  }
  if (kind === '' || (at < value.length && value.slice(at).trim() !== ';'))
    throw unreadable('unreadable headers of a part');
  return parameters.get('name') ?? '';
}

function headPieces(head: string): BodyPiece[] {
  const names = NAMES.flatMap((form) => [...head.matchAll(form.place)].map((match) => ({ ...form, match })));
  const pieces: BodyPiece[] = [];
  let at = 0;
  for (const { match, isEncoded, notIn } of names.sort((a, b) => a.match.index - b.match.index)) {
    const [name] = match;
    if (match.index < at) continue;
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

/** The end of the closing boundary. No data may follow it, because it would belong to no part. */
function epilogue(rest: Buffer, lineEnd: LineEnd): Buffer {
  if (!/^--\s*$/.test(rest.toString('latin1'))) throw unreadable('data after the closing boundary');
  if (lineEnd === '\n' && rest.includes(RETURN)) throw unreadable('boundaries after different line ends');
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
  return new UnreadableBody(`must be multipart/form-data as in RFC 7578: it has ${what}`);
}
