import { atOnce, isAsciiCharset, isTwoByteCharset, readingTwoBytes, runsOf } from '../../core/index.js';

/** One token of RTF: a control word, a character by its code, a control symbol, a brace, or other characters. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gi;
const BREAKS: ReadonlyMap<string, string> = new Map([
  ['par', '\n'],
  ['line', '\n'],
  ['sect', '\n'],
  ['page', '\n'],
  ['row', '\n'],
  ['tab', '\t'],
  ['cell', '\t'],
  ['emdash', '\u2014'],
  ['endash', '\u2013'],
  ['bullet', '\u2022'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201c'],
  ['rdblquote', '\u201d'],
]);
/** Control symbols; an escaped line end begins a paragraph. */
const SYMBOLS: Readonly<Record<string, string>> = {
  '\r': '\n',
  '\n': '\n',
  '~': '\u00a0',
  _: '\u2011',
  '\\': '\\',
  '{': '{',
  '}': '}',
};
/** Groups with one of these words at their beginning are not displayed in place. */
const DESTINATIONS = new Set(
  `annotation atnauthor atndate atnicn atnid atnparent atnref atntime atrfend atrfstart author background bkmkend
  bkmkstart buptim category colorschememapping colortbl comment company creatim datafield datastore doccomm docvar
  falt fldinst fldtype fontemb fontfile fonttbl footer footerf footerl footerr footnote formfield ftncn ftnsep
  ftnsepc generator header headerf headerl headerr info keywords latentstyles listname listoverridetable listpicture
  listtable listtext manager nesttableprops nonesttables nonshppict objclass objdata objname operator passwordhash
  pgdsctbl pict pn pntext pntxta pntxtb printim private revtbl revtim rsidtbl rxe shpinst sn sp stylesheet subject
  sv tc themedata title txe ud userprops wgrffmtfilter windowcaption xe xmlnstbl`.split(/\s+/),
);
/** Words that hide the text after them, until the end of the group or the same word with the number 0. */
const HIDING = new Set(['v', 'deleted', 'webhidden']);
const WINDOWS_1252 = new TextDecoder('windows-1252');
/** The code pages of the file and of its fonts. */
const CODE_PAGE = /\\(ansicpg|cpg|fcharset)(\d{1,5})/g;
/** The code pages of character sets of fonts (`\fcharset`) beyond single bytes; all others contain ASCII. */
const FONT_CODE_PAGES: ReadonlyMap<string, string> = new Map([
  ['78', '10001'],
  ['79', '10003'],
  ['80', '10008'],
  ['81', '10002'],
  ['128', '932'],
  ['129', '949'],
  ['130', '1361'],
  ['134', '936'],
  ['136', '950'],
]);
/** The names of code pages that decoders know by another name than `cp` with the number. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['932', 'shift_jis'],
  ['936', 'gbk'],
  ['949', 'euc-kr'],
  ['950', 'big5'],
  ['10000', 'macintosh'],
  ['10001', 'shift_jis'],
  ['10002', 'big5'],
  ['10003', 'euc-kr'],
  ['10008', 'gb2312'],
  ['20127', 'us-ascii'],
  ['51949', 'euc-kr'],
  ['54936', 'gb18030'],
  ['65001', 'utf-8'],
]);
/** No code page: the default of the reader. */
const DEFAULT_CODE_PAGE = '0';
/** Other code pages of single bytes that contain ASCII: ISO 8859, KOI8, Macintosh and DOS. */
const SINGLE_BYTES = /^(?:28(?:59\d|60\d)|2[01]866|100\d\d|7[0-7]\d)$/;

/** The texts of an RTF file. */
interface RtfTexts {
  /** All texts, including hidden texts, fields, comments and document properties, with the characters in Unicode. */
  readonly shown: string;
  /** The same with the substitutes that readers without Unicode show instead, and with binary data. */
  readonly older: string;
  /** The text in place: without groups that readers skip, and with and without hidden text. */
  readonly seen: readonly string[];
  /** The text in the character set of the file, and the words that begin in the middle of a character of a declared character set. */
  readonly decoded: readonly string[];
  /** Whether the file declares a character set that is not decoded. */
  readonly isUnread: boolean;
}

/**
 * Reads the texts of an RTF file (Rich Text Format Specification 1.9.1, "Unicode RTF"). Binary data is read as shown by readers that do
 * not skip it.
 */
export function rtfTexts(rtf: string): RtfTexts {
  const { shown, older, inPlace, visible } = tokensOf(rtf, true);
  const { charsets, isTwoByte, isUnread } = charsetsOf(rtf);
  const bytes = isTwoByte || charsets.length > 0 ? tokensOf(rtf, true, true) : undefined;
  return {
    shown,
    older: /\\bin\d/i.test(rtf) ? `${older}\n${tokensOf(rtf, false).shown}` : older,
    seen: [...new Set([inPlace, visible])],
    decoded:
      bytes === undefined ? [] : [...charsets.flatMap((charset) => decodings(bytes, charset)), ...wordsOf(bytes)],
    isUnread,
  };
}

function decodings({ shown, visible }: Tokens, charset: string): string[] {
  const decoder = new TextDecoder(charset);
  // Other characters than bytes were written in Unicode.
  const decode = (text: string): string => {
    const parts: string[] = [];
    let from = 0;
    for (const { start, end } of runsOf(text, /[\0-\xff]/g, /[^\0-\xff]/g)) {
      parts.push(text.slice(from, start), decoder.decode(Buffer.from(text.slice(start, end), 'latin1')));
      from = end;
    }
    return [...parts, text.slice(from)].join('');
  };
  return [...new Set([decode(shown), decode(visible)])];
}

