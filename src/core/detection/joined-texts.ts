import type { Segment } from '../model/call.js';
import { decodedRunsOf } from './decoded-runs.js';
import type { SharedReading } from './engine/shared-reading.js';
import { filtered, flatMapped, joinedLists, mapped, sorted, isStop, type Steps } from '../steps/steps.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import { joinedParts } from './joined-parts.js';
import { joinedCells, joinedLetters, joinedLines, joinedStrings, type Joined, type Piece } from './split-values.js';
import { signsOf } from './text-signs.js';
import { isOnlyBeginning, withoutTrailingWords } from './wrapped-values.js';

/** Texts joined from adjacent ones, and a mapping of their findings to the original segments. */
export interface JoinedTexts {
  readonly texts: readonly Segment[];
  located(outcome: DetectorOutcome): Steps<DetectorOutcome>;
}

const SURE = 0.8;
/** The text for an empty piece. */
const GAP = '\n';
/** Maximum number of earlier findings that are checked for overlap with a range: several codes may have overlapping findings. */
const MOST_OVER = 16;
/** The length of the longest values, in decoded units. A value that ends within `END_UNITS` of the end of a piece may go on. */
const LONGEST_VALUE = 8_192;
const END_UNITS = 8;
/** Length of the shortest values that `joinsOf` joins or decodes: it finds none in shorter texts. */
const LEAST_JOINED = 10;
/** Minimum length of a piece that may be followed by another; shorter runs are not divided into pieces. */
const LEAST_OF_LONG_RUN = 512;

/** Remembers a text in which `joinsOf` found nothing. */
export interface JoinMemory {
  /** Whether it found nothing before. */
  readonly joinsNothing: boolean;
  keepJoinsNothing(): void;
}

/** What is already known about the texts, by segment index. */
export interface KnownOfTexts {
  /** The results of `joinsOf` for some of the texts; the others are computed. */
  readonly known?: ReadonlyMap<number, readonly Joined[]>;
  /** Texts without split values are not searched again. */
  readonly memories?: readonly JoinMemory[];
  /** The shared readings of the texts. */
  readonly shared?: readonly (SharedReading | undefined)[];
}

/**
 * Joins values that are split over adjacent parts of one message, over lines, cells, emphasis marks or strings of a program, and
 * decodes runs. Only findings across a joint count, because all others are found in the parts themselves.
 *
 * @returns undefined if nothing could be a split value
 */
export function* joinedTexts(
  segments: readonly Segment[],
  { known, memories = [], shared = [] }: KnownOfTexts = {},
): Steps<JoinedTexts | undefined> {
  const parts = yield* joinedParts(segments);
  const all: Joined[] = [...parts];
  for (const part of parts) {
    for (const joined of yield* linesAcross(part, segments)) all.push(joined);
    yield;
  }
  for (const [index, { text }] of segments.entries()) {
    if (isStop(index)) yield;
    const memory = memories[index];
    if (memory?.joinsNothing === true) continue;
    const joins = known?.get(index) ?? (yield* joinsOf(text, index, shared[index]));
    if (joins.length === 0) memory?.keepJoinsNothing();
    for (const joined of joins) {
      all.push(joined);
      if (isStop(all.length)) yield;
    }
  }
  if (all.length === 0) return undefined;
  const texts = yield* mapped(all, ({ pieces, stands }) => ({
    ...segments[pieces[0]!.segment]!,
    text:
      stands ??
      pieces.map(({ segment, from, to }) => (from < to ? segments[segment]!.text.slice(from, to) : GAP)).join(''),
  }));
  return {
    texts: joinedLists([segments, texts]),
    *located(outcome) {
      if (outcome.status === 'failed') return outcome;
      const own = yield* filtered(outcome.findings, ({ segment }) => segment < segments.length);
      if (own.length === outcome.findings.length) return outcome;
      const taken = new Map<number, LocatedFinding[]>();
      for (const [index, finding] of own.entries()) {
        if (isStop(index)) yield;
        const known = taken.get(finding.segment);
        if (known === undefined) taken.set(finding.segment, [finding]);
        else known.push(finding);
      }
      const begun = new Set<string>();
      const across = yield* flatMapped(outcome.findings, (finding) => {
        const joined = all[finding.segment - segments.length];
        if (joined === undefined) return [];
        const ranges = [
          ...placed(finding, joined, { taken, segments }),
          ...goneOn(finding, all, finding.segment - segments.length),
        ];
        const [first] = ranges;
        if (first === undefined) return ranges;
        // A value may be joined in several ways, which count once; for cells, first without the following cells.
        const key = `${first.code} ${first.segment} ${first.start}`;
        if (joined.lines && begun.has(key)) return [];
        if (joined.lines) begun.add(key);
        return ranges.filter((range) => !isKnown(range, taken.get(range.segment) ?? []));
      });
      const both = joinedLists([own, across]);
      return { ...outcome, findings: yield* sorted(both, (a, b) => a.segment - b.segment || a.start - b.start) };
    },
  };
}

