import type { PlacedCall, StreamEvent, StreamedFile } from './stream-event.js';
import type { Segment, Usage } from '../model/call.js';
import { memoizeByObject } from '../model/memoize.js';
import { MOST_READINGS } from '../call/call-readings.js';
import { logprobEdits, mayHoldLogprobs } from '../call/logprobs.js';
import { ARGUMENTS_IN_STREAMS } from '../call/tool-readers.js';
import { mergeUsage } from '../call/usage.js';
import { PROVIDERS, usageOfAny } from '../providers/providers.js';
import type { PieceKind, Scope } from '../providers/stream-family.js';
import { familyOf, STREAM_FAMILIES } from '../providers/streams.js';
import { OTHER_EVENTS } from '../providers/own/streams.js';
import { parsingJson, type JsonDocument } from '../json/json-document.js';
import { indexIn, isObject, memberOf, stringOf, type JsonNode, type ObjectNode } from '../json/json-node.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import { atOnce, type Steps } from '../steps/steps.js';
import type { Edit, TextEdit } from '../text/edit.js';
import { kindOfText, kindOfTokens } from './continuing-texts.js';
import { BlockRuns } from './block-runs.js';
import { Channels, type Channel, type HeldPiece } from './channels.js';
import { EventIdentities } from './event-identities.js';
import { ItemRounds } from './item-rounds.js';
import { RepeatedForm } from './repeated-form.js';
import type { TextDigest } from './growing-text.js';
import { NO_PARTS, PartRuns } from './part-runs.js';
import { dataEdits, type SseEvent } from './sse.js';
import { isDocumentedInAnyCase } from './spelled-names.js';
import { endsTextOrAnswer } from './stream-ends.js';
import { StreamCollector, type SeenCall } from './stream-collector.js';
import { TokenRuns } from './token-runs.js';

/** Returns the base64 content of these events. */
export function filesIn(events: readonly StreamEvent[]): StreamedFile[] {
  return events.flatMap((event) => {
    const { segments, embedded } = event;
    return embedded.length === 0 || event.doc === undefined ? [] : [{ doc: event.doc, segments, embedded }];
  });
}

const MARKS: ReadonlySet<string> = new Set(STREAM_FAMILIES.flatMap(({ marks }) => marks));
/** Members of events that contain an answer. */
const ANSWERS = [...new Set(STREAM_FAMILIES.flatMap(({ answerMembers }) => answerMembers))];
/** Members of events that contain token counts. */
const USAGE_HOLDERS = [...new Set([...ANSWERS, ...STREAM_FAMILIES.flatMap(({ usageHolders }) => usageHolders)])];
/** Matches an event with token counts: in most events, the field for them is null. */
const CONTAINS_USAGE = new RegExp(
  `"(?:${[...new Set(Object.values(PROVIDERS).flatMap(({ usageMembers }) => usageMembers))].join('|')})"(?!\\s*:\\s*null\\b)`,
);

/** The kinds of texts that clients join from several events. */
const CONTINUED: ReadonlySet<PieceKind> = new Set(['piece', 'either']);

/** A call with a name, which later events of its block may continue. */
interface BegunCall {
  readonly id: string | undefined;
  readonly name: string;
}

/** Reads the events of a stream one after the other and sorts their texts into channels. */
export class StreamReader {
  readonly channels: Channels;
  usage: Usage | undefined;
  model: string | undefined;
  /** The provider's id of the answer. */
  answerId: string | undefined;
  private count = 0;
  /** The last call with a name, by block. */
  private readonly begunCalls = new Map<Scope['index'], BegunCall>();
  private readonly namesOfItems = new Map<string, string>();
  /** The form of the last event that was read completely. */
  private form: RepeatedForm | undefined;
  private readonly runs = new PartRuns();
  private readonly blockRuns = new BlockRuns();
  private readonly identities = new EventIdentities();
  private readonly rounds = new ItemRounds((index, id) => this.identities.ended(index, id));
  private readonly tokenRuns: TokenRuns;

