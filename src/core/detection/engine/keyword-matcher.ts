/** A word found in a text. `end` is exclusive; offsets are UTF-16 units. */
export type OnWord = (word: number, start: number, end: number) => void;

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
  private readonly width: number;
  /** Row * width + column -> row. */
  private readonly next: Uint16Array | Int32Array;
  /** Words end in rows from this one on. */
  private readonly firstEnd: number;
  /** Row - `firstEnd` -> index into `outputs`, which holds word numbers, each list closed by -1. */
  private readonly outputAt: Int32Array;
  private readonly outputs: Int32Array;
  private readonly lengths: Int32Array;

  /**
   * @param words literal words; the index in this list is the number that is reported. Empty words are refused.
   * @throws RangeError for an empty word, or when the words use more than 255 different characters.
   */
  constructor(words: readonly string[]) {
    this.lengths = Int32Array.from(words, (word) => word.length);
    this.width = this.assignColumns(words);
    const trie = buildTrie(words, this.columns, this.width);
    const links = linkFailures(trie, this.width);
    const { next, firstEnd, outputAt } = compact(trie, this.width, links);
    this.next = next;
    this.firstEnd = firstEnd;
    this.outputAt = outputAt;
    this.outputs = links.outputs;
  }

  /** Calls `onWord` for every occurrence of every word in `text`. Time is linear in the text plus the occurrences. */
  scan(text: string, onWord: OnWord): void {
    const { columns, next, firstEnd, outputAt, outputs, lengths, width } = this;
    const { length } = text;
    let row = 0;
    for (let index = 0; index < length; index++) {
      row = next[row * width + columns[text.charCodeAt(index)]!]!;
      if (row < firstEnd) continue;
      let at = outputAt[row - firstEnd]!;
      for (let word = outputs[at]!; word >= 0; word = outputs[++at]!)
        onWord(word, index + 1 - lengths[word]!, index + 1);
    }
  }

  private assignColumns(words: readonly string[]): number {
    let columns = 1;
    // Frequent letters get neighbouring columns, so that a text keeps to few cache lines.
    for (const word of [FREQUENT, ...words]) {
      if (word.length === 0) throw new RangeError('a keyword is empty');
      for (let index = 0; index < word.length; index++) {
        const lower = word.charAt(index).toLowerCase();
        const upper = lower.toUpperCase();
        const unit = lower.length === 1 ? lower.charCodeAt(0) : word.charCodeAt(index);
        if (this.columns[unit] !== 0) continue;
        if (columns > 255) throw new RangeError('the keywords use more than 255 different characters');
        this.columns[unit] = columns;
        if (upper.length === 1) this.columns[upper.charCodeAt(0)] = columns;
        columns++;
      }
    }
    return columns;
  }
}

/** What most texts are made of, the most frequent first. */
const FREQUENT = ' etaoinsrhldcumfpgwybvkxjqz_-0123456789.:';

interface Trie {
  /** Row number * width + column -> row number, 0 for "no edge" until the failures are linked. */
  next: Int32Array;
  rows: number;
  /** Words that end in a row. */
  ends: Map<number, number[]>;
}

function buildTrie(words: readonly string[], columns: Uint8Array, width: number): Trie {
  const most = words.reduce((sum, word) => sum + word.length, 1);
  const next = new Int32Array(most * width);
  const ends = new Map<number, number[]>();
  let rows = 1;
  words.forEach((word, number) => {
    let row = 0;
    for (let index = 0; index < word.length; index++) {
      const lower = word.charAt(index).toLowerCase();
      const at = row * width + columns[lower.length === 1 ? lower.charCodeAt(0) : word.charCodeAt(index)]!;
      if (next[at] === 0) next[at] = rows++;
      row = next[at]!;
    }
    const sameEnd = ends.get(row);
    if (sameEnd === undefined) ends.set(row, [number]);
    else sameEnd.push(number);
  });
  return { next: next.slice(0, rows * width), rows, ends };
}

interface Links {
  /** All rows but the root, nearest first. */
  readonly order: readonly number[];
  /** Row -> index into `outputs`, 0 for none. */
  readonly outputAt: Int32Array;
  readonly outputs: Int32Array;
}

/**
 * Numbers the rows anew: those near the root, where a scan mostly is, side by side, and those in which words end last.
 * The table is what a scan spends its time in, so it is kept small.
 */
function compact(
  { next, rows }: Trie,
  width: number,
  { order, outputAt }: Links,
): { next: Uint16Array | Int32Array; firstEnd: number; outputAt: Int32Array } {
  const ends = order.filter((row) => outputAt[row] !== 0);
  const old = [0, ...order.filter((row) => outputAt[row] === 0), ...ends];
  const fresh = new Int32Array(rows);
  old.forEach((row, number) => (fresh[row] = number));
  const table = rows <= 0x10000 ? new Uint16Array(rows * width) : new Int32Array(rows * width);
  old.forEach((row, number) => {
    for (let column = 0; column < width; column++) table[number * width + column] = fresh[next[row * width + column]!]!;
  });
  return { next: table, firstEnd: rows - ends.length, outputAt: Int32Array.from(ends, (row) => outputAt[row]!) };
}

/** Breadth first: completes every row with the transitions of its longest proper suffix, and joins the output lists. */
function linkFailures({ next, rows, ends }: Trie, width: number): Links {
  const failure = new Int32Array(rows);
  const outputAt = new Int32Array(rows);
  const outputs: number[] = [-1];
  const queue: number[] = [];
  for (let column = 0; column < width; column++) if (next[column] !== 0) queue.push(next[column]!);
  const found: number[][] = new Array<number[]>(rows).fill([]);
  for (let head = 0; head < queue.length; head++) {
    const row = queue[head]!;
    found[row] = [...(ends.get(row) ?? []), ...found[failure[row]!]!];
    if (found[row]!.length > 0) {
      outputAt[row] = outputs.length;
      outputs.push(...found[row]!, -1);
    }
    for (let column = 0; column < width; column++) {
      const at = row * width + column;
      const fallback = next[failure[row]! * width + column]!;
      if (next[at] === 0) next[at] = fallback;
      else {
        failure[next[at]!] = fallback;
        queue.push(next[at]!);
      }
    }
  }
  return { order: queue, outputAt, outputs: Int32Array.from(outputs) };
}
