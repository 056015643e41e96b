import { KeywordMatcher } from './keyword-matcher.js';

/** Where words of each group ended in a text, ascending; a group without hits is absent. */
export type WordEnds = (readonly number[] | undefined)[];

interface Entry {
  readonly groups: number[];
  readonly literalOf: number[];
  /** The word may go on to the right. */
  readonly open: boolean;
}

/**
 * All literals and context words of all patterns in one automaton, so that a text is read once whatever their number.
 * A literal belongs to a pattern and is reported by its place; a context word belongs to a group and must be a whole word.
 */
export class WordIndex {
  private readonly entries: Entry[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly words: string[] = [];
  private matcher: KeywordMatcher | undefined;
  private groups = 0;

  /** Adds context words; returns the number of their group. */
  addGroup(words: readonly string[]): number {
    const group = this.groups++;
    for (const word of words) {
      const open = word.endsWith('*');
      const stem = open ? word.slice(0, -1) : word;
      for (const spelling of spellings(stem)) this.entry(spelling, open).groups.push(group);
    }
    return group;
  }

  /** Adds literals that are to be reported under `owner`. */
  addLiterals(literals: readonly string[], owner: number): void {
    for (const literal of literals) this.entry(literal, true).literalOf.push(owner);
  }

  /**
   * Reads `text` once.
   *
   * @param onLiteral called with each literal's owner and its start.
   * @returns the ends of context words by group.
   */
  read(text: string, onLiteral: (owner: number, start: number) => void): WordEnds {
    this.matcher ??= new KeywordMatcher(this.words);
    const ends: number[][] = [];
    this.matcher.scan(text, (word, start, end) => {
      const { groups, literalOf, open } = this.entries[word]!;
      for (const owner of literalOf) onLiteral(owner, start);
      if (groups.length === 0 || !isWord(text, start, end, open)) return;
      for (const group of groups) (ends[group] ??= []).push(end);
    });
    return ends;
  }

  private entry(word: string, open: boolean): Entry {
    const name = (open ? '*' : '=') + word.toLowerCase();
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.entries.length;
      this.numbers.set(name, number);
      this.words.push(word);
      this.entries.push({ groups: [], literalOf: [], open });
    }
    return this.entries[number]!;
  }
}

/** `date of birth` is also written `date_of_birth`, `date-of-birth` and `dateOfBirth`. */
function spellings(phrase: string): string[] {
  return phrase.includes(' ') ? [' ', '_', '-', ''].map((joint) => phrase.replaceAll(' ', joint)) : [phrase];
}

/** Whether a range is a word of its own: no letter beside it, except where camel case starts a new word. */
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
