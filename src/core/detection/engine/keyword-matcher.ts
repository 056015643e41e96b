/**
 * No library for word search is used: offsets must be those of the original text, and a lower-cased copy of a text, which such a library
 * searches, can have other offsets.
 */

/** A word found in a text. `end` is exclusive; offsets are UTF-16 units. */
export type OnWord = (word: number, start: number, end: number) => void;

/** Number of columns of the table, as a power of two. Only the most frequent units have a column; edges of the others are in a map. */
const WIDTH_BITS = 6;
const WIDTH = 1 << WIDTH_BITS;
/** Column of units that occur in words but have no own column. */
const RARE = WIDTH - 1;

/**
 * Finds any number of words in one pass over a text: an Aho-Corasick automaton with a dense transition table (A. Aho, M. Corasick,
 * "Efficient string matching", CACM 18(6), 1975).
 *
 * Case is ignored for every unit that has a one-unit lower-case form. All occurrences are reported in order of their end, including
 * overlapping ones. Word boundaries are not considered; the caller checks the adjacent characters.
 */
export class KeywordMatcher {
  /** Unit -> column of the table; 0 for units that occur in no word. */
  private readonly columns = new Uint8Array(0x10000);
  private readonly table: Table;
  private readonly lengths: Int32Array;

  /**
   * @param words literal words; the index in this list is the number that is reported. Empty words are rejected.
   * @throws RangeError for an empty word.
   */
  constructor(words: readonly string[]) {
    if (words.includes('')) throw new RangeError('a keyword is empty');
    this.lengths = Int32Array.from(words, (word) => word.length);
    const folded = words.map(fold);
    assignColumns(folded, this.columns);
    const trie = new Trie(folded);
    this.table = buildTable(trie, linkFailures(trie), this.columns);
  }

  /**
   * Calls `onWord` for every occurrence of every word in `text` that begins at or after `from`. Time is linear in the text plus the
   * occurrences.
   */
  scan(text: string, onWord: OnWord, from = 0): void {
    const { columns, lengths } = this;
    const { next, firstEnd, outputAt, outputs } = this.table;
    const { length } = text;
    let row = 0;
    for (let index = from; index < length; index++) {
      const column = columns[text.charCodeAt(index)]!;
      row = column === RARE ? this.rareStep(row, text.charCodeAt(index)) : next[(row << WIDTH_BITS) | column]!;
      if (row < firstEnd) continue;
      let at = outputAt[row - firstEnd]!;
      for (let word = outputs[at]!; word >= 0; word = outputs[++at]!)
        onWord(word, index + 1 - lengths[word]!, index + 1);
    }
  }

  /** The next row for a unit without a column: the child for this unit of the row, or of the row's longest suffix that has such a child. */
  private rareStep(from: number, unit: number): number {
    const { rare, failure } = this.table;
    const folded = foldUnit(unit);
    for (let row = from; ; row = failure[row]!) {
      const to = rare.get(edge(row, folded));
      if (to !== undefined) return to;
      if (row === 0) return 0;
    }
  }
}

/** The most frequent characters of texts, in order; adjacent columns for them need few cache lines. */
const FREQUENT = ' etaoinsrhldcumfpgwybvkxjqz_-0123456789.:';

const ASCII_ONLY = /^[\u0000-\u007f]*$/;

/** Converts each unit of a word to lower case if its lower-case form has one unit. */
function fold(word: string): string {
  if (ASCII_ONLY.test(word)) return word.toLowerCase();
  let folded = '';
  for (let index = 0; index < word.length; index++) folded += String.fromCharCode(foldUnit(word.charCodeAt(index)));
  return folded;
}

function foldUnit(unit: number): number {
  const lower = String.fromCharCode(unit).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}

/** Assigns columns to the units of the words, the most frequent first, until no column is free. */
function assignColumns(words: readonly string[], columns: Uint8Array): void {
  const counts = new Map<number, number>();
  const ascii = new Int32Array(0x80);
  for (const word of words) {
    for (let index = 0; index < word.length; index++) {
      const unit = word.charCodeAt(index);
      if (unit < 0x80) ascii[unit]!++;
      else counts.set(unit, (counts.get(unit) ?? 0) + 1);
    }
  }
  ascii.forEach((count, unit) => count > 0 && counts.set(unit, count));
  for (const [place, unit] of [...FREQUENT].entries()) counts.set(unit.charCodeAt(0), Number.MAX_SAFE_INTEGER - place);
  const units = [...counts].sort(([, one], [, other]) => other - one);
  units.forEach(([unit], place) => {
    const column = place + 1 < RARE ? place + 1 : RARE;
    columns[unit] = column;
    const upper = String.fromCharCode(unit).toUpperCase();
    if (upper.length === 1 && foldUnit(upper.charCodeAt(0)) === unit) columns[upper.charCodeAt(0)] = column;
  });
}

/** The words as a trie; each row represents the prefix from the root, which is row 0. */
class Trie {
  /** By row: the last unit of its prefix (`units`), its first child row, and the next child row of its parent; 0 if there is none. */
  readonly units: Uint16Array;
  readonly children: Int32Array;
  readonly siblings: Int32Array;
  /** Words that end in a row. */
  readonly ends = new Map<number, number[]>();
  rows = 1;
  /** Children of the root by unit, because the root has more children than any other row. */
  private readonly first = new Int32Array(0x10000);

