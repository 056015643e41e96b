import type { MatchInfo } from '../../src/core/plugin-api.js';

/**
 * Boundaries of a number that may stand in a table or in a list: unlike `HEAD` and `TAIL`, they allow a comma between two digits and a
 * `#` in front, so `isPartOfNumber` must decide in the validator.
 */
export const LIST_HEAD = String.raw`(?<![A-Za-z0-9][-_.])(?<![\d@$]|\d[/:]|[@$][/:,])`;
export const LIST_TAIL = String.raw`(?![A-Za-z0-9_@]|[-./:]\d)`;
/** As `LIST_TAIL`, and with an expiry date or a security code behind a slash or a colon, as in lists of cards. */
export const CARD_TAIL = String.raw`(?![A-Za-z0-9_@]|[-.]\d)`;

/** The fewest digits of a number next to which a comma cannot be a decimal comma of an amount. */
const LONG_DIGITS = 9;
/** Digits in groups of thousands, such as `123.456.789`; a comma behind them can begin the decimals. */
const THOUSANDS = /^\d{1,3}([. ])\d{3}(?:\1\d{3}){0,5}$/;
/** Seconds and milliseconds since 1970, for the years 2001 to 2033. */
const TIME_STAMP = /^1\d{9}(?:\d{3})?$/;
/** Words before a `#` that number something else than people. */
const COUNTED = /(?:^|[^a-z])(?:order|invoice|ticket|issue|case|pr|pull request|item|commit)s?(?: no\.?)? ?#[/:,]?$/i;
/** A colour such as `#ff0000`. */
const COLOUR = /^[0-9a-f]{6}$/i;

type Place = Pick<MatchInfo, 'text' | 'start' | 'end' | 'inContext'>;

/**
 * Whether a match between `LIST_HEAD` and `LIST_TAIL` is only a part of a longer number, or a number of another kind.
 *
 * @param isDistinct Whether the match is reliable without a word that names it, for example because of its checksum.
 */
export function isPartOfNumber(match: string, place: Place, isDistinct: boolean): boolean {
  return isPartOfList(match, place, isDistinct) || isNumbered(match, place);
}

/** Whether a comma next to the match belongs to a longer number, or the match is one of many numbers in a row. */
function isPartOfList(match: string, { text, start, end, inContext }: Place, isDistinct: boolean): boolean {
  const follows = /\d,$/.test(text.slice(Math.max(0, start - 2), start));
  const precedes = /^,\d/.test(text.slice(end, end + 2));
  if (!follows && !precedes) return false;
  if (!/[A-Za-z]/.test(match) && (match.match(/\d/g)?.length ?? 0) < LONG_DIGITS) return true;
  const isAmount = precedes && THOUSANDS.test(match);
  if (inContext) return isAmount && /^,\d{1,2}(?!\d)/.test(text.slice(end, end + 4));
  return isAmount || !isDistinct || TIME_STAMP.test(match) || (follows && /^\d{3} /.test(match));
}

/** Whether a `#` makes the match the number of something else, such as an order, or a colour. */
function isNumbered(match: string, { text, start, inContext }: Place): boolean {
  const before = text.slice(Math.max(0, start - 24), start);
  const colour = /#([0-9a-f]{0,5})$/i.exec(before)?.[1];
  if (colour !== undefined && COLOUR.test(colour + match)) return true;
  return /#[/:,]?$/.test(before) && (!inContext || COUNTED.test(before));
}
