/** The position of each decoded character of a JSON string in the string's source, derived from the preceding escapes. */
export class EscapeOffsets {
  /** Decoded index just after each escape, ascending, and how much longer the source is up to there. */
  private readonly after: number[] = [];
  private readonly longer: number[] = [];

  /** @param start where the string's first character stands in the source */
  constructor(private readonly start: number) {}

  /**
   * The next escape of the string.
   * @param decodedIndex of the character that it stands for
   * @param length of the escape in the source, in UTF-16 code units
   */
  add(decodedIndex: number, length: number): void {
    this.after.push(decodedIndex + 1);
    this.longer.push((this.longer.at(-1) ?? 0) + length - 1);
  }

  /** The place in the source of a place in the decoded text. */
  rawOffset(decoded: number): number {
    let low = 0;
    let high = this.after.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.after[middle]! <= decoded) low = middle + 1;
      else high = middle;
    }
    return this.start + decoded + (low === 0 ? 0 : this.longer[low - 1]!);
  }
}
