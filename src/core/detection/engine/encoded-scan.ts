import type { Finding } from '../../model/finding.js';
import type { EncodedRun } from './encoded-runs.js';
import { SharedReading } from './shared-reading.js';

/** The length of the longest values, in units of decoded text. */
const LONGEST_VALUE = 8_192;
/** Number of units in front of a value that are read with it. */
const CONTEXT = 128;
/** A value that ends within this distance of the end of a piece may go on. */
const END_UNITS = 8;

/**
 * Scans the pieces of encoded runs. Pieces overlap by half, so a short value is complete in one of them; a longer value is followed from
 * piece to piece.
 */
export class EncodedScan<Code extends string> {
  /** By run: the end of the last piece, from the beginning of a value that may go on in the next piece. */
  private readonly begun = new WeakMap<object, string>();

  /** @param scan finds patterns in a decoded text */
  constructor(private readonly scan: (reading: SharedReading) => readonly Finding<Code>[]) {}

  /**
   * Scans a piece; the pieces of a run must be given in order. A finding covers a whole half of the piece, or two of them, because a part
   * of base64 cannot be masked separately. For each code and half, the finding with the highest score counts.
   */
  read(piece: EncodedRun, reading: SharedReading): Finding<Code>[] {
    const { run, text, again, middle } = piece;
    const findings = [...this.scan(reading)];
    const begun = this.begun.get(run);
    const joined = begun === undefined ? text : begun + text.slice(again);
    // Offset of `joined` in the text of the piece.
    const shift = begun === undefined ? 0 : again - begun.length;
    if (begun !== undefined) {
      for (const { start, end, ...rest } of this.scan(new SharedReading(joined)))
        if (end > begun.length) findings.push({ ...rest, start: start + shift, end: end + shift });
    }
    const first = firstOpen(findings, piece);
    const goesOn =
      first < 0 ? joined.slice(Math.max(0, first - shift - CONTEXT)) : text.slice(Math.max(0, first - CONTEXT));
    if (middle !== undefined && goesOn !== '' && goesOn.length <= LONGEST_VALUE + CONTEXT) this.begun.set(run, goesOn);
    else this.begun.delete(run);
    return inHalves(findings, piece);
  }
}

/** The start of the first value that may go on beyond the piece and is not complete in the next one; infinite if there is none. */
function firstOpen(findings: readonly Finding[], { text, middle }: EncodedRun): number {
  let first = Infinity;
  for (const { start, end } of findings)
    if (middle !== undefined && start < middle.unit && end >= text.length - END_UNITS) first = Math.min(first, start);
  return first;
}

/** Moves findings from the decoded text to the halves of the piece in the original text. */
function inHalves<Code extends string>(
  findings: readonly Finding<Code>[],
  { from, end, middle }: EncodedRun,
): Finding<Code>[] {
  const isHalved = middle !== undefined && middle.at > from && middle.at < end;
  const found: Finding<Code>[] = [];
  const add = (code: Code, score: number, start: number, to: number): void => {
    if (start >= to) return;
    const known = found.findIndex((other) => other.code === code && other.start === start);
    if (known < 0) found.push({ code, score, start, end: to });
    else if (found[known]!.score < score) found[known] = { code, score, start, end: to };
  };
  for (const finding of findings) {
    const { code, score } = finding;
    if (!isHalved) {
      add(code, score, from, end);
      continue;
    }
    if (finding.start < middle.unit) add(code, score, from, middle.at);
    if (finding.end > middle.unit) add(code, score, middle.at, end);
  }
  return found;
}
