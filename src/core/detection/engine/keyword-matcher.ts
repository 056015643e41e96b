/** A word found in a text. `end` is exclusive; offsets are UTF-16 units. */
export type OnWord = (word: number, start: number, end: number) => void;

/** Columns of the table: the units that words use most. The others are looked up in a map, edge by edge. */
const WIDTH_BITS = 6;
const WIDTH = 1 << WIDTH_BITS;
/** Column of the units that occur in words but have no column of their own. */
const RARE = WIDTH - 1;

/**
 * Finds any number of words in one pass over a text, whatever their number: an Aho-Corasick automaton with a dense
 * transition table (A. Aho, M. Corasick, "Efficient string matching", CACM 18(6), 1975).
 *
 * Case is ignored for every unit that has a one-unit lower-case form. All occurrences are reported, overlapping ones
 * too, in order of their end. It knows no word boundaries: the caller looks at the neighbours.
 */
export class KeywordMatcher {
  /** Unit -> column of the table; 0 for units that occur in no word. */
  private readonly columns = new Uint8Array(0x10000);
  private readonly table: Table;
  private readonly lengths: Int32Array;

  /**
   * @param words literal words; the index in this list is the number that is reported. Empty words are refused.
   * @throws RangeError for an empty word.
   */
  constructor(words: readonly string[]) {
    if (words.includes('')) throw new RangeError('a keyword is empty');
    this.lengths = Int32Array.from(words, (word) => word.length);
    const folded = words.map(fold);
    assignColumns(folded, this.columns);
    const trie = buildTrie(folded, this.columns);
    this.table = compact(trie, linkFailures(trie));
  }

  /** Calls `onWord` for every occurrence of every word in `text`. Time is linear in the text plus the occurrences. */
  scan(text: string, onWord: OnWord): void {
    const { columns, lengths } = this;
    const { next, firstEnd, outputAt, outputs } = this.table;
    const { length } = text;
    let row = 0;
    for (let index = 0; index < length; index++) {
      const column = columns[text.charCodeAt(index)]!;
      row = column === RARE ? this.rareStep(row, text.charCodeAt(index)) : next[(row << WIDTH_BITS) | column]!;
      if (row < firstEnd) continue;
      let at = outputAt[row - firstEnd]!;
      for (let word = outputs[at]!; word >= 0; word = outputs[++at]!)
        onWord(word, index + 1 - lengths[word]!, index + 1);
    }
  }

  /** From a row over a unit without a column: that of the longest suffix that goes on with it. */
  private rareStep(from: number, unit: number): number {
    const { rare, failure } = this.table;
    const lower = foldUnit(unit);
    for (let row = from; ; row = failure[row]!) {
      const to = rare.get(edge(row, lower));
      if (to !== undefined) return to;
      if (row === 0) return 0;
    }
  }
}

/** What most texts are made of, the most frequent first; neighbouring columns keep a text to few cache lines. */
const FREQUENT = ' etaoinsrhldcumfpgwybvkxjqz_-0123456789.:';

/** Words as they are looked for: in lower case where that takes one unit. */
function fold(word: string): string {
  let folded = '';
  for (let index = 0; index < word.length; index++) folded += String.fromCharCode(foldUnit(word.charCodeAt(index)));
  return folded;
}

function foldUnit(unit: number): number {
  const lower = String.fromCharCode(unit).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}

/** Gives columns to the units of the words, as far as there are any; the most frequent first. */
function assignColumns(words: readonly string[], columns: Uint8Array): void {
  const counts = new Map<string, number>();
  for (const unit of FREQUENT) counts.set(unit, Number.MAX_SAFE_INTEGER);
  for (const word of words)
    for (let index = 0; index < word.length; index++)
      counts.set(word.charAt(index), (counts.get(word.charAt(index)) ?? 0) + 1);
  const units = [...counts].sort(([, one], [, other]) => other - one);
  units.forEach(([unit], place) => {
    const column = place + 1 < RARE ? place + 1 : RARE;
    columns[unit.charCodeAt(0)] = column;
    const upper = unit.toUpperCase();
    if (upper.length === 1 && foldUnit(upper.charCodeAt(0)) === unit.charCodeAt(0))
      columns[upper.charCodeAt(0)] = column;
  });
}

interface Trie {
  /** Row number * width + column -> row number, 0 for "no edge" until the failures are linked. */
  readonly next: Int32Array;
  readonly rows: number;
  /** Edges over units without a column, by `edge`, and the rows they leave. */
  readonly rare: ReadonlyMap<number, number>;
  readonly rareOf: ReadonlyMap<number, readonly number[]>;
  /** Words that end in a row. */
  readonly ends: ReadonlyMap<number, readonly number[]>;
}

/** Names the edge from a row over a unit. */
function edge(row: number, unit: number): number {
  return row * 0x10000 + unit;
}

