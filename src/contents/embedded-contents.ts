import {
  atOnce,
  checkingBase64,
  fileKey,
  joinedLists,
  JsonSyntaxError,
  mapped,
  oneStep,
  parsingJson,
  openedFiles,
  readingTextOfBytes,
  THINGS_BETWEEN_STOPS,
  type CallContents,
  type DecodedCall,
  type EmbeddedBytes,
  type JsonDocument,
  type Segment,
  type Steps,
} from '../core/index.js';
import { readingOtherwise } from './other-readings.js';
import { isForReader, readingContent } from './read-content.js';

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
    read.push(yield* embeddedContent(doc, place, opened.has(fileKey(place.ref, place.start))));
    yield;
  }
  return read;
}

/** The bytes at a place. Text that is not base64 to a strict reader is base64 to a lenient one, which skips unknown characters. */
export function embeddedBytes(doc: JsonDocument, { ref, start, end, hex }: EmbeddedBytes): Buffer {
  return Buffer.from(doc.node(ref).text.slice(start, end), hex === true ? 'hex' : 'base64');
}

/** @param isOpened whether its text is judged in place */
function* embeddedContent(doc: JsonDocument, place: EmbeddedBytes, isOpened: boolean): Steps<EmbeddedReading> {
  const { path, role, ref, start, end, hex, unsaid } = place;
  const bytes = yield* oneStep(() => embeddedBytes(doc, place));
  if (bytes.length === 0) return NOTHING_BESIDE;
  const beside = yield* contentBeside(bytes, path, role, isOpened);
  // This is a key, a hash or a word; if it is text, it is judged as text, unless only a lenient reader can decode it.
  const isNothingKnown = beside.files.every(({ until }) => until?.why === 'binary') && beside.media.length === 0;
  if (unsaid === true && isNothingKnown && (isOpened || !(yield* isUnicode(bytes)))) return NOTHING_BESIDE;
  if (hex === true || (yield* checkingBase64(doc.node(ref).text, start, end))) return beside;
  return { ...beside, unread: [...beside.unread, { path, why: 'ambiguous', bytes: bytes.length }] };
}

/** Whether bytes are text in a coding that other bytes are not by chance. */
function* isUnicode(bytes: Buffer): Steps<boolean> {
  const read = yield* readingTextOfBytes(bytes);
  return read !== undefined && read.coding.name !== 'windows-1252';
}

/** The contents of bytes in base64, besides text that is judged in place. */
function* contentBeside(bytes: Buffer, path: string, role: Segment['role'], isOpened: boolean): Steps<EmbeddedReading> {
  const content = yield* readingContent(bytes);
  const size = { path, bytes: bytes.length };
  switch (content.kind) {
    case 'media':
      return { ...NOTHING_BESIDE, media: [{ ...size, type: content.type }] };
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
      const until = content.why === undefined ? undefined : { ...size, why: content.why };
      const withoutEscapes = yield* escaped(content.text, isOpened);
      const isFile = yield* oneStep(() => isForReader(bytes, content.text));
      return {
        ...NOTHING_BESIDE,
        texts: joinedLists([
          isOpened ? [] : [fixedText(path, role, content.text)],
          yield* mapped(content.others ?? [], (text) => fixedText(path, role, text)),
          yield* mapped(withoutEscapes, (text) => fixedText(path, role, text, undefined, content.text)),
        ]),
        unread: until === undefined ? [] : [until],
        files: isFile
          ? [{ path, role, bytes, text: content.text, ...(until?.why === 'document' ? { until } : {}) }]
          : [],
      };
    }
  }
}

/** The words of a text with escapes decoded; none for JSON that is judged as JSON, whose escapes are already decoded. */
function* escaped(text: string, isOpened: boolean): Steps<string[]> {
  const read = yield* readingOtherwise(text);
  return read.length > 0 && isOpened && ((yield* isJson(text)) || (yield* isJsonLines(text))) ? [] : read;
}

function* isJsonLines(text: string): Steps<boolean> {
  let count = 0;
  for (const [line] of text.matchAll(/[^\n\r\x1e]+/g)) {
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

/** The call with the contents read besides its own texts. @param governed whether the route of the call reads prompts */
export function withBeside(call: DecodedCall, beside: EmbeddedReading, governed: boolean): DecodedCall {
  const { texts, unread, media } = beside;
  return {
    ...call,
    ...(texts.length === 0 ? {} : { segments: joinedLists([call.segments, texts]) }),
    ...(unread.length === 0 && media.length === 0 ? {} : { contents: { governed, unread, media } }),
  };
}
