/** The end of a copied part, in which each unit corresponds to itself. */
const COPIED = -1;

/**
 * Which range of an original each unit of its normalised copy stands for. Kept by stretch, not by unit: most of a text is copied,
 * and two numbers for each of its units take more time and memory than all that is done with it.
 */
export class ShadowPlaces {
  /** By stretch: where it begins in the copy, where in the original, and where what it stands for ends there. */
  private readonly begins: number[] = [];
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private length = 0;

  /**
   * Units of the original that stand in the copy as they are.
   * @returns where the stretch begins of which they are the rest, if what was noted last was copied from right before them
   */
  copied(from: number, to: number): number | undefined {
    const last = this.begins.length - 1;
    const goesOn = last >= 0 && this.ends[last] === COPIED && this.originalAt(last, this.length) === from;
    if (!goesOn) this.add(from, COPIED);
    this.length += to - from;
    return goesOn ? this.starts[last] : undefined;
  }

  /** So many units of the copy that all stand for one range. */
  written(units: number, start: number, end: number): void {
    if (units > 0) this.add(start, end);
    this.length += units;
  }

  /** Where that begins what a unit of the copy stands for. */
  startOf(unit: number): number {
    const stretch = this.stretchOf(unit);
    return this.ends[stretch] === COPIED ? this.originalAt(stretch, unit) : this.starts[stretch]!;
  }

  /** Where it ends. */
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

  /** The last stretch that begins at a unit or before it. */
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