function wordsOf({ shown, visible }: Tokens): string[] {
  return [...new Set([shown, visible])].map((bytes) => atOnce(readingTwoBytes(bytes)).join('\n'));
}

/** The declared character sets in which bytes can be parts of other characters: those of the whole file, and whether a font has one. */
function charsetsOf(rtf: string): { charsets: string[]; isTwoByte: boolean; isUnread: boolean } {
  const charsets = new Set<string>();
  let isTwoByte = false;
  let isUnread = false;
  for (const [, word, number = ''] of rtf.matchAll(CODE_PAGE)) {
    const page = word === 'fcharset' ? FONT_CODE_PAGES.get(number) : number;
    if (page === undefined || page === DEFAULT_CODE_PAGE) continue;
    const name = NAMES.get(page) ?? `cp${page}`;
    if (isTwoByteCharset(name)) isTwoByte = true;
    if (word === 'ansicpg' && NAMES.has(page)) charsets.add(name);
    else if (!isAsciiCharset(name) && !SINGLE_BYTES.test(page)) isUnread = true;
  }
  return { charsets: [...charsets], isTwoByte, isUnread };
}

interface Tokens extends Pick<RtfTexts, 'shown' | 'older'> {
  /** Without groups that readers skip. */
  readonly inPlace: string;
  /** The same without hidden text. */
  readonly visible: string;
}

/** @param asBytes whether a character that is given by its code is returned as the character with this code */
function tokensOf(rtf: string, passesData: boolean, asBytes = false): Tokens {
  const reading = new RtfReading();
  const token = new RegExp(TOKEN);
  for (let found = token.exec(rtf); found !== null; found = token.exec(rtf)) {
    const [, word, number, hex, symbol, brace, plain] = found;
    if (word === 'u' && number !== undefined) reading.character(String.fromCharCode(Number(number) & 0xffff));
    else if (word !== undefined) reading.word(word, number);
    else if (hex !== undefined) reading.unit(characterOf(parseInt(hex, 16), asBytes));
    else if (symbol !== undefined) reading.symbol(symbol);
    else if (brace !== undefined) reading.brace(brace);
    else if (plain !== undefined) reading.plain(plain);
    if (word === 'bin' && passesData) token.lastIndex += Math.max(0, Number(number ?? 0));
  }
  return reading.texts;
}

function characterOf(code: number, asBytes: boolean): string {
  return asBytes ? String.fromCharCode(code) : WINDOWS_1252.decode(Uint8Array.of(code));
}

interface Group {
  /** Number of units that substitute a Unicode character. */
  readonly substitutes: number;
  readonly isSkipped: boolean;
  readonly hiding: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

class RtfReading {
  private readonly shown: string[] = [];
  private readonly older: string[] = [];
  private readonly inPlace: string[] = [];
  private readonly visible: string[] = [];
  private group: Group = { substitutes: 1, isSkipped: false, hiding: NOTHING };
  private readonly around: Group[] = [];
  /** Number of units that still belong to the last Unicode character. */
  private left = 0;
  /** Whether only the beginning of a group was read, which decides whether readers skip the group. */
  private isStart = false;

  get texts(): Tokens {
    const { shown, older, inPlace, visible } = this;
    return {
      shown: shown.join(''),
      older: older.join(''),
      inPlace: inPlace.join(''),
      visible: visible.join(''),
    };
  }

  character(char: string): void {
    this.isStart = false;
    this.show(char);
    this.left = this.group.substitutes;
  }

  /** A control word: it also counts as one unit. */
  word(word: string, number: string | undefined): void {
    if (this.isStart && DESTINATIONS.has(word)) this.group = { ...this.group, isSkipped: true };
    this.unit(BREAKS.get(word) ?? '');
    if (word === 'uc') this.group = { ...this.group, substitutes: Math.max(0, Number(number ?? 1)) };
    if (word === 'plain') this.group = { ...this.group, hiding: NOTHING };
    if (HIDING.has(word)) this.hide(word, number !== '0');
  }

  symbol(symbol: string): void {
    // A reader skips such a group if it does not know the word after the symbol.
    if (symbol === '*' && this.isStart) this.group = { ...this.group, isSkipped: true };
    this.unit(SYMBOLS[symbol] ?? '');
  }

  unit(text: string): void {
    this.isStart = false;
    this.older.push(text);
    if (this.left > 0) this.left--;
    else this.show(text);
  }

  plain(text: string): void {
    this.isStart = false;
    const passed = Math.min(this.left, text.length);
    this.left -= passed;
    this.older.push(text);
    this.show(text.slice(passed));
  }

  brace(brace: string): void {
    this.left = 0;
    this.isStart = brace === '{';
    if (this.isStart) this.around.push(this.group);
    else this.group = this.around.pop() ?? { substitutes: 1, isSkipped: false, hiding: NOTHING };
  }

  private hide(word: string, isHidden: boolean): void {
    const hiding = new Set(this.group.hiding);
    if (isHidden) hiding.add(word);
    else hiding.delete(word);
    this.group = { ...this.group, hiding };
  }

  private show(text: string): void {
    this.shown.push(text);
    if (this.group.isSkipped) return;
    this.inPlace.push(text);
    if (this.group.hiding.size === 0) this.visible.push(text);
  }
}
