import { isNameMember } from '../call/tool-readers.js';
import { append } from '../steps/steps.js';
import type { PieceKind, Scope } from '../providers/stream-family.js';
import type { Segment, SegmentRole } from '../model/call.js';
import type { Edit, TextEdit } from '../text/edit.js';
import { editsWithin } from './edits-within.js';
import { GrowingText, type TextDigest } from './growing-text.js';
import { NamesInOneCase } from './names-in-one-case.js';
import { LatestSnapshots, type TextSnapshot } from './text-snapshots.js';

/** The place of a piece of a channel: an event, and the index of one of its segments. */
export interface PiecePlace {
  readonly event: number;
  readonly segment: number;
  /** For a part of an answer: the number of its run, as `PartRuns` counts them; undefined if the run before it goes on. */
  readonly run?: number | undefined;
}

/** The part of a channel that corresponds to a text in an event. */
export interface HeldPiece {
  readonly channel: Channel;
  /** Half-open range in the channel's text. */
  readonly start: number;
  readonly end: number;
  /** The text that was added to the channel; empty for a repeated text. */
  readonly added: string;
  /** Whether a client may begin a new text with it that consists of this piece and the following ones. */
  readonly breaks: boolean;
  /** For a shorter text than the one that it repeats: its part of that text, whose masks it has besides its own. */
  readonly also?: HeldPiece;
  /** For a repetition of the whole text so far. */
  readonly snapshot?: TextSnapshot;
}

/** One text that a client assembles from pieces: content, reasoning, refusal or call arguments of a choice. */
export class Channel {
  /** The channel that this one turned out to repeat. */
  repeats: Channel | undefined;
  /** Whether its pieces form several texts. */
  isParted = false;
  /** Whether a part of the text is signed: then it is forwarded unchanged or not at all. */
  isSigned = false;
  private readonly starts: number[] = [];
  private readonly runStarts: number[] = [];
  /** The run of the last piece. */
  private run: number | undefined;
  private pieces: { readonly place: PiecePlace; readonly start: number; readonly end: number }[] = [];

  constructor(
    readonly scope: Scope,
    /** The path of the text in the equivalent answer without streaming. */
    readonly path: string,
    readonly role: SegmentRole,
    readonly key: string | undefined,
    /** True if no other event can continue the text. */
    readonly whole: boolean,
    /** Whether its pieces are kept, so that edits can be distributed among them. */
    private readonly remembers: boolean,
    /** Whether its pieces may be separate texts. */
    readonly isLoose: boolean,
    /** Whether other events may repeat the text. */
    readonly isRetold: boolean,
    /** Whether each event contains the whole text so far, so that a piece can still grow. */
    readonly isSoFar: boolean,
    readonly content: GrowingText,
  ) {}

  add(text: string, place: PiecePlace): HeldPiece {
    const start = this.content.length;
    this.content.append(text);
    // A complete tool call is judged as a whole; for other texts, the beginning of a piece is not needed again.
    if (this.isLoose && text !== '' && (this.remembers || this.role === 'tool_call')) this.starts.push(start);
    const breaks = this.isBreak(start, text, place);
    // If each event contains a whole text, each run is one piece.
    if (breaks && this.remembers && !this.isSoFar) this.runStarts.push(start);
    return this.held(place, start, text, breaks);
  }

  /** Adds a text of which this one is a prefix, or which is a prefix of this one; undefined for any other text. */
  repeat(text: string, place: PiecePlace, mayGrow: boolean): HeldPiece | undefined {
    if (this.content.beginsWith(text)) return this.held(place, 0, '', false, text.length);
    if (!mayGrow || !this.content.isBeginningOf(text)) return undefined;
    const added = text.slice(this.content.length);
    this.content.append(added);
    return this.held(place, 0, added);
  }

  /** Adds a text that equals this one; undefined for any other text. */
  again(text: string, place: PiecePlace): HeldPiece | undefined {
    const isSame = text.length === this.content.length && this.content.beginsWith(text);
    return isSame ? this.held(place, 0, '') : undefined;
  }

  get text(): string {
    return this.content.whole;
  }

  /** Whether a signature may follow at the end of the text. */
  get mayBeSigned(): boolean {
    return !this.isSigned && this.scope.family.signsLate(this.scope.type, this.path, this.role);
  }

  /** The positions of pieces that may be separate texts, without the first one. */
  get cuts(): readonly number[] | undefined {
    if (!this.isLoose || this.starts.length < 2) return undefined;
    return this.starts.slice(1);
  }

  /** The positions at which something else came between two pieces, so that a client may begin a new text. */
  get breaks(): readonly number[] | undefined {
    return this.runStarts.length === 0 ? undefined : this.runStarts;
  }

  /** Whether several pieces may form a text that is not the whole text. */
  get mayBreak(): boolean {
    return this.isSoFar || (this.isLoose && this.scope.family.partsOf !== undefined);
  }

  /** The pieces of the text as they arrived, each with the index of its event. */
  get pieceTexts(): { readonly text: string; readonly event: number }[] {
    return this.pieces.map(({ start, end, place }) => ({ text: this.text.slice(start, end), event: place.event }));
  }

