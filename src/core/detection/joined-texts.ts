import type { Segment } from '../model/call.js';
import { filtered, flatMapped, joinedLists, mapped, sorted, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';

/** Texts put together of neighbours, and what was found in them as findings of the segments that they came from. */
export interface JoinedTexts {
  readonly texts: readonly Segment[];
  located(outcome: DetectorOutcome): Steps<DetectorOutcome>;
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
const LETTERS_ALONE = 20;
const SURE = 0.8;
/** A text is joined of so many pieces at most; the next begins with some of its last, so that work stays in proportion. */
const MOST_PIECES = 256;
const AGAIN = 128;
/** Findings before a place that may reach over it: those of some codes at once. */
const MOST_OVER = 16;

/**
 * Values that are split over neighbouring parts of one message, over lines, marks of emphasis or strings of a program, put
 * together again. Only what lies across a
 * joint counts: everything else is found in the parts themselves.
 *
 * @returns undefined when nothing is split so that it could be a value
 */
export function* joinedTexts(segments: readonly Segment[]): Steps<JoinedTexts | undefined> {
  const parts = yield* joinedParts(segments);
  const all: Joined[] = [...parts];
  for (const part of parts) {
    for (const joined of yield* linesAcross(part, segments)) all.push(joined);
    yield;
  }
  for (const [index, { text }] of segments.entries()) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    for (const joined of yield* joinedLines(text, index)) all.push(joined);
  }
  if (all.length === 0) return undefined;
  const texts = yield* mapped(all, ({ pieces }) => ({
    ...segments[pieces[0]!.segment]!,
    text: pieces.map(({ segment, from, to }) => segments[segment]!.text.slice(from, to)).join(''),
  }));
  return {
    texts: [...segments, ...texts],
    *located(outcome) {
      if (outcome.status === 'failed') return outcome;
      const own = yield* filtered(outcome.findings, ({ segment }) => segment < segments.length);
      if (own.length === outcome.findings.length) return outcome;
      const taken = new Map<number, LocatedFinding[]>();
      for (const [index, finding] of own.entries()) {
        if (index % THINGS_BETWEEN_STOPS === 0) yield;
        const known = taken.get(finding.segment);
        if (known === undefined) taken.set(finding.segment, [finding]);
        else known.push(finding);
      }
      const across = yield* flatMapped(outcome.findings, (finding) => {
        const joined = all[finding.segment - segments.length];
        return joined === undefined ? [] : placed(finding, joined, taken);
      });
      const both = joinedLists([own, across]);
      return { ...outcome, findings: yield* sorted(both, (a, b) => a.segment - b.segment || a.start - b.start) };
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
  return lines && ranges.some((range) => givesWay(range, taken.get(range.segment) ?? [])) ? [] : ranges;
}

/** Whether one that is as sure lies over a part of it. A word less sure about half of a value says nothing against the whole. */
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
 * Runs of neighbouring texts of one list, where words could go on from one to the next. Other members of the same parts, such
 * as their type, may stand between them.
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
    // Where nobody knows a body, the names of its members are texts under the same path: they have no key.
    const shape = `${role} ${key} ${path.slice(0, place.index)}[]${path.slice(place.index + place[0].length)}`;
    const number = Number(place[0].slice(1, -1));
    const run = runs.get(shape);
    // Who reads the parts one after the other does not see an empty one.
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
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    add(segment, index);
  }
  for (const { pieces } of runs.values()) close(pieces);
  return joined;
}

interface Run {
  /** Of the last part in its list. */
  number: number;
  pieces: Piece[];
}

/** Lists of the parts of one message, in which pictures and the like may stand between texts. */
const PARTS = /(?:^|\.)(?:content|parts)$/;

/** Whether an item is the next one of its list; of parts of a message, also the one behind something that is no text. */
function follows(run: Run, number: number, list: string): boolean {
  return number === run.number + 1 || (number === run.number + 2 && PARTS.test(list));
}

const LAST_INDEX = /\[\d{1,9}\](?=[^[\]]*$)/;

/** A byte order mark is white space to JavaScript, and to nobody who reads. */
const SEEN_LAST = /(?:\S|\ufeff)$/;
const SEEN_FIRST = /^(?:\S|\ufeff)/;

function goesOn(a: string, b: string): boolean {
  return a !== '' && b !== '' && SEEN_LAST.test(a.slice(-2)) && SEEN_FIRST.test(b.slice(0, 2));
}

/** The same in joined parts: a value may be split over lines and over parts at once. */
function* linesAcross({ pieces }: Joined, segments: readonly Segment[]): Steps<Joined[]> {
  const text = pieces.map(({ segment, from, to }) => segments[segment]!.text.slice(from, to)).join('');
  const ends: number[] = [];
  for (const { from, to } of pieces) ends.push((ends.at(-1) ?? 0) + to - from);
  return yield* mapped(yield* joinedLines(text, 0), (joined) => ({
    ...joined,
    pieces: joined.pieces.flatMap((range) => piecesOf(range, pieces, ends)),
  }));
}

/** A range of the text of some pieces as ranges of these. @param ends where each of them ends in that text */
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

/** Index of the first number of an ascending list that is greater; the length of the list where none is. */
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

/** Each of them may have two tokens beside it. */
const BREAKS_BETWEEN_STOPS = 32;
/** What mails, comments and quotations begin each line with. */
const LINE_HEADS = String.raw`(?:[ \t]{0,40}(?:[>|*]|(?:#|\/\/)(?=[ \t]))){0,8}`;
/** Elements of HTML that go on in the same line, comments, and marks of XML. */
const INLINE = String.raw`<(?:\/?(?:b|i|u|s|a|em|strong|span|font|code|mark|small|big|sub|sup|del|ins|wbr|tt|kbd|samp|var|q|cite|abbr|bdi|bdo|nobr)\b[^<>]{0,120}>|!--[^>]{0,120}-->|!\[CDATA\[)|\]\]>`;
/** A string of a program that ends where another one begins, which goes behind it. */
const STRINGS = String.raw`\\{0,3}["'\u0060][ \t]{0,40}(?:[+&.\\]|\.\.|\|\|)?\s{0,40}\\{0,3}["'\u0060]`;
/** What stands between parts of a value that a reader sees, or a program makes, as one. */
const BREAK = new RegExp(
  [
    String.raw`\\?(?:\r\n?|\n|\u2028|\u2029)${LINE_HEADS}`,
    `(?:${INLINE}){1,8}`,
    STRINGS,
    String.raw`\*{2,3}|(?<=[a-z_@])\*|\*(?=[a-z_@])|~~|\u0060{1,3}(?!["'\u0060])|\\(?=[_.@*~\u0060-])`,
  ].join('|'),
  'gi',
);
const LINE_END = /^\\?[\r\n\u2028\u2029]/;
/** Blanks that may stand on each side of a line end. */
const BLANKS = 40;
/** Of single units, including those of invisible characters above the first plane. */
const TOKEN =
  /^[\p{L}\p{M}\p{N}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f+/_=.@:%&#;\\~-]$/u;

/** Words that a line end parts and that could be one value: of letters and digits, or an address. */
function* joinedLines(text: string, segment: number): Steps<Joined[]> {
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
  let count = 0;
  let last = 0;
  for (const [match, next] of withNext(text.matchAll(BREAK))) {
    if (++count % BREAKS_BETWEEN_STOPS === 0) yield;
    const isLine = LINE_END.test(match[0]);
    const end = match.index + match[0].length;
    const before = isLine ? blanksBegin(text, match.index, last) : match.index;
    const behind = isLine ? blanksEnd(text, end) : end;
    last = behind;
    const from = tokenBegin(text, before);
    const to = tokenEnd(text, behind, next?.index ?? text.length);
    if (from === before || to === behind) {
      close();
      continue;
    }
    const line = pieces.at(-1);
    // The line before may be one token from end to end: the value goes on.
    if (line === undefined || line.to !== before || line.from < from) {
      close();
      pieces.push({ segment, from, to: before });
    }
    pieces.push({ segment, from: behind, to });
    if (pieces.length < MOST_PIECES) continue;
    const lastOnes = pieces.slice(-AGAIN);
    close();
    pieces = lastOnes;
  }
  close();
  return joined;
}

/** Each with the one behind it. */
function* withNext<Item>(items: Iterable<Item>): Generator<readonly [item: Item, next: Item | undefined], void> {
  let before: Item | undefined;
  for (const item of items) {
    if (before !== undefined) yield [before, item];
    before = item;
  }
  if (before !== undefined) yield [before, undefined];
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

function blanksBegin(text: string, end: number, least: number): number {
  let from = end;
  while (from > least && end - from < BLANKS && isBlank(text.charCodeAt(from - 1))) from--;
  return from;
}

function blanksEnd(text: string, begin: number): number {
  let to = begin;
  while (to - begin < BLANKS && isBlank(text.charCodeAt(to))) to++;
  return to;
}

function tokenBegin(text: string, end: number): number {
  let from = end;
  while (from > 0 && end - from < TOKEN_UNITS && TOKEN.test(text.charAt(from - 1))) from--;
  return from;
}

function tokenEnd(text: string, begin: number, most: number): number {
  let to = begin;
  while (to < most && to - begin < TOKEN_UNITS && TOKEN.test(text.charAt(to))) to++;
  return to;
}

function mayBeValue(text: string, pieces: readonly Piece[]): boolean {
  const token = pieces.map(({ from, to }) => text.slice(from, to)).join('');
  if (token.length < SHORTEST_TOKEN || !/[\p{L}]|^[\p{N}-]{12,}$/u.test(token)) return false;
  // Credentials of letters alone are rare, and words are no credentials.
  return /[\p{N}@%&\\]/u.test(token) || (token.length >= LETTERS_ALONE && /_|[a-z][A-Z].*[a-z][A-Z]/.test(token));
}