  /**
   * @param keepsAll whether the whole stream is assembled and can be edited
   * @param digest recognises repetitions of long texts of which not everything is kept
   */
  constructor(keepsAll: boolean, digest?: TextDigest) {
    this.channels = new Channels(keepsAll, digest);
    this.tokenRuns = new TokenRuns(this.channels);
  }

  /**
   * @param kind `line` for a line outside of events
   * @throws JsonSyntaxError for an event over the limits of JSON; other data that is not JSON is read as text
   */
  read(event: SseEvent, kind: 'event' | 'line'): StreamEvent {
    return atOnce(this.reading(event, kind));
  }

  /** Like `read`, but in steps. */
  *reading(event: SseEvent, kind: 'event' | 'line'): Steps<StreamEvent> {
    const index = this.count++;
    const repeated = kind === 'event' ? this.repeated(event, index) : undefined;
    if (repeated !== undefined) return repeated;
    // Clients that ignore the content type read JSON Lines even if they are sent as an event stream.
    const isJson = !isMark(event) && (kind === 'event' || event.data.startsWith('{'));
    const doc = isJson ? yield* parsingData(event) : undefined;
    if (doc === undefined) return this.rawText(event, index, kind === 'line');
    const scope = this.rounds.scoped(scopeOf(event, doc.root), doc.root);
    const isDocumented = isDocumentedInAnyCase(scope.family, event.name ?? '', doc.root);
    const collector = new StreamCollector(doc, scope, this.namesOfItems, this.tokenRuns, isDocumented);
    yield* collector.readingEvent();
    this.noteItem(doc.root);
    const kinds = collector.segments.map((_, at) => kindOf(collector, doc, scope, at));
    if (kinds.some((kind, at) => CONTINUED.has(kind) && collector.segments[at]?.text !== ''))
      this.identities.note({ name: event.name ?? '', type: scope.type, root: doc.root }, scope);
    const ofBlock = this.blockRuns.note(scope);
    const { partsOf } = scope.family;
    const parts = partsOf === undefined ? NO_PARTS : yield* this.runs.noting(partsOf(doc.root));
    const held: HeldPiece[] = [];
    const add = (at: number): void => {
      const segment = collector.segments[at]!;
      // Arguments of a call that begins twice are no JSON, and each of its names is judged.
      const run = parts.runs?.get(segment.path) ?? (segment.role === 'tool_call' ? undefined : ofBlock);
      const place = { event: index, segment: at, run };
      held[at] = this.channels.add(scope, segment, place, kinds[at]!);
    };
    // A repeated text is compared with the original, including the parts that the same event adds to the original.
    kinds.forEach((kind, at) => kind !== 'repeat' && add(at));
    kinds.forEach((kind, at) => kind === 'repeat' && add(at));
    this.channels.endEvent();
    // A signature with an empty text belongs to a separate part, as Gemini streams it after a text.
    for (const [at, { signed, text }] of collector.segments.entries())
      if (signed === true && text !== '') sign(held[at]!);
    for (const path of collector.signatures) this.channels.sign(scope, path);
    const calls = this.placed(collector, kinds, held, { scope, at: index }, doc.root);
    if (CONTAINS_USAGE.test(event.data)) this.usage = mergeUsage(this.usage, usageOf(doc.root));
    this.model ??= modelOf(doc.root);
    this.answerId ??= answerIdOf(doc.root);
    const read = { event, doc, segments: collector.segments, held, calls, scope, embedded: collector.embedded };
    const hasTokens = collector.holdsTokens || this.tokenRuns.areOpen;
    if (hasTokens) this.tokenRuns.note(read, collector);
    // An event of a known form continues the run of the event before it, and has no tokens that could differ from its text.
    this.form = parts.count > 1 || hasTokens ? undefined : RepeatedForm.of(read, kinds, saysMore, this.channels);
    return read;
  }

