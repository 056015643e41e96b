import type { Segment } from '../model/call.js';
import { isStop, type Steps } from '../steps/steps.js';
import { AGAIN, mayBeValue, MOST_PIECES, type Joined, type Piece } from './split-values.js';

/** Number of units that are read of each of two adjacent parts, at the side where they are joined. */
const PART_UNITS = 1_024;
/** This number for a side with hardly any spaces, such as the lines of a key: more than the length of the longest values. */
const DENSE_PART_UNITS = 9_216;
/** Maximum number of spaces between words in `PART_UNITS` of such a side; prose has about 170, code about 50. */
const MOST_SPACES = 24;
const SPACES = /[^\s][ \t](?=[^\s])/g;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Maximum length of a joined text. */
const MOST_UNITS = MOST_PIECES * PART_UNITS;

/**
 * Finds runs of adjacent texts of one list in which a word may continue from one text to the next. Texts of other members of the same
 * parts, such as their type, may be between them.
 */
export function* joinedParts(segments: readonly Segment[]): Steps<Joined[]> {
  const parts = new Parts(segments);
  for (let index = 0; index < segments.length; index++) {
    if (isStop(index)) yield;
    parts.add(segments[index]!, index);
  }
  return parts.end();
}

/** A run of parts of one list. */
interface Run {
  /** The index of the last part in its list, and of its segment. */
  number: number;
  segment: number;
  /** Empty until a second part follows. */
  pieces: Piece[];
  /** Total length of the pieces. */
  units: number;
}

class Parts {
  private readonly joined: Joined[] = [];
  private readonly runs = new Map<string, Run>();

  constructor(private readonly segments: readonly Segment[]) {}

  add({ text, path, role, key = '' }: Segment, index: number): void {
    const place = LAST_INDEX.exec(path);
    if (place === null) return;
    // In bodies of unknown format, the names of members are texts with the same path but without a key.
    const shape = `${role} ${key} ${path.slice(0, place.index)}[]${path.slice(place.index + place[0].length)}`;
    const number = Number(place[0].slice(1, -1));
    const run = this.runs.get(shape);
    const isNext = run !== undefined && follows(run, number, path.slice(0, place.index));
    // An empty part is skipped, because it does not interrupt a value.
    if (text === '' && isNext) {
      run.number = number;
      return;
    }
    const before = isNext ? this.segments[run.segment]!.text : '';
    if (!isNext || !goesOn(before, text)) {
      if (run !== undefined) this.close(run.pieces);
      this.runs.set(shape, { number, segment: index, ...withUnits([]) });
      return;
    }
    if (run.pieces.length === 0) Object.assign(run, withUnits([endOf(before, run.segment)]));
    const begin = beginOf(text, index);
    run.number = number;
    run.segment = index;
    run.units += begin.to;
    run.pieces.push(begin);
    // A long part ends one run and begins the next.
    const isLong = begin.to < text.length;
    if (!isLong && run.pieces.length < MOST_PIECES && run.units < MOST_UNITS) return;
    this.close(run.pieces);
    Object.assign(run, withUnits(isLong ? [] : lastOf(run.pieces)));
  }

  end(): Joined[] {
    for (const { pieces } of this.runs.values()) this.close(pieces);
    return this.joined;
  }

  private close(pieces: readonly Piece[]): void {
    if (pieces.length > 1) this.joined.push({ pieces, lines: false });
  }
}

function withUnits(pieces: Piece[]): Pick<Run, 'pieces' | 'units'> {
  return { pieces, units: pieces.reduce((sum, { from, to }) => sum + to - from, 0) };
}

/** The last pieces of a run, which the next joined text repeats. */
function lastOf(pieces: readonly Piece[]): Piece[] {
  let from = pieces.length;
  for (let units = 0; from > 0 && pieces.length - from < AGAIN && units < DENSE_PART_UNITS; from--)
    units += pieces[from - 1]!.to - pieces[from - 1]!.from;
  return pieces.slice(from);
}

function beginOf(text: string, segment: number): Piece {
  return { segment, from: 0, to: Math.min(text.length, unitsRead(text.slice(0, PART_UNITS))) };
}

function endOf(text: string, segment: number): Piece {
  return { segment, from: Math.max(0, text.length - unitsRead(text.slice(-PART_UNITS))), to: text.length };
}

/** Number of units that are read at a side of a part that begins or ends with this text. */
function unitsRead(side: string): number {
  if (side.length < PART_UNITS || BEYOND_ASCII.test(side)) return PART_UNITS;
  return (side.match(SPACES)?.length ?? 0) > MOST_SPACES ? PART_UNITS : DENSE_PART_UNITS;
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

/** One line end at the end or at the beginning of a part, with spaces next to it. */
const LAST_LINE_END = /[ \t]{0,40}(?:\r\n|[\r\n\u2028\u2029])[ \t]{0,40}$/;
const FIRST_LINE_END = /^[ \t]{0,40}(?:\r\n|[\r\n\u2028\u2029])[ \t]{0,40}/;
/** The words next to a line end. */
const LAST_WORD = /\S{1,160}$/;
const FIRST_WORD = /^\S{1,160}/;
const WORD_UNITS = 256;
const LAST_SPACES = /[ \t]{1,40}$/;
const FIRST_SPACES = /^[ \t]{1,40}/;

/** Whether a value may continue from one part to the next, directly or over one line end. */
function goesOn(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  if (SEEN_LAST.test(a.slice(-2)) && SEEN_FIRST.test(b.slice(0, 2))) return true;
  const [end, begin] = [a.slice(-WORD_UNITS), b.slice(0, WORD_UNITS)];
  const [before, behind] = [end.replace(LAST_LINE_END, ''), begin.replace(FIRST_LINE_END, '')];
  // Exactly one of the parts has the line end.
  if ((before === end) === (behind === begin)) return false;
  const last = LAST_WORD.exec(before.replace(LAST_SPACES, ''))?.[0];
  const first = FIRST_WORD.exec(behind.replace(FIRST_SPACES, ''))?.[0];
  if (last === undefined || first === undefined) return false;
  // The groups of a number are shorter than a value.
  return mayBeValue(last + first) || (/\d$/.test(last) && /^\d/.test(first));
}
