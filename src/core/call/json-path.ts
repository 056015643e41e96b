import { CREDENTIAL_MARK } from './scalar-forms.js';

const NAME = /^_{0,2}[A-Za-z]{1,24}[0-9]{0,3}(?:[_.-]{1,3}(?:[A-Za-z]{1,24}[0-9]{0,3}|[0-9]{1,3}))*[_.-]{0,2}$/;
const MAX_NAME = 64;
const MAX_DIGITS = 6;
/** The maximum in a name with two separators in a row, as numbers of people may be written after a word. */
const FEW_DIGITS = 3;
const SEPARATORS = /[_.-]{2}/;
/** A number that is a word of its own. */
const NUMBERS = /(?<![A-Za-z0-9])[0-9]+/g;
/** Minimum length of a credential. Shorter names may contain its prefix, such as `TO_DO`. */
const SHORTEST_CREDENTIAL = 16;
/**
 * A long word with capitals after a separator: 2 to 3 of 100 credentials consist of their prefix and letters, as in `glpat-…` and
 * `sk_live_…`. Names in which words are joined by capitals have no separators.
 */
const RANDOM_WORD = /(?<=[_.-])[A-Za-z](?=[A-Za-z]{15})[a-z]*[A-Z]/;

/**
 * The path of an object's member. A key is included only if it looks like a name; any other key may itself be a person's data or a secret,
 * and is replaced by the member's position: `arguments{2}` is the third member.
 */
export function memberPath(path: string, key: string, position: number): string {
  if (!isNameLike(key)) return positionPath(path, position);
  return path === '' ? key : `${path}.${key}`;
}

/** The path of an object's member without its key. */
export function positionPath(path: string, position: number): string {
  return `${path}{${position}}`;
}

export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

/**
 * Whether a key consists of words, each followed by at most three digits, joined by one to three of `_`, `-` and `.`, with at most six digits and one number
 * among the words, and does not look like a credential without digits: no credential, number in groups or address looks like that.
 */
export function isNameLike(key: string): boolean {
  if (key.length > MAX_NAME || !NAME.test(key)) return false;
  if (key.length >= SHORTEST_CREDENTIAL && (CREDENTIAL_MARK.test(key) || RANDOM_WORD.test(key))) return false;
  const most = SEPARATORS.test(key) ? FEW_DIGITS : MAX_DIGITS;
  return (key.match(NUMBERS)?.length ?? 0) <= 1 && key.replace(/[^0-9]/g, '').length <= most;
}
