import { isStop, type Joined, type Steps } from '../core/index.js';

/** The result of `joinsOf` for one text in a compact form for passing it between threads. */
export interface PackedJoins {
  /** The number of pieces of each join. */
  readonly counts: Uint32Array;
  /** Start and end of each piece, join after join. */
  readonly ranges: Uint32Array;
  /** 2 for a join with `lines` that is `continued`, 1 for any other join with `lines`, otherwise 0. */
  readonly lines: Uint8Array;
  /** The texts that joins represent, concatenated. */
  readonly stands: string;
  /** By join: the end of its text in `stands` plus 1, or 0 for a join that represents no text. */
  readonly standsEnds: Uint32Array;
}

export function packJoins(joins: readonly Joined[]): PackedJoins {
  const ranges = new Uint32Array(joins.reduce((sum, { pieces }) => sum + 2 * pieces.length, 0));
  const standsEnds = new Uint32Array(joins.length);
  const stands: string[] = [];
  let [at, end] = [0, 0];
  for (const [index, join] of joins.entries()) {
    for (const { from, to } of join.pieces) {
      ranges[at++] = from;
      ranges[at++] = to;
    }
    if (join.stands === undefined) continue;
    stands.push(join.stands);
    end += join.stands.length;
    standsEnds[index] = end + 1;
  }
  return {
    counts: Uint32Array.from(joins, ({ pieces }) => pieces.length),
    ranges,
    lines: Uint8Array.from(joins, ({ lines, continued }) => (lines ? (continued === true ? 2 : 1) : 0)),
    stands: stands.join(''),
    standsEnds,
  };
}

/** Unpacks joins, in steps. @param segment the index of the text that their pieces get */
export function* unpackingJoins(
  { counts, ranges, lines, stands, standsEnds }: PackedJoins,
  segment: number,
): Steps<Joined[]> {
  const joins: Joined[] = [];
  let [at, begin] = [0, 0];
  for (let index = 0; index < counts.length; index++) {
    const pieces = Array.from({ length: counts[index]! }, () => ({ segment, from: ranges[at++]!, to: ranges[at++]! }));
    const kind = lines[index]!;
    const join = { pieces, lines: kind > 0, ...(kind === 2 ? { continued: true } : {}) };
    const end = standsEnds[index]! - 1;
    joins.push(end < 0 ? join : { ...join, stands: stands.slice(begin, end) });
    if (end >= 0) begin = end;
    if (isStop(index)) yield;
  }
  return joins;
}
