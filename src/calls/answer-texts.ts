import {
  applyingEdits,
  assemblingList,
  assemblingStream,
  decodingAnswer,
  dialectFacts,
  fileEdits,
  findingBase64,
  isStreamedList,
  joinedLists,
  JsonSyntaxError,
  liftingEdits,
  mapped,
  emptyingLogprobs,
  mergingEdits,
  parseJson,
  parsingJson,
  THINGS_BETWEEN_STOPS,
  NO_TEXTS,
  type DecodedCall,
  type Dialect,
  type Edit,
  type JsonDocument,
  type Segment,
  type Steps,
  type TextEdit,
  unreadEdits,
} from '../core/index.js';
import { documentFormatsOf } from '../documents/index.js';
import { runCooperatively } from '../judgement/index.js';
import type { AnswerTexts, StoredBody } from './answer-contents.js';
import { areEvents, isOfLines, isStrict } from './answer-lines.js';
import {
  besideOfAnswer,
  checkingDocument,
  isFileType,
  mayBeFileInEvents,
  readingFileAnswer,
  withEveryFile,
  withFile,
  withFileOfBytes,
  withFileOfText,
  type AnswerBytes,
} from './answer-files.js';
import { readingBodyForm, readingFirstValues, readingLines, readingValuesIn } from './body-form.js';
import { joiningPieces, makingStringPiece, type BodyPiece, type TextBody, type TextPiece } from './body-pieces.js';
import { CodingError } from './content-coding.js';
import { isReadableCharset, looksWide } from './media-type.js';
import { UnreadableBody } from './unreadable-body.js';
import { framedText } from './framed-events.js';
import {
  beginsWithFrame,
  joinBeside,
  NOTHING_BESIDE,
  readingContent,
  readingEmbedded,
  readingUtf8,
  utf8Bytes,
  utf8Text,
  type ContentReading,
} from '../contents/index.js';
import { readingFilesOfStream } from './streamed-files.js';

/** Content that cannot be read as text: images, audio, files. Nothing in it is judged. */
export const NO_ANSWER_TEXTS: AnswerTexts = {
  call: NO_TEXTS,
  edited: () => Promise.resolve(Buffer.alloc(0)),
  stored: () => Promise.resolve(undefined),
};

const BYTE_ORDER_MARK = '\ufeff';
const NOT_UTF8 = 'must be text in UTF-8';
/**
 * The length of the beginning by which an event stream is recognised, whatever its content type: clients that requested a stream read it as
 * one.
 */
