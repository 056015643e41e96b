/** The end of a copied part, in which each unit corresponds to itself. */
const COPIED = -1;

/**
 * Maps each unit of a normalised copy to its range in the original. Stored per part, not per unit: most of a text is copied, and two
 * numbers for each unit would take more time and memory than the whole scan.
 */
export class ShadowPlaces {
  /** Per part: its start in the copy, its start in the original, and its end there. */
  private readonly begins: number[] = [];
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private length = 0;

  /**
   * Adds units of the original that are copied unchanged.
   * @returns the start in the original of the part that they continue; undefined if they begin a new part
   */
  copied(from: number, to: number): number | undefined {
    const last = this.begins.length - 1;
    const goesOn = last >= 0 && this.ends[last] === COPIED && this.originalAt(last, this.length) === from;
    if (!goesOn) this.add(from, COPIED);
    this.length += to - from;
    return goesOn ? this.starts[last] : undefined;
  }

  /** Adds units of the copy that all correspond to one range of the original. */
  written(units: number, start: number, end: number): void {
    if (units > 0) this.add(start, end);
    this.length += units;
  }

  /** The start of the original range of a unit of the copy. */
  startOf(unit: number): number {
    const stretch = this.stretchOf(unit);
    return this.ends[stretch] === COPIED ? this.originalAt(stretch, unit) : this.starts[stretch]!;
  }

  /** The end of the original range of a unit of the copy. */
  endOf(unit: number): number {
    const stretch = this.stretchOf(unit);
    return this.ends[stretch] === COPIED ? this.originalAt(stretch, unit) + 1 : this.ends[stretch]!;
  }

  private add(start: number, end: number): void {
    this.begins.push(this.length);
    this.starts.push(start);
    this.ends.push(end);
  }

  private originalAt(stretch: number, unit: number): number {
    return this.starts[stretch]! + unit - this.begins[stretch]!;
  }

  /** The index of the last part that begins at or before a unit. */
  private stretchOf(unit: number): number {
    let [low, high] = [0, this.begins.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.begins[middle]! <= unit) low = middle;
      else high = middle;
    }
    return low;
  }
}
