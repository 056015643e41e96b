import type { JsonValue, Segment, ToolCall } from '../model/call.js';
import { memoizeByObject } from '../model/memoize.js';

/** The texts of a stream. */
type Texts = readonly Pick<Segment, 'text'>[];

/**
 * The texts of one occurrence of a tool call. A stream may contain a call several times: in pieces, complete, and once more at the end of the
 * answer. Texts that are equal in several occurrences are judged once, but masked in each.
 */
export class ToolCallOccurrence {
  private readonly repeats: number[] = [];
  /** The texts of the call and their places, once there is another occurrence. */
  private known: { readonly texts: Set<string>; readonly places: Set<number> } | undefined;

  /**
   * @param texts the texts of the stream
   * @param own the places of the occurrence's texts in `texts`
   */
  constructor(
    private readonly texts: Texts,
    private own: readonly number[],
  ) {}

  /** Adds another occurrence of the call. */
  add(other: ToolCallOccurrence): void {
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

  /** A call of this occurrence, with the texts of all occurrences. */
  completed(call: ToolCall): ToolCall {
    if (this.known === undefined) return call;
    return { ...call, segments: this.own, ...(this.repeats.length > 0 && { repeats: this.repeats }) };
  }

  private read(): { readonly texts: Set<string>; readonly places: Set<number> } {
    return { texts: new Set(this.own.map((place) => this.texts[place]!.text)), places: new Set(this.own) };
  }
}

/**
 * Short keys of values that may be long: equal values have equal keys. Many calls may share an id or arguments, and keys with their
 * characters would fill the memory.
 */
export class ShortKeys {
  private readonly numbers = new Map<string, number>();
  private readonly ofObject: (value: object) => string;

  /** @param write the text by which lists and objects are compared */
  constructor(write: (value: JsonValue) => string) {
    this.ofObject = memoizeByObject((value: object) => `o${this.numberOf(write(value as JsonValue))}`);
  }

  of(value: JsonValue | undefined): string {
    if (typeof value === 'object' && value !== null) return this.ofObject(value);
    return typeof value === 'string' ? `s${this.numberOf(value)}` : JSON.stringify(value ?? null);
  }

  /** The key of several values in this order. */
  ofAll(...values: readonly (JsonValue | undefined)[]): string {
    return values.map((value) => this.of(value)).join(' ');
  }

  private numberOf(text: string): number {
    const number = this.numbers.get(text) ?? this.numbers.size;
    this.numbers.set(text, number);
    return number;
  }
}

/** A key that is equal for calls that clients take for one. */
export function identityOf({ id, path, name, args }: ToolCall, keys: ShortKeys): string {
  return keys.ofAll(id ?? path, name, args);
}
