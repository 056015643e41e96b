/** Shannon entropy of a string's characters in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Words in their usual spellings only, since `dUmMy` can occur in a random value by chance. */
const PLACEHOLDER =
  /x{6,}|X{6,}|\*{4,}|\.{4,}|[Pp]laceholder|PLACEHOLDER|[Cc]hange[-_]?[Mm]e|CHANGE[-_]?ME|[Rr]edacted|REDACTED|[Dd]ummy|DUMMY|<[A-Za-z_ -]{2,40}>|\$\{|\{\{|[Yy]our[-_]|YOUR[-_]|[-_](?:[Hh]ere|HERE)$|[Ii]nsert[-_]|INSERT[-_]/;

/** A stable token of a redaction: a code, then consonants. The code has no digits, so no secret can be hidden in it. */
const REDACTED = /^\[?(?:[A-Z][A-Z_]{1,39}|[a-z][a-z_]{1,39})_[bcdfghjklmnpqrstvwxz]{14}\]?$/;

/** Number of units that are read at each end of a long value: very many overlapping values may have to be checked. */
const PLACEHOLDER_LOOK = 256;

/**
 * Whether a value only stands for a secret: `xxxxxxxx`, `your-key-here`, a token of a redaction. In a long value, only the two ends are
 * read.
 */
export function isPlaceholder(value: string): boolean {
  if (value.length <= 2 * PLACEHOLDER_LOOK) return PLACEHOLDER.test(value) || REDACTED.test(value);
  return PLACEHOLDER.test(value.slice(0, PLACEHOLDER_LOOK)) || PLACEHOLDER.test(value.slice(-PLACEHOLDER_LOOK));
}

/** Whether the end of a value repeats very few characters, as no real secret does. */
export function isMonotonous(value: string): boolean {
  return new Set(value.slice(-20)).size < 4;
}

/**
 * Whether a value looks like the output of a random generator: enough different characters for its length, and not a phrase, an
 * identifier or a number. `least` is the minimum entropy of a long value, in bits per character.
 */
export function looksRandom(value: string, least = 3): boolean {
  if (value.length < 8 || isMonotonous(value)) return false;
  if (/^[0-9a-f]+$/i.test(value) || UUID.test(value)) return looksRandomHex(value);
  // A short value cannot reach the entropy of a long one: n different characters have at most log2(n) bits.
  const reachable = Math.log2(Math.min(value.length, 64));
  if (entropy(value) < Math.min(least, reachable * 0.78)) return false;
  return !looksLikeWords(value);
}

/**
 * Whether a value is the output of a random generator that uses letters of both cases, and not a name in kebab or snake case. For formats
 * that allow hyphens and underscores and have a short prefix: names are also long enough for them.
 */
export function looksLikeToken(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && !isPlaceholder(value) && looksRandom(value);
}

const UUID = /^[0-9a-z]{8}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{12}$/i;

function looksRandomHex(value: string): boolean {
  const digits = value.replace(/\D/g, '').length;
  return entropy(value.replaceAll('-', '')) >= 2.6 && digits > 0 && digits < value.length;
}

/**
 * Whether a value reads as words: `createUserSession`, `user-session-id`, `MAX_RETRY_COUNT`. In random strings, vowels are in unusual
 * positions, and letter case and kind of character change often.
 */
export function looksLikeWords(value: string): boolean {
  const pieces = value
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+|(?<=[A-Za-z])(?=\d)/)
    .filter((piece) => piece.length > 0);
  const letters = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (letters === 0) return false;
  const wordLetters = pieces.filter(isWordLike).reduce((sum, piece) => sum + piece.length, 0);
  // Names contain one or two numbers; in random strings digits are spread everywhere.
  if ((value.match(/\d+/g)?.length ?? 0) > 2) return false;
  const digits = value.replace(/\D/g, '').length;
  return wordLetters >= letters * 0.75 && digits <= Math.max(4, value.length * 0.2);
}

function isWordLike(piece: string): boolean {
  if (piece.length < 3) return false;
  if (!/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/.test(piece)) return false;
  if (/[bcdfghjklmnpqrstvwxz]{5,}|[aeiou]{4,}|q(?!u)|[jvxz][jvxz]/i.test(piece)) return false;
  const vowels = piece.replace(/[^aeiouy]/gi, '').length;
  return vowels >= piece.length * 0.18 && vowels <= piece.length * 0.75;
}
