/** One token of RTF: a control word, a control symbol, a brace, or a character. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gi;
const BREAKS: Readonly<Record<string, string>> = {
  par: '\n',
  line: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  tab: '\t',
  cell: '\t',
  emdash: '\u2014',
  endash: '\u2013',
  bullet: '\u2022',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
};
const SYMBOLS: Readonly<Record<string, string>> = { '~': '\u00a0', _: '\u2011', '\\': '\\', '{': '{', '}': '}' };
const WINDOWS_1252 = new TextDecoder('windows-1252');

/** The texts of an RTF file, including hidden texts, fields, comments and document properties. */
export function rtfText(rtf: string): string {
  const parts: string[] = [];
  /** Number of fallback characters after a Unicode character, which are skipped. */
  let fallback = 1;
  let skip = 0;
  const add = (text: string): void => {
    const skipped = Math.min(skip, text.length);
    skip -= skipped;
    parts.push(text.slice(skipped));
  };
  for (const [, word, number, hex, symbol, brace, plain] of rtf.matchAll(TOKEN)) {
    if (word === 'u' && number !== undefined) {
      parts.push(String.fromCharCode(Number(number) & 0xffff));
      skip = fallback;
    } else if (word === 'uc') fallback = Number(number ?? 1);
    else if (word !== undefined) parts.push(BREAKS[word] ?? '');
    else if (hex !== undefined) add(WINDOWS_1252.decode(Uint8Array.of(parseInt(hex, 16))));
    else if (symbol !== undefined) add(SYMBOLS[symbol] ?? '');
    else if (brace !== undefined) skip = 0;
    else if (plain !== undefined) add(plain);
  }
  return parts.join('');
}
