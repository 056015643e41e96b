import { isUtf8 } from 'node:buffer';
import {
  atOnce,
  checkingBase64,
  fileKey,
  findingBase64,
  isAsciiCharset,
  isTwoByteCharset,
  joinedLists,
  JsonSyntaxError,
  mapped,
  oneStep,
  parsingJson,
  openedFiles,
  readingTextOfBytes,
  readingTwoBytes,
  runsOf,
  THINGS_BETWEEN_STOPS,
  type CallContents,
  type DecodedCall,
  type EmbeddedBytes,
  type JsonDocument,
  type Segment,
  type Steps,
} from '../core/index.js';
import { writtenBytes, writtenReadings } from '../documents/index.js';
import { readingOtherwise } from './other-readings.js';
import { isAlsoDocument, isForReader, readingContent, type ContentReading, type TextContent } from './read-content.js';
import { utf8Bytes } from './utf8-text.js';

type Contents = Omit<CallContents, 'governed'>;

/** Bytes that may be a document, whose text has not been read yet. */
export interface FileToRead {
  readonly path: string;
  readonly role: Segment['role'];
  readonly bytes: Buffer;
  /** The bytes as text, if they are text. This text is judged. */
  readonly text?: string;
  /** The entry of `unread` that counts until the file has been read. */
  readonly until?: Contents['unread'][number];
  /** Whether the bytes are also an image, audio or video, which is already listed as such. */
  readonly isMedia?: true;
}

/** The result of reading bytes, besides texts that can be changed in place. */
export interface EmbeddedReading extends Contents {
  /** Texts that are judged but cannot be changed in place. */
  readonly texts: readonly Segment[];
  readonly files: readonly FileToRead[];
}

export const NOTHING_BESIDE: EmbeddedReading = { texts: [], unread: [], media: [], files: [] };

export function joinBeside(all: readonly EmbeddedReading[]): EmbeddedReading {
  return {
    texts: joinedLists(all.map(({ texts }) => texts)),
    unread: joinedLists(all.map(({ unread }) => unread)),
    media: joinedLists(all.map(({ media }) => media)),
    files: joinedLists(all.map(({ files }) => files)),
  };
}

/** A text that is judged although it cannot be changed. @param rereads the text of which `text` is another reading */
export function fixedText(path: string, role: Segment['role'], text: string, key?: string, rereads?: string): Segment {
  return {
    path,
    role,
    text,
    ref: -1,
    fixed: true,
    ...(key === undefined ? {} : { key }),
    ...(rereads === undefined ? {} : { rereads }),
  };
}

/** Like `fixedText`, for a text in a file that cannot be rewritten. */
export function documentText(path: string, role: Segment['role'], text: string, rereads?: string): Segment {
  return { ...fixedText(path, role, text, undefined, rereads), document: true };
}

/** The base64 contents of a call besides text: images, audio, files. */
export function embeddedContents(doc: JsonDocument, call: Pick<DecodedCall, 'embedded' | 'segments'>): EmbeddedReading {
  return atOnce(readingEmbedded(doc, call));
}

/** `embeddedContents` in steps: a file of megabytes takes as long as hundreds of small calls. */
export function* readingEmbedded(
  doc: JsonDocument,
  call: Pick<DecodedCall, 'embedded' | 'segments'>,
): Steps<EmbeddedReading> {
  if (call.embedded === undefined || call.embedded.length === 0) return NOTHING_BESIDE;
  return joinBeside(yield* readingEachEmbedded(doc, call));
}

/** The base64 contents of a call, one by one. */
export function* readingEachEmbedded(
  doc: JsonDocument,
  { embedded = [], segments }: Pick<DecodedCall, 'embedded' | 'segments'>,
): Steps<EmbeddedReading[]> {
  const opened = openedFiles(doc, segments);
  const read: EmbeddedReading[] = [];
  for (const place of embedded) {
    const { ref, start, end, hex } = place;
    const readings = yield* oneStep(() => writtenReadings(doc.node(ref).text.slice(start, end), hex === true));
    const each: EmbeddedReading[] = [];
    const isOpened = place.judged === true || opened.has(fileKey(ref, start));
    for (const bytes of readings) each.push(yield* embeddedContent(doc, place, bytes, isOpened));
    const [first = NOTHING_BESIDE, ...others] = each;
    read.push(others.length === 0 ? first : joinBeside(each));
    yield;
  }
  return read;
}

