import { readingCallsWithin } from '../call/calls-within.js';
import { flatMapped, isHeavyStop, isStop, joinedLists, mapped, type Steps } from '../steps/steps.js';
import type { PlacedCall } from './stream-event.js';
import type { JsonValue, ToolCall } from '../model/call.js';
import { canonicalJson } from '../json/canonical-json.js';
import type { JsonDocument } from '../json/json-document.js';
import type { Channel } from './channels.js';
import type { Scope } from '../providers/stream-family.js';
import { STREAM_FAMILIES } from '../providers/streams.js';
import { blockKey } from './stream-ends.js';

/** The position of a call's text in the answer: chat's `tool_calls`, blocks of messages, items of responses. */
const OF_CALL = new RegExp(STREAM_FAMILIES.flatMap(({ callPlace }) => callPlace?.source ?? []).join('|'));
/** For each channel, the segments of its text and the JSON in the text. */
type Places = ReadonlyMap<Channel, { readonly segments: readonly number[]; readonly doc?: JsonDocument }>;

interface Draft {
  readonly id?: string;
  readonly path: string;
  readonly names: readonly string[];
  readonly args: JsonValue | undefined;
  readonly channels: readonly Channel[];
}

/**
 * Reads the tool calls that a client assembles from a stream, each once. A call whose name arrived in several pieces is returned under
 * every name that a client could read: all pieces joined, and the last piece.
 */
export function* readingStreamToolCalls(
  seen: readonly PlacedCall[],
  channels: readonly Channel[],
  places: Places,
): Steps<ToolCall[]> {
  const drafts = joinedLists([yield* joinedCalls(seen, places), yield* wholeCalls(seen, channels, places)]);
  const known = new Set<string>();
  const calls: ToolCall[] = [];
  let considered = 0;
  for (const { id, path, names, args, channels: own } of drafts) {
    const segments = own.flatMap((channel) => places.get(channel)?.segments ?? []);
    for (const name of names) {
      const draft = { ...(id === undefined ? {} : { id }), name, args, path, segments };
      for (const call of yield* readingCallsWithin(draft)) {
        if (isHeavyStop(considered++)) yield;
        const identity = JSON.stringify([id ?? path, call.name, call.args ?? null]);
        if (known.has(identity)) continue;
        known.add(identity);
        calls.push(call);
      }
    }
  }
  return calls;
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
  return yield* mapped([...byPath.values()], (pieces): Draft => {
    const own = [...new Set(pieces.flatMap(({ channels }) => channels))];
    const id = pieces.map(({ call }) => call.id).find((each) => each !== undefined && each !== '');
    const name = own.find(({ key, whole }) => key === 'name' && !whole);
    const args = own.find(({ key, whole }) => (key === 'arguments' || key === 'input') && !whole);
    return {
      ...(id === undefined ? {} : { id }),
      path: own[0]?.path.replace(/\.(?:function\.|custom\.)?[^.]*$/, '') ?? pieces[0]!.call.path,
      names: [
        ...(name === undefined ? [pieces[0]!.call.name] : new Set([...namesOf(name), ...namesByIds(pieces, name)])),
        ...pieces.flatMap(({ call }) => call.joinedName ?? []),
      ],
      args: args === undefined ? {} : valueOf(args, places),
      channels: own,
    };
  });
}

/** Collects calls that an event contains completely, or whose arguments follow in events of another type. */
function* wholeCalls(
  seen: readonly PlacedCall[],
  channels: readonly Channel[],
  places: Places,
): Steps<readonly Draft[]> {
  const whole = seen.filter(({ call }) => !call.partial);
  const finished = new FinishedCalls(whole.some(({ scope }) => isBegun(scope)) ? whole : []);
  const followers = new Map<number | undefined, Channel>();
  for (const channel of channels) {
    const { index } = channel.scope;
    if (!followers.has(index) && continuesCall(channel)) followers.set(index, channel);
  }
  return yield* flatMapped(whole, (placed): Draft[] => {
    const { call, scope, channels: own } = placed;
    const begun = isBegun(scope);
    const following = begun ? followers.get(scope.index) : undefined;
    const args = following === undefined ? call.args : valueOf(following, places);
    if (begun && finished.include(placed, following === undefined ? undefined : { args })) return [];
    const names = call.joinedName === undefined ? [call.name] : [call.name, call.joinedName];
    const base = { ...(call.id === undefined ? {} : { id: call.id }), names };
    const path = scope.family.callPath(scope, call.path);
    return [{ ...base, path, args, channels: following === undefined ? own : [...own, following] }];
  });
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
   * Whether a call that has begun is one of them for every client. A client that joins pieces sees another call if their name or
   * arguments differ.
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
  const pieces = channel.pieceTexts.filter((piece) => piece !== '');
  if (pieces.every((piece) => piece === pieces[0])) return [pieces[0] ?? ''];
  if (pieces.length > MOST_PIECES) return [...new Set([channel.text, pieces[0]!, ...pieces.slice(-MOST_PIECES)])];
  const runs = pieces.flatMap((_, from) =>
    pieces.slice(from).map((_piece, to) => pieces.slice(from, from + to + 1).join('')),
  );
  return [...new Set([channel.text, ...runs])];
}

/** The names that many pieces form for clients that begin a new name when the call's id changes. */
function namesByIds(pieces: readonly PlacedCall[], name: Channel): string[] {
  if (name.pieceTexts.length <= MOST_PIECES) return [];
  const names: string[] = [];
  let last: string | undefined;
  let joined = '';
  for (const { call, channels } of pieces) {
    if (call.id !== undefined && call.id !== '' && call.id !== last) {
      names.push(joined);
      joined = '';
      last = call.id;
    }
    if (channels.includes(name)) joined += call.name;
  }
  return [...names, joined].filter((each) => each !== '');
}

function valueOf(channel: Channel, places: Places): JsonValue | undefined {
  if (channel.text.trim() === '') return {};
  return places.get(channel)?.doc?.value;
}