const LONGEST_BEGINNING = 4_096;
const LIST_START = /^\ufeff?\s*\[/;
const STREAM_START = /^\ufeff?\s*(?:(?:data|event|id|retry)\s*:|:)/;

/**
 * Reads an answer, in steps: events in frames, JSON, an event stream, JSON lines, or one text if no other format matches. The
 * format is determined by the bytes and only then by the content type, because some clients trust the bytes and others the
 * type. If readers of files find a document in the same bytes, the answer is read in both ways. Bytes that are not UTF-8 are kept
 * unchanged. A byte order mark and numbers such as NaN are not JSON, but some clients read them.
 * @param body without content coding
 * @throws JsonSyntaxError for JSON over the limits, UnreadableBody for text in UTF-16 and similar encodings (which Python's
 * clients read), because its content cannot be determined
 */
export function* readingAnswer(dialect: Dialect, contentType: string | undefined, body: Buffer): Steps<AnswerTexts> {
  if (body.length === 0) return NO_ANSWER_TEXTS;
  const framed = beginsWithFrame(body) ? yield* framedTexts(dialect, contentType, body) : undefined;
  if (framed !== undefined) return framed;
  const text = yield* readingUtf8(body);
  const isAnyFile = isFileType(contentType);
  const json = yield* wholeJsonTexts(dialect, text);
  // Clients read JSON without a type as the answer of a model.
  if (json !== undefined && (!isAnyFile || contentType === undefined)) return json;
  const bytes = { body, content: yield* readingContent(body) };
  if (json !== undefined) return yield* withFileOfText(json, bytes, text, true);
  if (isEventStream(contentType) || STREAM_START.test(text))
    return yield* eventTexts(dialect, contentType, bytes, text);
  // Texts continue from entry to entry, so their end is unknown in a truncated list.
  if (dialectFacts(dialect).isListEntry !== undefined && LIST_START.test(text))
    throw new UnreadableBody('must be a complete list');
  const file = yield* readingFileAnswer(dialect, bytes, isFramed(contentType));
  if (file !== undefined) return file;
  if (isWide(bytes) || !isReadableCharset(contentType)) {
    const wide = isAnyFile ? yield* wideTexts(dialect, body, bytes.content) : undefined;
    if (wide === undefined) throw new UnreadableBody(NOT_UTF8);
    return wide;
  }
  const lines = yield* linesTexts(dialect, contentType, text);
  const texts = lines ?? (yield* plainText(dialect, body, text));
  return yield* withFileOfText(texts, bytes, text, isAnyFile || (yield* checkingDocument(text)));
}

/** Whether an answer is UTF-16 or UTF-32, by its first characters or, if these are not ASCII, as a whole. */
function isWide({ body, content }: AnswerBytes): boolean {
  return looksWide(body) || (content.kind === 'text' && content.encode !== utf8Bytes);
}

/**
 * Whether the received part of an answer is the beginning of an event stream; undefined while that is unknown.
 * @param isAll whether the answer is complete
 */
export function looksLikeStream(beginning: string, isAll: boolean): boolean | undefined {
  if (STREAM_START.test(beginning)) return true;
  const isOpen = !isAll && /^\ufeff?\s*[a-z]{0,5}$/.test(beginning) && beginning.length < LONGEST_BEGINNING;
  return isOpen ? undefined : false;
}

/**
 * Checks the character set that an event stream declares. The standard reads event streams as UTF-8 whatever they declare (WHATWG HTML,
 * section 9.2.6), but clients that read lines of text use the declared set.
 * @throws UnreadableBody for a set in which ASCII characters have other bytes
 */
export function requireReadableStream(contentType: string | undefined): void {
  if (!isReadableCharset(contentType)) throw new UnreadableBody(NOT_UTF8);
}

/** Whether an error of `readAnswer` or `unpackBody` means that an answer could not be read. */
export function isUnreadable(error: unknown): error is Error {
  return error instanceof CodingError || error instanceof JsonSyntaxError || error instanceof UnreadableBody;
}

export function isEventStream(contentType: string | undefined): boolean {
  return /^text\/event-stream\b/i.test(contentType ?? '');
}

/** Events in frames, as Bedrock streams them. */
export function isFramed(contentType: string | undefined): boolean {
  return /^application\/vnd\.amazon\.eventstream\b/i.test(contentType ?? '');
}

function* parsingOrNot(text: string, nonFinite = false): Steps<JsonDocument | undefined> {
  try {
    return yield* parsingJson(text, { nonFinite });
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return undefined;
    throw error;
  }
}

/** A JSON body with edits; without edits, the text is unchanged. */
function* editingJson(doc: JsonDocument, segments: readonly Segment[], edits: readonly Edit[]): Steps<string> {
  return yield* applyingEdits(doc.text, yield* allEdits(doc, segments, edits));
}

/** A JSON body for the log, with edits. Bytes that are not UTF-8 become the replacement character. */
export function* storingJson(
  doc: JsonDocument,
  call: DecodedCall,
  edits: readonly Edit[],
  withUnread: boolean,
): Steps<StoredBody> {
  const { segments } = call;
  const unread = withUnread ? [] : joinedLists([yield* unreadEdits(doc, segments), yield* fileEdits(doc, call, edits)]);
  const removals = edits.length === 0 ? unread : joinedLists([unread, yield* emptyingLogprobs(doc)]);
  const form = { kind: 'document', doc, removals } as const;
  if (edits.length === 0 && removals.length === 0) return { payload: doc.text.toWellFormed(), form };
  const all = joinedLists([yield* liftingEdits(doc, segments, edits), removals]);
  const payload = (yield* applyingEdits(doc.text, yield* mergingEdits(all))).toWellFormed();
  return { payload, form };
}

/** The edits of the segments, and those that empty the logprobs, whose token texts would reveal a masked text. */
function* allEdits(
  doc: JsonDocument,
  segments: readonly Segment[],
  edits: readonly Edit[],
): Steps<readonly TextEdit[]> {
  if (edits.length === 0) return [];
  const own = yield* liftingEdits(doc, segments, edits);
  return yield* mergingEdits(joinedLists([own, yield* emptyingLogprobs(doc)]));
}

/** Reads an answer that is one JSON text, as some client or another parses it; undefined for any other text. */
function* wholeJsonTexts(dialect: Dialect, text: string): Steps<AnswerTexts | undefined> {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const json = text.slice(mark.length);
  const doc = yield* parsingOrNot(json);
  const lenient = doc ?? (yield* parsingOrNot(json, true));
  if (lenient === undefined) return undefined;
  if (isStreamedList(lenient.root)) return yield* listTexts(dialect, json, mark);
  return doc === undefined ? yield* nonFiniteTexts(dialect, lenient, mark) : yield* jsonTexts(dialect, doc, mark);
}

function* jsonTexts(dialect: Dialect, doc: JsonDocument, mark: string): Steps<AnswerTexts> {
  const call = yield* decodingAnswer(dialect, doc);
  return {
    call,
    doc,
    edited: async (edits) => utf8Bytes(mark + (await runCooperatively(editingJson(doc, call.segments, edits)))),
    stored: async (edits, withUnread, whole = call) => runCooperatively(storingJson(doc, whole, edits, withUnread)),
  };
}

function* listTexts(dialect: Dialect, json: string, mark: string): Steps<AnswerTexts> {
  const { call, files, brokeOff, editing } = yield* assemblingList(dialect, json);
  return {
    call,
    brokeOff,
    beside: yield* readingFilesOfStream(files, call.segments),
    edited: async (edits) => utf8Bytes(mark + (await runCooperatively(editing(edits)))),
    stored: async (edits) => runCooperatively(storingTexts(call, edits)),
  };
}

/** Reads JSON that contains NaN or infinities. For the log, which accepts only JSON, they become null. */
function* nonFiniteTexts(dialect: Dialect, doc: JsonDocument, mark: string): Steps<AnswerTexts> {
  const texts = yield* jsonTexts(dialect, doc, mark);
  const stored: AnswerTexts['stored'] = async (edits, withUnread, whole = texts.call) =>
    strictly(await runCooperatively(storingJson(doc, whole, edits, withUnread)));
  return { ...texts, stored };
}

function strictly({ payload, form }: StoredBody): StoredBody {
  return { payload: JSON.stringify(parseJson(payload, { nonFinite: true }).value), ...(form && { form }) };
}

/** Reads an event stream, with the file that readers of files find in its bytes. */
function* eventTexts(
  dialect: Dialect,
  contentType: string | undefined,
  bytes: AnswerBytes,
  text: string,
): Steps<AnswerTexts> {
  if (isWide(bytes)) throw new UnreadableBody(NOT_UTF8);
  requireReadableStream(contentType);
  const stream = yield* streamTexts(dialect, text);
  if (isEventStream(contentType) && !mayBeFileInEvents(bytes)) return stream;
  return yield* withFileOfBytes(stream, bytes, text, isFileType(contentType));
}

function* streamTexts(dialect: Dialect, text: string): Steps<AnswerTexts> {
  const { call, files, brokeOff, editing } = yield* assemblingStream(dialect, text);
  return {
    call,
    beside: yield* readingFilesOfStream(files, call.segments),
    brokeOff,
    edited: async (edits) => utf8Bytes(await runCooperatively(editing(edits))),
    stored: async (edits) => runCooperatively(storingTexts(call, edits)),
  };
}

/**
 * Reads events in frames like those of an event stream; undefined for bytes that are not frames. Under another content type, bytes in an
 * incomplete frame, or of a document, are also read as a file.
 */
function* framedTexts(dialect: Dialect, contentType: string | undefined, body: Buffer): Steps<AnswerTexts | undefined> {
  const framed = framedText(body);
  if (framed === undefined) return undefined;
  const { unreadBytes, isInFrame } = framed.events;
  const stream = yield* streamTexts(dialect, framed.text);
  const unread = { ...NOTHING_BESIDE, unread: [{ path: 'body', why: 'binary' as const, bytes: unreadBytes }] };
  const texts: AnswerTexts = {
    ...stream,
    ...(isInFrame && { brokeOff: true }),
    ...(unreadBytes > 0 && { beside: joinBeside([stream.beside ?? NOTHING_BESIDE, unread]) }),
    edited: async (edits) => {
      const changed = utf8Text(await stream.edited(edits));
      return framedText(body)!.events.bytes(changed);
    },
  };
  const isFile = !isFramed(contentType) && (isInFrame || documentFormatsOf(body).length > 0);
  return isFile ? yield* withEveryFile(texts, { body, content: yield* readingContent(body) }) : texts;
}

function* storingTexts({ segments }: DecodedCall, edits: readonly Edit[]): Steps<StoredBody> {
  const bySegment = new Map<number, Edit[]>();
  for (const [index, edit] of edits.entries()) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    const own = bySegment.get(edit.segment);
    if (own === undefined) bySegment.set(edit.segment, [edit]);
    else own.push(edit);
  }
  const texts: Pick<Segment, 'path' | 'role' | 'text'>[] = [];
  for (const [segment, { path, role, text }] of segments.entries()) {
    texts.push({ path, role, text: yield* applyingEdits(text, bySegment.get(segment) ?? []) });
    if (segment % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return { payload: JSON.stringify({ stream: true, texts }), form: { kind: 'texts', count: segments.length } };
}

/**
 * Reads lines of JSON: the pieces of an answer, which a client joins, as Ollama and Cohere stream it
 * (https://github.com/ollama/ollama/blob/main/docs/api.md), or the records of a file. Also reads JSON that is followed by other text.
 */
function* linesTexts(dialect: Dialect, contentType: string | undefined, text: string): Steps<AnswerTexts | undefined> {
  const values = (yield* readingLines(text)) ?? (yield* readingFirstValues(text, isOfLines(contentType)));
  if (values === undefined) return undefined;
  const { body, pieces } = values;
  return areEvents(values) ? yield* streamedLines(dialect, pieces) : yield* bodyTexts(dialect, body);
}

/** Reads a file with text in UTF-16 or UTF-32, which is changed in its encoding; undefined for other bytes, and for event streams. */
function* wideTexts(dialect: Dialect, body: Buffer, content: ContentReading): Steps<AnswerTexts | undefined> {
  if (content.kind !== 'text' || content.encode === utf8Bytes || STREAM_START.test(content.text)) return undefined;
  const { textBody, beside } = yield* readingBodyForm(body, undefined);
  if (textBody === undefined) return undefined;
  const texts = yield* bodyTexts(dialect, textBody);
  const files = yield* readingEmbedded(textBody.doc, texts.call);
  return withFile(texts, body.length, joinBeside([besideOfAnswer(beside), files]));
}

/** The texts of a body that is not exactly one JSON text. */
function* bodyTexts(dialect: Dialect, body: TextBody): Steps<AnswerTexts> {
  const call = yield* decodingAnswer(dialect, body.doc);
  return {
    call,
    doc: body.doc,
    edited: async (edits) =>
      runCooperatively(body.editing(await runCooperatively(allEdits(body.doc, call.segments, edits)))),
    stored: async (edits, withUnread, whole = call) => {
      const stored = await runCooperatively(storingJson(body.doc, whole, edits, withUnread));
      return isStrict(stored.payload) ? stored : strictly(stored);
    },
  };
}

/** Reads each value, and each text between values, as the data of an event. */
function* streamedLines(dialect: Dialect, pieces: readonly BodyPiece[]): Steps<AnswerTexts> {
  const [before, after] = ['data: ', '\n\n'];
  const lines = pieces.filter((piece): piece is TextPiece => !Buffer.isBuffer(piece));
  const text = lines.map(({ json }) => before + json + after).join('');
  const { call, files, editing } = yield* assemblingStream(dialect, text);
  return {
    call,
    beside: yield* readingFilesOfStream(files, call.segments),
    edited: async (edits) => {
      const changed = (await runCooperatively(editing(edits))).split(after);
      let at = 0;
      return Buffer.concat(
        pieces.map((piece) => {
          if (Buffer.isBuffer(piece)) return piece;
          const json = changed[at++]!.slice(before.length);
          return json === piece.json ? piece.original : piece.write(json);
        }),
      );
    },
    stored: async (edits) => runCooperatively(storingTexts(call, edits)),
  };
}

/**
 * A text unchanged, with the tool calls in JSON that it contains: in scripts, in lines with a prefix, among other lines. A text with files
 * in base64 is read like a string of JSON, so that they are opened.
 */
function* plainText(dialect: Dialect, body: Buffer, text: string): Steps<AnswerTexts> {
  const values = yield* readingValuesIn(text);
  const calls = values === undefined ? [] : (yield* decodingAnswer(dialect, values)).newToolCalls;
  const newToolCalls = yield* mapped(calls, (each) => ({ ...each, path: '$', segments: [0] }));
  if ((yield* findingBase64(text)).places.length > 0) {
    const piece = yield* makingStringPiece(body, text, utf8Bytes);
    const texts = yield* bodyTexts(dialect, yield* joiningPieces([piece], false));
    return { ...texts, call: { ...texts.call, newToolCalls } };
  }
  const call: DecodedCall = {
    ...{ ...NO_TEXTS, dialect, segments: [{ path: '$', role: 'assistant', text, ref: 0 }] },
    newToolCalls,
  };
  return {
    call,
    edited: async (edits) => utf8Bytes(await runCooperatively(applyingEdits(text, edits))),
    stored: async (edits) => ({
      payload: JSON.stringify(await runCooperatively(applyingEdits(text, edits))),
      form: { kind: 'text', count: 1 },
    }),
  };
}