/** The bytes at a place. Decodes like a lenient reader, which skips unknown characters. */
export function embeddedBytes(doc: JsonDocument, { ref, start, end, hex }: EmbeddedBytes): Buffer {
  return writtenBytes(doc.node(ref).text.slice(start, end), hex === true);
}

/** @param isOpened whether its text is judged in place */
function* embeddedContent(
  doc: JsonDocument,
  place: EmbeddedBytes,
  bytes: Buffer,
  isOpened: boolean,
): Steps<EmbeddedReading> {
  const { path, ref, start, end, hex, unsaid } = place;
  if (bytes.length === 0) return NOTHING_BESIDE;
  const content = yield* readingContent(bytes);
  const own = yield* besideOf(content, bytes, place, isOpened);
  const within = content.kind === 'text' ? yield* filesWithin(content.text, place, isOpened) : NOTHING_BESIDE;
  // Such bytes are a key, a hash or a word. If the string is text, it is judged as text, unless only a lenient reader can decode it.
  const isNothingKnown = own.files.every(({ until }) => until?.why === 'binary') && own.media.length === 0;
  if (unsaid === true && isNothingKnown && (isOpened || !(yield* isUnicode(bytes)))) return within;
  const beside = within === NOTHING_BESIDE ? own : joinBeside([own, within]);
  if (hex === true || (yield* checkingBase64(doc.node(ref).text, start, end))) return beside;
  return { ...beside, unread: [...beside.unread, { path, why: 'ambiguous', bytes: bytes.length }] };
}

/** Levels of files in base64 in texts in base64. */
const MOST_LEVELS = 3;

/**
 * The files in base64 in a text that was itself in base64.
 *
 * @param isOpened whether the text is judged in place: then the strings of JSON in it are searched for files as well
 */
function* filesWithin(
  text: string,
  place: ValuePlace,
  isOpened: boolean,
  levels = MOST_LEVELS,
): Steps<EmbeddedReading> {
  const { places, urls } = yield* findingBase64(text);
  if (places.length === 0) return NOTHING_BESIDE;
  if (isOpened && ((yield* isJson(text)) || (yield* isJsonLines(text)))) return NOTHING_BESIDE;
  const { path, role } = place;
  const found: EmbeddedReading[] = [];
  const seen = new Set<number>();
  for (const one of places) {
    const { start, end, charset, hex } = one;
    // A file in a data URL is found twice.
    if (seen.has(start)) continue;
    seen.add(start);
    const inner = { path, role, ...(charset === undefined ? {} : { charset }) };
    for (const bytes of yield* oneStep(() => writtenReadings(text.slice(start, end), hex === true))) {
      if (levels === 0) {
        found.push({ ...NOTHING_BESIDE, unread: [{ path, why: 'limit', bytes: bytes.length }] });
        continue;
      }
      const content = yield* readingContent(bytes);
      const beside = yield* besideOf(content, bytes, inner, false);
      const isKnown = beside.media.length > 0 || beside.files.some(({ until }) => until?.why !== 'binary');
      // Other bytes can be a key or a hash.
      if (!urls.has(one) && !isKnown && !(yield* isUnicode(bytes))) continue;
      found.push(beside);
      if (content.kind === 'text') found.push(yield* filesWithin(content.text, inner, false, levels - 1));
    }
    yield;
  }
  return joinBeside(found);
}

/** Whether bytes are text in an encoding that other bytes hardly ever match by chance. */
function* isUnicode(bytes: Buffer): Steps<boolean> {
  const read = yield* readingTextOfBytes(bytes);
  return read !== undefined && read.coding.name !== 'windows-1252';
}

/** The contents of bytes whose text in UTF-8 is judged in place, such as the value of a form. In steps. */
export function* readingDecodedValue(bytes: Buffer, place: ValuePlace): Steps<EmbeddedReading> {
  const content = yield* readingContent(bytes);
  return yield* besideOf(content, bytes, place, content.kind === 'text' && content.encode === utf8Bytes);
}

/** The place of bytes in a call, and their declared encoding. */
type ValuePlace = Pick<EmbeddedBytes, 'path' | 'role' | 'charset'>;