  /** The calls of an event, without those of which it only repeats known parts. The readings of one call share their texts. */
  private placed(
    { seenCalls: seen, segments }: StreamCollector,
    kinds: readonly PieceKind[],
    held: readonly HeldPiece[],
    place: Pick<PlacedCall, 'scope' | 'at'>,
    root: JsonNode,
  ): PlacedCall[] {
    if (seen.length === 0) return [];
    const isKnown = memoizeByObject((own: readonly number[]) => isRepeated(own, kinds, held));
    const channelsFor = memoizeByObject((own: readonly number[]) => channelsOf(own, held));
    return seen.flatMap((call) => {
      if (isKnown(call.segments) && !hasWordlessArguments(call, segments)) return [];
      return [{ ...place, call: this.named(call, place.scope, root), channels: channelsFor(call.segments) }];
    });
  }

  /**
   * Names a call of a family that does not document how calls are streamed in pieces. A call without a name continues the
   * previous named call, of the same block if events name blocks: Bedrock and Cohere send name and arguments in this way. A
   * call with another name in the same block may be a piece of the previous name, so it also gets the joined name. The arguments of a call
   * that has only a name are undefined if they may follow in an unknown way.
   */
  private named(seen: SeenCall, { family, index }: Scope, root: JsonNode): SeenCall {
    if (family.callPlace !== undefined) return seen;
    const isOpen = family.mayContinueCalls && seen.origin === 'none';
    const call = isOpen ? { ...seen, args: undefined } : seen;
    const block = index ?? (isObject(root) ? blockIndexOf(root) : undefined);
    const begun = this.begunCalls.get(block);
    const names = call.names.map((name) => (name === '' ? (begun?.name ?? '') : name));
    const [first, ...others] = call.names.filter((name) => name !== '');
    if (first === undefined) return { ...call, names };
    // Clients differ in whether they read the first or the last of several names.
    const own = [first, ...others.slice(1 - MOST_READINGS)];
    const last = others.at(-1) ?? first;
    this.begunCalls.set(block, { id: call.id, name: last });
    const goesOn = block !== undefined && begun !== undefined && (call.id === undefined || call.id === begun.id);
    const before = goesOn ? begun.name : undefined;
    const joinedNames = before === undefined ? [] : own.flatMap((name) => (name === before ? [] : before + name));
    return joinedNames.length === 0 ? { ...call, names } : { ...call, names, joinedNames };
  }

  /** Notes the name of a call that is an item of an answer, because other events refer to the item by its id. */
  private noteItem(root: JsonNode): void {
    const item = memberOf(root, 'item');
    const [id, name] = [stringOf(item, 'id'), stringOf(item, 'name')];
    if (id !== undefined && name !== undefined) this.namesOfItems.set(id, name);
  }

  /** Reads an event that differs from the previous one only in its text. */
  private repeated(event: SseEvent, index: number): StreamEvent | undefined {
    const { form } = this;
    const texts = form?.textsOf(event);
    if (form === undefined || texts === undefined) return undefined;
    const read = form.read(event, texts, this.channels, index);
    this.channels.endEvent();
    return read;
  }

  private rawText(event: SseEvent, index: number, whole: boolean): StreamEvent {
    const type = event.name ?? '';
    const scope = { key: `raw ${type}`, type, family: familyOf(type, undefined) };
    if (isMark(event)) return { event, segments: [], held: [], calls: [], scope, embedded: [] };
    const segment: Segment = { path: '$', role: 'other', text: event.data, ref: 0 };
    const held = this.channels.add(scope, segment, { event: index, segment: 0 }, whole ? 'whole' : 'either');
    return { event, segments: [segment], held: [held], calls: [], scope, embedded: [] };
  }
}

/**
 * Converts edits of an event's segments to edits of the event's text, and empties the event's log probabilities: they may repeat a text
 * that is masked in this event or in another one.
 */
export function eventEdits(read: StreamEvent, edits: readonly Edit[]): TextEdit[] {
  const { event, segments } = read;
  if (edits.length === 0 && !mayHoldLogprobs(event.data)) return [];
  // The JSON of a repeated form is parsed here, so it is parsed only for a change.
  const { doc } = read;
  if (doc === undefined) return dataEdits(event, edits);
  return dataEdits(event, mergeEdits([...documentEdits(doc, segments, edits), ...logprobEdits(doc)]));
}