function buildTrie(words: readonly string[], columns: Uint8Array): Trie {
  const most = words.reduce((sum, word) => sum + word.length, 1);
  const next = new Int32Array(most * WIDTH);
  const rare = new Map<number, number>();
  const rareOf = new Map<number, number[]>();
  const ends = new Map<number, number[]>();
  let rows = 1;
  words.forEach((word, number) => {
    let row = 0;
    for (let index = 0; index < word.length; index++) {
      const unit = word.charCodeAt(index);
      const column = columns[unit]!;
      let to = column === RARE ? rare.get(edge(row, unit)) : next[row * WIDTH + column] || undefined;
      if (to === undefined) {
        to = rows++;
        if (column === RARE) {
          rare.set(edge(row, unit), to);
          append(rareOf, row, unit);
        } else next[row * WIDTH + column] = to;
      }
      row = to;
    }
    append(ends, row, number);
  });
  return { next: next.slice(0, rows * WIDTH), rows, rare, rareOf, ends };
}

function append(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

interface Links {
  /** All rows but the root, nearest first. */
  readonly order: readonly number[];
  /** Row -> that of its longest proper suffix. */
  readonly failure: Int32Array;
  /** Row -> index into `outputs`, 0 for none. */
  readonly outputAt: Int32Array;
  readonly outputs: Int32Array;
}

/** Breadth first: completes every row with the transitions of its longest proper suffix, and joins the output lists. */
function linkFailures({ next, rows, rare, rareOf, ends }: Trie): Links {
  const failure = new Int32Array(rows);
  const outputAt = new Int32Array(rows);
  const outputs: number[] = [-1];
  const queue: number[] = [0];
  const found: (readonly number[])[] = new Array<readonly number[]>(rows).fill([]);
  for (let head = 0; head < queue.length; head++) {
    const row = queue[head]!;
    const above = row === 0 ? NO_WORDS : found[failure[row]!]!;
    const own = ends.get(row);
    found[row] = own === undefined ? above : [...own, ...above];
    if (own !== undefined) {
      outputAt[row] = outputs.length;
      outputs.push(...found[row], -1);
    } else if (above.length > 0) outputAt[row] = outputAt[failure[row]!]!;
    for (let column = 1; column < WIDTH; column++) {
      const at = row * WIDTH + column;
      const fallback = row === 0 ? 0 : next[failure[row]! * WIDTH + column]!;
      if (next[at] === 0) next[at] = fallback;
      else {
        failure[next[at]!] = fallback;
        queue.push(next[at]!);
      }
    }
    for (const unit of rareOf.get(row) ?? []) {
      const to = rare.get(edge(row, unit))!;
      if (row !== 0) failure[to] = suffixOver(unit, failure[row]!, rare, failure);
      queue.push(to);
    }
  }
  return { order: queue.slice(1), failure, outputAt, outputs: Int32Array.from(outputs) };
}

const NO_WORDS: readonly number[] = [];

/** Where `unit` leads from `from` or, if nowhere, from the longest of its suffixes from which it leads somewhere. */
function suffixOver(unit: number, from: number, rare: Trie['rare'], failure: Int32Array): number {
  for (let row = from; ; row = failure[row]!) {
    const to = rare.get(edge(row, unit));
    if (to !== undefined) return to;
    if (row === 0) return 0;
  }
}

interface Table {
  /** Row * width + column -> row. */
  readonly next: Uint16Array | Int32Array;
  /** Words end in rows from this one on. */
  readonly firstEnd: number;
  /** Row - `firstEnd` -> index into `outputs`, which holds word numbers, each list closed by -1. */
  readonly outputAt: Int32Array;
  readonly outputs: Int32Array;
  readonly rare: ReadonlyMap<number, number>;
  readonly failure: Int32Array;
}

/**
 * Numbers the rows anew: those near the root, where a scan mostly is, side by side, and those in which words end last.
 * The table is what a scan spends its time in, so it is kept small.
 */
function compact({ next, rows, rare }: Trie, { order, failure, outputAt, outputs }: Links): Table {
  const ends = order.filter((row) => outputAt[row] !== 0);
  const old = [0, ...order.filter((row) => outputAt[row] === 0), ...ends];
  const fresh = new Int32Array(rows);
  old.forEach((row, number) => (fresh[row] = number));
  const table = rows <= 0x10000 ? new Uint16Array(rows * WIDTH) : new Int32Array(rows * WIDTH);
  for (let number = 0; number < rows; number++) {
    const from = old[number]! * WIDTH;
    for (let column = 1; column < WIDTH; column++) {
      const to = next[from + column]!;
      if (to !== 0) table[number * WIDTH + column] = fresh[to]!;
    }
  }
  const rareEdges = [...rare].map(([name, to]): [number, number] => [
    edge(fresh[Math.floor(name / 0x10000)]!, name % 0x10000),
    fresh[to]!,
  ]);
  return {
    next: table,
    firstEnd: rows - ends.length,
    outputAt: Int32Array.from(ends, (row) => outputAt[row]!),
    outputs,
    rare: new Map(rareEdges),
    failure: Int32Array.from(old, (row) => fresh[failure[row]!]!),
  };
}
