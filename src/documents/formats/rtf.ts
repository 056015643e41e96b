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
const WINDOWS_1252 = new TextDecoder('windows-1252');

/** The texts of an RTF file, including hidden texts, fields, comments and document properties. */
interface RtfTexts {
  /** With the characters in Unicode. */
  readonly shown: string;
  /** With the substitutes that readers without Unicode show in their place, and with binary data. */
  readonly older: string;
}

/**
 * Reads the texts of an RTF file (Rich Text Format Specification 1.9.1, "Unicode RTF"). Binary data is read as readers show it that do not
 * know how to pass over it.
 */
export function rtfTexts(rtf: string): RtfTexts {
  const { shown, older } = tokensOf(rtf, true);
  return { shown, older: /\\bin\d/i.test(rtf) ? `${older}\n${tokensOf(rtf, false).shown}` : older };
}

function tokensOf(rtf: string, passesData: boolean): RtfTexts {
  const reading = new RtfReading();
  const token = new RegExp(TOKEN);
  for (let found = token.exec(rtf); found !== null; found = token.exec(rtf)) {
    const [, word, number, hex, symbol, brace, plain] = found;
    if (word === 'u' && number !== undefined) reading.character(String.fromCharCode(Number(number) & 0xffff));
    else if (word !== undefined) reading.word(word, number);
    else if (hex !== undefined) reading.unit(WINDOWS_1252.decode(Uint8Array.of(parseInt(hex, 16))));
    else if (symbol !== undefined) reading.unit(SYMBOLS[symbol] ?? '');
    else if (brace !== undefined) reading.brace(brace);
    else if (plain !== undefined) reading.plain(plain);
    if (word === 'bin' && passesData) token.lastIndex += Math.max(0, Number(number ?? 0));
  }
  return reading.texts;
}

class RtfReading {
  private readonly shown: string[] = [];
  private readonly older: string[] = [];
  /** Number of units that substitute a Unicode character, in this group and in those around it. */
  private substitutes = 1;
  private readonly around: number[] = [];
  /** Number of units that still belong to the last Unicode character. */
  private left = 0;

  get texts(): RtfTexts {
    return { shown: this.shown.join(''), older: this.older.join('') };
  }

  character(char: string): void {
    this.shown.push(char);
    this.left = this.substitutes;
  }

  /** A control word: it also counts as one unit. */
  word(word: string, number: string | undefined): void {
    this.unit(BREAKS.get(word) ?? '');
    if (word === 'uc') this.substitutes = Math.max(0, Number(number ?? 1));
  }

  unit(text: string): void {
    this.older.push(text);
    if (this.left > 0) this.left--;
    else this.shown.push(text);
  }

  plain(text: string): void {
    const passed = Math.min(this.left, text.length);
    this.left -= passed;
    this.older.push(text);
    this.shown.push(text.slice(passed));
  }

  brace(brace: string): void {
    this.left = 0;
    if (brace === '{') this.around.push(this.substitutes);
    else this.substitutes = this.around.pop() ?? 1;
  }
}