/**
 * The values that are split within one text, and its decoded runs.
 * @param segment the index of the text's segment
 * @param shared the shared reading of the text
 */
export function* joinsOf(text: string, segment: number, shared?: SharedReading): Steps<readonly Joined[]> {
  if (text.length < LEAST_JOINED) return [];
  const all: Joined[][] = [];
  all.push(yield* joinedLines(text, segment));
  all.push(yield* joinedCells(text, segment));
  all.push(yield* joinedStrings(text, segment));
  const signs = yield* signsOf(text, shared);
  if (signs.letters) all.push(yield* joinedLetters(text, segment));
  all.push(
    yield* mapped(yield* decodedRunsOf(text, signs), ({ text: stands, from, to }) => ({
      pieces: [{ segment, from, to }],
      lines: true,
      stands,
    })),
  );
  return joinedLists(all);
}

/** The texts of a call, and the findings in them, sorted by start. */
interface Known {
  readonly segments: readonly Segment[];
  readonly taken: ReadonlyMap<number, readonly LocatedFinding[]>;
}

/** Splits a finding into ranges of the pieces it crosses; empty if it is not reported, for example because it lies within one piece. */
function placed(finding: LocatedFinding, joined: Joined, { segments, taken }: Known): readonly LocatedFinding[] {
  const { pieces, lines, stands, continued } = joined;
  if (lines && finding.score < SURE) return [];
  // An encoded value can only be masked as a whole, and findings in the encoded characters are other values.
  if (stands !== undefined) return pieces.map((piece) => ({ ...finding, ...rangeOf(piece) }));
  const ranges = rangesIn(pieces, finding);
  if (ranges === undefined || ranges.length < 2) return [];
  if (!lines) return ranges;
  const textOf = (segment: number): string => segments[segment]!.text;
  let isWrapped = false;
  const isBeginning = (other: LocatedFinding): boolean => {
    const is = continued === true && isOnlyBeginning(other, ranges, textOf);
    isWrapped ||= is;
    return is;
  };
  if (ranges.some((range) => givesWay(range, taken.get(range.segment) ?? [], isBeginning))) return [];
  return isWrapped ? withoutTrailingWords(ranges, textOf) : ranges;
}

/**
 * The ranges of the following pieces of a decoded run, if a long finding reaches the end of its piece. Pieces overlap by half, so a shorter
 * value is complete in the next piece. Up to the length of the longest values, the pieces are masked without being read.
 */