  /** Makes this channel a part of another one. Edits of the other channel then also apply to this channel's pieces. */
  becomes(channel: Channel): void {
    this.repeats = channel;
    append(channel.pieces, this.pieces);
    this.pieces = [];
  }

  /**
   * Converts edits of the joined text to edits of the pieces. The first piece that overlaps a range receives the
   * replacement.
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

  /** Whether a piece begins a new text: something else came before it, or each event contains a whole text. */
  private isBreak(start: number, text: string, { run }: PiecePlace): boolean {
    if (text === '') return false;
    const goesOn = !this.isSoFar && (run === undefined || run === this.run);
    this.run = run ?? this.run;
    if (goesOn || start === 0) return false;
    this.isParted = true;
    return true;
  }

  private held(place: PiecePlace, start: number, added: string, breaks = false, end = this.content.length): HeldPiece {
    if (this.remembers) this.pieces.push({ place, start, end });
    return { channel: this, start, end, added, breaks };
  }
}

/** A channel that further pieces continue, and the key by which it is found. */
export interface FollowedChannel {
  readonly key: string;
  readonly channel: Channel;
}

/** Returns a key that is equal for texts that clients join. @param path the path in the answer */
function keyOf(scope: Scope, path: string, { path: own, role }: Pick<Segment, 'path' | 'role'>): string {
  return `${scope.family.placeKey(scope, path, own, role === 'tool_call')}\n${role}`;
}

function keyInLowerCase(scope: Scope, path: string, { path: own, role }: Pick<Segment, 'path' | 'role'>): string {
  return keyOf(scope, path.toLowerCase(), { path: own.toLowerCase(), role });
}

/** Returns a key that is equal for members of one object that continues from event to event. @param own the path in the event */
function objectKey(scope: Scope, own: string): string {
  const path = scope.family.answerPath(scope, own);
  return scope.family.placeKey(scope, objectOf(path), objectOf(own), false);
}

/** The path of the object that contains a member. */
function objectOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

/** A repetition that its text has outgrown, and the text that it is by itself. */
export interface OutgrownText {
  readonly snapshot: TextSnapshot;
  readonly held: HeldPiece;
}

const NOTHING_OUTRUN: readonly Channel[] = [];
const NOTHING_OUTGROWN: readonly OutgrownText[] = [];

/** The channels of one stream, in the order in which they begin. */
export class Channels {
  private readonly byKey = new Map<string, Channel>();
  /** Texts that every event repeats from the beginning, as long as no text in pieces has reached their length. */
  private readonly sofar = new Map<string, Channel>();
  /** Complete texts that other events may repeat. */
  private readonly retold = new Map<string, Channel>();
  private readonly list: Channel[] = [];
  private readonly outrun: Channel[] = [];
  private readonly snapshots = new LatestSnapshots<Channel>();
  private readonly outgrown: OutgrownText[] = [];
  private readonly names = new NamesInOneCase();
  private readonly ofTools = new Map<Scope['index'], Channel[]>();
  /** Texts that a signature may follow, by the object that contains them. */
  private readonly signable = new Map<string, Channel[]>();

  /**
   * @param keepsAll whether everything is kept; otherwise only the texts needed to judge tool calls
   * @param digest recognises repetitions of texts of which not everything is kept
   */
  constructor(
    private readonly keepsAll: boolean,
    private readonly digest?: TextDigest,
  ) {}

  /** The channels of an assembled stream, without those that repeat another one. */
  get all(): readonly Channel[] {
    return this.list.filter(({ repeats }) => repeats === undefined);
  }

  /** Texts of tool calls from events about this block or item. */
  ofBlock(index: Scope['index']): readonly Channel[] {
    return (index === undefined ? undefined : this.ofTools.get(index)) ?? [];
  }

  /** Returns the channels that have ended because another text replaced them or because they repeat another channel; each only once. */
  takeOutrun(): readonly Channel[] {
    return this.outrun.length === 0 ? NOTHING_OUTRUN : this.outrun.splice(0);
  }

  /** Marks texts as signed. @param place the path, within its event, of the object with the signature that arrived */
  sign(scope: Scope, place: string): void {
    const object = objectKey(scope, `${place}.signature`);
    for (const channel of this.signable.get(object) ?? []) channel.isSigned = true;
    // Signed texts need no further signature, of which an event may contain very many.
    this.signable.delete(object);
  }

  /** Adds a piece to the channel it belongs to. */
  add(scope: Scope, segment: Segment, place: PiecePlace, kind: PieceKind): HeldPiece {
    const path = scope.family.answerPath(scope, segment.path);
    if (kind === 'whole') return this.create(scope, path, segment, kind).add(segment.text, place);
    const key = keyOf(scope, path, segment);
    if (kind === 'retold') return this.addRetold(key, scope, segment, path, place);
    const known = this.byKey.get(key);
    if (known === undefined && (segment.role !== 'tool_call' || kind === 'piece' || kind === 'either'))
      this.names.note(key, keyInLowerCase(scope, path, segment), kind);
    if (kind === 'repeat' || (kind === 'beginning' && known !== undefined)) {
      return this.addRepeat(known, { key, path, kind }, { scope, segment, place });
    }
    const channel = known ?? this.create(scope, path, segment, kind);
    this.byKey.set(key, channel);
    const held = channel.add(segment.text, place);
    this.snapshots.grew(channel);
    this.recognise(key, channel);
    return held;
  }

