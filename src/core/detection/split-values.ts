import { filtered, isStop, mapped, type Steps } from '../steps/steps.js';
import { mayContinueAddress, type Range } from './decorated-lines.js';
import { foldedParts } from './folded-lines.js';
import { inWindows, type WindowMatch } from './in-windows.js';

/** A range of a segment that is part of a joined text; an empty range represents a gap. */
export interface Piece {
  readonly segment: number;
  readonly from: number;
  readonly to: number;
}

export interface Joined {
  readonly pieces: readonly Piece[];
  /** True for splits within a text: findings need a high score and, except in decoded text, must not overlap other findings. */
  readonly lines: boolean;
  /** True if the pieces are read one after another, so that a value that is complete in one piece may still continue in the next. */
  readonly continued?: boolean;
  /** The decoded text of the only piece. */
  readonly stands?: string;
}

/** Maximum length of the part of a split value in each line; `WORDS_BEFORE` units before it are added as context. */
const TOKEN_UNITS = 160;
const WORDS_BEFORE = 80;
const SHORTEST_TOKEN = 10;
const AT = 0x40;
const LETTERS_ALONE = 20;
/** Maximum number of pieces of a joined text. The next joined text repeats the last `AGAIN` pieces, so that the work stays linear. */
export const MOST_PIECES = 256;
export const AGAIN = 128;

/** Number of breaks between two stops; each may have two tokens to read. */
const BREAKS_BETWEEN_STOPS = 32;
/** The start of each line in mails, comments, quotations and numbered listings. */
const LINE_HEADS = String.raw`(?:[ \t]{0,40}(?:[>|*]|(?:#|\/\/)(?=[ \t]))){0,8}(?:[ \t]{0,8}\d{1,6}[:.)][ \t]{1,4})?`;
/** Inline elements of HTML, fragments, comments, and CDATA marks of XML. */
const INLINE = String.raw`<(?:\/?>|\/?(?:b|i|u|s|a|em|strong|span|font|code|mark|small|big|sub|sup|del|ins|wbr|tt|kbd|samp|var|q|cite|abbr|bdi|bdo|nobr)\b[^<>]{0,120}>|!--[^>]{0,120}-->|!\[CDATA\[)|\]\]>`;
/** The end of a program's string and the beginning of another that is concatenated to it. */
const STRINGS = String.raw`\\{0,3}["'\u0060][ \t]{0,40}(?:[+&.\\]|\.\.|\|\|)?\s{0,40}\\{0,3}["'\u0060]`;
/** The end of a string to which the next statement appends another. */
const FURTHER = String.raw`["'\u0060][ \t]{0,8};?\s{0,40}\$?\w{1,40}[ \t]{0,8}[+.]=[ \t]{0,8}["'\u0060]`;
/** Terminal colour sequences, raw or escaped. */
const COLOURS = String.raw`(?:\u001b|\\(?:x1b|e|033|u001b))\[[0-9;]{0,16}m`;
/**
 * TeX commands that print nothing, or only a line end or a narrow space, and those that change the font. Braces followed by `@` are a
 * template instead.
 */
