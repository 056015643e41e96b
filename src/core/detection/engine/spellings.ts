import { isInvisible } from './ignorable.js';

/**
 * Spellings of characters that must be decoded before the text is read: percent-encoding, quoted-printable, HTML entities, escapes of
 * programs, colour sequences of terminals, invisible characters, letters in circles and brackets.
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
/** Zeros in front of a code. */
const ZEROS = '0{0,16}';
/** The beginning of a colour sequence (ECMA-48, Select Graphic Rendition), raw or escaped. */
export const COLOUR_BEGIN = `(?:\\u001b|${BACKSLASHES}(?:x1b|e|033|u001b))\\[`;
/** The parameters of a colour sequence. */
export const COLOUR_CODES = '[0-9;:]{0,16}';

/**
 * Codes of four hexadecimal digits that hide a character: of ASCII, invisible characters, digits of other scripts, dashes, styled letters,
 * small capitals, and look-alikes that a Latin letter follows. Other codes occur in every escaped text of their language.
 */
export const HIDING_CODES = [
  '00[0-7a]|03[4-6]|11[56]|17b|180|20|21(?:[013-8]|2[0134-9a-f])|22(?:12|15)|2[4-8]|31|f[ef]',
  'd8(?:0[1-7]|1[ab]|2f|3[34589ac])|db4',
  '(?:06[6f]|07c|0e[5d]|0f2|10[49]|17e|181|19d|1a[89]|1b[5b]|1c[45]|a62|a8d|a90|a9[df]|aa5|abf)[0-9]',
  '(?:0[9a-d][6e]|194)[6-9a-f]',
  '02[5-9]|1d[0-2]|a73|a7a|0[3-5][0-9a-f]{2}(?=[\\w@-])|3002(?=[a-z0-9])',
].join('|');

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      commat: '@',
      period: '.',
      colon: ':',
      semi: ';',
      sol: '/',
      bsol: '\\',
      lowbar: '_',
      UnderBar: '_',
      quest: '?',
    },
    ...{ plus: '+', equals: '=', num: '#', dollar: '$', percnt: '%', lpar: '(', rpar: ')', comma: ',', excl: '!' },
    ...{ ast: '*', midast: '*', lsqb: '[', lbrack: '[', rsqb: ']', rbrack: ']', lcub: '{', lbrace: '{', rcub: '}' },
    ...{ rbrace: '}', verbar: '|', vert: '|', VerticalLine: '|', Hat: '^', grave: '`', DiacriticalGrave: '`' },
    ...{ amp: '&', AMP: '&', quot: '"', QUOT: '"', apos: "'", lt: '<', LT: '<', gt: '>', GT: '>' },
    ...{ hyphen: '-', dash: '-', ndash: '-', mdash: '-', horbar: '-', minus: '-', hybull: '-' },
    ...{ NewLine: '\n', Tab: '\t', nbsp: ' ', NonBreakingSpace: ' ', ensp: ' ', emsp: ' ', emsp13: ' ', emsp14: ' ' },
    ...{ numsp: ' ', puncsp: ' ', thinsp: ' ', ThinSpace: ' ', hairsp: ' ', VeryThinSpace: ' ', MediumSpace: ' ' },
    ...{ ThickSpace: ' ', shy: '', zwj: '', zwnj: '', lrm: '', rlm: '', NoBreak: '', ZeroWidthSpace: '' },
    ...{ NegativeVeryThinSpace: '', NegativeThinSpace: '', NegativeMediumSpace: '', NegativeThickSpace: '' },
    ...{ af: '', ApplyFunction: '', it: '', InvisibleTimes: '', ic: '', InvisibleComma: '' },
  }),
);
/** Entities that occur in nearly every page and hide nothing. */
const COMMON: ReadonlySet<string> = new Set(['amp', 'AMP', 'quot', 'QUOT', 'apos', 'lt', 'LT', 'gt', 'GT']);
/** Entities of blanks and dashes, which are as common, but hide a number if they separate its groups. */
const SEPARATING: ReadonlySet<string> = new Set(['nbsp', 'ensp', 'emsp', 'thinsp', 'ndash', 'mdash', 'minus']);
const named = (is: (name: string) => boolean): string => [...ENTITIES.keys()].filter(is).join('|');
/** The entities that are signs of hidden letters: all others with any text after them, separators only before a word with a digit. */
export const HIDING_ENTITIES = `(?:${named((name) => !COMMON.has(name) && !SEPARATING.has(name))});|(?:${[...SEPARATING].join('|')});(?=[a-z]{0,4}[0-9])`;

const PERCENT_SPELLING = new RegExp(`${PERCENT}(?:(?:25){0,4}(?:(${HEX})|u([0-9a-fA-F]{4}))|(${UTF8}))`, 'y');
/** Quoted-printable (RFC 2045, section 6.7), including its soft line breaks. */
const QUOTED = new RegExp(`=(?:(${HEX})|\\r?\\n)`, 'y');
const ENTITY = new RegExp(
  `${AMPERSAND}${AGAIN}(?:#(?:[xX]${ZEROS}([0-9a-fA-F]{2,5})(?![0-9a-fA-F])|${ZEROS}([0-9]{2,6})(?![0-9]));?|([A-Za-z][A-Za-z0-9]{1,23});)`,
  'y',
);
const ESCAPE = new RegExp(
  `${BACKSLASHES}(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|[ux]\\{${ZEROS}([0-9a-fA-F]{1,5})\\}|U000([0-9a-fA-F]{5})|(${OCTAL}))`,
  'y',
);
const COLOUR = new RegExp(`${COLOUR_BEGIN}${COLOUR_CODES}m`, 'iy');
const ESC = 0x1b;

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
  if (unit === 0x5c || unit === 0xff3c || unit === 0xfe68) return colourAt(text, index) ?? escapeAt(text, index);
  if (unit === ESC) return colourAt(text, index) ?? { piece: '', length: 1 };
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

/** A colour sequence is not displayed, and its last letter would otherwise be adjacent to the next word. */
function colourAt(text: string, index: number): Spelling | undefined {
  COLOUR.lastIndex = index;
  return COLOUR.test(text) ? { piece: '', length: COLOUR.lastIndex - index } : undefined;
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
