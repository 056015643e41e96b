import type { DecodedCall, Dialect, Segment, Usage } from '../call/call.js';
import { CallCollector } from '../call/call-collector.js';
import { logprobEdits } from '../call/logprobs.js';
import { mergeUsage, readUsage } from '../call/usage.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';
import { memberOf, numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import { applyEdits, type Edit, type TextEdit } from '../redaction/edit.js';
import { Channels, type Channel } from './channels.js';
import { dataEdits, parseSse, type SseEvent } from './sse.js';
import { StreamCollector } from './stream-collector.js';
import { streamToolCalls, type PlacedCall } from './stream-tool-calls.js';

/** An answer that came as an event stream, put together. */
export interface AssembledStream {
  /** The texts that a client puts together from the events, one segment each; tool calls as a client sees them. */
  readonly call: DecodedCall;
  /**
   * The stream's text with edits of segments mapped back onto the events: the first event that holds a part of a range
   * has the replacement, the others lose theirs. Framing and every other character stay.
   */
  edited(edits: readonly Edit[]): string;
}

interface StreamEvent {
  readonly event: SseEvent;
  /** Absent for data that is not JSON: then the data itself is the one text. */
  readonly doc?: JsonDocument;
  readonly segments: readonly Segment[];
}

const END_MARK = '[DONE]';
/** Root members that tell which text an event continues. */
const SCOPE_KEYS = ['type', 'index', 'item_id', 'output_index', 'content_index', 'summary_index', 'annotation_index'];

/**
 * Puts a whole event stream together: chat completions, completions, responses, messages, and anything alike.
 * @throws JsonSyntaxError for an event over the limits of JSON; other data that is not JSON is read as text
 */
export function assembleStream(dialect: Dialect, text: string): AssembledStream {
  const channels = new Channels();
  const calls: PlacedCall[] = [];
  let usage: Usage | undefined;
  let model: string | undefined;
  const parsed = parseSse(text);
  const events = [...parsed.events, ...parsed.otherLines].map((event, index): StreamEvent => {
    const doc = index < parsed.events.length ? parseData(event) : undefined;
    if (doc === undefined) return { event, segments: rawText(event, index, index >= parsed.events.length, channels) };
    const collector = new StreamCollector(doc);
    collector.read();
    const scope = scopeOf(event, doc.root);
    const held = collector.segments.map((segment, at) =>
      channels.add(scope, segment, { event: index, segment: at }, isWhole(collector, doc, at)),
    );
    calls.push(...collector.seenCalls.map((call) => ({ call, scope, channels: channelsOf(call.segments, held) })));
    usage = mergeUsage(usage, usageOf(doc.root));
    model ??= modelOf(doc.root);
    return { event, doc, segments: collector.segments };
  });
  const joined = joinChannels(channels.all);
  return {
    call: {
      dialect,
      segments: joined.segments,
      declaredTools: [],
      newToolCalls: streamToolCalls(calls, channels.all, joined.places),
      pastToolCalls: [],
      pastToolResults: [],
      ...(model === undefined ? {} : { model }),
      stream: true,
      ...(usage === undefined ? {} : { usage }),
    },
    edited: (edits) => editStream(text, events, joined.texts, edits),
  };
}

function parseData(event: SseEvent): JsonDocument | undefined {
  try {
    return parseJson(event.data, { nonFinite: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return undefined;
    throw error;
  }
}

function rawText(event: SseEvent, index: number, whole: boolean, channels: Channels): Segment[] {
  if (event.data === END_MARK) return [];
  const segment: Segment = { path: '$', role: 'other', text: event.data, ref: 0 };
  const scope = { key: `raw ${event.name ?? ''}`, type: event.name ?? '' };
  channels.add(scope, segment, { event: index, segment: 0 }, whole);
  return [segment];
}

/** Keys, numbers and what stands in JSON inside a string are complete as they are; other texts may go on. */
function isWhole(collector: CallCollector, doc: JsonDocument, at: number): boolean {
  const node = doc.node(collector.segments[at]!.ref);
  return node.kind === 'number' || node.source.parent !== undefined || collector.keySegments.has(at);
}

function scopeOf(event: SseEvent, root: JsonNode): { key: string; type: string; index?: number } {
  const type = stringOf(root, 'type') ?? event.name ?? '';
  const ids = SCOPE_KEYS.map((key) => stringOf(root, key) ?? numberOf(root, key) ?? '');
  const index = numberOf(root, 'output_index') ?? numberOf(root, 'index');
  // A block's text begins in `content_block_start` and goes on in `content_block_delta`.
  const key = type.startsWith('content_block_') ? ['content_block', ...ids.slice(1)] : [event.name ?? '', ...ids];
  return { key: JSON.stringify(key), type, ...(index === undefined ? {} : { index }) };
}

function channelsOf(segments: readonly number[], held: readonly Channel[]): Channel[] {
  return [...new Set(segments.map((segment) => held[segment]!))];
}

function usageOf(root: JsonNode): Usage | undefined {
  const places = [root, memberOf(root, 'message'), memberOf(root, 'response')];
  return places.reduce<Usage | undefined>(
    (found, place) => mergeUsage(found, readUsage(memberOf(place, 'usage'))),
    undefined,
  );
}

function modelOf(root: JsonNode): string | undefined {
  return [root, memberOf(root, 'message'), memberOf(root, 'response')]
    .map((place) => stringOf(place, 'model'))
    .find((model) => model !== undefined);
}

/** A segment's channel and, for joined tool arguments that are JSON, its place in them. */
interface JoinedText {
  readonly channel: Channel;
  readonly inner?: { readonly doc: JsonDocument; readonly segment: Segment };
}

interface Joined {
  readonly segments: Segment[];
  readonly texts: JoinedText[];
  readonly places: ReadonlyMap<Channel, { readonly segments: number[]; readonly doc?: JsonDocument }>;
}

function joinChannels(channels: readonly Channel[]): Joined {
  const segments: Segment[] = [];
  const texts: JoinedText[] = [];
  const places = new Map<Channel, { segments: number[]; doc?: JsonDocument }>();
  const push = (segment: Segment, text: JoinedText): number => {
    texts.push(text);
    return segments.push({ ...segment, ref: segments.length }) - 1;
  };
  for (const channel of channels) {
    const { path, role, key } = channel;
    const doc = channel.whole ? undefined : parseArguments(channel);
    if (doc === undefined) {
      const segment: Segment = { path, role, text: channel.text, ref: 0, ...(key === undefined ? {} : { key }) };
      places.set(channel, { segments: [push(segment, { channel })] });
    } else {
      const collector = new CallCollector(doc, 'new');
      collector.freeform(doc.root, { path, role });
      const own = collector.segments.map((segment) => push(segment, { channel, inner: { doc, segment } }));
      places.set(channel, { segments: own, doc });
    }
  }
  return { segments, texts, places };
}

function parseArguments(channel: Channel): JsonDocument | undefined {
  if (channel.role !== 'tool_call' || !/^\s*[[{]/.test(channel.text)) return undefined;
  try {
    return parseJson(channel.text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
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
      perEvent.set(event, [...(perEvent.get(event) ?? []), edit]);
    }
  }
  const all = events.flatMap(({ event, doc, segments }, index) => {
    const own = perEvent.get(index) ?? [];
    const inData = doc === undefined ? own : mergeEdits([...documentEdits(doc, segments, own), ...logprobEdits(doc)]);
    return dataEdits(event, inData);
  });
  // Lines beside the events come after them here, wherever they stand in the text.
  return applyEdits(text, mergeEdits(all));
}

function editsByChannel(texts: readonly JoinedText[], edits: readonly Edit[]): Map<Channel, TextEdit[]> {
  const plain = new Map<Channel, TextEdit[]>();
  const inner = new Map<Channel, { doc: JsonDocument; segments: Segment[]; edits: Edit[] }>();
  for (const edit of edits) {
    const text = texts[edit.segment];
    if (text === undefined) throw new RangeError(`no segment has the index ${edit.segment}`);
    if (text.inner === undefined) {
      plain.set(text.channel, [...(plain.get(text.channel) ?? []), edit]);
    } else {
      const known = inner.get(text.channel) ?? { doc: text.inner.doc, segments: [], edits: [] };
      known.edits.push({ ...edit, segment: known.segments.push(text.inner.segment) - 1 });
      inner.set(text.channel, known);
    }
  }
  const result = new Map([...plain].map(([channel, own]) => [channel, mergeEdits(own)]));
  for (const [channel, { doc, segments, edits: own }] of inner) result.set(channel, documentEdits(doc, segments, own));
  return result;
}