const TEX = String.raw`\\{1,4}(?:(?:allowbreak|(?:no)?linebreak|penalty-?\d{1,5}|discretionary\{\}\{\}\{\})(?:\{\}|\b) ?|-|[,/:;! ](?=[\w@.-])|(?=[_.@*~\u0060]))|\}?(?:\\{1,2}(?:(?:text|math)[a-z]{2,6}|emph|[mh]box|underline|uline))?\{(?=[\w.-])|\{?\}(?=[\w.{-])|\$\$`;
/** Interpolations of an empty string, and comments of templates and components. */
const NOTHING = String.raw`\$?\{{1,2} ?(?:""|''|\u0060\u0060) ?\}{1,2}|\{\/\*[^*\r\n]{0,80}\*\/\}|\{#[^#\r\n]{0,80}#\}`;
/** Tags of bulletin boards. */
const BOARD = String.raw`\[\/?(?:[bius]|url|color|size|font|face|code|quote|center|left|right|su[bp]|spoiler|highlight|noparse|plain|email)(?:=[^[\]\r\n]{0,60})?\]`;
/** Links and footnotes of Markdown, after the displayed text. */
const LINKS = String.raw`\](?:\([^()\s]{0,200}\)|\[[^[\]\r\n]{0,40}\])\[?|\[(?:\^[^[\]\s]{1,20}\]|(?<=\w\[)(?=[\w@.-]{1,80}\][([]))`;
/** Separators between the parts of a value that readers or programs join. */
const BREAKS = [
  String.raw`\\?(?:\r\n?|\n|\u2028|\u2029)${LINE_HEADS}`,
  `(?:${INLINE}){1,8}`,
  STRINGS,
  FURTHER,
  COLOURS,
  String.raw`\*{2,3}|\*(?<=[a-z_@]\*)|\*(?=[a-z_@])|~~|\u0060{1,3}(?!["'\u0060])`,
  `(?:${BOARD}){1,8}`,
  LINKS,
  NOTHING,
  TEX,
];
/** The possible first characters of a separator. */
const BREAK_BEGINS = String.raw`[\\\r\n\u2028\u2029<\]"'\u0060\u001b*~[${'$'}{}]`;
/**
 * Begins with a lookahead for the possible first characters: with this many alternatives, V8 does not derive such a check itself and
 * would try every alternative at each position.
 */
