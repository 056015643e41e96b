import type { ArgumentsOrigin } from '../call/call-collector.js';
import { readingCallsWithin } from '../call/calls-within.js';
import { ARGUMENTS_IN_STREAMS, isNameMember, readingsOf } from '../call/tool-readers.js';
import { append, flatMapped, isHeavyStop, isStop, joinedLists, mapped, type Steps } from '../steps/steps.js';
import type { PlacedCall } from './stream-event.js';
import type { JsonValue, ToolCall } from '../model/call.js';
import { canonicalJson } from '../json/canonical-json.js';
import type { Channel } from './channels.js';
import type { Scope } from '../providers/stream-family.js';
import { STREAM_FAMILIES } from '../providers/streams.js';
import type { Joined } from './join-channels.js';
import { blockKey, isOfBlock } from './stream-ends.js';
import { identityOf, Telling } from './telling.js';

/** The position of a call's text in the answer: chat's `tool_calls`, blocks of messages, items of responses. */
const OF_CALL = new RegExp(STREAM_FAMILIES.flatMap(({ callPlace }) => callPlace?.source ?? []).join('|'));
type Places = Joined['places'];
/** The maximum number of calls that one telling repeats, and of calls of a block that share the block's texts. */
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
  const known = new Map<string, Telling>();
  const calls: { readonly call: ToolCall; readonly telling: Telling }[] = [];
  let considered = 0;
  for (const draft of drafts) {
    const segments = segmentsOf(draft.channels, places);
    const telling = new Telling(texts, segments);
    telling.addTexts(segmentsOf(draft.others ?? [], places));
    const repeated = new Set<Telling>();
    for (const reading of readingsIn(draft, segments)) {
      for (const call of yield* readingCallsWithin(reading)) {
        if (isHeavyStop(considered++)) yield;
        const identity = identityOf(call);
        const before = known.get(identity);
        if (before === telling || (before !== undefined && repeated.has(before))) continue;
        if (before !== undefined && repeated.size < MAX_REPETITIONS) {
          repeated.add(before);
          before.add(telling);
          continue;
        }
        known.set(identity, telling);
        calls.push({ call, telling });
      }
    }
  }
  return yield* mapped(calls, ({ call, telling }) => telling.completed(call));
}

/** The places of texts, each once. The place of a text that repeats another one is that of the other. */
function segmentsOf(channels: readonly Channel[], places: Places): number[] {
  const own = new Set(channels.map((channel) => channel.repeats ?? channel));
  return [...own].flatMap((channel) => places.get(channel)?.segments ?? []);
}

/** The call under each name and with each value of its arguments. */
function* readingsIn({ id, path, names, args }: Draft, segments: readonly number[]): Generator<ToolCall, void> {
  for (const [at, name] of names.entries())
    for (const value of readingsOf(args, names.length - at))
      yield { ...(id === undefined ? {} : { id }), name, args: value, path, segments };
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
  const own = [...new Set(pieces.flatMap(({ channels }) => channels))];
  const { scope, call } = pieces[0]!;
  const id = pieces.map((piece) => piece.call.id).find((each) => each !== undefined && each !== '');
  const members = membersIn(own, scope.family.answerPath(scope, call.path));
  const inner = members.filter(({ name, isJson }) => INNER.has(name) && isJson).map(({ channel }) => channel);
  const names = [
    ...members
      .filter(({ name, wrapper, isJson }) => isNameMember(name) && INNER.has(wrapper) && !isJson)
      .flatMap(({ channel }) => [...namesOf(channel), ...namesByIds(pieces, channel)]),
    ...inner.flatMap((channel) => stringIn(valueOf(channel, places), 'name') ?? []),
  ];
  return {
    ...(id === undefined ? {} : { id }),
    path: own[0]?.path.replace(/\.(?:function\.|custom\.)?[^.]*$/, '') ?? call.path,
    names: [
      ...(names.length === 0 ? [call.name] : new Set(names)),
      ...pieces.flatMap((piece) => piece.call.joinedName ?? []),
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
    const different = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
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
    const all = following === undefined ? own : [...own, following];
    if (begun && finished.include(placed, following === undefined ? undefined : { args })) {
      blocks.drop(call.id, all);
      return [];
    }
    const names = call.joinedName === undefined ? [call.name] : [call.name, call.joinedName];
    const base = { ...(call.id === undefined ? {} : { id: call.id }), names };
    const path = scope.family.callPath(scope, call.path);
    return [{ ...base, path, args: [args], channels: all, scope }];
  });
  return yield* mapped(drafts, (draft) => ({ ...draft, others: blocks.othersOf(draft) }));
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
  private readonly ids = new Set<string>();
  private readonly named = new Set<string>();
  private readonly states = new Set<string>();
  private readonly equal = new Set<string>();

  constructor(seen: readonly PlacedCall[]) {
    for (const { call, scope } of seen) {
      const { id, name, args } = call;
      if (id === undefined || isBegun(scope)) continue;
      this.ids.add(id);
      this.named.add(JSON.stringify([id, name]));
      this.states.add(JSON.stringify([id, name, scope.index ?? null]));
      this.equal.add(JSON.stringify([id, name, comparable(args)]));
    }
  }

  /**
   * Whether a call that has begun is one of these calls for every client. A client that joins pieces sees another call if the name or the
   * arguments in the pieces differ.
   * @param joined the arguments in the pieces after the beginning; undefined if there are no pieces
   */
  include({ call, scope }: PlacedCall, joined: { readonly args: JsonValue | undefined } | undefined): boolean {
    const { id, name, args } = call;
    if (id === undefined) return false;
    if (name === '') return this.ids.has(id);
    const own = joined === undefined ? args : joined.args;
    if (this.equal.has(JSON.stringify([id, name, comparable(own)]))) return true;
    if (joined !== undefined) return false;
    const isState = this.states.has(JSON.stringify([id, name, scope.index ?? null]));
    return isState || (isEmpty(args) && this.named.has(JSON.stringify([id, name])));
  }
}

/** The form in which arguments are compared; null for texts that are not an object or a list, because pieces are parsed as nothing else. */
function comparable(args: JsonValue | undefined): string | null {
  return typeof args === 'object' && args !== null ? canonicalJson(args) : null;
}

function isEmpty(args: JsonValue | undefined): boolean {
  return args === undefined || (typeof args === 'object' && args !== null && Object.keys(args).length === 0);
}

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

/** The names that many pieces form for clients that begin a new name when the call's id changes. */
function namesByIds(pieces: readonly PlacedCall[], name: Channel): string[] {
  const { pieceTexts } = name;
  if (pieceTexts.length <= MOST_PIECES) return [];
  const texts = new Map<number, string>();
  for (const { text, event } of pieceTexts) texts.set(event, (texts.get(event) ?? '') + text);
  const names: string[] = [];
  let last: string | undefined;
  let joined = '';
  for (const { call, at } of pieces) {
    if (call.id !== undefined && call.id !== '' && call.id !== last) {
      names.push(joined);
      joined = '';
      last = call.id;
    }
    joined += texts.get(at) ?? '';
    texts.delete(at);
  }
  return [...names, joined].filter((each) => each !== '');
}

function valueOf(channel: Channel, places: Places): JsonValue | undefined {
  if (channel.text.trim() === '') return {};
  return places.get(channel)?.doc?.value;
}
