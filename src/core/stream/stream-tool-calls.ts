import type { ArgumentsOrigin } from '../call/call-collector.js';
import { readingCallsWithin } from '../call/calls-within.js';
import { callReadings } from '../call/call-readings.js';
import { ARGUMENTS_IN_STREAMS, isNameMember } from '../call/tool-readers.js';
import { append, flatMapped, isHeavyStop, isStop, joinedLists, mapped, type Steps } from '../steps/steps.js';
import type { PlacedCall } from './stream-event.js';
import type { JsonValue, ToolCall } from '../model/call.js';
import { memoizeByObject } from '../model/memoize.js';
import { canonicalJson } from '../json/canonical-json.js';
import type { Channel } from './channels.js';
import type { Scope } from '../providers/stream-family.js';
import { STREAM_FAMILIES } from '../providers/streams.js';
import type { Joined } from './join-channels.js';
import { blockKey, isOfBlock } from './stream-ends.js';
import { identityOf, ShortKeys, ToolCallOccurrence } from './tool-call-occurrence.js';

/** The position of a call's text in the answer: chat's `tool_calls`, blocks of messages, items of responses. */
const OF_CALL = new RegExp(STREAM_FAMILIES.flatMap(({ callPlace }) => callPlace?.source ?? []).join('|'));
type Places = Joined['places'];
/** The maximum number of calls that one occurrence repeats, and of calls of a block that share the block's texts. */
const MAX_REPETITIONS = 8;

interface Draft {
  readonly id?: string;
  readonly path: string;
  readonly names: readonly string[];
  /** Every value that a client could take for the arguments; undefined for arguments that are not known. */
  readonly args: readonly (JsonValue | undefined)[];
  readonly channels: readonly Channel[];
  /** Texts that may repeat texts of the call. */
  readonly others?: readonly Channel[];
}

/**
 * Reads the tool calls that a client assembles from a stream, each once. A call whose name arrived in several pieces is returned under
 * every name that a client could read: all pieces joined, and the last piece.
 */
export function* readingStreamToolCalls(
  seen: readonly PlacedCall[],
  channels: readonly Channel[],
  { segments: texts, places }: Pick<Joined, 'segments' | 'places'>,
): Steps<ToolCall[]> {
  const drafts = joinedLists([yield* joinedCalls(seen, places), yield* wholeCalls(seen, channels, places)]);
  const known = new Map<string, ToolCallOccurrence>();
  const keys = new ShortKeys((value) => JSON.stringify(value));
  const placesOf = memoizeByObject((list: readonly Channel[]) => segmentsOf(list, places));
  const calls: { readonly call: ToolCall; readonly occurrence: ToolCallOccurrence }[] = [];
  let considered = 0;
  for (const draft of drafts) {
    const segments = placesOf(draft.channels);
    const occurrence = new ToolCallOccurrence(texts, segments);
    occurrence.addTexts(segmentsOf(draft.others ?? [], places));
    const repeated = new Set<ToolCallOccurrence>();
    for (const { args, names } of callReadings(draft.names, draft.args)) {
      for (const call of yield* readingCallsWithin(firstOf(draft, args, segments), names)) {
        if (isHeavyStop(considered++)) yield;
        const identity = identityOf(call, keys);
        const before = known.get(identity);
        if (before === occurrence || (before !== undefined && repeated.has(before))) continue;
        if (before !== undefined && repeated.size < MAX_REPETITIONS) {
          repeated.add(before);
          before.add(occurrence);
          continue;
        }
        known.set(identity, occurrence);
        calls.push({ call, occurrence });
      }
    }
  }
  return yield* mapped(calls, ({ call, occurrence }) => occurrence.completed(call));
}

/** The places of texts, each once. The place of a text that repeats another one is that of the other. */
function segmentsOf(channels: readonly Channel[], places: Places): number[] {
  const own = new Set(channels.map((channel) => channel.repeats ?? channel));
  return [...own].flatMap((channel) => places.get(channel)?.segments ?? []);
}

/** The call under its first name, with one of its arguments. */
function firstOf({ id, path, names: [name = ''] }: Draft, args: Draft['args'][number], segments: number[]): ToolCall {
  return { ...(id === undefined ? {} : { id }), name, args, path, segments };
}

/** Joins calls whose pieces have the same path in all events, such as `choices[0].delta.tool_calls[0]`. */
function* joinedCalls(seen: readonly PlacedCall[], places: Places): Steps<Draft[]> {
  const byPath = new Map<string, PlacedCall[]>();
  for (const [index, placed] of seen.entries()) {
    if (isStop(index)) yield;
    if (!placed.call.partial) continue;
    const key = JSON.stringify([placed.scope.key, placed.call.path]);
    const known = byPath.get(key);
    if (known === undefined) byPath.set(key, [placed]);
    else known.push(placed);
  }
  return yield* mapped([...byPath.values()], (pieces) => joinedCall(pieces, places));
}