const BREAK = new RegExp(`(?=${BREAK_BEGINS})(?:${BREAKS.join('|')})`, 'gi');
const MAY_BREAK = new RegExp(BREAK_BEGINS);
/** Maximum length of a separator: eight consecutive elements of HTML. */
const LONGEST_SIGN = 2_048;
const LINE_END = /^\\?[\r\n\u2028\u2029]/;
/** Maximum number of spaces and tabs on each side of a separator. */
const BLANKS = 40;
/** A unit of a token, including halves of invisible characters beyond the basic plane. */
const TOKEN =
  /^[\p{L}\p{M}\p{N}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f+/_=.@:%&#;\\~\u2010-]$/u;

/** The end of one string of a list and the beginning of the next. */
const NEXT_STRING = String.raw`\\{0,3}["'\u0060]\s{0,40},\s{0,40}\\{0,3}["'\u0060]`;
/** Separators of cells in tables of text, Markdown, HTML and files, of members of lists, and of lines and blocks in HTML. */
const CELL_SIGNS = [
  String.raw`\t|\|`,
  NEXT_STRING,
  String.raw`<\/(?:t[dh]|div|p|li|dd|dt|h[1-6])>\s{0,40}<(?:t[dh]|div|p|li|dd|dt|h[1-6])\b[^<>]{0,120}>`,
  String.raw`<br\s{0,4}\/?>`,
];
/** Begins with a lookahead for the same reason as `BREAK`. */
const CELLS = new RegExp(String.raw`(?=[\t|\\"'\u0060<])(?:${CELL_SIGNS.join('|')})`, 'gi');
const CELL_SIGN = /[\t|<]/;
const QUOTATION_MARK = /["'`]/;
/** Characters at which a value may be split; values are not split next to their punctuation. */
const INSIDE = /^[A-Za-z0-9_-]$/;
/** Maximum number of adjacent cells that are joined, starting at each cell. */
const CELLS_TOGETHER = 3;
const SHORTEST_OF_CELLS = 16;

/** Joins words across line ends and other separators if they could be one value: letters and digits, or an address. */
export function* joinedLines(text: string, segment: number): Steps<Joined[]> {
  if (!MAY_BREAK.test(text)) return [];
  const lines = yield* chainsOf(text, segment, {
    expression: BREAK,
    isWide: isLineEnd,
    mayJoin: (sign, before, behind) =>
      text.charCodeAt(behind.from) !== AT || !isLineEnd(sign) || mayContinueAddress(text, sign, before, behind),
    again: AGAIN,
  });
  const joined: Joined[] = [];
  for (const [index, chain] of lines.entries()) {
    if (isStop(index)) yield;
    // If the whole chain cannot be a value, no part of it can.
    if (!mayBeValue(wordsOf(text, chain))) continue;
    for (const pieces of readingsOf(text, chain)) {
      const [first] = pieces;
      if (first === undefined || pieces.length < 2 || !mayBeValue(wordsOf(text, pieces))) continue;
      const withWords = { ...first, from: Math.max(0, first.from - WORDS_BEFORE) };
      joined.push({ pieces: [withWords, ...pieces.slice(1)], lines: true, continued: true });
    }
  }
  return joined;
}

function isLineEnd(sign: string): boolean {
  return LINE_END.test(sign);
}

/** Matches an ordinary word; alone on a line, such a word is unlikely to belong to an adjacent value. */
const WORD = /^\p{L}\p{Ll}{2,14}[:,.;!?]?$/u;
const HYPHEN = /[-\u2010]$/;

/**
 * The possible readings of a chain: complete, only the parts between lines of one word, only its folded lines, and each of these without
 * hyphens at line ends.
 */
function readingsOf(text: string, chain: readonly Piece[]): readonly (readonly Piece[])[] {
  const readings = chain.length > 2 ? [chain, ...betweenWords(text, chain), ...foldedParts(text, chain)] : [chain];
  const isHyphen = ({ from, to }: Piece): boolean =>
    to - from > 1 && HYPHEN.test(text.charAt(to - 1)) && endsLine(text, to);
  if (!chain.some(isHyphen)) return readings;
  const withoutHyphens = readings.map((pieces) =>
    pieces.map((piece) => (isHyphen(piece) ? { ...piece, to: piece.to - 1 } : piece)),
  );
  return [...readings, ...withoutHyphens];
}

/** The parts of a chain between lines of one word; empty if there is no such line. */
function betweenWords(text: string, chain: readonly Piece[]): Piece[][] {
  const parts: Piece[][] = [];
  let part: Piece[] = [];
  for (const [index, piece] of chain.entries()) {
    if (!isLine(text, chain, index) || !WORD.test(text.slice(piece.from, piece.to))) part.push(piece);
    else {
      parts.push(part);
      part = [];
    }
  }
  return parts.length === 0 ? parts : [...parts, part];
}

/** Whether a piece of a chain is a complete line. */
function isLine(text: string, chain: readonly Piece[], index: number): boolean {
  const before = chain[index - 1];
  return (
    (before === undefined || endsLine(text, before.to)) &&
    (index === chain.length - 1 || endsLine(text, chain[index]!.to))
  );
}

function endsLine(text: string, at: number): boolean {
  const end = blanksEnd(text, at);
  return LINE_END.test(text.slice(end, end + 2));
}

/** Names of functions that join strings; some follow the list, some precede it. */
const JOINING = ['join', 'Join', 'implode', 'concat', 'CONCAT', 'paste'];
const QUOTE = String.raw`\\{0,3}["'\u0060]`;
const JOINS_NEXT = new RegExp(
  String.raw`(?:(?:${QUOTE}){2}\.join\s{0,4}\(\s{0,4}[[(]?|(?:implode|string\.join)\s{0,4}\(\s{0,4}(?:(?:${QUOTE}){2}\s{0,4},)?[^"'()]{0,24}|(?:concat|paste0?)\s{0,4}\([^"'()]{0,24})\s{0,40}${QUOTE}$`,
  'i',
);
const JOINED_BEFORE = new RegExp(
  String.raw`^${QUOTE}\s{0,40},?\s{0,40}(?:[\])}]{1,2}\s{0,8}\.\s{0,4}join\b\s{0,4}(?:\(\s{0,4}(?:${QUOTE}){2}|(?![\s(]))|\)?,?\s{0,4}(?:sep|collapse)\s{0,4}=\s{0,4}(?:${QUOTE}){2})`,
  'i',
);
/** Number of units that are checked on each side of a list. */
const LIST_SIDE = 128;
const STRINGS_OF_LISTS = new RegExp(NEXT_STRING, 'g');

/**
 * Finds strings of a list that the program joins: `["ab", "cd", "ef", "gh"].join("")`. In lists of more than `MOST_PIECES`, only the
 * strings next to the joining call are read.
 */
export function* joinedStrings(text: string, segment: number): Steps<Joined[]> {
  if (!JOINING.some((name) => text.includes(name))) return [];
  const lists = yield* chainsOf(text, segment, { expression: STRINGS_OF_LISTS, isWide: () => false, again: AGAIN });
  const values = yield* filtered(
    lists,
    (pieces) => isPutTogether(text, pieces) && mayBeValue(wordsOf(text, pieces).replace(/\\+$/, '')),
  );
  return yield* mapped(values, (pieces) => ({ pieces, lines: true, continued: true }));
}

function isPutTogether(text: string, pieces: readonly Piece[]): boolean {
  const from = pieces[0]!.from;
  const to = pieces.at(-1)!.to;
  return (
    JOINS_NEXT.test(text.slice(Math.max(0, from - LIST_SIDE), from)) ||
    JOINED_BEFORE.test(text.slice(to, to + LIST_SIDE))
  );
}

/**
 * Joins values over adjacent cells. The first cell of a value is unknown, and a preceding cell would change it, so every few cells are
 * tried separately, with a gap between two attempts. Digits alone do not count, because columns of numbers are common.
 */
export function* joinedCells(text: string, segment: number): Steps<Joined[]> {
  if (!mayHaveCells(text)) return [];
  const joined: Joined[] = [];
  const rows = yield* chainsOf(text, segment, { expression: CELLS, isWide: () => true, again: CELLS_TOGETHER - 1 });
  for (const [index, cells] of rows.entries()) {
    if (index % BREAKS_BETWEEN_STOPS === 0) yield;
    const pieces: Piece[] = [];
    for (let from = 0; from < cells.length - 1; from++) {
      for (let to = from + 2; to <= Math.min(from + CELLS_TOGETHER, cells.length); to++) {
        if (!goesOnInside(text, cells[to - 2]!, cells[to - 1]!)) break;
        const tried = cells.slice(from, to);
        const words = wordsOf(text, tried);
        if (words.length < SHORTEST_OF_CELLS || !/\p{L}/u.test(words) || !mayBeValue(words)) continue;
        if (pieces.length > 0) pieces.push({ segment, from: tried[0]!.from, to: tried[0]!.from });
        pieces.push(...tried);
      }
    }
    if (pieces.length > 0) joined.push({ pieces, lines: true });
  }
  return joined;
}

/** Whether `CELLS` may match; strings of a list have a comma between their quotation marks. */
function mayHaveCells(text: string): boolean {
  return CELL_SIGN.test(text) || (text.includes(',') && QUOTATION_MARK.test(text));
}

function goesOnInside(text: string, one: Piece, other: Piece): boolean {
  return INSIDE.test(text.charAt(one.to - 1)) && INSIDE.test(text.charAt(other.from));
}

/** The separators between the words of a chain. */
interface Separators {
  readonly expression: RegExp;
  /** Whether spaces and tabs are allowed next to a separator. */
  readonly isWide: (sign: string) => boolean;
  /** Whether the words on both sides of a separator may be one value; by default, all may. */
  readonly mayJoin?: (sign: string, before: Range, behind: Range) => boolean;
  /** Number of pieces at the end of a long chain that the next chain repeats. */
  readonly again: number;
}

/** Finds chains of words in which exactly one separator is between each word and the next. */
function* chainsOf(
  text: string,
  segment: number,
  { expression, isWide, mayJoin, again }: Separators,
): Steps<readonly Piece[][]> {
  const chains: Piece[][] = [];
  let pieces: Piece[] = [];
  const close = (): void => {
    if (pieces.length > 1) chains.push(pieces);
    pieces = [];
  };
  let last = 0;
  const take = ({ index, text: parting }: WindowMatch, next: number): void => {
    const wide = isWide(parting);
    const end = index + parting.length;
    const before = wide ? blanksBegin(text, index, last) : index;
    const behind = wide ? blanksEnd(text, end) : end;
    last = behind;
    const from = tokenBegin(text, before);
    const to = tokenEnd(text, behind, next);
    const isParted = from === before || to === behind;
    if (isParted || mayJoin?.(parting, { from, to: before }, { from: behind, to }) === false) {
      close();
      return;
    }
    const line = pieces.at(-1);
    // If the whole previous line is one token, the value continues.
    if (line === undefined || line.to !== before || line.from < from) {
      close();
      pieces.push({ segment, from, to: before });
    }
    pieces.push({ segment, from: behind, to });
    if (pieces.length < MOST_PIECES) return;
    const lastOnes = pieces.slice(-again);
    close();
    pieces = lastOnes;
  };
  let held: WindowMatch | undefined;
  let count = 0;
  for (const matches of inWindows(text, expression, LONGEST_SIGN)) {
    for (const match of matches) {
      if (++count % BREAKS_BETWEEN_STOPS === 0) yield;
      if (held !== undefined) take(held, match.index);
      held = match;
    }
    yield;
  }
  if (held !== undefined) take(held, text.length);
  close();
  return chains;
}

/** Single letters with the same separator of one to four characters between all of them. */
const APART = /(?<!\w)[\w@.+%~-](?![A-Za-z0-9@])([^\p{L}\p{N}@]{1,4}?)(?:[\w@.+%~-]\1){10,254}[\w@.+%~-](?!\w)/gu;
const MOST_APART = 254;

/** Joins the separated letters of a value: `g h p _`, `g.h.p._`, `"g","h","p"`. */
export function* joinedLetters(text: string, segment: number): Steps<Joined[]> {
  const joined: Joined[] = [];
  const next = ({ index, text: { length }, group }: WindowMatch): number => {
    const step = 1 + group.length;
    return index + (length > MOST_APART * step ? AGAIN * step : length);
  };
  for (const matches of inWindows(text, APART, LONGEST_SIGN, next)) {
    for (const match of matches) {
      const step = 1 + match.group.length;
      const pieces: Piece[] = [];
      for (let at = 0; at < match.text.length; at += step)
        pieces.push({ segment, from: match.index + at, to: match.index + at + 1 });
      const words = wordsOf(text, pieces);
      if (/\p{L}/u.test(words) && mayBeValue(words)) joined.push({ pieces, lines: true });
    }
    yield;
  }
  return joined;
}

function wordsOf(text: string, pieces: readonly Piece[]): string {
  return pieces.map(({ from, to }) => text.slice(from, to)).join('');
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

function blanksBegin(text: string, end: number, least: number): number {
  let from = end;
  while (from > least && end - from < BLANKS && isBlank(text.charCodeAt(from - 1))) from--;
  return from;
}

function blanksEnd(text: string, begin: number): number {
  let to = begin;
  while (to - begin < BLANKS && isBlank(text.charCodeAt(to))) to++;
  return to;
}

function tokenBegin(text: string, end: number): number {
  let from = end;
  while (from > 0 && end - from < TOKEN_UNITS && isOfToken(text, from - 1)) from--;
  return from;
}

function tokenEnd(text: string, begin: number, most: number): number {
  let to = begin;
  while (to < most && to - begin < TOKEN_UNITS && isOfToken(text, to)) to++;
  return to;
}

/** `TOKEN` for ASCII units as a table; the expression takes ten times as long. */
const ASCII_OF_TOKEN: readonly boolean[] = Array.from({ length: 0x80 }, (_, unit) =>
  TOKEN.test(String.fromCharCode(unit)),
);

function isOfToken(text: string, index: number): boolean {
  return ASCII_OF_TOKEN[text.charCodeAt(index)] ?? TOKEN.test(text.charAt(index));
}

/** A letter, a long number, or a Social Security number. */
const LETTER_OR_NUMBER = /\p{L}|^[\p{N}-]{12,}$|^\p{N}{3}-\p{N}{2}-\p{N}{4}$/u;

/** Whether a word may be a value that a detector finds: letters and digits, an address, or a long number. */
export function mayBeValue(token: string): boolean {
  if (token.length < SHORTEST_TOKEN || !LETTER_OR_NUMBER.test(token)) return false;
  // Credentials of letters only are rare, and words are not credentials.
  return /[\p{N}@%&\\]/u.test(token) || (token.length >= LETTERS_ALONE && /_|[a-z][A-Z].*[a-z][A-Z]/.test(token));
}
