import type { StreamEvent, StreamedFile } from './stream-event.js';
import type { Segment, Usage } from '../model/call.js';
import type { CallCollector } from '../call/call-collector.js';
import { logprobEdits } from '../call/logprobs.js';
import { mergeUsage } from '../call/usage.js';
import { PROVIDERS, usageOfAny } from '../providers/providers.js';
import { END_MARK } from '../providers/openai/index.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';
import { isArray, memberOf, numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import type { Edit, TextEdit } from '../text/edit.js';
import { kindOfText } from './answer-path.js';
import { CANDIDATES, CHOICES } from './continuing-texts.js';
import { Channels, type Channel, type HeldPiece } from './channels.js';
import type { PieceKind, Scope } from './scope.js';
import { dataEdits, type SseEvent } from './sse.js';
import { StreamCollector } from './stream-collector.js';

/** The events that hold base64. */
export function filesIn(events: readonly StreamEvent[]): StreamedFile[] {
  return events.flatMap(({ doc, segments, embedded }) =>
    doc === undefined || embedded.length === 0 ? [] : [{ doc, segments, embedded }],
  );
}

/** Root members that tell which text an event continues. */
const SCOPE_KEYS = ['type', 'index', 'item_id', 'output_index', 'content_index', 'summary_index', 'annotation_index'];

/** What Azure says of the texts, with each of their pieces and after their end: every time anew. */
const FILTER_RESULT = /^choices\[\d+\]\.content_filter_|^prompt_filter_results\b/;
/** What a response says of itself: told again with each of its states. */
const OF_RESPONSE = /^response\.(?!output\b)/;
const NAMED_SCOPE = /^(?:content_block|message|response|thread)[._]/;

/** Reads the events of a stream one after the other and sorts their texts into channels. */
export class StreamReader {
  readonly channels: Channels;
  usage: Usage | undefined;
  model: string | undefined;
  private count = 0;

  /** @param keepsAll whether the whole stream is to be put together, and edited */
  constructor(keepsAll: boolean) {
    this.channels = new Channels(keepsAll);
  }

  /**
   * @param kind `line`: not an event, but a line beside events
   * @throws JsonSyntaxError for an event over the limits of JSON; other data that is not JSON is read as text
   */
  read(event: SseEvent, kind: 'event' | 'line'): StreamEvent {
    const index = this.count++;
    const doc = kind === 'event' ? parseData(event) : undefined;
    if (doc === undefined) return this.rawText(event, index, kind === 'line');
    const collector = new StreamCollector(doc);
    collector.read();
    const scope = scopeOf(event, doc.root);
    const kinds = collector.segments.map((_, at) => kindOf(collector, doc, scope, at));
    const held: HeldPiece[] = [];
    const add = (at: number): void => {
      held[at] = this.channels.add(scope, collector.segments[at]!, { event: index, segment: at }, kinds[at]!);
    };
    // What repeats a text is compared with it, also with what the same event adds to it.
    kinds.forEach((kind, at) => kind !== 'repeat' && add(at));
    kinds.forEach((kind, at) => kind === 'repeat' && add(at));
    for (const [at, { signed }] of collector.segments.entries()) if (signed === true) held[at]!.channel.isSigned = true;
    const calls = collector.seenCalls
      .filter(({ segments }) => !isRepeated(segments, kinds, held))
      .map((call) => ({ call, scope, channels: channelsOf(call.segments, held) }));
    if (event.data.includes('"usage')) this.usage = mergeUsage(this.usage, usageOf(doc.root));
    this.model ??= modelOf(doc.root);
    return { event, doc, segments: collector.segments, held, calls, scope, embedded: collector.embedded };
  }

  private rawText(event: SseEvent, index: number, whole: boolean): StreamEvent {
    const scope = { key: `raw ${event.name ?? ''}`, type: event.name ?? '' };
    if (event.data === END_MARK) return { event, segments: [], held: [], calls: [], scope, embedded: [] };
    const segment: Segment = { path: '$', role: 'other', text: event.data, ref: 0 };
    const held = this.channels.add(scope, segment, { event: index, segment: 0 }, whole ? 'whole' : 'either');
    return { event, segments: [segment], held: [held], calls: [], scope, embedded: [] };
  }
}

/** Edits of an event's segments as edits of the text that the event was read from. */
export function eventEdits({ event, doc, segments }: StreamEvent, edits: readonly Edit[]): TextEdit[] {
  if (doc === undefined) return dataEdits(event, edits);
  return dataEdits(event, mergeEdits([...documentEdits(doc, segments, edits), ...logprobEdits(doc)]));
}

function parseData(event: SseEvent): JsonDocument | undefined {
  try {
    return parseJson(event.data, { nonFinite: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return undefined;
    throw error;
  }
}

/** Keys, numbers and what stands in JSON inside a string are complete as they are; other texts may go on. */
function kindOf(collector: CallCollector, doc: JsonDocument, scope: Scope, at: number): PieceKind {
  const segment = collector.segments[at]!;
  const node = doc.node(segment.ref);
  const isPart = node.kind === 'number' || node.source.parent !== undefined || collector.keySegments.has(at);
  if (isPart || FILTER_RESULT.test(segment.path) || OF_RESPONSE.test(segment.path)) return 'whole';
  return kindOfText(scope, segment);
}

/** Whether an event tells of a call only what was told before. */
function isRepeated(segments: readonly number[], kinds: readonly PieceKind[], held: readonly HeldPiece[]): boolean {
  return segments.length > 0 && segments.every((at) => kinds[at] === 'repeat' && held[at]!.added === '');
}

function choicesOf(root: JsonNode): readonly JsonNode[] | undefined {
  const choices = memberOf(root, 'choices');
  return choices !== undefined && isArray(choices) ? choices.items : undefined;
}

function scopeOf(event: SseEvent, root: JsonNode): Scope {
  const type = stringOf(root, 'type') ?? event.name ?? '';
  // Clients put the texts of choices together whatever else the events say.
  if (choicesOf(root) !== undefined && !NAMED_SCOPE.test(type)) return { key: CHOICES, type: '' };
  if (memberOf(root, 'candidates') !== undefined && !NAMED_SCOPE.test(type)) return { key: CANDIDATES, type: '' };
  const ids = SCOPE_KEYS.map((key) => stringOf(root, key) ?? numberOf(root, key) ?? '');
  const index = numberOf(root, 'output_index') ?? numberOf(root, 'index');
  // A block's text begins in `content_block_start` and goes on in `content_block_delta`.
  const key = type.startsWith('content_block_')
    ? ['content_block', ...ids.slice(1)]
    : [event.name ?? '', ...ids, ...threadId(type, root)];
  const part = numberOf(root, 'content_index') ?? numberOf(root, 'summary_index');
  return {
    key: JSON.stringify(key),
    type,
    ...(index === undefined ? {} : { index }),
    ...(part === undefined ? {} : { part }),
  };
}

/** Messages and steps of a thread come side by side; other events have an id each. */
function threadId(type: string, root: JsonNode): string[] {
  return type.startsWith('thread.') ? [stringOf(root, 'id') ?? ''] : [];
}

function channelsOf(segments: readonly number[], held: readonly HeldPiece[]): Channel[] {
  return [...new Set(segments.map((segment) => held[segment]!.channel))];
}

function usageOf(root: JsonNode): Usage | undefined {
  const places = [root, memberOf(root, 'message'), memberOf(root, 'response')];
  return places.reduce<Usage | undefined>((found, place) => mergeUsage(found, usageOfAny(place)), undefined);
}

const MODEL_MEMBERS = [...new Set(Object.values(PROVIDERS).flatMap(({ modelMembers }) => modelMembers))];

function modelOf(root: JsonNode): string | undefined {
  return [root, memberOf(root, 'message'), memberOf(root, 'response')]
    .flatMap((place) => MODEL_MEMBERS.map((member) => stringOf(place, member)))
    .find((model) => model !== undefined);
}
