import { CallCollector } from '../call/call-collector.js';
import type { Segment } from '../model/call.js';
import { parsingJson, type JsonDocument } from '../json/json-document.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import { isStop, type Steps } from '../steps/steps.js';
import type { Edit, TextEdit } from '../text/edit.js';
import type { Channel } from './channels.js';

/** A segment's channel and, for joined tool arguments that are JSON, the segment's position in the arguments. */
export interface JoinedText {
  readonly channel: Channel;
  readonly inner?: { readonly doc: JsonDocument; readonly segment: Segment };
}

/** Channels as segments. */
export interface Joined {
  readonly segments: Segment[];
  readonly texts: JoinedText[];
  readonly places: Map<Channel, { readonly segments: readonly number[]; readonly doc?: JsonDocument }>;
}

/** Converts channels to segments: each channel to one segment, but joined tool arguments that are JSON to one segment for each leaf. */
export function* joiningChannels(channels: readonly Channel[]): Steps<Joined> {
  const joined: Joined = { segments: [], texts: [], places: new Map() };
  for (const [index, channel] of channels.entries()) {
    yield* joiningChannel(joined, channel);
    if (isStop(index)) yield;
  }
  return joined;
}

/** Appends a channel's segments. @throws JsonSyntaxError for tool arguments that are over a limit of JSON */
export function* joiningChannel({ segments, texts, places }: Joined, channel: Channel): Steps<void> {
  const { path, role, key } = channel;
  const push = (segment: Segment, text: JoinedText): number => {
    texts.push(text);
    return segments.push({ ...segment, ref: segments.length }) - 1;
  };
  const doc = channel.whole ? undefined : yield* parsingArguments(channel);
  if (doc === undefined) {
    const { text, cuts, breaks } = channel;
    const segment: Segment = {
      path,
      role,
      text,
      ref: 0,
      ...(key !== undefined && { key }),
      ...(cuts && { cuts }),
      ...(breaks && { breaks }),
      ...(channel.isSigned && { signed: true as const }),
    };
    places.set(channel, { segments: [push(segment, { channel })] });
    return;
  }
  const collector = new CallCollector(doc, 'new');
  yield* collector.reading(collector.argumentTexts(doc.root, { path, role }));
  const own = collector.segments.map((segment) =>
    push(channel.isSigned ? { ...segment, signed: true } : segment, { channel, inner: { doc, segment } }),
  );
  places.set(channel, { segments: own, doc });
}

function* parsingArguments(channel: Channel): Steps<JsonDocument | undefined> {
  if (channel.role !== 'tool_call' || !/^\s*[[{]/.test(channel.text)) return undefined;
  try {
    return yield* parsingJson(channel.text, { nonFinite: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return undefined;
    throw error;
  }
}

/** Converts edits of segments to edits of the channels' texts, sorted and without overlaps. */
export function editsByChannel(
  texts: readonly JoinedText[],
  edits: readonly Edit[],
): Map<Channel, readonly TextEdit[]> {
  const plain = new Map<Channel, TextEdit[]>();
  const inner = new Map<Channel, { doc: JsonDocument; segments: Segment[]; edits: Edit[] }>();
  for (const edit of edits) {
    const text = texts[edit.segment];
    if (text === undefined) throw new RangeError(`no segment has the index ${edit.segment}`);
    if (text.inner === undefined) {
      const own = plain.get(text.channel);
      if (own === undefined) plain.set(text.channel, [edit]);
      else own.push(edit);
    } else {
      const known = inner.get(text.channel) ?? { doc: text.inner.doc, segments: [], edits: [] };
      known.edits.push({ ...edit, segment: known.segments.push(text.inner.segment) - 1 });
      inner.set(text.channel, known);
    }
  }
  const result = new Map<Channel, readonly TextEdit[]>([...plain].map(([channel, own]) => [channel, mergeEdits(own)]));
  for (const [channel, { doc, segments, edits: own }] of inner) result.set(channel, documentEdits(doc, segments, own));
  return result;
}
