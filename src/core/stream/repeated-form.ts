import { isPlain } from '../call/scalar-forms.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';
import type { Segment } from '../model/call.js';
import type { PieceKind } from '../providers/stream-family.js';
import type { HeldPiece } from './channels.js';
import type { SseEvent } from './sse.js';
import type { StreamEvent } from './stream-event.js';

/** Members whose value is a text and nothing else: how an event is read does not depend on what it says. */
const TEXT_MEMBERS: ReadonlySet<string | undefined> = new Set([
  'content',
  'text',
  'delta',
  'thinking',
  'reasoning_content',
]);
/** A shorter text holds no file and no data URL, so that it is one text whatever stands in it. */
const MOST_UNITS = 23;
/** Longer events are rare, and not worth keeping. */
const MOST_DATA_UNITS = 4_096;
/** Longer than any event of a form that is kept: a text of 23 units takes six characters for each at most. */
const MOST_LIKE_UNITS = 2 * MOST_DATA_UNITS;

/** What differs between events of one form. */
type Hole = 'text' | 'padding' | 'count';
/** What stands in a hole, as it is written. */
const WRITTEN: Readonly<Record<Hole, RegExp>> = {
  text: /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y,
  padding: /[A-Za-z0-9]{0,16}/y,
  count: /(?:0|[1-9][0-9]{0,6})(?=[,}])/y,
};
/** Padding against reading along by lengths, and the number of an event, where OpenAI has them. */
const FILLERS: readonly (readonly [Hole, RegExp])[] = [
  ['padding', /(?<=[,{]"obfuscation":")[A-Za-z0-9]{0,16}(?="[,}])/g],
  ['count', /(?<=[,{]"sequence_number":)[0-9]{1,7}(?=[,}])/g],
];

/**
 * The form of an event: all of it but its one text, and but for padding and its number. Most events of a stream repeat the
 * form of the one before, and are read by their text alone.
 */
export class RepeatedForm {
  private constructor(
    private readonly model: StreamEvent,
    readonly kind: PieceKind,
    /** What stands before each hole, and behind the last one. */
    private readonly constant: readonly string[],
    private readonly holes: readonly Hole[],
  ) {}

  /** @param says whether an event says anything beside its text, such as that it is the last one */
  static of(
    event: StreamEvent,
    kinds: readonly PieceKind[],
    says: (event: StreamEvent) => boolean,
  ): RepeatedForm | undefined {
    const { doc, segments, held, calls, embedded, event: { data } } = event; // prettier-ignore
    const [segment] = segments;
    if (doc === undefined || segment === undefined || segments.length > 1 || data.length > MOST_DATA_UNITS)
      return undefined;
    if (calls.length > 0 || embedded.length > 0 || segment.signed === true || held[0]!.channel.isSigned)
      return undefined;
    if (!TEXT_MEMBERS.has(segment.key) || segment.role === 'tool_call' || segment.text === '') return undefined;
    const node = doc.node(segment.ref);
    if (node.kind !== 'string' || node.source !== doc.source || says(event)) return undefined;
    const places: { readonly hole: Hole; readonly start: number; readonly end: number }[] = [
      { hole: 'text', start: node.start + 1, end: node.end - 1 },
    ];
    for (const [hole, written] of FILLERS)
      for (const { index, 0: found } of data.matchAll(written))
        places.push({ hole, start: index, end: index + found.length });
    places.sort((a, b) => a.start - b.start);
    const constant = places.map(({ start }, at) => data.slice(places[at - 1]?.end ?? 0, start));
    return new RepeatedForm(
      event,
      kinds[0]!,
      [...constant, data.slice(places.at(-1)!.end)],
      places.map(({ hole }) => hole),
    );
  }

  /** The text of an event of this form; undefined for any other, and for a text that takes a closer look. */
  textOf({ name, data }: SseEvent): string | undefined {
    if (name !== this.model.event.name || data.length > MOST_LIKE_UNITS) return undefined;
    let at = 0;
    let text: string | undefined;
    for (let index = 0; index < this.holes.length; index++) {
      const constant = this.constant[index]!;
      if (!data.startsWith(constant, at)) return undefined;
      at += constant.length;
      const hole = this.holes[index]!;
      const written = WRITTEN[hole];
      written.lastIndex = at;
      if (!written.test(data)) return undefined;
      const value = data.slice(at, written.lastIndex);
      at = written.lastIndex;
      if (hole === 'text') text = value.includes('\\') ? (JSON.parse(`"${value}"`) as string) : value;
      else if (hole === 'padding' && !isPlain(value)) return undefined;
    }
    const last = this.constant.at(-1)!;
    if (data.length !== at + last.length || !data.endsWith(last)) return undefined;
    return text === '' || text === undefined || text.length > MOST_UNITS ? undefined : text;
  }

  /** The event with another text. @param hold puts the text where it belongs */
  read(event: SseEvent, text: string, hold: (segment: Segment, like: StreamEvent) => HeldPiece): StreamEvent {
    const segment = { ...this.model.segments[0]!, text };
    return new RepeatedEvent(event, this.model, segment, hold(segment, this.model));
  }
}

/** An event of a form that is known. Its JSON is parsed when somebody wants to change it. */
class RepeatedEvent implements StreamEvent {
  readonly segments: StreamEvent['segments'];
  readonly held: readonly HeldPiece[];
  readonly calls: StreamEvent['calls'] = [];
  readonly embedded: StreamEvent['embedded'] = [];
  readonly scope: StreamEvent['scope'];
  private parsed: JsonDocument | undefined;

  constructor(
    readonly event: SseEvent,
    readonly like: StreamEvent,
    segment: Segment,
    held: HeldPiece,
  ) {
    this.scope = like.scope;
    this.segments = [segment];
    this.held = [held];
  }

  get doc(): JsonDocument {
    return (this.parsed ??= parseJson(this.event.data, { nonFinite: true }));
  }
}
