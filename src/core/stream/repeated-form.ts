import { isPlain } from '../call/scalar-forms.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';
import type { Segment } from '../model/call.js';
import type { PieceKind } from '../providers/stream-family.js';
import type { Channels, FollowedChannel, HeldPiece, PiecePlace } from './channels.js';
import type { SseEvent } from './sse.js';
import type { StreamEvent } from './stream-event.js';

/** Members whose value is always a text: the reading of an event does not depend on their content. */
const TEXT_MEMBERS: ReadonlySet<string | undefined> = new Set([
  'content',
  'text',
  'delta',
  'thinking',
  'reasoning_content',
]);
/** A text of at most this length cannot contain a file or a data URL, so it is one text whatever its content. */
const MOST_UNITS = 23;
/** Longer events are rare and not worth caching. */
const MOST_DATA_UNITS = 4_096;
/** The maximum length of any event of a cached form: a text of 23 units is written with at most six characters per unit. */
const MOST_LIKE_UNITS = 2 * MOST_DATA_UNITS;

/** The parts that differ between events of one form. */
type Hole = 'text' | 'padding' | 'count';
/** The content of a hole as written in the event. */
const WRITTEN: Readonly<Record<Hole, RegExp>> = {
  text: /[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y,
  padding: /[A-Za-z0-9]{0,16}/y,
  count: /(?:0|[1-9][0-9]{0,6})(?=[,}])/y,
};
/** OpenAI's padding, which hides the length of a text from eavesdroppers, and the number of an event. */
const FILLERS: readonly (readonly [Hole, RegExp])[] = [
  ['padding', /(?<=[,{]"obfuscation":")[A-Za-z0-9]{0,16}(?="[,}])/g],
  ['count', /(?<=[,{]"sequence_number":)[0-9]{1,7}(?=[,}])/g],
];

/** The place of padding that is read as a separate text when it does not look plain. */
const PADDING_PATH = 'obfuscation';

/** A text of an event and its kind. */
interface ReadText {
  readonly segment: Segment;
  readonly kind: PieceKind;
  /** The channel that the text continues; undefined if its channel has to be looked up for each event. */
  readonly followed: FollowedChannel | undefined;
}

/** The content of an event of a known form. */
interface RepeatedTexts {
  readonly text: string;
  /** Padding that is read as a text, as random letters and digits are. */
  readonly padding?: string;
}

/**
 * The form of an event: everything except its one text, padding and number. Most events of a stream repeat the form of
 * the previous one, so only their text has to be read.
 */
export class RepeatedForm {
  private constructor(
    private readonly model: StreamEvent,
    private readonly text: ReadText,
    /** For a form whose padding is a text. */
    private readonly padding: ReadText | undefined,
    /** Whether the padding precedes the text in the event. */
    private readonly paddingFirst: boolean,
    /** The parts before each hole and after the last one. */
    private readonly constant: readonly string[],
    private readonly holes: readonly Hole[],
  ) {}

  /**
   * @param says whether an event contains more than its text, such as the end of the answer
   * @param channels the channels that contain the event's texts
   */
  static of(
    event: StreamEvent,
    kinds: readonly PieceKind[],
    says: (event: StreamEvent) => boolean,
    channels: Channels,
  ): RepeatedForm | undefined {
    const { doc, segments, held, calls, embedded, event: { data } } = event; // prettier-ignore
    const paddingAt = segments.findIndex(({ path }) => path === PADDING_PATH);
    const at = paddingAt === 0 ? 1 : 0;
    const segment = segments[at];
    const most = paddingAt < 0 ? 1 : 2;
    if (doc === undefined || segment === undefined || segments.length > most || data.length > MOST_DATA_UNITS)
      return undefined;
    if (calls.length > 0 || embedded.length > 0 || segment.signed === true || held[at]!.channel.isSigned)
      return undefined;
    // Such an event may begin a block once more, which is found only when it is read completely.
    if (event.scope.family.restarts(event.scope.type) !== undefined) return undefined;
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
    const textAt = (index: number): ReadText => {
      const [segment, kind] = [segments[index]!, kinds[index]!];
      return { segment, kind, followed: channels.followed(event.scope, segment, kind) };
    };
    const padding = paddingAt < 0 ? undefined : textAt(paddingAt);
    if (padding !== undefined && !isOnlyPadding(doc.node(padding.segment.ref), places)) return undefined;
    const constant = places.map(({ start }, at) => data.slice(places[at - 1]?.end ?? 0, start));
    return new RepeatedForm(
      event,
      textAt(at),
      padding,
      paddingAt === 0,
      [...constant, data.slice(places.at(-1)!.end)],
      places.map(({ hole }) => hole),
    );
  }

