import {
  applyEdits,
  assembleStream,
  decodeAnswer,
  documentEdits,
  JsonSyntaxError,
  logprobEdits,
  mergeEdits,
  parseJson,
  type DecodedCall,
  type Dialect,
  type Edit,
  type JsonDocument,
  type Segment,
  type TextEdit,
  unreadEdits,
} from '../core/index.js';
import { NO_TEXTS } from './proxied-call.js';

/** The texts of a provider's answer, whatever form it has. */
export interface AnswerTexts {
  readonly call: DecodedCall;
  /** The body with these edits made, and nothing else changed. */
  edited(edits: readonly Edit[]): string;
  /**
   * JSON text for the log, with these edits made; absent when there is nothing to keep.
   * @param withUnread keeps what no detector has looked into: pictures, recordings
   */
  stored(edits: readonly Edit[], withUnread: boolean): string | undefined;
}

/** What cannot be read as text: pictures, recordings, files. Nothing in it is judged. */
export const NO_ANSWER_TEXTS: AnswerTexts = { call: NO_TEXTS, edited: () => '', stored: () => undefined };

const BYTE_ORDER_MARK = '\ufeff';
/** How an event stream begins, whatever its content type says: clients that asked for one read it as one. */
const LONGEST_BEGINNING = 4_096;
const STREAM_START = /^\ufeff?\s*(?:(?:data|event|id|retry)\s*:|:)/;

/**
 * Reads an answer: JSON, an event stream, or, when it is neither, one text. What it is follows from what it looks like
 * before what it is called, because clients differ in whom they believe. Bytes that are not UTF-8 are read as the
 * replacement character, as clients read them. A byte order mark, and numbers that are none, are no JSON, but some
 * clients read them.
 * @param body without content coding
 * @throws JsonSyntaxError for JSON over the limits: what is in it cannot be said
 */
export function readAnswer(dialect: Dialect, contentType: string | undefined, body: Buffer): AnswerTexts {
  if (body.length === 0) return NO_ANSWER_TEXTS;
  const text = body.toString('utf8');
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const json = text.slice(mark.length);
  const doc = parseOrNot(json);
  if (doc !== undefined) return jsonTexts(dialect, doc, mark);
  const lenient = parseOrNot(json, true);
  if (lenient !== undefined) return nonFiniteTexts(dialect, lenient, mark);
  return isEventStream(contentType) || STREAM_START.test(text) ? streamTexts(dialect, text) : plainText(dialect, text);
}

/**
 * Whether what has come of an answer is the beginning of an event stream; undefined while that cannot be told.
 * @param isAll nothing more will come
 */
export function looksLikeStream(beginning: string, isAll: boolean): boolean | undefined {
  if (STREAM_START.test(beginning)) return true;
  const isOpen = !isAll && /^\ufeff?\s*[a-z]{0,5}$/.test(beginning) && beginning.length < LONGEST_BEGINNING;
  return isOpen ? undefined : false;
}

export function isEventStream(contentType: string | undefined): boolean {
  return /^text\/event-stream\b/i.test(contentType ?? '');
}

/** Whether an answer of this type is read at all. What names no type, or text or JSON, is. */
export function isTextual(contentType: string | undefined): boolean {
  return contentType === undefined || /^text\/|[/+]json\b|ndjson|jsonl|xml\b|x-www-form-urlencoded/i.test(contentType);
}

function parseOrNot(text: string, nonFinite = false): JsonDocument | undefined {
  try {
    return parseJson(text, { nonFinite });
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return undefined;
    throw error;
  }
}

/** A JSON body with edits made; without any, the very same text. */
export function editedJson(doc: JsonDocument, segments: readonly Segment[], edits: readonly Edit[]): string {
  return applyEdits(doc.text, allEdits(doc, segments, edits));
}

/** A JSON body for the log, with edits made. */
export function storedJson(
  doc: JsonDocument,
  segments: readonly Segment[],
  edits: readonly Edit[],
  withUnread: boolean,
): string {
  const unread = withUnread ? [] : unreadEdits(doc, segments);
  return applyEdits(doc.text, mergeEdits([...allEdits(doc, segments, edits), ...unread]));
}

/** Where something is masked, token texts beside it would show it again. */
function allEdits(doc: JsonDocument, segments: readonly Segment[], edits: readonly Edit[]): TextEdit[] {
  return edits.length === 0 ? [] : mergeEdits([...documentEdits(doc, segments, edits), ...logprobEdits(doc)]);
}

function jsonTexts(dialect: Dialect, doc: JsonDocument, mark: string): AnswerTexts {
  const call = decodeAnswer(dialect, doc);
  return {
    call,
    edited: (edits) => mark + editedJson(doc, call.segments, edits),
    stored: (edits, withUnread) => storedJson(doc, call.segments, edits, withUnread),
  };
}

/** The log takes JSON only: there, numbers that are none are null. */
function nonFiniteTexts(dialect: Dialect, doc: JsonDocument, mark: string): AnswerTexts {
  const texts = jsonTexts(dialect, doc, mark);
  const stored: AnswerTexts['stored'] = (edits, withUnread) =>
    JSON.stringify(parseJson(storedJson(doc, texts.call.segments, edits, withUnread), { nonFinite: true }).value);
  return { ...texts, stored };
}

function streamTexts(dialect: Dialect, text: string): AnswerTexts {
  const { call, edited } = assembleStream(dialect, text);
  const stored = (edits: readonly Edit[]): string => {
    const texts = call.segments.map(({ path, role, text: whole }, segment) => ({
      path,
      role,
      text: applyEdits(
        whole,
        edits.filter((edit) => edit.segment === segment),
      ),
    }));
    return JSON.stringify({ stream: true, texts });
  };
  return { call, edited, stored };
}

function plainText(dialect: Dialect, text: string): AnswerTexts {
  const call: DecodedCall = { ...NO_TEXTS, dialect, segments: [{ path: '$', role: 'assistant', text, ref: 0 }] };
  const edited = (edits: readonly Edit[]): string => applyEdits(text, edits);
  return { call, edited, stored: (edits) => JSON.stringify(edited(edits)) };
}