  constructor(words: readonly string[]) {
    const most = words.reduce((sum, word) => sum + word.length, 1);
    this.units = new Uint16Array(most);
    this.children = new Int32Array(most);
    this.siblings = new Int32Array(most);
    words.forEach((word, number) => this.add(word, number));
  }

  /** The child of a row for `unit`; 0 if there is none. */
  childOf(row: number, unit: number): number {
    if (row === 0) return this.first[unit]!;
    let child = this.children[row]!;
    while (child !== 0 && this.units[child] !== unit) child = this.siblings[child]!;
    return child;
  }

  private add(word: string, number: number): void {
    let row = 0;
    for (let index = 0; index < word.length; index++) {
      const unit = word.charCodeAt(index);
      row = this.childOf(row, unit) || this.grow(row, unit);
    }
    const sameEnd = this.ends.get(row);
    if (sameEnd === undefined) this.ends.set(row, [number]);
    else sameEnd.push(number);
  }

  private grow(from: number, unit: number): number {
    const to = this.rows++;
    this.units[to] = unit;
    this.siblings[to] = this.children[from]!;
    this.children[from] = to;
    if (from === 0) this.first[unit] = to;
    return to;
  }
}

interface Links {
  /** All rows in breadth-first order. */
  readonly order: readonly number[];
  /** Row -> row of its longest proper suffix. */
  readonly failure: Int32Array;
  /** Row -> index into `outputs`, 0 for none. */
  readonly outputAt: Int32Array;
  readonly outputs: Int32Array;
}

/** Finds the longest proper suffix of every row, breadth first, and joins the lists of words that end there. */
function linkFailures(trie: Trie): Links {
  const { units, children, siblings, rows, ends } = trie;
  const failure = new Int32Array(rows);
  const outputAt = new Int32Array(rows);
  const outputs: number[] = [-1];
  const order: number[] = [0];
  for (let head = 0; head < order.length; head++) {
    const row = order[head]!;
    outputAt[row] = outputAt[failure[row]!]!;
    const own = ends.get(row);
    if (own !== undefined) {
      const above = outputAt[row];
      outputAt[row] = outputs.length;
      outputs.push(...own);
      for (let at = above; outputs[at]! >= 0; at++) outputs.push(outputs[at]!);
      outputs.push(-1);
    }
    for (let child = children[row]!; child !== 0; child = siblings[child]!) {
      if (row !== 0) failure[child] = longestSuffix(trie, units[child]!, failure[row]!, failure);
      order.push(child);
    }
  }
  return { order, failure, outputAt, outputs: Int32Array.from(outputs) };
}

/** The child of the row `from` for `unit`. If there is none, the child of the row's longest suffix that has one; 0 if no suffix has one. */
function longestSuffix(trie: Trie, unit: number, from: number, failure: Int32Array): number {
  for (let row = from; ; row = failure[row]!) {
    const to = trie.childOf(row, unit);
    if (to !== 0 || row === 0) return to;
  }
}

/** The key of the edge from a row for a unit. */
function edge(row: number, unit: number): number {
  return row * 0x10000 + unit;
}

interface Table {
  /** Row * width + column -> row. */
  readonly next: Uint16Array | Int32Array;
  /** The first row in which a word ends; words end in all later rows. */
  readonly firstEnd: number;
  /** By row minus `firstEnd`: where its list of word numbers begins in `outputs`; each list ends with -1. */
  readonly outputAt: Int32Array;
  readonly outputs: Int32Array;
  /** Edges for units without a column; `failure` is used if there is none. */
  readonly rare: ReadonlyMap<number, number>;
  readonly failure: Int32Array;
}

/**
 * Builds the table with all transitions. Rows near the root, which scans use most, are adjacent; rows in which words end are last. The
 * table is kept small, because scans spend their time in it.
 */
function buildTable(trie: Trie, { order, failure, outputAt, outputs }: Links, columns: Uint8Array): Table {
  const { units, children, siblings, rows } = trie;
  const fresh = new Int32Array(rows);
  const firstEnd = rows - order.reduce((sum, row) => (outputAt[row] === 0 ? sum : sum + 1), 0);
  const endsAt = new Int32Array(rows - firstEnd);
  for (let place = 0, plain = 0, end = 0; place < rows; place++) {
    const row = order[place]!;
    if (outputAt[row] === 0) fresh[row] = plain++;
    else {
      endsAt[end] = outputAt[row]!;
      fresh[row] = firstEnd + end++;
    }
  }
  const next = rows <= 0x10000 ? new Uint16Array(rows * WIDTH) : new Int32Array(rows * WIDTH);
  const rare = new Map<number, number>();
  for (let place = 0; place < rows; place++) {
    const row = order[place]!;
    const at = fresh[row]! * WIDTH;
    // Copies the row of its suffix, which is already complete; its own edges follow.
    if (row !== 0) next.copyWithin(at, fresh[failure[row]!]! * WIDTH, (fresh[failure[row]!]! + 1) * WIDTH);
    for (let child = children[row]!; child !== 0; child = siblings[child]!) {
      const column = columns[units[child]!]!;
      if (column === RARE) rare.set(edge(fresh[row]!, units[child]!), fresh[child]!);
      else next[at + column] = fresh[child]!;
    }
  }
  const fallBack = new Int32Array(rows);
  for (let row = 0; row < rows; row++) fallBack[fresh[row]!] = fresh[failure[row]!]!;
  return { next, firstEnd, outputAt: endsAt, outputs, rare, failure: fallBack };
}