function joinedCall(pieces: readonly PlacedCall[], places: Places): Draft {
  // Pieces of one event may share the list of their texts.
  const lists = new Set(pieces.map(({ channels }) => channels));
  const own = [...new Set([...lists].flat())];
  const { scope, call } = pieces[0]!;
  const id = pieces.map((piece) => piece.call.id).find((each) => each !== undefined && each !== '');
  const members = membersIn(own, scope.family.answerPath(scope, call.path));
  const turns = turnsOfIds(pieces);
  const inner = members.filter(({ name, isJson }) => INNER.has(name) && isJson).map(({ channel }) => channel);
  const names = [
    ...members
      .filter(({ name, wrapper, isJson }) => isNameMember(name) && INNER.has(wrapper) && !isJson)
      .flatMap(({ channel }) => [...namesOf(channel), ...namesByIds(turns, channel)]),
    ...inner.flatMap((channel) => stringIn(valueOf(channel, places), 'name') ?? []),
  ];
  return {
    ...(id === undefined ? {} : { id }),
    path: own[0]?.path.replace(/\.(?:function\.|custom\.)?[^.]*$/, '') ?? call.path,
    names: [
      ...(names.length === 0 ? call.names : new Set(names)),
      ...pieces.flatMap((piece) => piece.call.joinedNames ?? []),
    ],
    args: argumentsOf(pieces, members, inner, places),
    channels: own,
  };
}

/** A text of a call that is the value of one of its members, or of a member of one of them. */
interface MemberText {
  readonly channel: Channel;
  /** The name of the member in lower case. */
  readonly name: string;
  /** The name of the member that contains it, in lower case; empty for a member of the call itself. */
  readonly wrapper: string;
  /** Whether the text may be an object in JSON. */
  readonly isJson: boolean;
}

