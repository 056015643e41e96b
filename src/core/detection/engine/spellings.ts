import { isInvisible } from './ignorable.js';

/**
 * Spellings of characters that must be decoded before the text is read: percent-encoding, quoted-printable, HTML entities, escapes of
 * programs, invisible characters, letters in circles and brackets.
 */

/** Each constant includes the characters that look like it. */
export const PERCENT = '[%\\uff05\\ufe6a]';
export const AMPERSAND = '[&\\uff06\\ufe60]';
export const BACKSLASHES = '[\\\\\\uff3c\\ufe68]{1,8}';
/** The code of a printable ASCII character, a line break or a tab. */
export const HEX = '(?:[2-7][0-9a-fA-F]|0[9aAdD])';
/** The same codes in three octal digits. */
export const OCTAL = '(?:0(?:1[125]|[4-7][0-7])|1[0-7]{2})';
/** The bytes of a non-ASCII character in UTF-8. */
const UTF8 = `[cdeCDE][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,2}`;
/** Nested escapes of an ampersand. */
export const AGAIN = '(?:amp;|#0{0,4}38;|#[xX]0{0,4}26;){0,4}';
/** All spellings are shorter than this number of units. */
export const LONGEST_SPELLING = 64;

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ commat: '@', period: '.', colon: ':', semi: ';', sol: '/', bsol: '\\', hyphen: '-', dash: '-', lowbar: '_' },
    ...{ UnderBar: '_', plus: '+', equals: '=', num: '#', dollar: '$', percnt: '%', lpar: '(', rpar: ')', comma: ',' },
    ...{ NewLine: '\n', Tab: '\t', shy: '', zwj: '', zwnj: '', ZeroWidthSpace: '', NoBreak: '', excl: '!', ast: '*' },
    ...{ amp: '&', AMP: '&', quot: '"', QUOT: '"', apos: "'", lt: '<', gt: '>', nbsp: ' ' },
  }),
);
/** Entities that occur in nearly every page and hide nothing. */
const COMMON: ReadonlySet<string> = new Set(['amp', 'AMP', 'quot', 'QUOT', 'apos', 'lt', 'gt', 'nbsp']);
export const HIDING_ENTITIES = [...ENTITIES.keys()].filter((name) => !COMMON.has(name)).join('|');

const PERCENT_SPELLING = new RegExp(`${PERCENT}(?:(?:25){0,4}(?:(${HEX})|u([0-9a-fA-F]{4}))|(${UTF8}))`, 'y');
/** Quoted-printable (RFC 2045, section 6.7), including its soft line breaks. */
const QUOTED = new RegExp(`=(?:(${HEX})|\\r?\\n)`, 'y');
const ENTITY = new RegExp(
  `${AMPERSAND}${AGAIN}(?:#(?:[xX]0{0,4}([0-9a-fA-F]{2,5})|0{0,4}([0-9]{2,6}));?|([A-Za-z]{2,14});)`,
  'y',
);
const ESCAPE = new RegExp(
  `${BACKSLASHES}(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\\{0{0,4}([0-9a-fA-F]{1,5})\\}|U000([0-9a-fA-F]{5})|(${OCTAL}))`,
  'y',
);

/** The decoded text of a spelling, and the number of units that encode it. */
export interface Spelling {
  readonly piece: string;
  readonly length: number;
}

/** Decodes the spelling that begins at `index`; undefined if there is none. */
export function spellingAt(text: string, index: number): Spelling | undefined {
  const unit = text.charCodeAt(index);
  if (unit === 0x25 || unit === 0xff05 || unit === 0xfe6a) return percentAt(text, index);
  if (unit === 0x3d) return quotedAt(text, index);
  if (unit === 0x26 || unit === 0xff06 || unit === 0xfe60) return entityAt(text, index);
  if (unit === 0x5c || unit === 0xff3c || unit === 0xfe68) return escapeAt(text, index);
  if (isBlank(unit)) return { piece: '', length: 1 };
  return enclosedAt(text, index);
}

