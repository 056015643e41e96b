import type { Segment, ToolCall } from '../model/call.js';

/** The texts of a stream. */
type Texts = readonly Pick<Segment, 'text'>[];

/**
 * The texts of one telling of a tool call. A stream may tell a call several times: in pieces, complete, and once more at the end of the
 * answer. Texts that are equal in several tellings are judged once, but masked in each.
 */
export class Telling {
  private readonly repeats: number[] = [];
  /** The texts of the call and their places, once there is another telling. */
  private known: { readonly texts: Set<string>; readonly places: Set<number> } | undefined;

  /**
   * @param texts the texts of the stream
   * @param own the places of the telling's texts in `texts`
   */
  constructor(
    private readonly texts: Texts,
    private own: readonly number[],
  ) {}

  /** Adds another telling of the call. */
  add(other: Telling): void {
    this.addTexts(other.own);
    this.addTexts(other.repeats);
  }

  /** Adds texts that may repeat the call. A text that differs from the known ones is a text of the call as well. */
  addTexts(places: readonly number[]): void {
    if (places.length === 0) return;
    const { texts, places: taken } = (this.known ??= this.read());
    const differing: number[] = [];
    for (const place of places) {
      const { text } = this.texts[place]!;
      if (text === '' || taken.has(place)) continue;
      taken.add(place);
      if (texts.has(text)) this.repeats.push(place);
      else {
        texts.add(text);
        differing.push(place);
      }
    }
    if (differing.length > 0) this.own = [...this.own, ...differing];
  }

  /** A call of this telling, with the texts of all tellings. */
  completed(call: ToolCall): ToolCall {
    if (this.known === undefined) return call;
    return { ...call, segments: this.own, ...(this.repeats.length > 0 && { repeats: this.repeats }) };
  }

  private read(): { readonly texts: Set<string>; readonly places: Set<number> } {
    return { texts: new Set(this.own.map((place) => this.texts[place]!.text)), places: new Set(this.own) };
  }
}

/** A text that is equal for calls that clients take for one. */
export function identityOf({ id, path, name, args }: ToolCall): string {
  return JSON.stringify([id ?? path, name, args ?? null]);
}
