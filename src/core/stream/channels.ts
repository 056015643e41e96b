import { append } from '../steps/steps.js';
import { ownCopy } from '../detection/engine/own-copy.js';
import type { PieceKind, Scope } from '../providers/stream-family.js';
import type { Segment, SegmentRole } from '../model/call.js';
import type { Edit, TextEdit } from '../text/edit.js';

/** Beginnings of texts up to this length are kept even if the rest is discarded. */
const HEAD_UNITS = 4_096;
/** Less than this is not worth copying the rest. */
const LEAST_FORGOTTEN = 4_096;
/** FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The text up to a place, by its hash. */
interface Mark {
  readonly at: number;
  readonly hash: number;
}

/**
 * A text that grows. What lies far enough back can be forgotten, so that a long answer does not cost its length in
 * memory; a text that repeats it from its beginning is recognised all the same.
 */
export class GrowingText {
  private head = '';
  private flat = '';
  /** What has been added behind it: put together when somebody asks, as each time takes the length of all. */
  private added = '';
  /** Where the tail begins. */
  private from = 0;
  private readonly marks: Mark[] = [];

  get length(): number {
    return this.from + this.flat.length + this.added.length;
  }

  private get tail(): string {
    if (this.added !== '') {
      this.flat += this.added;
      this.added = '';
    }
    return this.flat;
  }

  private set tail(text: string) {
    this.flat = text;
    this.added = '';
  }

  /** All of it. Only for a text of which nothing was forgotten. */
  get whole(): string {
    if (this.from > 0) throw new RangeError('the beginning of the text is no longer stored');
    return this.tail;
  }

  /** What is not forgotten, and where it begins. */
  get known(): { readonly text: string; readonly from: number } {
    return { text: this.tail, from: this.from };
  }

  append(piece: string): void {
    this.added += piece;
  }

  /** Nobody asks for the text before a place any more. */
  forget(before: number): void {
    const dropped = before - this.from;
    if (dropped < LEAST_FORGOTTEN) return;
    if (this.head.length < HEAD_UNITS) this.head += this.tail.slice(0, HEAD_UNITS - this.head.length);
    const hash = hashOf(this.tail, 0, dropped, this.marks.at(-1)?.hash ?? FNV_OFFSET);
    this.marks.push({ at: before, hash });
    this.tail = ownCopy(this.tail.slice(dropped));
    this.from = before;
  }

  /**
   * Whether another text is the beginning of this one, or all of it. Of what is forgotten it is told by hashes; a text
   * that ends far back is compared to the last place before its end that has one.
   */
  beginsWith(other: string): boolean {
    if (other.length > this.length) return false;
    if (this.from === 0) return (other.length > this.flat.length ? this.tail : this.flat).startsWith(other);
    if (!other.startsWith(this.head.slice(0, other.length))) return false;
    const mark = this.marks.findLast(({ at }) => at <= other.length);
    if (mark === undefined) return true;
    if (hashOf(other, 0, mark.at, FNV_OFFSET) !== mark.hash) return false;
    return mark.at < this.from || this.tail.startsWith(other.slice(mark.at));
  }

  /** Whether this text is the beginning of another one. */
  isBeginningOf(other: string): boolean {
    return other.length >= this.length && this.beginsWith(other.slice(0, this.length));
  }
}