function percentAt(text: string, index: number): Spelling | undefined {
  PERCENT_SPELLING.lastIndex = index;
  const match = PERCENT_SPELLING.exec(text);
  if (match === null) return undefined;
  const { length } = match[0];
  if (match[1] !== undefined) return { piece: String.fromCharCode(Number.parseInt(match[1], 16)), length };
  if (match[2] !== undefined) return { piece: visible(String.fromCharCode(Number.parseInt(match[2], 16))), length };
  try {
    return { piece: visible(decodeURIComponent(`%${match[3]!}`)), length };
  } catch {
    return undefined;
  }
}

function quotedAt(text: string, index: number): Spelling | undefined {
  QUOTED.lastIndex = index;
  const match = QUOTED.exec(text);
  if (match === null) return undefined;
  const { length } = match[0];
  return { piece: match[1] === undefined ? '' : String.fromCharCode(Number.parseInt(match[1], 16)), length };
}

function entityAt(text: string, index: number): Spelling | undefined {
  ENTITY.lastIndex = index;
  const match = ENTITY.exec(text);
  if (match === null) return undefined;
  const { length } = match[0];
  if (match[3] !== undefined) {
    const piece = ENTITIES.get(match[3]);
    return piece === undefined ? undefined : { piece, length };
  }
  const point = match[1] === undefined ? Number.parseInt(match[2]!, 10) : Number.parseInt(match[1], 16);
  return { piece: visible(String.fromCodePoint(point)), length };
}

function escapeAt(text: string, index: number): Spelling | undefined {
  ESCAPE.lastIndex = index;
  const match = ESCAPE.exec(text);
  if (match === null) return undefined;
  const code = match[1] ?? match[2] ?? match[3] ?? match[4];
  const point = code === undefined ? Number.parseInt(match[5]!, 8) : Number.parseInt(code, 16);
  return { piece: visible(String.fromCodePoint(point)), length: match[0].length };
}

/** Controls except tab and line ends, and invisible characters that Unicode does not list as ignorable. */
function isBlank(unit: number): boolean {
  if (unit < 0x20) return unit !== 0x09 && unit !== 0x0a && unit !== 0x0d;
  return (unit >= 0x7f && unit <= 0x9f) || unit === 0x2800;
}

function visible(piece: string): string {
  const point = piece.codePointAt(0)!;
  return isInvisible(point) || isBlank(point) ? '' : piece;
}

/** Numbers in brackets, with a full stop, on black and in double circles: first and last code point, first number. */
const NUMBERS: readonly (readonly [from: number, to: number, first: number])[] = [
  [0x2474, 0x2487, 1],
  [0x2488, 0x249b, 1],
  [0x24eb, 0x24f4, 11],
  [0x24f5, 0x24fe, 1],
  [0x24ff, 0x24ff, 0],
  [0x2776, 0x277f, 1],
  [0x2780, 0x2789, 1],
  [0x278a, 0x2793, 1],
  [0x1f100, 0x1f100, 0],
  [0x1f101, 0x1f10a, 0],
];
/** Letters in brackets, in squares, on black, and of flags: the code point of the first letter, and that letter. */
const LETTERS: readonly (readonly [from: number, first: string])[] = [
  [0x249c, 'a'],
  [0x1f110, 'A'],
  [0x1f130, 'A'],
  [0x1f150, 'A'],
  [0x1f170, 'A'],
  [0x1f1e6, 'A'],
];

/** High surrogates of enclosed letters and of ignorable characters beyond the basic plane. */
const HIGH_HALVES: ReadonlySet<number> = new Set([
  0xd804, 0xd80d, 0xd83c, 0xd82f, 0xd834, 0xdb40, 0xdb41, 0xdb42, 0xdb43,
]);

/** Decodes enclosed letters and numbers, and removes tags and other invisible characters. */
function enclosedAt(text: string, index: number): Spelling | undefined {
  const unit = text.charCodeAt(index);
  if (unit < 0x2474 || (unit > 0x2793 && !HIGH_HALVES.has(unit))) return undefined;
  const point = text.codePointAt(index)!;
  const length = point > 0xffff ? 2 : 1;
  if (point > 0xffff && isInvisible(point)) return { piece: '', length };
  for (const [from, to, first] of NUMBERS)
    if (point >= from && point <= to) return { piece: String(point - from + first), length };
  for (const [from, first] of LETTERS)
    if (point >= from && point < from + 26)
      return { piece: String.fromCharCode(first.charCodeAt(0) + point - from), length };
  return undefined;
}
