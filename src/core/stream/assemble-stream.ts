import type { DecodedCall, Dialect, Segment } from '../model/call.js';
import { mergingEdits } from '../json/splice.js';
import { atOnce, isHeavyStop, joinedLists, mapped, type Steps } from '../steps/steps.js';
import { applyingEdits, type Edit, type TextEdit } from '../text/edit.js';
import { dialectFacts } from '../providers/dialects.js';
import { separatingLines } from './data-lines.js';
import { editsByChannel, joiningChannels, type JoinedText } from './join-channels.js';
import { findingListItems } from './list-items.js';
import { parsingSse, type SseStream } from './sse.js';
import { breaksOff } from './stream-ends.js';
import { eventEdits, filesIn, StreamReader } from './stream-reader.js';
import type { StreamedFile, StreamEvent } from './stream-event.js';
import { readingStreamToolCalls } from './stream-tool-calls.js';

/** An answer assembled from an event stream. */
export interface AssembledStream {
  /** The texts that a client assembles from the events, one segment each; tool calls as a client sees them. */
  readonly call: DecodedCall;
  /** The base64 content of the stream's events. */
  readonly files: readonly StreamedFile[];
  /** Whether the stream stopped before the provider's end marker. */
  readonly brokeOff: boolean;
  /**
   * Returns the stream's text after edits of segments. The first event that contains a part of an edited range receives the replacement;
   * further events lose their part of the range. Framing and all other characters stay unchanged.
   */
  edited(edits: readonly Edit[]): string;
  /** Like `edited`, but in steps. */
  editing(edits: readonly Edit[]): Steps<string>;
}

/**
 * Assembles a complete event stream: chat completions, completions, responses, messages and similar formats.
 * @throws JsonSyntaxError for an event that exceeds the limits of JSON; other data that is not JSON is read as text
 */
export function assembleStream(dialect: Dialect, text: string): AssembledStream {
  return atOnce(assemblingStream(dialect, text));
}

/** Like `assembleStream`, but in steps. */
export function* assemblingStream(dialect: Dialect, text: string): Steps<AssembledStream> {
  return yield* assembling(dialect, text, yield* parsingSse(text));
}

/**
 * Assembles a JSON list in which each entry continues the previous ones. Gemini streams in this form unless events are
 * requested.
 * @param text a list in JSON
 */
export function assembleList(dialect: Dialect, text: string): AssembledStream {
  return atOnce(assemblingList(dialect, text));
}

/** Like `assembleList`, but in steps. */
export function* assemblingList(dialect: Dialect, text: string): Steps<AssembledStream> {
  const ranges = yield* findingListItems(text);
  const events = yield* mapped(ranges, (range) => ({ data: text.slice(range.start, range.end), lines: [range] }));
  return yield* assembling(dialect, text, { events, otherLines: [] });
}

function* assembling(dialect: Dialect, text: string, parsed: SseStream): Steps<AssembledStream> {
  const reader = new StreamReader(true);
  const events = yield* readingEvents(reader, parsed);
  const { all } = reader.channels;
  const joined = yield* joiningChannels(all);
  const seen = joinedLists(events.map(({ calls }) => calls));
  const calls = seen.length === 0 ? [] : yield* readingStreamToolCalls(seen, all, joined);
  const { usage, model } = reader;
  const answerId = dialectFacts(dialect).previousAnswer === undefined ? undefined : reader.answerId;
  const editing = (edits: readonly Edit[]): Steps<string> => editingStream(text, events, joined.texts, edits);
  return {
    call: {
      ...answerCall(dialect, joined.segments, calls),
      ...(model === undefined ? {} : { model }),
      ...(usage === undefined ? {} : { usage }),
      ...(answerId === undefined ? {} : { answerId }),
    },
    files: filesIn(events),
    brokeOff: breaksOff(dialect, events),
    edited: (edits) => atOnce(editing(edits)),
    editing,
  };
}

/** Reads the events of a stream, then the lines outside of events. */
export function* readingEvents(reader: StreamReader, { events, otherLines }: SseStream): Steps<StreamEvent[]> {
  const read: StreamEvent[] = [];
  for (const event of events) {
    for (const part of yield* separatingLines(event)) {
      read.push(yield* reader.reading(part, 'event'));
      if (isHeavyStop(read.length)) yield;
    }
  }
  for (const line of otherLines) {
    read.push(yield* reader.reading(line, 'line'));
    if (isHeavyStop(read.length)) yield;
  }
  return read;
}

/** Converts a streamed answer to the form that the decoders return. */
export function answerCall(
  dialect: Dialect,
  segments: readonly Segment[],
  newToolCalls: DecodedCall['newToolCalls'],
): DecodedCall {
  return { dialect, segments, declaredTools: [], newToolCalls, pastToolCalls: [], pastToolResults: [], stream: true };
}

function* editingStream(
  text: string,
  events: readonly StreamEvent[],
  texts: readonly JoinedText[],
  edits: readonly Edit[],
): Steps<string> {
  if (edits.length === 0) return text;
  const perEvent = new Map<number, Edit[]>();
  for (const [channel, channelEdits] of editsByChannel(texts, edits)) {
    for (const { event, edit } of channel.distribute(channelEdits)) {
      const own = perEvent.get(event);
      if (own === undefined) perEvent.set(event, [edit]);
      else own.push(edit);
    }
  }
  const all: (readonly TextEdit[])[] = [];
  for (const [index, event] of events.entries()) {
    all.push(eventEdits(event, perEvent.get(index) ?? []));
    if (isHeavyStop(index)) yield;
  }
  // Lines outside of events are listed after the events here, whatever their position in the text.
  return yield* applyingEdits(text, yield* mergingEdits(joinedLists(all)));
}