function* parsingData(event: SseEvent): Steps<JsonDocument | undefined> {
  try {
    return yield* parsingJson(event.data, { nonFinite: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return undefined;
    throw error;
  }
}

/** Whether an event is only a mark. Clients ignore white space around it. */
function isMark({ data }: SseEvent): boolean {
  return MARKS.has(data.trim());
}

/** Whether an event contains more than texts: token counts, or the end of something. */
function saysMore(event: StreamEvent): boolean {
  return CONTAINS_USAGE.test(event.event.data) || endsTextOrAnswer(event);
}

/** Determines how further events continue a segment: keys, numbers and JSON inside a string are complete; other texts may continue. */
function kindOf(collector: StreamCollector, doc: JsonDocument, scope: Scope, at: number): PieceKind {
  const segment = collector.segments[at]!;
  const node = doc.node(segment.ref);
  const tokens = collector.tokenTexts.get(at);
  if (tokens !== undefined) return kindOfTokens(scope, segment, tokens);
  const isPart = node.kind === 'number' || node.source.parent !== undefined || collector.keySegments.has(at);
  if (isPart || scope.family.whole.test(segment.path)) return 'whole';
  return kindOfText(scope, segment);
}

/** The block that an event of Bedrock concerns; known once for all calls of the event. */
const blockIndexOf = memoizeByObject((root: ObjectNode): number | undefined =>
  [root, ...root.members.map(({ value }) => value)]
    .map((node) => indexIn(node, 'contentBlockIndex'))
    .find((index) => index !== undefined),
);

function sign({ channel, also }: HeldPiece): void {
  channel.isSigned = true;
  if (also !== undefined) also.channel.isSigned = true;
}

/** Whether the arguments of a call are complete and contain no text that could repeat a known one, such as `{}`. */
function hasWordlessArguments({ args, origin, segments: own }: SeenCall, segments: readonly Segment[]): boolean {
  if (origin !== 'member' || args === undefined) return false;
  return !own.some((at) => ARGUMENTS_IN_STREAMS.has((segments[at]?.key ?? '').toLowerCase()));
}

/** Whether an event only repeats known parts of a call. */
function isRepeated(segments: readonly number[], kinds: readonly PieceKind[], held: readonly HeldPiece[]): boolean {
  return segments.length > 0 && segments.every((at) => kinds[at] === 'repeat' && held[at]!.added === '');
}

function scopeOf(event: SseEvent, root: JsonNode): Scope {
  const { name = '' } = event;
  const typed = stringOf(root, 'type') ?? name;
  // Clients of the Assistants API select its events by their names.
  const type = name.startsWith('thread.') ? name : typed;
  if (type !== typed && familyOf(typed, root) !== OTHER_EVENTS)
    throw new JsonSyntaxError('events of one text that are named in two ways', '', 0, true);
  const family = familyOf(type, root);
  return { ...family.scopeOf({ name, type, root }), family };
}

function channelsOf(segments: readonly number[], held: readonly HeldPiece[]): Channel[] {
  return [...new Set(segments.map((segment) => held[segment]!.channel))];
}

/** The root of an event, and the answers in it. */
function answersIn(root: JsonNode): (JsonNode | undefined)[] {
  return [root, ...ANSWERS.map((member) => memberOf(root, member))];
}

function usageOf(root: JsonNode): Usage | undefined {
  const places = [root, ...USAGE_HOLDERS.map((member) => memberOf(root, member))];
  return places.reduce<Usage | undefined>((found, place) => mergeUsage(found, usageOfAny(place)), undefined);
}

function answerIdOf(root: JsonNode): string | undefined {
  return ANSWERS.map((member) => stringOf(memberOf(root, member), 'id')).find((id) => id !== undefined);
}

const MODEL_MEMBERS = [...new Set(Object.values(PROVIDERS).flatMap(({ modelMembers }) => modelMembers))];

function modelOf(root: JsonNode): string | undefined {
  return answersIn(root)
    .flatMap((place) => MODEL_MEMBERS.map((member) => stringOf(place, member)))
    .find((model) => model !== undefined);
}
