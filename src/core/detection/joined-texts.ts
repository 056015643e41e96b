import type { Segment } from '../model/call.js';
import { decodedRunsOf } from './decoded-runs.js';
import { filtered, flatMapped, joinedLists, mapped, sorted, isStop, type Steps } from '../steps/steps.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import {
  AGAIN,
  joinedCells,
  joinedLetters,
  joinedLines,
  joinedStrings,
  MOST_PIECES,
  type Joined,
  type Piece,
} from './split-values.js';
import { signsOf } from './text-signs.js';

/** Texts joined from adjacent ones, and a mapping of their findings to the original segments. */
export interface JoinedTexts {
  readonly texts: readonly Segment[];
  located(outcome: DetectorOutcome): Steps<DetectorOutcome>;
}

/** Number of units that are read of each of two adjacent parts, at the side where they are joined. */
const PART_UNITS = 1_024;
const SURE = 0.8;
/** The text for an empty piece. */
const GAP = '\n';
/** Maximum number of earlier findings that are checked for overlap with a range: several codes may have overlapping findings. */
const MOST_OVER = 16;

/**
 * Joins values that are split over adjacent parts of one message, over lines, cells, emphasis marks or strings of a program, and
 * decodes runs. Only findings across a joint count, because all others are found in the parts themselves.
 *
 * @param known the results of `joinsOf` for some of the texts, by segment index; the others are computed
 * @returns undefined if nothing could be a split value
 */
export function* joinedTexts(
  segments: readonly Segment[],
  known: ReadonlyMap<number, readonly Joined[]> = new Map(),
): Steps<JoinedTexts | undefined> {
  const parts = yield* joinedParts(segments);
  const all: Joined[] = [...parts];
  for (const part of parts) {
    for (const joined of yield* linesAcross(part, segments)) all.push(joined);
    yield;
  }
  for (const [index, { text }] of segments.entries()) {
    if (isStop(index)) yield;
    for (const joined of known.get(index) ?? (yield* joinsOf(text, index))) {
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
        const ranges = placed(finding, joined, taken);
        const [first] = ranges;
        if (first === undefined || !joined.lines) return ranges;
        // A value may be joined in several ways, which count once; for cells, first without the following cells.
        const key = `${first.code} ${first.segment} ${first.start}`;
        if (begun.has(key)) return [];
        begun.add(key);
        return ranges;
      });
      const both = joinedLists([own, across]);
      return { ...outcome, findings: yield* sorted(both, (a, b) => a.segment - b.segment || a.start - b.start) };
    },
  };
}

/**
 * The values that are split within one text, and its decoded runs.
 * @param segment the index of the text's segment
 */
export function* joinsOf(text: string, segment: number): Steps<readonly Joined[]> {
  const all: Joined[][] = [];
  all.push(yield* joinedLines(text, segment));
  all.push(yield* joinedCells(text, segment));
  all.push(yield* joinedStrings(text, segment));
  const signs = yield* signsOf(text);
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

/** Splits a finding into ranges of the pieces it crosses; empty if it is not reported, for example because it lies within one piece. */
function placed(
  finding: LocatedFinding,
  joined: Joined,
  taken: ReadonlyMap<number, readonly LocatedFinding[]>,
): LocatedFinding[] {
  const { pieces, lines, stands } = joined;
  if (lines && finding.score < SURE) return [];
  // An encoded value can only be masked as a whole, and findings in the encoded characters are other values.
  if (stands !== undefined) return pieces.map((piece) => ({ ...finding, ...rangeOf(piece) }));
  const ranges = rangesIn(pieces, finding);
  if (ranges === undefined || ranges.length < 2) return [];
  return lines && ranges.some((range) => givesWay(range, taken.get(range.segment) ?? [])) ? [] : ranges;
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
 * count against the whole value.
 */
function givesWay(range: LocatedFinding, others: readonly LocatedFinding[]): boolean {
  let low = 0;
  let high = others.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (others[middle]!.start < range.end) low = middle + 1;
    else high = middle;
  }
  return others
    .slice(Math.max(0, low - MOST_OVER), low)
    .some(({ end, score }) => end > range.start && score >= Math.min(range.score, SURE));
}

/**
 * Finds runs of adjacent texts of one list in which a word may continue from one text to the next. Texts of other members of the same
 * parts, such as their type, may be between them.
 */
function* joinedParts(segments: readonly Segment[]): Steps<Joined[]> {
  const joined: Joined[] = [];
  const runs = new Map<string, Run>();
  const close = (pieces: readonly Piece[]): void => {
    if (pieces.length > 1) joined.push({ pieces, lines: false });
  };
  const add = (segment: Segment, index: number): void => {
    const { text, path, role, key = '' } = segment;
    const place = LAST_INDEX.exec(path);
    if (place === null) return;
    // In bodies of unknown format, the names of members are texts with the same path but without a key.
    const shape = `${role} ${key} ${path.slice(0, place.index)}[]${path.slice(place.index + place[0].length)}`;
    const number = Number(place[0].slice(1, -1));
    const run = runs.get(shape);
    // An empty part is skipped, because it does not interrupt a value.
    const list = path.slice(0, place.index);
    if (text === '' && run !== undefined && follows(run, number, list)) {
      run.number = number;
      return;
    }
    const tail = { segment: index, from: Math.max(0, text.length - PART_UNITS), to: text.length };
    if (run === undefined || !follows(run, number, list) || !goesOn(segments[run.pieces.at(-1)!.segment]!.text, text)) {
      if (run !== undefined) close(run.pieces);
      runs.set(shape, { number, pieces: [tail] });
      return;
    }
    run.number = number;
    run.pieces.push({ segment: index, from: 0, to: Math.min(text.length, PART_UNITS) });
    // A long part ends one run and begins the next.
    if (text.length <= PART_UNITS && run.pieces.length < MOST_PIECES) return;
    close(run.pieces);
    run.pieces = text.length > PART_UNITS ? [tail] : run.pieces.slice(-AGAIN);
  };
  for (const [index, segment] of segments.entries()) {
    if (isStop(index)) yield;
    add(segment, index);
  }
  for (const { pieces } of runs.values()) close(pieces);
  return joined;
}

interface Run {
  /** The index of the last part in its list. */
  number: number;
  pieces: Piece[];
}

/** Lists of the parts of one message, in which images and other media may be between texts. */
const PARTS = /(?:^|\.)(?:content|parts)$/;

/** Whether an item is the next one of its list; for parts of a message, one item that is not text may be in between. */
function follows(run: Run, number: number, list: string): boolean {
  return number === run.number + 1 || (number === run.number + 2 && PARTS.test(list));
}

const LAST_INDEX = /\[\d{1,9}\](?=[^[\]]*$)/;

/** A byte order mark counts as white space in JavaScript, but is invisible to readers. */
const SEEN_LAST = /(?:\S|\ufeff)$/;
const SEEN_FIRST = /^(?:\S|\ufeff)/;

function goesOn(a: string, b: string): boolean {
  return a !== '' && b !== '' && SEEN_LAST.test(a.slice(-2)) && SEEN_FIRST.test(b.slice(0, 2));
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