function hashOf(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

/** Where a piece of a channel stands: an event, and the index of one of its segments. */
export interface PiecePlace {
  readonly event: number;
  readonly segment: number;
}

/** The part of a channel that a text in an event stands for. */
export interface HeldPiece {
  readonly channel: Channel;
  /** Half-open range in the channel's text. */
  readonly start: number;
  readonly end: number;
  /** What the channel has grown by: nothing where a text was repeated. */
  readonly added: string;
}

/** One text that a client puts together from pieces: content, reasoning, refusal, arguments of a call, of a choice. */
export class Channel {
  readonly content = new GrowingText();
  /** The channel that this one turned out to repeat. */
  repeats: Channel | undefined;
  /** Some of it is signed: it leaves as it is, or not at all. */
  isSigned = false;
  private readonly starts: number[] = [];
  private pieces: { readonly place: PiecePlace; readonly start: number; readonly end: number }[] = [];

  constructor(
    readonly scope: Scope,
    /** The path that the text would have in the answer had it not been streamed. */
    readonly path: string,
    readonly role: SegmentRole,
    readonly key: string | undefined,
    /** True when it cannot go on in another event. */
    readonly whole: boolean,
    /** Whether its pieces are remembered, so that edits can be distributed among them. */
    private readonly remembers: boolean,
    /** Its pieces may be texts of their own. */
    readonly isLoose: boolean,
    /** Other events may tell it again. */
    readonly isRetold: boolean,
    /** Events tell it so far: a piece can still grow. */
    readonly isSoFar: boolean,
  ) {}

  add(text: string, place: PiecePlace): HeldPiece {
    const start = this.content.length;
    this.content.append(text);
    // All of a tool call is judged when it is complete; elsewhere nobody asks again where a piece began.
    if (this.isLoose && text !== '' && (this.remembers || this.role === 'tool_call')) this.starts.push(start);
    return this.held(place, start, text);
  }

  /** A text that begins with all there is of this one, or is its beginning; undefined for any other. */
  repeat(text: string, place: PiecePlace, mayGrow: boolean): HeldPiece | undefined {
    if (this.content.beginsWith(text)) return this.held(place, 0, '', text.length);
    if (!mayGrow || !this.content.isBeginningOf(text)) return undefined;
    const added = text.slice(this.content.length);
    this.content.append(added);
    return this.held(place, 0, added);
  }

  /** A text that is all there is of this one; undefined for any other. */
  again(text: string, place: PiecePlace): HeldPiece | undefined {
    const isSame = text.length === this.content.length && this.content.beginsWith(text);
    return isSame ? this.held(place, 0, '') : undefined;
  }

  get text(): string {
    return this.content.whole;
  }

  /** It may turn out to be signed with its end. */
  get mayBeSigned(): boolean {
    return !this.isSigned && this.scope.family.signsLate(this.scope.type, this.path, this.role);
  }

  /** Where its pieces begin that may be texts of their own, but for the first one. */
  get cuts(): readonly number[] | undefined {
    if (!this.isLoose || this.starts.length < 2) return undefined;
    return this.starts.slice(1);
  }

  /** Its pieces, each as it came. */
  get pieceTexts(): string[] {
    return this.pieces.map(({ start, end }) => this.text.slice(start, end));
  }

  /** It is all a part of another channel: changes there also apply to its pieces. */
  becomes(channel: Channel): void {
    this.repeats = channel;
    append(channel.pieces, this.pieces);
    this.pieces = [];
  }

  /**
   * Edits of the joined text as edits of the pieces. The first piece that a range touches has the replacement.
   * @param edits sorted, without overlaps
   */
  distribute(edits: readonly TextEdit[]): { event: number; edit: Edit }[] {
    return this.pieces.flatMap(({ place, start, end }) =>
      editsWithin(edits, start, end).map((edit) => ({
        event: place.event,
        edit: { segment: place.segment, ...edit },
      })),
    );
  }

  private held(place: PiecePlace, start: number, added: string, end = this.content.length): HeldPiece {
    if (this.remembers) this.pieces.push({ place, start, end });
    return { channel: this, start, end, added };
  }
}

/**
 * The parts of a text's edits that lie in a range of it, counted from the range's start. Where an edit begins before the
 * range, its replacement stands there.
 * @param edits sorted, without overlaps
 */
export function editsWithin(edits: readonly TextEdit[], start: number, end: number): TextEdit[] {
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edits[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  const within: TextEdit[] = [];
  for (let at = low; at < edits.length && edits[at]!.start < end; at++) {
    const edit = edits[at]!;
    within.push({
      start: Math.max(edit.start, start) - start,
      end: Math.min(edit.end, end) - start,
      replacement: edit.start >= start ? edit.replacement : '',
    });
  }
  return within;
}

/** A channel that pieces go on with, and what it is found by. */
export interface FollowedChannel {
  readonly key: string;
  readonly channel: Channel;
}

/** Equal for texts that clients put together. @param path in the answer */
function keyOf(scope: Scope, path: string, { path: own, role }: Segment): string {
  return `${scope.family.placeKey(scope, path, own, role === 'tool_call')}\n${role}`;
}

/** Equal for what stands in one object that goes on from event to event. @param own path in the event */
function objectKey(scope: Scope, own: string): string {
  const path = scope.family.answerPath(scope, own);
  return scope.family.placeKey(scope, objectOf(path), objectOf(own), false);
}

/** The path of the object that a member stands in. */
function objectOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

const NOTHING_OUTRUN: readonly Channel[] = [];

/** The channels of one stream, in the order in which they begin. */
export class Channels {
  private readonly byKey = new Map<string, Channel>();
  /** Texts that are told so far with every event, and are not yet the beginning of what comes in pieces. */
  private readonly sofar = new Map<string, Channel>();
  /** Texts that are complete, and that other events may tell again. */
  private readonly retold = new Map<string, Channel>();
  private readonly list: Channel[] = [];
  private readonly outrun: Channel[] = [];
  private readonly ofTools = new Map<number, Channel[]>();
  /** Texts of which the signature may come behind them, by the object that they stand in. */
  private readonly signable = new Map<string, Channel[]>();

  /** @param keepsAll whether everything is remembered; else only what tool calls are judged by */
  constructor(private readonly keepsAll: boolean) {}

  /** Those of a stream that is put together, without those that repeat another one. */
  get all(): readonly Channel[] {
    return this.list.filter(({ repeats }) => repeats === undefined);
  }

  /** Texts of tool calls that events about this block or item have told. */
  ofBlock(index: number | undefined): readonly Channel[] {
    return (index === undefined ? undefined : this.ofTools.get(index)) ?? [];
  }

  /** Channels that do not go on: something else has come in their place, or they repeat another. Each is given once. */
  takeOutrun(): readonly Channel[] {
    return this.outrun.length === 0 ? NOTHING_OUTRUN : this.outrun.splice(0);
  }

  /** A signature has come. @param place of the object that it stands in, in its event */
  sign(scope: Scope, place: string): void {
    const signed = this.signable.get(objectKey(scope, `${place}.signature`)) ?? [];
    for (const channel of signed) channel.isSigned = true;
  }

  /** Adds a piece to the channel it belongs to. */
  add(scope: Scope, segment: Segment, place: PiecePlace, kind: PieceKind): HeldPiece {
    const path = scope.family.answerPath(scope, segment.path);
    if (kind === 'whole') return this.create(scope, path, segment, kind).add(segment.text, place);
    const key = keyOf(scope, path, segment);
    if (kind === 'retold') return this.addRetold(key, scope, segment, path, place);
    const known = this.byKey.get(key);
    if (kind === 'repeat' || (kind === 'beginning' && known !== undefined)) {
      return known?.repeat(segment.text, place, false) ?? this.addSoFar(key, scope, segment, path, place);
    }
    const channel = known ?? this.create(scope, path, segment, kind);
    this.byKey.set(key, channel);
    const held = channel.add(segment.text, place);
    this.recognise(key, channel);
    return held;
  }

  /**
   * Where the pieces go that come under the same path: once they have begun, they go on with one and the same channel.
   * Undefined for texts that are compared with others, and for those that have not begun.
   */
  followed(scope: Scope, segment: Segment, kind: PieceKind): FollowedChannel | undefined {
    if (kind !== 'piece' && kind !== 'either') return undefined;
    const key = keyOf(scope, scope.family.answerPath(scope, segment.path), segment);
    const channel = this.byKey.get(key);
    return channel && { key, channel };
  }

  /** Adds a piece to a channel that is known: the same as `add` with the scope and the path that it was found by. */
  follow({ key, channel }: FollowedChannel, text: string, place: PiecePlace): HeldPiece {
    const held = channel.add(text, place);
    if (this.sofar.size > 0) this.recognise(key, channel);
    return held;
  }

  private addRetold(key: string, scope: Scope, segment: Segment, path: string, place: PiecePlace): HeldPiece {
    const again = this.retold.get(key)?.again(segment.text, place);
    if (again !== undefined) return again;
    const channel = this.create(scope, path, segment, 'retold');
    this.retold.set(key, channel);
    return channel.add(segment.text, place);
  }

  /** Clients that read texts so far take the last one; some put together whatever comes. */
  private addSoFar(key: string, scope: Scope, segment: Segment, path: string, place: PiecePlace): HeldPiece {
    const known = this.sofar.get(key);
    const held = known?.repeat(segment.text, place, true);
    if (held !== undefined) return held;
    if (known !== undefined && !this.byKey.has(key)) return known.add(segment.text, place);
    if (known !== undefined) this.outrun.push(known);
    const channel = this.create(scope, path, segment, 'repeat');
    this.sofar.set(key, channel);
    return channel.add(segment.text, place);
  }

  /** A text so far may have been ahead of the pieces. */
  private recognise(key: string, channel: Channel): void {
    const ahead = this.sofar.get(key);
    if (ahead === undefined || ahead.content.length > channel.content.length) return;
    this.sofar.delete(key);
    if (channel.content.beginsWith(ahead.text)) ahead.becomes(channel);
    this.outrun.push(ahead);
  }

  private create(scope: Scope, path: string, { role, key, path: own }: Segment, kind: PieceKind): Channel {
    const remembers = this.keepsAll || (role === 'tool_call' && key === 'name');
    const isRetold = kind === 'retold';
    const isWhole = kind === 'whole' || isRetold;
    const channel = new Channel(
      scope,
      path,
      role,
      key,
      isWhole,
      remembers,
      kind === 'either' || kind === 'repeat',
      isRetold,
      kind === 'repeat',
    );
    if (this.keepsAll) this.list.push(channel);
    if (channel.mayBeSigned) {
      const object = objectKey(scope, own);
      const known = this.signable.get(object);
      if (known === undefined) this.signable.set(object, [channel]);
      else known.push(channel);
    }
    if (role === 'tool_call' && scope.index !== undefined) {
      const known = this.ofTools.get(scope.index);
      if (known === undefined) this.ofTools.set(scope.index, [channel]);
      else known.push(channel);
    }
    return channel;
  }
}