/** The contents of bytes besides text that is judged in place. In steps. @param isOpened whether their text is judged in place */
export function* besideOf(
  content: ContentReading,
  bytes: Buffer,
  { path, role, charset }: ValuePlace,
  isOpened: boolean,
): Steps<EmbeddedReading> {
  const size = { path, bytes: bytes.length };
  switch (content.kind) {
    case 'media':
      return yield* readingMedia(bytes, path, role, content.type);
    case 'unread': {
      const until = { ...size, why: content.why };
      return {
        ...NOTHING_BESIDE,
        texts: yield* mapped(content.texts, (text) => documentText(path, role, text)),
        unread: [until],
        files: [{ path, role, bytes, until }],
      };
    }
    case 'text': {
      // Another reader follows the declared encoding: it finds other words in the bytes.
      const isForeign = content.encode === utf8Bytes && charset !== undefined && !isAsciiCharset(charset);
      const why = content.why ?? (isForeign ? 'ambiguous' : undefined);
      const until = why === undefined ? undefined : { ...size, why };
      const withoutEscapes = yield* escaped(content.text, isOpened);
      const isFile = yield* oneStep(() => isForReader(bytes, content.text));
      const rereadings = joinedLists([withoutEscapes, yield* twoBytesIn(content, bytes, charset)]);
      return {
        ...NOTHING_BESIDE,
        texts: joinedLists([
          isOpened && !isForeign ? [] : [fixedText(path, role, content.text)],
          yield* mapped(content.others ?? [], (text) => fixedText(path, role, text)),
          yield* mapped(rereadings, (text) => fixedText(path, role, text, undefined, content.text)),
        ]),
        unread: until === undefined ? [] : [until],
        files: isFile
          ? [{ path, role, bytes, text: content.text, ...(until?.why === 'document' ? { until } : {}) }]
          : [],
      };
    }
  }
}

/** The words that a reader finds if a letter can be the second half of another character. */
function* twoBytesIn({ encode }: TextContent, bytes: Buffer, charset: string | undefined): Steps<string[]> {
  const isTwoByte = encode === utf8Bytes && (isTwoByteCharset(charset ?? '') || !isUtf8(bytes));
  return isTwoByte ? yield* readingTwoBytes(bytes.toString('latin1')) : [];
}

/** An image, audio or video, and the document that it is at the same time. In steps. */
export function* readingMedia(
  bytes: Buffer,
  path: string,
  role: Segment['role'],
  type: string,
): Steps<EmbeddedReading> {
  const media = [{ path, bytes: bytes.length, type }];
  if (!(yield* oneStep(() => isAlsoDocument(bytes)))) return { ...NOTHING_BESIDE, media };
  const until = { path, bytes: bytes.length, why: 'document' as const };
  return { ...NOTHING_BESIDE, media, unread: [until], files: [{ path, role, bytes, until, isMedia: true }] };
}

/** The words of a text with escapes decoded; none for JSON that is judged as JSON, whose escapes are already decoded. */
function* escaped(text: string, isOpened: boolean): Steps<string[]> {
  const read = yield* readingOtherwise(text);
  return read.length > 0 && isOpened && ((yield* isJson(text)) || (yield* isJsonLines(text))) ? [] : read;
}

function* isJsonLines(text: string): Steps<boolean> {
  let count = 0;
  for (const { start, end } of runsOf(text, /[^\n\r\x1e]/g, /[\n\r\x1e]/g)) {
    const line = text.slice(start, end);
    if (line.trim() !== '' && !(yield* isJson(line))) return false;
    if (++count % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return true;
}

/** Whether a text is JSON; JSON over a limit is not read as JSON. */
function* isJson(text: string): Steps<boolean> {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    yield* parsingJson(text);
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

/** The call with the contents read besides its own texts. @param governed whether a model reads the body of the call */
export function withBeside(call: DecodedCall, beside: EmbeddedReading, governed: boolean): DecodedCall {
  const { texts, unread, media } = beside;
  return {
    ...call,
    ...(texts.length === 0 ? {} : { segments: joinedLists([call.segments, texts]) }),
    ...(unread.length === 0 && media.length === 0 ? {} : { contents: { governed, unread, media } }),
  };
}
