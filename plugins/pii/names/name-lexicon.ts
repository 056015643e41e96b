import { COMMON_WORDS } from './common-words.js';
import { FAMILY_A_G } from './family-a-g.js';
import { FAMILY_H_O } from './family-h-o.js';
import { FAMILY_P_Z } from './family-p-z.js';
import { GIVEN_A_K } from './given-a-k.js';
import { GIVEN_L_Z } from './given-l-z.js';
import { WORD_NAMES } from './word-names.js';

/** Possible kinds of a word. They are flags: a word may be of several kinds. */
export const GIVEN = 1;
export const FAMILY = 2;
/** A given or family name that is also an English word (`Mark`, `Baker`). */
export const WORD_NAME = 4;
/** An English word that is not a name. */
export const COMMON = 8;

/** Flags of a word in lower case; 0 for an unknown one. Inflected forms of English words are also `COMMON`. */
export type NameLexicon = (word: string) => number;

/** A piece of a front-coded list whose words begin with one letter. */
interface Block {
  readonly coded: string;
  readonly flag: number;
}

/**
 * Finds the blocks of a front-coded list: each entry is a digit, the number of letters it shares with the entry before it, and the
 * rest; the first entry of each letter shares none. Line breaks are ignored.
 */
function addBlocks(blocks: Map<string, Block[]>, coded: string, flag: number): void {
  for (let from = coded.indexOf('0'); from >= 0;) {
    const next = coded.indexOf('0', from + 1);
    const block = { coded: coded.slice(from, next < 0 ? coded.length : next), flag };
    const letter = block.coded.charAt(block.coded.charAt(1) === '\n' ? 2 : 1);
    const sameLetter = blocks.get(letter);
    if (sameLetter === undefined) blocks.set(letter, [block]);
    else sameLetter.push(block);
    from = next;
  }
}

function decode(into: Map<string, number>, { coded, flag }: Block): void {
  let previous = '';
  let shared = 0;
  let from = 1;
  for (let at = 1; at <= coded.length; at++) {
    const unit = at === coded.length ? 0x30 : coded.charCodeAt(at);
    if (unit < 0x30 || unit > 0x39) continue;
    previous = previous.slice(0, shared) + coded.slice(from, at).replace('\n', '');
    into.set(previous, (into.get(previous) ?? 0) | flag);
    shared = unit - 0x30;
    from = at + 1;
  }
}

let lexicon: NameLexicon | undefined;

/** Returns the lexicon. The words of a letter are decoded at the first lookup of one of them. */
export function nameLexicon(): NameLexicon {
  lexicon ??= build();
  return lexicon;
}

function build(): NameLexicon {
  const blocks = new Map<string, Block[]>();
  for (const coded of [GIVEN_A_K, GIVEN_L_Z]) addBlocks(blocks, coded, GIVEN);
  for (const coded of [FAMILY_A_G, FAMILY_H_O, FAMILY_P_Z]) addBlocks(blocks, coded, FAMILY);
  addBlocks(blocks, WORD_NAMES, WORD_NAME);
  addBlocks(blocks, COMMON_WORDS, COMMON);
  const decoded = new Map<string, Map<string, number>>();
  const flagsOf = (word: string): number | undefined => {
    const letter = word.charAt(0);
    let flags = decoded.get(letter);
    if (flags === undefined) {
      flags = new Map();
      for (const block of blocks.get(letter) ?? []) decode(flags, block);
      if (flags.size > 0) decoded.set(letter, flags);
    }
    return flags.get(word);
  };
  const isStem = (word: string): boolean => ((flagsOf(word) ?? 0) & (WORD_NAME | COMMON)) !== 0;
  return (word) => flagsOf(word) ?? (isInflected(word, isStem) ? COMMON : 0);
}

function isInflected(word: string, isStem: (stem: string) => boolean): boolean {
  if (word.startsWith('un') && isStem(word.slice(2))) return true;
  const ending = /(?:s|ed|ing|ly|er|ness)$/.exec(word)?.[0];
  if (ending === undefined) return false;
  const stem = word.slice(0, -ending.length);
  return stem.length > 2 && (isStem(stem) || isStem(`${stem}e`));
}