/** Members of a call that may contain its name and arguments, also as JSON in a string; the empty string is the call itself. */
const INNER: ReadonlySet<string> = new Set(['', 'function', 'custom']);
const MEMBER = /^\.?(?:([^.[{]+)\.)?([^.[{]+)$/;

/** The texts of a call that are not deeper in its arguments. @param path the path of the call */
function membersIn(channels: readonly Channel[], path: string): MemberText[] {
  return channels.flatMap((channel) => {
    if (channel.whole || channel.role !== 'tool_call' || !channel.path.startsWith(path)) return [];
    const found = MEMBER.exec(channel.path.slice(path.length).toLowerCase());
    const [, wrapper = '', name] = found ?? [];
    if (name === undefined || ARGUMENTS_IN_STREAMS.has(wrapper)) return [];
    return [{ channel, name, wrapper, isJson: channel.text.trimStart().startsWith('{') }];
  });
}

/**
 * Every value that a client could take for the arguments of a call in pieces: texts that grow, and values that one piece contains
 * completely. Clients differ in how they join several complete values, so then the arguments may also be unknown.
 * @param inner texts of JSON that contain the name and the arguments
 */
function argumentsOf(
  pieces: readonly PlacedCall[],
  members: readonly MemberText[],
  inner: readonly Channel[],
  places: Places,
): readonly (JsonValue | undefined)[] {
  const valuesFrom = (origin: ArgumentsOrigin): (JsonValue | undefined)[] => {
    const values = pieces.flatMap(({ call }) => (call.origin === origin && !isNothing(call.args) ? [call.args] : []));
    // A value is written only once, however many pieces contain it.
    const different = [...new Map([...new Set(values)].map((value) => [JSON.stringify(value), value])).values()];
    return different.length > 1 ? [...different, undefined] : different;
  };
  const texts = members.filter(({ name }) => ARGUMENTS_IN_STREAMS.has(name)).map(({ channel }) => channel);
  const given = [
    ...texts.filter(({ text }) => text.trim() !== '').map((channel) => valueOf(channel, places)),
    // The arguments in such a text are usually again JSON in a string, which is not read here.
    ...inner.map(() => undefined),
    ...valuesFrom('member'),
  ];
  if (given.length > 0) return given;
  const own = texts.length > 0 ? [] : valuesFrom('own');
  return own.length > 0 ? own : [{}];
}

function isNothing(args: JsonValue | undefined): boolean {
  return args === null || isEmpty(args);
}

function stringIn(value: JsonValue | undefined, key: string): string | undefined {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const found: unknown = entries.find(([name]) => name === key)?.[1];
  return typeof found === 'string' ? found : undefined;
}

/** Collects calls that an event contains completely, or whose arguments follow in events of another type. */
function* wholeCalls(
  seen: readonly PlacedCall[],
  channels: readonly Channel[],
  places: Places,
): Steps<readonly Draft[]> {
  const whole = seen.filter(({ call }) => !call.partial);
  const finished = new FinishedCalls(whole.some(({ scope }) => isBegun(scope)) ? whole : []);
  const blocks = new BlockTexts();
  const followers = new Map<Scope['index'], Channel>();
  const followed = new FollowedTexts();
  for (const channel of channels) {
    const { index } = channel.scope;
    if (!followers.has(index) && continuesCall(channel)) followers.set(index, channel);
    blocks.note(channel);
  }
  const drafts = yield* flatMapped(whole, (placed): (Draft & Pick<PlacedCall, 'scope'>)[] => {
    const { call, scope, channels: own } = placed;
    const begun = isBegun(scope);
    const following = begun ? followers.get(scope.index) : undefined;
    const args = following === undefined ? call.args : valueOf(following, places);
    const joined = following === undefined ? undefined : { args };
    const names = call.names.filter((name) => !(begun && finished.include(placed, name, joined)));
    if (names.length < call.names.length) blocks.drop(call.id, following === undefined ? own : [...own, following]);
    if (names.length === 0) return [];
    const id = call.id === undefined ? {} : { id: call.id };
    const path = scope.family.callPath(scope, call.path);
    const all = following === undefined ? own : followed.with(following, own);
    return [{ ...id, names: [...names, ...(call.joinedNames ?? [])], path, args: [args], channels: all, scope }];
  });
  return yield* mapped(drafts, (draft) => ({ ...draft, others: blocks.othersOf(draft) }));
}

/** The texts of calls whose arguments follow. Very many calls with the same arguments share one list of all their texts. */
class FollowedTexts {
  private readonly lists = new Map<Channel, { readonly shared: Channel[]; left: number }>();

  /** @param own the texts of the call without its arguments */
  with(following: Channel, own: readonly Channel[]): readonly Channel[] {
    const list = this.lists.get(following) ?? { shared: [following], left: MAX_REPETITIONS };
    this.lists.set(following, list);
    if (list.left-- > 0) return [...own, following];
    append(list.shared, own);
    return list.shared;
  }
}

/** The texts with which a stream may repeat its calls, each for few calls. */
class BlockTexts {
  private readonly ofBlocks = new Map<string, { readonly channels: Channel[]; left: number }>();
  private readonly dropped = new Map<string, { readonly channels: Channel[]; left: number }>();

  /** Notes a text of the stream. */
  note(channel: Channel): void {
    if (channel.role === 'tool_call' && channel.scope.index !== undefined && isOfBlock(channel.scope))
      listed(this.ofBlocks, blockKey(channel.scope), [channel]);
  }

  /** Notes the texts of a beginning that a finished call with the same id replaces. */
  drop(id: string | undefined, channels: readonly Channel[]): void {
    if (id !== undefined) listed(this.dropped, id, channels);
  }

  /** The texts that may repeat a call. */
  othersOf({ id, scope }: Pick<Draft, 'id'> & Pick<PlacedCall, 'scope'>): readonly Channel[] {
    const ofBlock = isOfBlock(scope) ? this.ofBlocks.get(blockKey(scope)) : undefined;
    const ofId = id === undefined ? undefined : this.dropped.get(id);
    return [ofBlock, ofId].flatMap((some) => (some === undefined || some.left-- <= 0 ? [] : some.channels));
  }
}

function listed(
  lists: Map<string, { readonly channels: Channel[]; left: number }>,
  key: string,
  channels: readonly Channel[],
): void {
  const known = lists.get(key) ?? { channels: [], left: MAX_REPETITIONS };
  lists.set(key, known);
  append(known.channels, channels);
}

/** The calls of a stream that one event contains completely, to recognise the beginnings of the same calls. */
class FinishedCalls {
  private readonly keys = new ShortKeys(canonicalJson);
  private readonly ids = new Set<string>();
  private readonly named = new Set<string>();
  private readonly states = new Set<string>();
  private readonly equal = new Set<string>();

  constructor(seen: readonly PlacedCall[]) {
    for (const { call, scope } of seen) {
      const { id, names, args } = call;
      if (id === undefined || isBegun(scope)) continue;
      this.ids.add(id);
      for (const name of names) {
        this.named.add(this.keys.ofAll(id, name));
        this.states.add(this.keys.ofAll(id, name, scope.index));
        this.equal.add(this.keys.ofAll(id, name, comparable(args)));
      }
    }
  }

  /**
   * Whether a call that has begun, under one of its names, is one of these calls for every client. A client that joins pieces sees another
   * call if the name or the arguments in the pieces differ.
   * @param joined the arguments in the pieces after the beginning; undefined if there are no pieces
   */
  include(
    { call: { id, args }, scope }: PlacedCall,
    name: string,
    joined: { readonly args: JsonValue | undefined } | undefined,
  ): boolean {
    if (id === undefined) return false;
    if (name === '') return this.ids.has(id);
    const own = joined === undefined ? args : joined.args;
    if (this.equal.has(this.keys.ofAll(id, name, comparable(own)))) return true;
    if (joined !== undefined) return false;
    const isState = this.states.has(this.keys.ofAll(id, name, scope.index));
    return isState || (isEmpty(args) && this.named.has(this.keys.ofAll(id, name)));
  }
}

/** What is compared of arguments: nothing of texts that are not an object or a list, because pieces are parsed as nothing else. */
function comparable(args: JsonValue | undefined): JsonValue {
  return typeof args === 'object' && args !== null ? args : null;
}

function isEmpty(args: JsonValue | undefined): boolean {
  return args === undefined || (typeof args === 'object' && args !== null && !hasMembers(args));
}

/** Whether a list or an object is not empty: known once for all names of a call. */
const hasMembers = memoizeByObject((value: object) => Object.keys(value).length > 0);

/** Returns a key that is equal for events about one call; undefined for a call that one event contains completely. */
export function callGroup({ call, scope }: PlacedCall): string | undefined {
  if (call.partial) return JSON.stringify([scope.key, call.path]);
  if (scope.index === undefined || !(isBegun(scope) || scope.family.retellsCalls(scope.type))) return undefined;
  return blockKey(scope);
}

/** Returns a key that is equal for all texts of one tool call. */
export function callKeyOf(path: string): string | undefined {
  return OF_CALL.exec(path)?.[0];
}

/** Whether events of this type begin a block or item that later events continue. */
export function isBegun({ family, type }: Scope): boolean {
  return family.begins(type);
}

/** Whether a channel contains the arguments of a block or item that an earlier event with its index began. */
function continuesCall({ scope: { family, type }, content, key }: Channel): boolean {
  return content.length > 0 && family.continuesCall(type, key);
}

/** The maximum number of pieces of a name that are joined in every way that a client could use. */
const MOST_PIECES = 8;

/**
 * Clients join the pieces of a name, or take the first or the last one, so every run of pieces may be the name. A name
 * that is repeated unchanged is not a piece.
 */
function namesOf(channel: Channel): string[] {
  const pieces = channel.pieceTexts.map(({ text }) => text).filter((text) => text !== '');
  if (pieces.every((piece) => piece === pieces[0])) return [pieces[0] ?? ''];
  if (pieces.length > MOST_PIECES) return [...new Set([channel.text, pieces[0]!, ...pieces.slice(-MOST_PIECES)])];
  const runs = pieces.flatMap((_, from) =>
    pieces.slice(from).map((_piece, to) => pieces.slice(from, from + to + 1).join('')),
  );
  return [...new Set([channel.text, ...runs])];
}

/** The number of ids that a call had before each event with a piece of it: clients begin a new name when the id changes. */
function turnsOfIds(pieces: readonly PlacedCall[]): ReadonlyMap<number, number> {
  const turns = new Map<number, number>();
  let turn = 0;
  let last: string | undefined;
  for (const { call, at } of pieces) {
    if (call.id !== undefined && call.id !== '' && call.id !== last) {
      turn++;
      last = call.id;
    }
    if (!turns.has(at)) turns.set(at, turn);
  }
  return turns;
}

/** The names that many pieces form for clients that begin a new name when the call's id changes. */
function namesByIds(turns: ReadonlyMap<number, number>, { pieceTexts }: Channel): string[] {
  if (pieceTexts.length <= MOST_PIECES) return [];
  const names = new Map<number, string>();
  for (const { text, event } of pieceTexts) {
    const turn = turns.get(event);
    if (turn !== undefined) names.set(turn, (names.get(turn) ?? '') + text);
  }
  return [...names.values()].filter((name) => name !== '');
}

function valueOf(channel: Channel, places: Places): JsonValue | undefined {
  if (channel.text.trim() === '') return {};
  return places.get(channel)?.doc?.value;
}
