import {
  documentText,
  fixedText,
  isAlsoDocument,
  isForReader,
  NOTHING_BESIDE,
  readingMedia,
  readingUtf8,
  type ContentReading,
  type EmbeddedReading,
} from '../contents/index.js';
import { mapped, NO_TEXTS, type Dialect, type Segment, type Steps, type UnreadReason } from '../core/index.js';
import type { AnswerTexts } from './answer-contents.js';

const ROLE = 'assistant';

/** A body and its kind. */
interface AnswerBytes {
  readonly body: Buffer;
  readonly content: ContentReading;
}

/**
 * Reads an answer that is neither text nor only an image or audio. Documents in it are read later, like the files of a call. For other
 * bytes, and for `isFrames`, the runs of characters are judged, and the policy's `unread` setting decides whether the answer is forwarded.
 * Undefined for any other answer.
 */
export function* readingFileAnswer(
  dialect: Dialect,
  { body, content }: AnswerBytes,
  isFrames: boolean,
): Steps<AnswerTexts | undefined> {
  const size = { path: 'body', bytes: body.length };
  if (content.kind === 'unread') {
    const until = { ...size, why: content.why };
    return fileAnswer(dialect, body, {
      ...NOTHING_BESIDE,
      texts: yield* mapped(content.texts, (text) => documentText(size.path, ROLE, text)),
      unread: [until],
      files: [{ path: size.path, role: ROLE, bytes: body, until }],
    });
  }
  if (content.kind === 'media' && isAlsoDocument(body))
    return fileAnswer(dialect, body, yield* readingMedia(body, size.path, ROLE, content.type));
  if (!isFrames) return undefined;
  return unreadAnswer(body.length, [fixedText(size.path, ROLE, yield* readingUtf8(body))], dialect);
}

/**
 * The text of an answer with the document that it is for a reader of documents: a PDF file in ASCII, or, in an answer that may be any file,
 * an RTF file, a mail and the like.
 */
export function withFileOfText(
  texts: AnswerTexts,
  { body, content }: AnswerBytes,
  text: string,
  isAnyFile: boolean,
): AnswerTexts {
  const why = content.kind === 'text' ? content.why : undefined;
  const isDocument = why === 'document';
  if (!isDocument && !(isAnyFile && isForReader(body, text))) return texts;
  const path = '$';
  const until = why === undefined ? undefined : { path, bytes: body.length, why };
  return withFile(texts, body.length, {
    ...NOTHING_BESIDE,
    unread: until === undefined ? [] : [until],
    files: [{ path, role: ROLE, bytes: body, text, ...(isDocument && until ? { until } : {}) }],
  });
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
