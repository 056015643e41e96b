import type { Finding, Findings } from '../core/index.js';

/**
 * Findings in a compact form for passing them between threads. A text of megabytes may have hundreds of thousands: copying them as objects
 * takes longer than finding them, and blocks the receiving thread.
 */
export interface PackedFindings {
  /** The number of findings in each text. */
  readonly counts: Uint32Array;
  /** The starts and ends of all findings, text after text. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Indexes into `makes`. */
  readonly made: Uint32Array;
  readonly makes: readonly Pick<Finding, 'code' | 'score'>[];
}

/** @param texts the findings of each text */
export function packFindings(texts: readonly (readonly Finding[])[]): PackedFindings {
  const all = texts.reduce((sum, { length }) => sum + length, 0);
  const packed = {
    counts: Uint32Array.from(texts, ({ length }) => length),
    starts: new Uint32Array(all),
    ends: new Uint32Array(all),
    made: new Uint32Array(all),
    makes: [] as Pick<Finding, 'code' | 'score'>[],
  };
  const known = new Map<string, Map<number, number>>();
  let at = 0;
  for (const findings of texts) {
    for (const { code, score, start, end } of findings) {
      let scores = known.get(code);
      if (scores === undefined) known.set(code, (scores = new Map<number, number>()));
      let make = scores.get(score);
      if (make === undefined) scores.set(score, (make = packed.makes.push({ code, score }) - 1));
      packed.starts[at] = start;
      packed.ends[at] = end;
      packed.made[at++] = make;
    }
  }
  return packed;
}

/**
 * The findings of one text that arrived packed, in one or more parts. Each finding is unpacked on access, so that the findings of a
 * long text are never in memory twice.
 */
export class PackedList implements Findings {
  private readonly parts: { readonly packed: PackedFindings; readonly from: number; readonly before: number }[] = [];
  private count = 0;
  /** The part that was read last. */
  private last = 0;

  get length(): number {
    return this.count;
  }

  /** Adds `count` findings of a pack, of which the first has the index `from`. */
  add(packed: PackedFindings, from: number, count: number): void {
    this.parts.push({ packed, from, before: this.count });
    this.count += count;
  }

  at(index: number): Finding | undefined {
    if (!(index >= 0 && index < this.count)) return undefined;
    while (this.parts[this.last]!.before > index) this.last--;
    while (this.parts[this.last + 1] !== undefined && this.parts[this.last + 1]!.before <= index) this.last++;
    const { packed, from, before } = this.parts[this.last]!;
    const at = from + index - before;
    const { code, score } = packed.makes[packed.made[at]!]!;
    return { code, start: packed.starts[at]!, end: packed.ends[at]!, score };
  }
}

/**
 * Adds the findings of each text to its list.
 * @param listOf called only with texts that have findings, because most of very many texts have none
 */
export function addPacked(packed: PackedFindings, listOf: (text: number) => PackedList): void {
  let from = 0;
  for (const [text, count] of packed.counts.entries()) {
    if (count > 0) listOf(text).add(packed, from, count);
    from += count;
  }
}
