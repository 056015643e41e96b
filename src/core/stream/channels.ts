import type { Segment, SegmentRole } from '../call/call.js';
import type { Edit, TextEdit } from '../redaction/edit.js';

/** Which text an event goes on with. */
export interface Scope {
  /** Equal for all events that go on with the same texts. */
  readonly key: string;
  /** The event's type. */
  readonly type: string;
  /** The block or item that the event is about. */
  readonly index?: number;
}

/** Where a piece of a channel stands: an event, and the index of one of its segments. */
export interface PiecePlace {
  readonly event: number;
  readonly segment: number;
}

/** One text that a client puts together from pieces: content, reasoning, refusal, arguments of a call, of a choice. */
export class Channel {
  private readonly pieces: { readonly place: PiecePlace; readonly text: string; readonly start: number }[] = [];
  private length = 0;
  private joined: string | undefined;

  constructor(
    readonly scope: Scope,
    /** The path that the text would have in the answer had it not been streamed. */
    readonly path: string,
    readonly role: SegmentRole,
    readonly key: string | undefined,
    /** True when it cannot go on in another event. */
    readonly whole: boolean,
  ) {}

  add(text: string, place: PiecePlace): void {
    this.pieces.push({ place, text, start: this.length });
    this.length += text.length;
    this.joined = undefined;
  }

  get text(): string {
    this.joined ??= this.pieces.map(({ text }) => text).join('');
    return this.joined;
  }

  get pieceTexts(): string[] {
    return this.pieces.map(({ text }) => text);
  }

  /**
   * Edits of the joined text as edits of the pieces. The first piece that a range touches has the replacement.
   * @param edits sorted, without overlaps
   */
  distribute(edits: readonly TextEdit[]): { event: number; edit: Edit }[] {
    const result: { event: number; edit: Edit }[] = [];
    let at = 0;
    for (const { start, end, replacement } of edits) {
      while (at < this.pieces.length - 1 && this.endOf(at) <= start) at++;
      let rest = replacement;
      for (let index = at; index < this.pieces.length; index++) {
        const piece = this.pieces[index]!;
        if (index > at && piece.start >= end) break;
        const from = Math.max(start - piece.start, 0);
        const to = Math.min(end - piece.start, piece.text.length);
        result.push({
          event: piece.place.event,
          edit: { segment: piece.place.segment, start: from, end: Math.max(from, to), replacement: rest },
        });
        rest = '';
      }
    }
    return result;
  }

  private endOf(index: number): number {
    const piece = this.pieces[index]!;
    return piece.start + piece.text.length;
  }
}

/** The channels of one stream, in the order in which they begin. */
export class Channels {
  private readonly byKey = new Map<string, Channel>();
  private readonly list: Channel[] = [];

  get all(): readonly Channel[] {
    return this.list;
  }

  /** Adds a piece to the channel it belongs to. */
  add(scope: Scope, segment: Segment, piece: PiecePlace, whole: boolean): Channel {
    const path = answerPath(scope, segment.path);
    // Clients of a stream of choices read `delta`: what a provider puts into `message` does not go on with it.
    const place = scope.type.startsWith('content_block_') ? path : segment.path;
    const key = JSON.stringify([scope.key, place, segment.role]);
    let channel = whole ? undefined : this.byKey.get(key);
    if (channel === undefined) {
      channel = new Channel(scope, path, segment.role, segment.key, whole);
      this.list.push(channel);
      if (!whole) this.byKey.set(key, channel);
    }
    channel.add(segment.text, piece);
    return channel;
  }
}

/** The path that the text would have in the answer had it not been streamed. */
function answerPath({ type, index }: Scope, path: string): string {
  if (type.startsWith('content_block_') && index !== undefined) {
    const inBlock = path.replace(/^(?:delta|content_block)\b/, '').replace('.partial_json', '.input');
    return `content[${index}]${inBlock}`;
  }
  if (type.startsWith('response.') && index !== undefined) {
    return `output[${index}]${path.replace(/^item\b/, '').replace(/^(?=[^.[{])/, '.')}`;
  }
  return path.replace(/^(choices\[\d+\])\.delta\b/, '$1.message').replace(/^(?:response|message)\./, '');
}
