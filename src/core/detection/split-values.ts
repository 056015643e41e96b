import { filtered, isStop, mapped, type Steps } from '../steps/steps.js';
import { inWindows, type WindowMatch } from './in-windows.js';

/** A range of a segment that is part of a joined text; an empty one stands for a gap. */
export interface Piece {
  readonly segment: number;
  readonly from: number;
  readonly to: number;
}

export interface Joined {
  readonly pieces: readonly Piece[];
  /** Of lines and the like: what is found must be sure, and nothing else may be found there unless the piece stands for a text. */
  readonly lines: boolean;
  /** What the only piece stands for. */
  readonly stands?: string;
}

/** A value that a line end breaks: at most so much of each line, and words in front of it that say what it is. */
const TOKEN_UNITS = 160;
const WORDS_BEFORE = 80;
const SHORTEST_TOKEN = 10;
const LETTERS_ALONE = 20;
/** A text is joined of so many pieces at most; the next begins with some of its last, so that work stays in proportion. */
export const MOST_PIECES = 256;
export const AGAIN = 128;

/** Each of them may have two tokens beside it. */
const BREAKS_BETWEEN_STOPS = 32;
/** What mails, comments, quotations and listings with numbers begin each line with. */
const LINE_HEADS = String.raw`(?:[ \t]{0,40}(?:[>|*]|(?:#|\/\/)(?=[ \t]))){0,8}(?:[ \t]{0,8}\d{1,6}[:.)][ \t]{1,4})?`;
/** Elements of HTML that go on in the same line, fragments, comments, and marks of XML. */
const INLINE = String.raw`<(?:\/?>|\/?(?:b|i|u|s|a|em|strong|span|font|code|mark|small|big|sub|sup|del|ins|wbr|tt|kbd|samp|var|q|cite|abbr|bdi|bdo|nobr)\b[^<>]{0,120}>|!--[^>]{0,120}-->|!\[CDATA\[)|\]\]>`;
/** A string of a program that ends where another one begins, which goes behind it. */
const STRINGS = String.raw`\\{0,3}["'\u0060][ \t]{0,40}(?:[+&.\\]|\.\.|\|\|)?\s{0,40}\\{0,3}["'\u0060]`;
/** The same where the next statement puts it behind. */
const FURTHER = String.raw`["'\u0060][ \t]{0,8};?\s{0,40}\$?\w{1,40}[ \t]{0,8}[+.]=[ \t]{0,8}["'\u0060]`;
/** What sets colours of a terminal, as it is or as programs write it. */
const COLOURS = String.raw`(?:\u001b|\\(?:x1b|e|033|u001b))\[[0-9;]{0,16}m`;
/** What TeX shows nothing of, at most the end of a line or a narrow space, and where it changes how letters look. What goes on with `@` is a template. */
const TEX = String.raw`\\{1,4}(?:(?:allowbreak|(?:no)?linebreak|penalty-?\d{1,5}|discretionary\{\}\{\}\{\})(?:\{\}|\b) ?|-|[,/:;! ](?=[\w@.-])|(?=[_.@*~\u0060]))|\}?(?:\\{1,2}(?:(?:text|math)[a-z]{2,6}|emph|[mh]box|underline|uline))?\{(?=[\w.-])|\{?\}(?=[\w.{-])|\$\$`;
/** Interpolations of an empty string, and comments of templates and components. */
const NOTHING = String.raw`\$?\{{1,2} ?(?:""|''|\u0060\u0060) ?\}{1,2}|\{\/\*[^*\r\n]{0,80}\*\/\}|\{#[^#\r\n]{0,80}#\}`;
/** Marks of bulletin boards. */
const BOARD = String.raw`\[\/?(?:[bius]|url|color|size|font|face|code|quote|center|left|right|su[bp]|spoiler|highlight|noparse|plain|email)(?:=[^[\]\r\n]{0,60})?\]`;
/** Links and footnotes of Markdown, behind what they show. */
const LINKS = String.raw`\](?:\([^()\s]{0,200}\)|\[[^[\]\r\n]{0,40}\])\[?|\[(?:\^[^[\]\s]{1,20}\]|(?<=\w\[)(?=[\w@.-]{1,80}\][([]))`;
/** What stands between parts of a value that a reader sees, or a program makes, as one. */
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
/** With a set of first signs in front: of as many alternatives V8 makes none, and would try them all at each place of a text. */
const BREAK = new RegExp(String.raw`(?=[\\\r\n\u2028\u2029<\]"'\u0060\u001b*~[${'$'}{}])(?:${BREAKS.join('|')})`, 'gi');
/** Eight elements of HTML one behind the other. */
const LONGEST_SIGN = 2_048;
const LINE_END = /^\\?[\r\n\u2028\u2029]/;
/** Blanks that may stand on each side of a line end. */
const BLANKS = 40;
/** Of single units, including those of invisible characters above the first plane. */
const TOKEN =
  /^[\p{L}\p{M}\p{N}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f+/_=.@:%&#;\\~\u2010-]$/u;

/** Where one string of a list ends and the next begins. */
const NEXT_STRING = String.raw`\\{0,3}["'\u0060]\s{0,40},\s{0,40}\\{0,3}["'\u0060]`;
/** Cells of tables in text, Markdown, HTML and files, members of lists, lines and blocks of HTML. */
const CELLS = new RegExp(
  [
    String.raw`\t|\|`,
    NEXT_STRING,
    String.raw`<\/(?:t[dh]|div|p|li|dd|dt|h[1-6])>\s{0,40}<(?:t[dh]|div|p|li|dd|dt|h[1-6])\b[^<>]{0,120}>`,
    String.raw`<br\s{0,4}\/?>`,
  ].join('|'),
  'gi',
);
/** What could go on: a value is not cut at the sign that parts it. */
const INSIDE = /^[A-Za-z0-9_-]$/;
/** Cells that are read together, beginning with each. */
const CELLS_TOGETHER = 3;
const SHORTEST_OF_CELLS = 16;

/** Words that a line end parts and that could be one value: of letters and digits, or an address. */
export function* joinedLines(text: string, segment: number): Steps<Joined[]> {
  const lines = yield* chainsOf(text, segment, BREAK, (sign) => LINE_END.test(sign), AGAIN);
  const joined: Joined[] = [];
  for (const [index, chain] of lines.entries()) {
    if (isStop(index)) yield;
    // No part of what is no value is one.
    if (!mayBeValue(wordsOf(text, chain))) continue;
    for (const pieces of readingsOf(text, chain)) {
      const [first] = pieces;
      if (first === undefined || pieces.length < 2 || !mayBeValue(wordsOf(text, pieces))) continue;
      const withWords = { ...first, from: Math.max(0, first.from - WORDS_BEFORE) };
      joined.push({ pieces: [withWords, ...pieces.slice(1)], lines: true });
    }
  }
  return joined;
}

/** A word that has a line for itself is hardly a part of the value beside it. */
const WORD = /^\p{L}\p{Ll}{2,14}[:,.;!?]?$/u;
const HYPHEN = /[-\u2010]$/;

/** A chain as it is, what stands between lines that are a word each, and both without hyphens at the ends of lines. */
function readingsOf(text: string, chain: readonly Piece[]): readonly (readonly Piece[])[] {
  const readings = chain.length > 2 ? [chain, ...betweenWords(text, chain)] : [chain];
  const isHyphen = ({ from, to }: Piece): boolean =>
    to - from > 1 && HYPHEN.test(text.charAt(to - 1)) && endsLine(text, to);
  if (!chain.some(isHyphen)) return readings;
  const withoutHyphens = readings.map((pieces) =>
    pieces.map((piece) => (isHyphen(piece) ? { ...piece, to: piece.to - 1 } : piece)),
  );
  return [...readings, ...withoutHyphens];
}

/** The parts of a chain between lines that are a word each; none where there is no such line. */
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

/** Whether a piece of a chain has a line, or more, for itself. */
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

/** What programs call that put strings together, some of them behind the list and some in front. */
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
/** So much of the text on each side of a list is looked at. */
const LIST_SIDE = 128;
const STRINGS_OF_LISTS = new RegExp(NEXT_STRING, 'g');

/**
 * Strings of a list of which the text says that they are put together: `["ab", "cd", "ef", "gh"].join("")`. Of a list of more than
 * `MOST_PIECES` only those beside the end that says so are read.
 */
export function* joinedStrings(text: string, segment: number): Steps<Joined[]> {
  if (!JOINING.some((name) => text.includes(name))) return [];
  const lists = yield* chainsOf(text, segment, STRINGS_OF_LISTS, () => false, AGAIN);
  const values = yield* filtered(
    lists,
    (pieces) => isPutTogether(text, pieces) && mayBeValue(wordsOf(text, pieces).replace(/\\+$/, '')),
  );
  return yield* mapped(values, (pieces) => ({ pieces, lines: true }));
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
 * Values over neighbouring cells. Which cell one begins in nobody knows, and what stands before it would make another word of it:
 * each few cells are tried by themselves, with a gap between two tries. Digits alone are no value: columns of them are.
 */
export function* joinedCells(text: string, segment: number): Steps<Joined[]> {
  const joined: Joined[] = [];
  for (const [index, cells] of (yield* chainsOf(text, segment, CELLS, () => true, CELLS_TOGETHER - 1)).entries()) {
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

function goesOnInside(text: string, one: Piece, other: Piece): boolean {
  return INSIDE.test(text.charAt(one.to - 1)) && INSIDE.test(text.charAt(other.from));
}

/**
 * Rows of words that are separated by exactly one such sign each.
 * @param isWide whether blanks may stand beside a sign
 * @param again pieces of a long row with which the next one begins
 */
function* chainsOf(
  text: string,
  segment: number,
  sign: RegExp,
  isWide: (sign: string) => boolean,
  again: number,
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
    if (from === before || to === behind) {
      close();
      return;
    }
    const line = pieces.at(-1);
    // The line before may be one token from end to end: the value goes on.
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
  for (const matches of inWindows(text, sign, LONGEST_SIGN)) {
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

/** One letter, and a sign or a few that are the same between each two of them. */
const APART = /(?<!\w)[\w@.+%~-](?![A-Za-z0-9@])([^\p{L}\p{N}@]{1,4}?)(?:[\w@.+%~-]\1){10,254}[\w@.+%~-](?!\w)/gu;
const MOST_APART = 254;

/** Letters of a value that stand apart: `g h p _`, `g.h.p._`, `"g","h","p"`. */
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

/** Of the units below 128; asking the expression takes ten times as long. */
const ASCII_OF_TOKEN: readonly boolean[] = Array.from({ length: 0x80 }, (_, unit) =>
  TOKEN.test(String.fromCharCode(unit)),
);

function isOfToken(text: string, index: number): boolean {
  return ASCII_OF_TOKEN[text.charCodeAt(index)] ?? TOKEN.test(text.charAt(index));
}

function mayBeValue(token: string): boolean {
  if (token.length < SHORTEST_TOKEN || !/[\p{L}]|^[\p{N}-]{12,}$/u.test(token)) return false;
  // Credentials of letters alone are rare, and words are no credentials.
  return /[\p{N}@%&\\]/u.test(token) || (token.length >= LETTERS_ALONE && /_|[a-z][A-Z].*[a-z][A-Z]/.test(token));
}
