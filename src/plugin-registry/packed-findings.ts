import type { Finding } from '../core/index.js';

/**
 * Findings in a compact form for passing them between threads. A text of megabytes may have hundreds of thousands: copying them as objects
 * takes longer than finding them, and blocks the receiving thread.
 */
export interface PackedFindings {
  /** How many each text has. */
  readonly counts: Uint32Array;
  /** Of all, text after text. */
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

/** Puts the findings of each text behind those that it has already. */
export function unpackFindings(
  { counts, starts, ends, made, makes }: PackedFindings,
  into: readonly Finding[][],
): void {
  let at = 0;
  for (const [text, list] of into.entries()) {
    for (let left = counts[text] ?? 0; left > 0; left--, at++) {
      const { code, score } = makes[made[at]!]!;
      list.push({ code, start: starts[at]!, end: ends[at]!, score });
    }
  }
}
