const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u;
/** Scripts without spaces between words: an adjacent character does not show where a word ends. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Whether a match stands on its own: next to an edge that is a letter, a digit, a mark or an underscore there is none.
 * An edge that is something else (`C++`), or of a script without spaces, is always free.
 */
export function standsAlone(text: string, start: number, end: number): boolean {
  return startsAlone(text, start) && !(joins(characterBefore(text, end)) && joins(characterAt(text, end)));
}

/** Whether a word may begin at a place: the half of `standsAlone` that what follows cannot change. */
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

/** The character that ends at `index`, both halves of it when it has two. */
function characterBefore(text: string, index: number): string {
  if (index <= 0) return '';
  const low = text.charCodeAt(index - 1);
  const high = index > 1 ? text.charCodeAt(index - 2) : 0;
  const isPair = low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
  return text.slice(isPair ? index - 2 : index - 1, index);
}
