import type { DecodedCall, Dialect, Segment } from '../model/call.js';
import { mergeEdits } from '../json/splice.js';
import { applyEdits, type Edit } from '../text/edit.js';
import { dialectFacts } from '../providers/dialects.js';
import { editsByChannel, joinChannels, type JoinedText } from './join-channels.js';
import { listItems } from './list-items.js';
import { parseSse, type SseStream } from './sse.js';
import { breaksOff } from './stream-ends.js';
import { eventEdits, filesIn, StreamReader } from './stream-reader.js';
import type { StreamedFile, StreamEvent } from './stream-event.js';
import { streamToolCalls } from './stream-tool-calls.js';

/** An answer that came as an event stream, put together. */
export interface AssembledStream {
  /** The texts that a client puts together from the events, one segment each; tool calls as a client sees them. */
  readonly call: DecodedCall;
  /** What stands in base64 in its events. */
  readonly files: readonly StreamedFile[];
  /** Whether it stopped before the end that its provider tells. */
  readonly brokeOff: boolean;
  /**
   * The stream's text with edits of segments mapped back onto the events: the first event that holds a part of a range
   * has the replacement, the others lose theirs. Framing and every other character stay.
   */
  edited(edits: readonly Edit[]): string;
}

/**
 * Puts a whole event stream together: chat completions, completions, responses, messages, and anything alike.
 * @throws JsonSyntaxError for an event over the limits of JSON; other data that is not JSON is read as text
 */
export function assembleStream(dialect: Dialect, text: string): AssembledStream {
  return assemble(dialect, text, parseSse(text));
}

/**
 * Puts together what comes as one list in JSON, each entry of which goes on with the ones before, as Gemini streams where
 * nobody asks for events.
 * @param text a list in JSON
 */
export function assembleList(dialect: Dialect, text: string): AssembledStream {
  const events = listItems(text).map((range) => ({ data: text.slice(range.start, range.end), lines: [range] }));
  return assemble(dialect, text, { events, otherLines: [] });
}

function assemble(dialect: Dialect, text: string, parsed: SseStream): AssembledStream {
  const reader = new StreamReader(true);
  const events = [
    ...parsed.events.map((event) => reader.read(event, 'event')),
    ...parsed.otherLines.map((line) => reader.read(line, 'line')),
  ];
  const joined = joinChannels(reader.channels.all);
  const { usage, model } = reader;
  const answerId = dialectFacts(dialect).previousAnswer === undefined ? undefined : reader.answerId;
  return {
    call: {
      ...answerCall(
        dialect,
        joined.segments,
        streamToolCalls(
          events.flatMap(({ calls }) => calls),
          reader.channels.all,
          joined.places,
        ),
      ),
      ...(model === undefined ? {} : { model }),
      ...(usage === undefined ? {} : { usage }),
      ...(answerId === undefined ? {} : { answerId }),
    },
    files: filesIn(events),
    brokeOff: breaksOff(dialect, events),
    edited: (edits) => editStream(text, events, joined.texts, edits),
  };
}

/** A streamed answer as the decoders give one. */
export function answerCall(
  dialect: Dialect,
  segments: readonly Segment[],
  newToolCalls: DecodedCall['newToolCalls'],
): DecodedCall {
  return { dialect, segments, declaredTools: [], newToolCalls, pastToolCalls: [], pastToolResults: [], stream: true };
}

function editStream(
  text: string,
  events: readonly StreamEvent[],
  texts: readonly JoinedText[],
  edits: readonly Edit[],
): string {
  if (edits.length === 0) return text;
  const perEvent = new Map<number, Edit[]>();
  for (const [channel, channelEdits] of editsByChannel(texts, edits)) {
    for (const { event, edit } of channel.distribute(channelEdits)) {
      const own = perEvent.get(event);
      if (own === undefined) perEvent.set(event, [edit]);
      else own.push(edit);
    }
  }
  const all = events.flatMap((event, index) => eventEdits(event, perEvent.get(index) ?? []));
  // Lines beside the events come after them here, wherever they stand in the text.
  return applyEdits(text, mergeEdits(all));
}