function goneOn(finding: LocatedFinding, all: readonly Joined[], index: number): LocatedFinding[] {
  const { stands } = all[index]!;
  if (stands === undefined || stands.length < LEAST_OF_LONG_RUN || finding.score < SURE) return [];
  if (finding.start > stands.length / 2 || finding.end < stands.length - END_UNITS) return [];
  const ranges: LocatedFinding[] = [];
  let left = LONGEST_VALUE - (finding.end - finding.start);
  for (let next = index + 1; next < all.length && left > 0; next++) {
    const [before, piece] = [all[next - 1]!.pieces[0]!, all[next]!.pieces[0]!];
    const text = all[next]!.stands;
    const goesOn = piece.from > before.from && piece.from < before.to && piece.to > before.to;
    if (text === undefined || piece.segment !== before.segment || !goesOn) break;
    ranges.push({ ...finding, segment: piece.segment, start: before.to, end: piece.to });
    left -= text.length / 2;
  }
  return ranges;
}

function rangeOf({ segment, from, to }: Piece): Pick<LocatedFinding, 'segment' | 'start' | 'end'> {
  return { segment, start: from, end: to };
}

/** The ranges of a finding in the pieces it crosses; undefined if it crosses a gap between two attempts. */
function rangesIn(pieces: readonly Piece[], finding: LocatedFinding): LocatedFinding[] | undefined {
  const ranges: LocatedFinding[] = [];
  let at = 0;
  for (const { segment, from, to } of pieces) {
    const length = from < to ? to - from : GAP.length;
    const start = Math.max(finding.start, at);
    const end = Math.min(finding.end, at + length);
    if (start < end && from >= to) return undefined;
    if (start < end) ranges.push({ ...finding, segment, start: start - at + from, end: end - at + from });
    at += length;
  }
  return ranges;
}

/**
 * Whether a range overlaps another finding with a score of at least `SURE`. A less certain finding in one part of a value does not
 * count against the whole value, nor does the beginning of the value itself.
 */
function givesWay(
  range: LocatedFinding,
  others: readonly LocatedFinding[],
  isBeginning: (other: LocatedFinding) => boolean,
): boolean {
  return lastBefore(range.end, others).some(
    (other) => other.end > range.start && other.score >= Math.min(range.score, SURE) && !isBeginning(other),
  );
}

/** Whether a range is already known as a finding of the text itself. */
function isKnown({ code, start, end, score }: LocatedFinding, others: readonly LocatedFinding[]): boolean {
  return lastBefore(end, others).some(
    (other) => other.code === code && other.start === start && other.end === end && other.score >= score,
  );
}

/** The last `MOST_OVER` findings that start before an offset. */
function lastBefore(end: number, others: readonly LocatedFinding[]): readonly LocatedFinding[] {
  let low = 0;
  let high = others.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (others[middle]!.start < end) low = middle + 1;
    else high = middle;
  }
  return others.slice(Math.max(0, low - MOST_OVER), low);
}

/** Joins lines across joined parts: a value may be split over both lines and parts. */
function* linesAcross({ pieces }: Joined, segments: readonly Segment[]): Steps<Joined[]> {
  const text = pieces.map(({ segment, from, to }) => segments[segment]!.text.slice(from, to)).join('');
  const ends: number[] = [];
  for (const { from, to } of pieces) ends.push((ends.at(-1) ?? 0) + to - from);
  return yield* mapped(yield* joinedLines(text, 0), (joined) => ({
    ...joined,
    pieces: joined.pieces.flatMap((range) => piecesOf(range, pieces, ends)),
  }));
}

/** Maps a range of the joined text of pieces to ranges of the pieces. @param ends the end of each piece in that text */
function piecesOf(range: Pick<Piece, 'from' | 'to'>, pieces: readonly Piece[], ends: readonly number[]): Piece[] {
  const found: Piece[] = [];
  for (let index = firstBehind(ends, range.from); index < pieces.length; index++) {
    const { segment, from, to } = pieces[index]!;
    const at = ends[index]! - (to - from);
    if (at >= range.to) break;
    const start = Math.max(range.from, at);
    const end = Math.min(range.to, ends[index]!);
    if (start < end) found.push({ segment, from: start - at + from, to: end - at + from });
  }
  return found;
}

/** Index of the first number above `value` in an ascending list; the length of the list if there is none. */
function firstBehind(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
