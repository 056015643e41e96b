import type { Segment } from '../call/call.js';
import type { DetectorOutcome, LocatedFinding } from './scan.js';

/** Texts put together of neighbours, and what was found in them as findings of the segments that they came from. */
export interface JoinedTexts {
  readonly texts: readonly Segment[];
  located(outcome: DetectorOutcome): DetectorOutcome;
}

/** A range of a segment that is part of a joined text. */
interface Piece {
  readonly segment: number;
  readonly from: number;
  readonly to: number;
}

interface Joined {
  readonly pieces: readonly Piece[];
  /** Of lines: what is found must be sure, and nothing else may be found there. */
  readonly lines: boolean;
}

/** What is read of each of two neighbouring parts. */
const PART_UNITS = 1_024;
/** A value that a line end breaks: at most so much of each line, and words in front of it that say what it is. */
const TOKEN_UNITS = 160;
const WORDS_BEFORE = 80;
const SHORTEST_TOKEN = 10;
const SURE = 0.8;

/**
 * Values that are split over neighbouring parts of one message, or over lines, put together again. Only what lies across a
 * joint counts: everything else is found in the parts themselves.
 *
 * @returns undefined when nothing is split so that it could be a value
 */
export function joinedTexts(segments: readonly Segment[]): JoinedTexts | undefined {
  const all: Joined[] = [...joinedParts(segments), ...segments.flatMap(({ text }, index) => joinedLines(text, index))];
  if (all.length === 0) return undefined;
  const texts = all.map(({ pieces }) => ({
    ...segments[pieces[0]!.segment]!,
    text: pieces.map(({ segment, from, to }) => segments[segment]!.text.slice(from, to)).join(''),
  }));
  return {
    texts: [...segments, ...texts],
    located(outcome) {
      if (outcome.status === 'failed') return outcome;
      const own = outcome.findings.filter(({ segment }) => segment < segments.length);
      const taken = new Map<number, LocatedFinding[]>();
      for (const finding of own) taken.set(finding.segment, [...(taken.get(finding.segment) ?? []), finding]);
      const across = outcome.findings.flatMap((finding) => {
        const joined = all[finding.segment - segments.length];
        return joined === undefined ? [] : placed(finding, joined, taken);
      });
      if (across.length === 0 && own.length === outcome.findings.length) return outcome;
      const findings = [...own, ...across].sort((a, b) => a.segment - b.segment || a.start - b.start);
      return { ...outcome, findings };
    },
  };
}

/** A finding as its ranges in the pieces that it lies across; none when it lies in one. */
function placed(
  finding: LocatedFinding,
  { pieces, lines }: Joined,
  taken: ReadonlyMap<number, readonly LocatedFinding[]>,
): LocatedFinding[] {
  if (lines && finding.score < SURE) return [];
  const ranges: LocatedFinding[] = [];
  let at = 0;
  for (const { segment, from, to } of pieces) {
    const start = Math.max(finding.start, at);
    const end = Math.min(finding.end, at + to - from);
    if (start < end) ranges.push({ ...finding, segment, start: start - at + from, end: end - at + from });
    at += to - from;
  }
  if (ranges.length < 2) return [];
  // A word less sure about half of it says nothing against the whole.
  const overlaps = ({ segment, start, end }: LocatedFinding): boolean =>
    taken
      .get(segment)
      ?.some((other) => other.start < end && other.end > start && other.score >= Math.min(finding.score, SURE)) ??
    false;
  return lines && ranges.some(overlaps) ? [] : ranges;
}

/** Runs of neighbouring texts of one list, where words could go on from one to the next. */
function joinedParts(segments: readonly Segment[]): Joined[] {
  const joined: Joined[] = [];
  let pieces: Piece[] = [];
  const close = (): void => {
    if (pieces.length > 1) joined.push({ pieces, lines: false });
    pieces = [];
  };
  segments.forEach((segment, index) => {
    const { text } = segment;
    const before = segments[index - 1];
    if (before === undefined || !areNeighbours(before, segment) || !goesOn(before.text, text)) {
      close();
      pieces.push({ segment: index, from: Math.max(0, text.length - PART_UNITS), to: text.length });
      return;
    }
    pieces.push({ segment: index, from: 0, to: Math.min(text.length, PART_UNITS) });
    // A long part ends one run and begins the next.
    if (text.length <= PART_UNITS) return;
    close();
    pieces.push({ segment: index, from: text.length - PART_UNITS, to: text.length });
  });
  close();
  return joined;
}

const LAST_INDEX = /\[\d{1,9}\](?=[^[\]]*$)/;

function areNeighbours(a: Segment, b: Segment): boolean {
  if (a.role !== b.role || a.path === b.path || !LAST_INDEX.test(a.path)) return false;
  return a.path.replace(LAST_INDEX, '[]') === b.path.replace(LAST_INDEX, '[]');
}

function goesOn(a: string, b: string): boolean {
  return a !== '' && b !== '' && /\S$/.test(a.slice(-2)) && /^\S/.test(b.slice(0, 2));
}

const BREAK = /[ \t]{0,40}\\?(?:\r\n?|\n|\u2028|\u2029)[ \t]{0,40}/g;
const TOKEN = /^[\p{L}\p{M}\p{N}\p{Cf}+/_=.@:%&#;\\~-]$/u;

/** Words that a line end parts and that could be one value: of letters and digits, or an address. */
function joinedLines(text: string, segment: number): Joined[] {
  const joined: Joined[] = [];
  let pieces: Piece[] = [];
  const close = (): void => {
    const [first] = pieces;
    if (first !== undefined && pieces.length > 1 && mayBeValue(text, pieces))
      joined.push({
        pieces: [{ ...first, from: Math.max(0, first.from - WORDS_BEFORE) }, ...pieces.slice(1)],
        lines: true,
      });
    pieces = [];
  };
  for (const match of text.matchAll(BREAK)) {
    const behind = match.index + match[0].length;
    const from = tokenBegin(text, match.index);
    const to = tokenEnd(text, behind);
    if (from === match.index || to === behind) {
      close();
      continue;
    }
    const last = pieces.at(-1);
    // The line before may be one token from end to end: the value goes on.
    if (last === undefined || last.to !== match.index || last.from < from) {
      close();
      pieces.push({ segment, from, to: match.index });
    }
    pieces.push({ segment, from: behind, to });
  }
  close();
  return joined;
}

function tokenBegin(text: string, end: number): number {
  let from = end;
  while (from > 0 && end - from < TOKEN_UNITS && TOKEN.test(text.charAt(from - 1))) from--;
  return from;
}

function tokenEnd(text: string, begin: number): number {
  let to = begin;
  while (to < text.length && to - begin < TOKEN_UNITS && TOKEN.test(text.charAt(to))) to++;
  return to;
}

function mayBeValue(text: string, pieces: readonly Piece[]): boolean {
  const token = pieces.map(({ from, to }) => text.slice(from, to)).join('');
  return token.length >= SHORTEST_TOKEN && /[\p{N}@%&\\]/u.test(token) && /[\p{L}]|^[\p{N}-]{12,}$/u.test(token);
}