  /** The texts of an event of this form; undefined for any other event, and for a text that needs a full reading. */
  textsOf({ name, data }: SseEvent): RepeatedTexts | undefined {
    if (name !== this.model.event.name || data.length > MOST_LIKE_UNITS) return undefined;
    let at = 0;
    let text: string | undefined;
    let padding: string | undefined;
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
      else if (hole === 'padding' && !isPlain(value)) {
        if (this.padding === undefined) return undefined;
        padding = value;
      }
    }
    const last = this.constant.at(-1)!;
    if (data.length !== at + last.length || !data.endsWith(last)) return undefined;
    if (text === '' || text === undefined || text.length > MOST_UNITS) return undefined;
    return { text, ...(padding !== undefined && { padding }) };
  }

  /** Returns an event of this form with the given texts. @param index the index of the event in the stream */
  read(event: SseEvent, { text, padding }: RepeatedTexts, channels: Channels, index: number): StreamEvent {
    const own = { ...this.text.segment, text };
    if (padding === undefined || this.padding === undefined)
      return new RepeatedEvent(
        event,
        this.model,
        [own],
        [this.hold(this.text, own, channels, { event: index, segment: 0 })],
      );
    const other = { ...this.padding.segment, text: padding };
    const [texts, segments] = this.paddingFirst
      ? [
          [this.padding, this.text],
          [other, own],
        ]
      : [
          [this.text, this.padding],
          [own, other],
        ];
    const held: HeldPiece[] = [];
    // A repeated text is added last, as when an event is read completely.
    for (const isRepeat of [false, true])
      for (const [at, one] of texts.entries())
        if ((one.kind === 'repeat') === isRepeat)
          held[at] = this.hold(one, segments[at]!, channels, { event: index, segment: at });
    return new RepeatedEvent(event, this.model, segments, held);
  }

  /** Adds a text to its channel. */
  private hold({ kind, followed }: ReadText, segment: Segment, channels: Channels, place: PiecePlace): HeldPiece {
    return followed === undefined
      ? channels.add(this.model.scope, segment, place, kind)
      : channels.follow(followed, segment.text, place);
  }
}

/** Whether a text is the only padding of an event. */
function isOnlyPadding(
  { start, end }: { readonly start: number; readonly end: number },
  places: readonly { readonly hole: Hole; readonly start: number; readonly end: number }[],
): boolean {
  const paddings = places.filter(({ hole }) => hole === 'padding');
  return paddings.length === 1 && paddings[0]!.start === start + 1 && paddings[0]!.end === end - 1;
}

const NO_CALLS: StreamEvent['calls'] = [];
const NO_FILES: StreamEvent['embedded'] = [];

/** An event of a known form. Its JSON is parsed only when it has to be edited. */
class RepeatedEvent implements StreamEvent {
  readonly calls = NO_CALLS;
  readonly embedded = NO_FILES;
  readonly scope: StreamEvent['scope'];
  private parsed: JsonDocument | undefined;

  constructor(
    readonly event: SseEvent,
    readonly like: StreamEvent,
    readonly segments: StreamEvent['segments'],
    readonly held: readonly HeldPiece[],
  ) {
    this.scope = like.scope;
  }

  get doc(): JsonDocument {
    return (this.parsed ??= parseJson(this.event.data, { nonFinite: true }));
  }
}
