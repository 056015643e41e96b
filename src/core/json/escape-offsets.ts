/** The position of each decoded character of a JSON string in the string's source, derived from the preceding escapes. */
export class EscapeOffsets {
  /**
   * For each escape, in ascending order: the decoded index just after it, and by how many units the source up to this point is longer than
   * the decoded text.
   */
  private readonly after: number[] = [];
  private readonly longer: number[] = [];

  /** @param start offset of the string's first character in the source */
  constructor(private readonly start: number) {}

  /**
   * Adds the next escape of the string.
   * @param decodedIndex index of the decoded character
   * @param length the length of the escape in the source, in UTF-16 code units
   */
  add(decodedIndex: number, length: number): void {
    this.after.push(decodedIndex + 1);
    this.longer.push((this.longer.at(-1) ?? 0) + length - 1);
  }

  /** The offset in the source of an index in the decoded text. */
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
