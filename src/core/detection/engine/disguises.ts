import {
  AGAIN,
  AMPERSAND,
  BACKSLASHES,
  COLOUR_BEGIN,
  COLOUR_CODES,
  HEX,
  HIDING_CODES,
  HIDING_ENTITIES,
  LONGEST_SPELLING,
  OCTAL,
  PERCENT,
} from './spellings.js';

/** Invisible characters of the basic plane, except combining lines. */
const OFTEN_INVISIBLE =
  '[\\u00ad\\u034f\\u0483-\\u0489\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u20d0-\\u20ff\\u3164\\ua670-\\ua672\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff\\uffa0\\ufff0-\\ufffb]';

/** Matches a sign of hidden letters, which makes a second reading necessary. */
const SIGN = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u2800]',
    '[\\u0300-\\u034e\\u0350-\\u036f]',
    '[\\u2474-\\u24b5\\u24eb-\\u24ff\\u2776-\\u2793]|\\ud83c[\\udd00-\\uddff]',
    // Ignorable characters beyond the basic plane: number signs, controls of hieroglyphs, shorthand and music, tags, and code points
    // reserved for them.
    '\\ud804[\\udcbd\\udccd]|\\ud80d[\\udc30-\\udc3f]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|[\\udb40-\\udb43][\\udc00-\\udfff]',
    // The text as written has a boundary between an invisible character and a word.
    `${OFTEN_INVISIBLE}{2}|${OFTEN_INVISIBLE}(?=[a-z0-9_])`,
    `${PERCENT}(?:(?:25){0,4}${HEX}|u(?:[02f][0-9a-f]|${HIDING_CODES})|[cdeCDE][0-9a-fA-F]%)`,
    // A letter in quoted-printable, or a continued line; excludes numbers after an equals sign.
    `=(?:${HEX}[a-z_@.=-]|[2-7][A-F](?![A-Fa-f0-9])|\\r?\\n[a-z0-9=])`,
    `${AMPERSAND}${AGAIN}(?:#(?:[xX][0-9a-fA-F]{2,9}|[0-9]{2,9})|${HIDING_ENTITIES})`,
    `${BACKSLASHES}(?:x${HEX}|u(?:${HIDING_CODES})|[ux]\\{|U000|${OCTAL})|${COLOUR_BEGIN}`,
  ].join('|'),
  'gi',
);
/** Matches the first character of any sign; most texts contain none. */
const MAY_HIDE =
  /[%&=\\\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u0300-\u036f\u0483-\u0489\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\u2474-\u24b5\u24eb-\u24ff\u2776-\u2793\u2800\u3164\ua670-\ua672\ud804\ud80d\ud82f\ud834\ud83c\udb40-\udb43\ufe00-\ufe0f\ufe20-\ufe2f\ufe60\ufe68\ufe6a\ufeff\uff05\uff06\uff3c\uffa0\ufff0-\ufffb]/;

/**
 * Characters that are removed from between the letters of a sign when it is read. Each matches in only one way; otherwise the search time
 * would double with every character.
 */
const UNSEEN = `(?:${OFTEN_INVISIBLE}|[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u2800\\u0300-\\u034e\\u0350-\\u036f]|[\\ud804\\ud80d\\ud82f\\ud834\\udb40-\\udb43][\\udc00-\\udfff]?)`;

/** The beginning of a sign at the end of a growing text. */
const BEGUN = new RegExp(
  [
    `${PERCENT}(?:25|${UNSEEN}){0,24}(?:[0-9a-f]?${UNSEEN}*[0-9a-f]?${UNSEEN}*|u(?:[0-9a-f]|${UNSEEN}){0,8}|[cde][0-9a-f](?:%[89ab]?[0-9a-f]?){0,2})`,
    `${AMPERSAND}(?:[#a-z0-9;]|${UNSEEN}){0,${LONGEST_SPELLING - 1}}`,
    `${BACKSLASHES}(?:[xu](?:[{0-9a-f]|${UNSEEN}){0,24}|U0[0-9a-f]{0,8}|[01][0-7]{0,2})?${UNSEEN}*`,
    `\\u001b|${BACKSLASHES}e|${COLOUR_BEGIN}${COLOUR_CODES}`,
    '[\\ud804\\ud80d\\ud82f\\ud834\\ud83c\\udb40-\\udb43]',
    `=(?:${UNSEEN}*[0-9a-f]?${UNSEEN}*[0-9a-f]?${UNSEEN}*|\\r?\\n?)`,
    `${OFTEN_INVISIBLE}{1,${LONGEST_SPELLING}}`,
  ]
    .map((begun) => `(?:${begun})$`)
    .join('|'),
  'i',
);

/** Context that is read with a sign, in units on the left and on the right. */
export const ISLAND_LEFT = 1_024;
export const ISLAND_RIGHT = 1_024;
/** Units at the start of an island in which findings are ignored, because the cut may have split a word. */
export const ISLAND_EDGE = 32;

/** A part of a text in which letters are hidden. Half-open. */
export interface Island {
  readonly from: number;
  readonly to: number;
  /** Offset of the first sign; findings that end before it are already found in the text as written. */
  readonly sign: number;
  /** End of the last sign. */
  readonly end: number;
}

/** Whether a text has a sign of hidden letters. */
export function hides(text: string): boolean {
  const from = text.search(MAY_HIDE);
  return from >= 0 && nextSign(text, from) !== undefined;
}

/** Like `MAY_HIDE`, but with the letters that `SIGN` and `BEGUN`, which ignore case, take for one of these characters. */
const MAY_BEGIN_SIGN = new RegExp(MAY_HIDE.source, 'i');

/** Whether a sign may be or begin in a text: false only if `nextSign` and `begunSign` find nothing in it. */
export function mayBeginSign(text: string): boolean {
  return MAY_BEGIN_SIGN.test(text);
}

/** The next sign at or after `from`. */
export function nextSign(text: string, from: number): { readonly start: number; readonly end: number } | undefined {
  SIGN.lastIndex = from;
  const match = SIGN.exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}

const NONE: readonly Island[] = [];

/**
 * The parts of a text that need a second reading, in order. The total work is linear, because they overlap only in their left context.
 */
export function islandsOf(text: string): readonly Island[] {
  const first = text.search(MAY_HIDE);
  if (first < 0) return NONE;
  const islands: Island[] = [];
  let open: { from: number; to: number; sign: number; end: number } | undefined;
  for (let found = nextSign(text, first); found !== undefined; found = nextSign(text, found.end)) {
    if (open === undefined || found.start >= open.to) {
      open = { from: Math.max(0, found.start - ISLAND_LEFT), to: 0, sign: found.start, end: 0 };
      islands.push(open);
    }
    open.end = found.end;
    open.to = Math.min(text.length, found.end + ISLAND_RIGHT);
  }
  return islands;
}

/**
 * Whether a finding of an island, with offsets in the whole text, is reported: findings at the cut edge of the island or before its first
 * sign are not.
 */
export function isReportable(
  { from, sign }: Pick<Island, 'from' | 'sign'>,
  found: { start: number; end: number },
): boolean {
  return found.end > sign && (from === 0 || found.start >= from + ISLAND_EDGE);
}

/** Offset at which a sign may have begun at the end of a growing text; the text's length if there is none. */
export function begunSign(text: string): number {
  const lowest = Math.max(0, text.length - LONGEST_SPELLING);
  const match = BEGUN.exec(text.slice(lowest));
  return match === null ? text.length : lowest + match.index;
}
