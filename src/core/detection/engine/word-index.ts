import { KeywordMatcher } from './keyword-matcher.js';

/** Ends of the words of each group in a text, ascending; undefined for a group without hits. Empty if no group has any. */
export type WordEnds = readonly (readonly number[] | undefined)[];

/** The hits of one pass over a text for a set of patterns. */
export interface WordHits {
  readonly ends: WordEnds;
  /** Starts of literals by pattern. */
  readonly literals: ReadonlyMap<number, number[]>;
}

/** A word with the groups and patterns it was added for. */
interface Entry {
  readonly word: string;
  /** Whether the word may continue to the right. */
  readonly open: boolean;
  readonly groups: number[];
  readonly owners: number[];
}

/** Shared by most texts; never modified. */
const NO_LITERALS = new Map<number, number[]>();

interface GrowingHits extends WordHits {
  literals: Map<number, number[]>;
  ends: (number[] | undefined)[];
  readonly groups: number;
}

/**
 * All literals and context words of a set of patterns in one automaton, so that a text is read once regardless of their number. A
 * literal belongs to a pattern and is reported by its position; a context word belongs to a group and must be a whole word.
 */
export class WordIndex {
  private readonly known = new Map<string, Entry>();
  private matcher: KeywordMatcher | undefined;
  private entries: readonly Entry[] = [];
  private groups = 0;
  private longest = 0;
  /** Groups by their words, because many patterns share a group. */
  private readonly groupOf = new Map<string, number>();

  /** Adds context words; returns the number of their group. @throws RangeError for an empty word */
  addGroup(words: readonly string[]): number {
    const name = words.join('\n');
    const known = this.groupOf.get(name);
    if (known !== undefined) return known;
    const group = this.groups++;
    this.groupOf.set(name, group);
    for (const word of words) {
      const open = word.endsWith('*');
      const stem = open ? word.slice(0, -1) : word;
      for (const spelling of spellings(stem)) this.entry(spelling, open).groups.push(group);
    }
    return group;
  }

  /** Adds literals to be reported under `owner`. @throws RangeError for an empty literal */
  addLiterals(literals: readonly string[], owner: number): void {
    for (const literal of literals) this.entry(literal, true).owners.push(owner);
  }

  /** All words, by a key that two words share if they are found at the same positions. */
  get words(): ReadonlyMap<string, Entry> {
    return this.known;
  }

  /** The initial hits of a text: none. */
  noHits(): GrowingHits {
    return { ends: [], literals: NO_LITERALS, groups: this.groups };
  }

  /**
   * Reads `text` once.
   * @param nearest all words that end at or after this offset are found; words that end earlier may be missing
   * @param from literals that start before this offset are left out
   */
  read(text: string, nearest = 0, from = 0): WordHits {
    const { matcher, entries } = this.compiled();
    const hits = this.noHits();
    const onWord = (word: number, start: number, end: number): void => {
      const entry = entries[word]!;
      if (start >= from) addStart(entry, start, hits);
      if (entry.groups.length > 0 && isWord(text, start, end, entry.open)) addEnd(entry, end, hits);
    };
    matcher.scan(text, onWord, Math.max(0, nearest - this.longest));
    return hits;
  }

  private compiled(): { readonly matcher: KeywordMatcher; readonly entries: readonly Entry[] } {
    if (this.matcher === undefined) {
      this.entries = [...this.known.values()];
      this.matcher = new KeywordMatcher(this.entries.map(({ word }) => word));
    }
    return { matcher: this.matcher, entries: this.entries };
  }

  private entry(word: string, open: boolean): Entry {
    if (word === '') throw new RangeError('a keyword is empty');
    const name = (open ? '*' : '=') + word.toLowerCase();
    let entry = this.known.get(name);
    if (entry === undefined) {
      entry = { word, open, groups: [], owners: [] };
      this.known.set(name, entry);
      this.longest = Math.max(this.longest, word.length);
      this.matcher = undefined;
    }
    return entry;
  }
}

function addStart({ owners }: Entry, start: number, hits: GrowingHits): void {
  if (owners.length === 0) return;
  if (hits.literals === NO_LITERALS) hits.literals = new Map();
  for (const owner of owners) {
    const starts = hits.literals.get(owner);
    if (starts === undefined) hits.literals.set(owner, [start]);
    else starts.push(start);
  }
}

function addEnd({ groups }: Entry, end: number, hits: GrowingHits): void {
  // Created with its full length, to avoid copies as it grows; only now, because most texts contain no context word.
  if (hits.ends.length === 0) hits.ends = new Array<number[] | undefined>(hits.groups).fill(undefined);
  for (const group of groups) (hits.ends[group] ??= []).push(end);
}

interface JointEntry {
  readonly word: string;
  readonly open: boolean;
  /** Whether the word is a context word for some index. */
  context: boolean;
  readonly parts: { readonly index: number; readonly entry: Entry }[];
}

/** The words of several indexes in one automaton, so that a text is read once for all of them. */
export class JointWords {
  private readonly indexes: WordIndex[] = [];
  private entries: readonly JointEntry[] = [];
  private matcher: KeywordMatcher | undefined;

  /** Adds a complete index; returns its position in the result of `read`. */
  join(index: WordIndex): number {
    this.matcher = undefined;
    return this.indexes.push(index) - 1;
  }

  /** Reads `text` once. Each index has the same hits as from its own `read`. */
  read(text: string): readonly WordHits[] {
    if (this.indexes.length === 1) return [this.indexes[0]!.read(text)];
    this.matcher ??= this.compile();
    const hits = this.indexes.map((index) => index.noHits());
    this.matcher.scan(text, (word, start, end) => {
      const { open, context, parts } = this.entries[word]!;
      const whole = context && isWord(text, start, end, open);
      for (const { index, entry } of parts) {
        addStart(entry, start, hits[index]!);
        if (whole) addEnd(entry, end, hits[index]!);
      }
    });
    return hits;
  }

  private compile(): KeywordMatcher {
    const joint = new Map<string, JointEntry>();
    this.indexes.forEach(({ words }, index) => {
      words.forEach((entry, name) => {
        const known = joint.get(name) ?? { word: entry.word, open: entry.open, context: false, parts: [] };
        known.parts.push({ index, entry });
        known.context ||= entry.groups.length > 0;
        joint.set(name, known);
      });
    });
    this.entries = [...joint.values()];
    return new KeywordMatcher(this.entries.map(({ word }) => word));
  }
}

/** `date of birth` is also written `date_of_birth`, `date-of-birth` and `dateOfBirth`. */
function spellings(phrase: string): string[] {
  return phrase.includes(' ') ? [' ', '_', '-', ''].map((joint) => phrase.replaceAll(' ', joint)) : [phrase];
}

/** Whether a range is a whole word: no adjacent letter, except where camel case starts a new word. */
function isWord(text: string, start: number, end: number, open: boolean): boolean {
  if (start > 0 && isLetter(text.charCodeAt(start - 1))) {
    const camel = isUpper(text.charCodeAt(start)) && !isUpper(text.charCodeAt(start - 1));
    if (!camel) return false;
  }
  if (open || end >= text.length || !isLetter(text.charCodeAt(end))) return true;
  return isUpper(text.charCodeAt(end)) && !isUpper(text.charCodeAt(end - 1));
}

function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0xc0 && unit <= 0x24f);
}

function isUpper(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}
