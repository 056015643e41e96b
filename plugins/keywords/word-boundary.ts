const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u;
/** Scripts without spaces between words: an adjacent character does not show where a word ends. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Whether a match is a whole word: where it begins or ends with a word character (letter, digit, mark or underscore), no other word
 * character is adjacent. Other edges (`C++`) and scripts without spaces have no such condition.
 */
export function standsAlone(text: string, start: number, end: number): boolean {
  return startsAlone(text, start) && !(joins(characterBefore(text, end)) && joins(characterAt(text, end)));
}

/** Whether a word can start at an offset: the half of `standsAlone` that does not depend on the following text. */
export function startsAlone(text: string, start: number): boolean {
  return !(joins(characterAt(text, start)) && joins(characterBefore(text, start)));
}

function joins(character: string): boolean {
  return WORD_CHARACTER.test(character) && !UNSPACED.test(character);
}

function characterAt(text: string, index: number): string {
  const point = text.codePointAt(index);
  return point === undefined ? '' : String.fromCodePoint(point);
}

/** The character that ends at `index`, including both surrogates of a pair. */
function characterBefore(text: string, index: number): string {
  if (index <= 0) return '';
  const low = text.charCodeAt(index - 1);
  const high = index > 1 ? text.charCodeAt(index - 2) : 0;
  const isPair = low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
  return text.slice(isPair ? index - 2 : index - 1, index);
}
