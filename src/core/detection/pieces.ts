import type { BoundDetector } from './bind.js';
import type { Reach, TextHint } from './detector.js';
import type { Finding } from '../model/finding.js';
import type { SharedReading } from './engine/shared-reading.js';

/** A part of a text. Of the findings that begin in `[from, to)`, a scan of `[start, end)` finds the same as a scan of the whole text. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** The context around a piece that its detectors need. */
export type PieceReach = Exclude<Reach, 'whole_text'>;

/**
 * Reaches assume an average of two original units for each normalised unit over a window. A text can be denser for a while: a letter
 * with three marks has four units.
 */
const DENSER = 2;

/** The maximum reach of these detectors; undefined if one of them needs the whole text. */
export function pieceReach(detectors: readonly BoundDetector[]): PieceReach | undefined {
  let behind = 0;
  let ahead = 0;
  for (const { reach } of detectors) {
    if (reach === undefined || reach === 'whole_text') return undefined;
    behind = Math.max(behind, DENSER * reach.behind);
    ahead = Math.max(ahead, DENSER * reach.ahead);
  }
  return { behind, ahead };
}

/** Splits a text of this length into pieces of about `units` each, in order. */
export function piecesOf(length: number, { behind, ahead }: PieceReach, units: number): Piece[] {
  const count = Math.max(1, Math.ceil(length / units));
  return Array.from({ length: count }, (_unused, index): Piece => {
    const from = Math.floor((length * index) / count);
    const to = Math.floor((length * (index + 1)) / count);
    return { from, to, start: Math.max(0, from - behind), end: Math.min(length, to + ahead) };
  });
}

/**
 * Scans a piece and returns its findings, with offsets in the whole text.
 *
 * @param window the text from `piece.start` to `piece.end`
 */
export function scanPiece(
  { scan }: BoundDetector,
  window: string,
  { from, to, start }: Piece,
  hint: TextHint,
  shared: SharedReading,
): Finding[] {
  const findings = scan(window, hint, shared).filter(
    (finding) => finding.start + start >= from && finding.start + start < to,
  );
  if (start === 0) return findings;
  return findings.map(({ code, score, start: first, end }) => ({
    code,
    start: first + start,
    end: end + start,
    score,
  }));
}
