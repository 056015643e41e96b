import { COMMON_WORDS } from './common-words.js';
import { FAMILY_A_G } from './family-a-g.js';
import { FAMILY_H_O } from './family-h-o.js';
import { FAMILY_P_Z } from './family-p-z.js';
import { GIVEN_A_K } from './given-a-k.js';
import { GIVEN_L_Z } from './given-l-z.js';
import { WORD_NAMES } from './word-names.js';

/** What a word can be. Flags: a word may be several. */
export const GIVEN = 1;
export const FAMILY = 2;
/** A name, given or family, that is an English word as well (`Mark`, `Baker`). */
export const WORD_NAME = 4;
/** An English word that is no name. */
export const COMMON = 8;

/** Flags of a word in lower case; 0 for an unknown one. Inflected forms of English words are `COMMON` too. */
export type NameLexicon = (word: string) => number;

/**
 * Reads a front-coded list: each entry is a digit, the number of letters it shares with the entry before it, and the
 * rest. Line breaks mean nothing.
 */
function decode(into: Map<string, number>, coded: string, flag: number): void {
  let previous = '';
  let shared = 0;
  let from = 0;
  const end = coded.length;
  for (let at = 0; at <= end; at++) {
    const unit = at === end ? 0x30 : coded.charCodeAt(at);
    if (unit < 0x30 || unit > 0x39) continue;
    if (at > from) {
      previous = previous.slice(0, shared) + coded.slice(from, at).replace('\n', '');
      into.set(previous, (into.get(previous) ?? 0) | flag);
    }
    shared = unit - 0x30;
    from = at + 1;
  }
}

let lexicon: NameLexicon | undefined;

/** The lexicon; decoded once, on first use. */
export function nameLexicon(): NameLexicon {
  lexicon ??= build();
  return lexicon;
}

function build(): NameLexicon {
  const flags = new Map<string, number>();
  for (const coded of [GIVEN_A_K, GIVEN_L_Z]) decode(flags, coded, GIVEN);
  for (const coded of [FAMILY_A_G, FAMILY_H_O, FAMILY_P_Z]) decode(flags, coded, FAMILY);
  decode(flags, WORD_NAMES, WORD_NAME);
  decode(flags, COMMON_WORDS, COMMON);
  const isStem = (word: string): boolean => ((flags.get(word) ?? 0) & (WORD_NAME | COMMON)) !== 0;
  return (word) => flags.get(word) ?? (isInflected(word, isStem) ? COMMON : 0);
}

function isInflected(word: string, isStem: (stem: string) => boolean): boolean {
  if (word.startsWith('un') && isStem(word.slice(2))) return true;
  const ending = /(?:s|ed|ing|ly|er|ness)$/.exec(word)?.[0];
  if (ending === undefined) return false;
  const stem = word.slice(0, -ending.length);
  return stem.length > 2 && (isStem(stem) || isStem(`${stem}e`));
}
