import {
  besideOf,
  fixedText,
  isAlsoDocument,
  isForReader,
  joinBeside,
  NOTHING_BESIDE,
  readingEmbedded,
  readingUtf8,
  type ContentReading,
  type EmbeddedReading,
  type FileToRead,
} from '../contents/index.js';
import { NO_TEXTS, oneStep, type Dialect, type Segment, type Steps, type UnreadReason } from '../core/index.js';
import { textFormatsOf } from '../documents/index.js';
import type { AnswerTexts } from './answer-contents.js';
import { kindOfType } from './media-type.js';

const ROLE = 'assistant';
/** The place of an answer that is one file. */
const WHOLE = { path: 'body', role: ROLE } as const;

/** The types of pages and other documents whose source is text. */
const DOCUMENT_TYPE = /^text\/(?:html|rtf|richtext)\b|[/+]xml\b/i;

/** The beginning of an object of a PDF file, on a line of its own. */
const OBJECT_LINE = /^(?:data:)?[ \t]*\d+[ \t]+\d+[ \t]+obj\b/m;

/** A body and its kind. */
export interface AnswerBytes {
  readonly body: Buffer;
  readonly content: ContentReading;
}

/** Whether an answer of this type can be a file of any kind, which clients store or open by its bytes, or is a page. */
export function isFileType(contentType: string | undefined): boolean {
  const kind = kindOfType(contentType);
  return kind === 'unknown' || kind === 'binary' || DOCUMENT_TYPE.test(contentType ?? '');
}

/** Whether a text begins as an RTF file or has the headers of a mail, which hardly any other text has. */
export function* checkingDocument(text: string): Steps<boolean> {
  return yield* oneStep(() => textFormatsOf(text).some((format) => format !== 'markup'));
}

/**
 * Reads an answer that is neither text nor only an image or audio. Documents in it are read later, like the files of a call. For other
 * bytes, and for `isFrames`, the runs of characters are judged, and the policy's `unread` setting decides whether the answer is forwarded.
 * Undefined for any other answer.
 */
export function* readingFileAnswer(
  dialect: Dialect,
  bytes: AnswerBytes,
  isFrames: boolean,
): Steps<AnswerTexts | undefined> {
  const { body, content } = bytes;
  if (isFile(bytes)) return fileAnswer(dialect, body, yield* besideOf(content, body, WHOLE, false));
  if (!isFrames) return undefined;
  return unreadAnswer(body.length, [fixedText(WHOLE.path, ROLE, yield* readingUtf8(body))], dialect);
}

/**
 * Whether an answer that is declared as an event stream can be a file as well. False if a model only describes a PDF file: line ends are
 * escaped in the JSON of its events, so that no object begins a line.
 */
export function mayBeFileInEvents({ content }: AnswerBytes): boolean {
  return content.kind !== 'text' || (content.why === 'document' && OBJECT_LINE.test(content.text));
}

/** Whether a reader of files finds something in bytes that are not text. */
function isFile({ body, content }: AnswerBytes): boolean {
  return content.kind === 'unread' || (content.kind === 'media' && isAlsoDocument(body));
}

/**
 * The texts that a client reads in an answer by the form of its text, such as an event stream, with the file that its bytes are for others.
 * @param isAnyFile whether the text is also read as a page, an RTF file, a mail and the like
 */
export function* withFileOfBytes(
  texts: AnswerTexts,
  bytes: AnswerBytes,
  text: string,
  isAnyFile: boolean,
): Steps<AnswerTexts> {
  return isFile(bytes) ? yield* withEveryFile(texts, bytes) : yield* withFileOfText(texts, bytes, text, isAnyFile);
}

/** The texts of an answer with everything that is found in its bytes, of which the texts are only a part. */
export function* withEveryFile(texts: AnswerTexts, { body, content }: AnswerBytes): Steps<AnswerTexts> {
  const own = yield* ownBeside(texts);
  return withFile(texts, body.length, joinBeside([own, yield* besideOf(content, body, WHOLE, false)]));
}

/**
 * The text of an answer with the document that it is for a reader of documents: a PDF file in ASCII, or, in an answer that may be any file,
 * an RTF file, a mail and the like.
 */
export function* withFileOfText(
  texts: AnswerTexts,
  { body, content }: AnswerBytes,
  text: string,
  isAnyFile: boolean,
): Steps<AnswerTexts> {
  const why = content.kind === 'text' ? content.why : undefined;
  const isDocument = why === 'document';
  const isForOthers = isDocument || (isAnyFile && (yield* oneStep(() => isForReader(body, text))));
  if (why === undefined && !isForOthers) return texts;
  const path = '$';
  const until = why === undefined ? undefined : { path, bytes: body.length, why };
  const file: FileToRead = { path, role: ROLE, bytes: body, text, ...(isDocument && until ? { until } : {}) };
  const beside = { ...NOTHING_BESIDE, unread: until === undefined ? [] : [until], files: isForOthers ? [file] : [] };
  return withFile(texts, body.length, joinBeside([yield* ownBeside(texts), beside]));
}

/** What is read besides the texts of an answer before its bytes are read as a file. */
function* ownBeside({ beside, doc, call }: AnswerTexts): Steps<EmbeddedReading> {
  return beside ?? (doc === undefined ? NOTHING_BESIDE : yield* readingEmbedded(doc, call));
}

/** What is read besides the text of a body, as a part of an answer. */
export function besideOfAnswer({ texts, files, ...rest }: EmbeddedReading): EmbeddedReading {
  return {
    ...rest,
    texts: texts.map((text) => ({ ...text, role: ROLE })),
    files: files.map((file) => ({ ...file, role: ROLE })),
  };
}

/** An answer that was not read completely. */
export function unreadAnswer(
  bytes: number,
  segments: readonly Segment[] = [],
  dialect: Dialect = 'generic',
  why: UnreadReason = 'binary',
): AnswerTexts {
  const contents = { governed: false, unread: [{ path: 'body', why, bytes }], media: [] };
  return {
    call: { ...NO_TEXTS, dialect, segments, contents },
    edited: () => Promise.reject(new Error('nothing can be changed in an answer that was not read')),
    stored: () => Promise.resolve({ payload: sizeInPlace(bytes) }),
  };
}

/**
 * A text with what is read besides it. A finding there is also in the text, at an unknown position, so the text is not stored then, nor if
 * the reader of the document failed.
 */
export function withFile(texts: AnswerTexts, bytes: number, beside: EmbeddedReading): AnswerTexts {
  const own = texts.call.segments.length;
  return {
    ...texts,
    beside,
    stored: async (edits, withUnread, whole = texts.call) => {
      const isUnknown = whole.contents?.unread.some(({ why }) => why === 'outage') === true;
      if (isUnknown || edits.some(({ segment }) => segment >= own)) return { payload: sizeInPlace(bytes) };
      return texts.stored(edits, withUnread, whole);
    },
  };
}

/** The form for the log of bytes that are not stored: their number. */
function sizeInPlace(bytes: number): string {
  return JSON.stringify(`[BYTES ${bytes}]`);
}

/** An answer that consists of one file, whose texts cannot be changed. */
function fileAnswer(dialect: Dialect, body: Buffer, beside: EmbeddedReading): AnswerTexts {
  return {
    call: { ...NO_TEXTS, dialect },
    beside,
    edited: () => Promise.resolve(body),
    stored: () => Promise.resolve({ payload: sizeInPlace(body.length) }),
  };
}