  /**
   * The channel for further pieces with the same path: once a text has begun, its pieces continue the same channel. Undefined for texts
   * that are compared with earlier ones, and for those that have not begun.
   */
  followed(scope: Scope, segment: Pick<Segment, 'path' | 'role'>, kind: PieceKind): FollowedChannel | undefined {
    if (kind !== 'piece' && kind !== 'either') return undefined;
    const key = keyOf(scope, scope.family.answerPath(scope, segment.path), segment);
    const channel = this.byKey.get(key);
    return channel && { key, channel };
  }

  /** Adds a piece to a known channel: equivalent to `add` with the scope and path by which it was found. */
  follow({ key, channel }: FollowedChannel, text: string, place: PiecePlace): HeldPiece {
    const held = channel.add(text, place);
    this.snapshots.grew(channel);
    if (this.sofar.size > 0) this.recognise(key, channel);
    return held;
  }

  /** Ends a text: a further piece with the same path begins a new text. */
  end({ key, channel }: FollowedChannel): void {
    if (this.byKey.get(key) !== channel) return;
    this.byKey.delete(key);
    this.outrun.push(channel);
  }

  /** Called when all texts of an event were added. Snapshots that were outgrown in it are then texts of their own. */
  endEvent(): void {
    for (const snapshot of this.snapshots.takeOutgrown()) {
      const held = this.alone(snapshot);
      if (!this.keepsAll) this.outgrown.push({ snapshot, held });
    }
  }

  /** Returns the snapshots that were outgrown; each only once. */
  takeOutgrown(): readonly OutgrownText[] {
    return this.outgrown.length === 0 ? NOTHING_OUTGROWN : this.outgrown.splice(0);
  }

  /** Called when the event with a snapshot was forwarded. */
  forwarded(snapshot: TextSnapshot): void {
    this.snapshots.forwarded(snapshot);
  }

  /**
   * Adds a text that an event repeats from the beginning. A client may show the last repetition alone, so one that is shorter than the text
   * so far is judged by itself as well: what stands here may be a finding that further characters make something else.
   */
  private addRepeat(
    known: Channel | undefined,
    { key, path, kind }: { readonly key: string; readonly path: string; readonly kind: PieceKind },
    snapshot: TextSnapshot & { readonly place: PiecePlace },
  ): HeldPiece {
    const { scope, segment, place } = snapshot;
    const held = known?.repeat(segment.text, place, false) ?? this.addSoFar(key, scope, segment, path, place);
    // Tool calls are judged with all of their texts; a name that is repeated in part is one of the names of its call.
    if (segment.role === 'tool_call' || segment.text === '') return held;
    if (held.end < held.channel.content.length) return { ...this.alone(snapshot), also: held };
    if (kind !== 'repeat') return held;
    if (known !== undefined && known !== held.channel) this.snapshots.drop(known);
    this.snapshots.note(held.channel, snapshot);
    return { ...held, snapshot };
  }

  /** Adds a text that is complete by itself. */
  private alone({ scope, segment, place }: TextSnapshot): HeldPiece {
    const path = scope.family.answerPath(scope, segment.path);
    const channel = this.create(scope, path, segment, 'whole');
    if (segment.signed === true) channel.isSigned = true;
    return channel.add(segment.text, place);
  }

  private addRetold(key: string, scope: Scope, segment: Segment, path: string, place: PiecePlace): HeldPiece {
    const again = this.retold.get(key)?.again(segment.text, place);
    if (again !== undefined) return again;
    const channel = this.create(scope, path, segment, 'retold');
    this.retold.set(key, channel);
    return channel.add(segment.text, place);
  }

  /** Adds an event's text that contains the whole text so far. Clients that recognise such texts use the last one; others join all. */
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

  /** Recognises that a text which was repeated from its beginning has been continued by pieces. */
  private recognise(key: string, channel: Channel): void {
    const ahead = this.sofar.get(key);
    if (ahead === undefined || ahead.content.length > channel.content.length) return;
    this.sofar.delete(key);
    const { text, from } = ahead.content.known;
    // Of several texts, each is also read alone, which no reading of another text replaces.
    if (from === 0 && !ahead.isParted && channel.content.beginsWith(text)) {
      ahead.becomes(channel);
      this.snapshots.becomes(ahead, channel);
    }
    this.outrun.push(ahead);
  }

  private create(scope: Scope, path: string, { role, key, path: own }: Segment, kind: PieceKind): Channel {
    const remembers = this.keepsAll || (role === 'tool_call' && key !== undefined && isNameMember(key));
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
      new GrowingText(this.digest),
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
