const PARTS = String.raw`[A-Za-z0-9]+(?:[-_.:/]{1,2}[A-Za-z0-9]+){0,12}`;
const WHOLE = new RegExp(`^${PARTS}$`);
const EACH = new RegExp(`(?<![A-Za-z0-9])${PARTS}`, 'g');
const UUID = /(?<![A-Za-z0-9])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![A-Za-z0-9])/gi;
/** Stands for a UUID; it is random itself. */
const LETTERS = 'bcdfghjklmnp';
const MOST_UNITS = 200;
/** With more words, an identifier can be a sentence without spaces. */
const MOST_WORDS = 4;
const FEWEST_RANDOM = 12;
const TURNS = /[a-z]+|[A-Z]+|\d+/g;
/** The least share of turns between capitals, small letters and digits; words that capitals join have fewer. */
const MANY_TURNS = 0.38;
const MANY_NUMBERS = 4;
/** The largest share of vowels in random letters; words of all languages in Latin letters have more. */
const MOST_VOWELS = 0.12;
/** Signs around a part of a text, such as the quotation marks of a JSON value. */
const AROUND = /^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g;

/**
 * Whether a text consists only of identifiers with a random part, such as `call-<random letters>:ai.request`, apart from signs around them.
 * The model learnt from sentences: it reads the signs of an identifier as beginnings of clauses, and its few words as what opens them.
 */
export function isOfIdentifiers(text: string): boolean {
  const parts = text.trim().split(/\s+/);
  return parts.every((part) => part.length <= MOST_UNITS && wordsOf(part.replace(AROUND, '')) !== undefined);
}

/** A text in which each identifier with a random part is replaced by its words; the same words count once. */
export function withWordsOfIdentifiers(text: string): string {
  const seen = new Set<string>();
  return text.replace(EACH, (part) => {
    const words = wordsOf(part);
    if (words === undefined) return part;
    if (seen.has(words)) return '';
    seen.add(words);
    return words;
  });
}

/** The words of an identifier, with spaces between them; undefined if it has no random part, or so many words that it can be a sentence. */
function wordsOf(identifier: string): string | undefined {
  if (!WHOLE.test(identifier)) return undefined;
  const parts = identifier.replace(UUID, LETTERS).split(/[^A-Za-z0-9]+/);
  const words = parts.filter((part) => !isRandom(part));
  return words.length === parts.length || words.length > MOST_WORDS ? undefined : words.join(' ');
}

/** Whether a part consists of random letters, or of capitals, small letters and digits that alternate often. */
function isRandom(part: string): boolean {
  if (part.length < FEWEST_RANDOM) return false;
  const numbers = part.match(/\d+/g)?.length ?? 0;
  if (numbers >= MANY_NUMBERS || (part.match(TURNS)?.length ?? 0) >= part.length * MANY_TURNS) return true;
  const runs = part.match(/[A-Za-z]+/g) ?? [];
  if (runs[0] === part) return vowelsOf(part) <= part.length * MOST_VOWELS;
  // Random letters between digits are short, or have as few vowels as other random letters.
  return (
    numbers === MANY_NUMBERS - 1 && runs.every((run) => run.length < 5 || vowelsOf(run) <= run.length * MOST_VOWELS)
  );
}

function vowelsOf(letters: string): number {
  return letters.match(/[aeiouy]/gi)?.length ?? 0;
}
