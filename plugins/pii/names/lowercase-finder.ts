import type { Finder, Found } from '../../../src/core/plugin-api.js';
import { FAMILY, GIVEN, nameLexicon, WORD_NAME, type NameLexicon } from './name-lexicon.js';
import { isSurnameShape, NOT_A_NAME, PLAIN_NAMES } from './name-shapes.js';

/** After a title any name counts; after other phrases, the first word must be a given name and must not be another kind of word as well. */
const TITLES = ['mr. ', 'mrs. ', 'ms. ', 'dr. ', 'prof. '];
const PHRASES = [
  'name is ',
  'name: ',
  'call me ',
  "i'm ",
  'i am ',
  'dear ',
  'hi ',
  'hello ',
  'thanks ',
  'named ',
  'said ',
  'says ',
];
const WORDS =
  /[a-zß-öø-ɏ]{2,20}(?:-[a-zß-öø-ɏ]{2,20})?(?: [a-z]\.?(?= ))?(?: [a-zß-öø-ɏ]{2,20}(?:-[a-zß-öø-ɏ]{2,20})?)?(?![\w@-])/y;
const LONGEST = 90;

/** Finds names typed in lower case, only after words that announce a name. */
export function lowercaseNameFinder(): Finder<'PERSON'> {
  const lexicon = nameLexicon();
  return {
    code: 'PERSON',
    trigger: { on: 'literals', literals: [...TITLES, ...PHRASES] },
    maxLength: LONGEST,
    behind: 1,
    find: (text, start) => findAfter(text, start, lexicon),
  };
}

function findAfter(text: string, start: number, lexicon: NameLexicon): Found | undefined {
  if (/[\w@]/.test(text[start - 1] ?? '')) return undefined;
  const around = text.slice(start, start + 12).toLowerCase();
  const titled = TITLES.some((title) => around.startsWith(title));
  const lead = [...TITLES, ...PHRASES]
    .filter((phrase) => around.startsWith(phrase))
    .sort((a, b) => b.length - a.length)[0];
  if (lead === undefined) return undefined;
  let from = start + lead.length;
  while (text[from] === ' ' && from < start + 20) from++;
  WORDS.lastIndex = from;
  const run = WORDS.exec(text)?.[0];
  if (run === undefined) return undefined;
  const words = run.split(' ');
  if (!begins(words[0]!, titled, lexicon)) return undefined;
  const last = words.at(-1)!;
  const whole = words.length > 1 && isSurname(last, titled, lexicon);
  return { start: from, end: from + (whole ? run.length : words[0]!.length), score: whole ? 0.8 : 0.65 };
}

function begins(word: string, titled: boolean, lexicon: NameLexicon): boolean {
  if (NOT_A_NAME.has(word) || word.length < 3) return false;
  const flags = lexicon(word);
  return (
    PLAIN_NAMES.has(word) ||
    (flags & GIVEN) !== 0 ||
    (titled && ((flags & (FAMILY | WORD_NAME)) !== 0 || isSurnameShape(word)))
  );
}

function isSurname(word: string, titled: boolean, lexicon: NameLexicon): boolean {
  if (NOT_A_NAME.has(word) || word.length < 3) return false;
  return (lexicon(word) & FAMILY) !== 0 || isSurnameShape(word) || (titled && PLAIN_NAMES.has(word));
}
