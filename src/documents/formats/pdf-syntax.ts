/** The objects of a PDF file as they are written (ISO 32000-1, section 7.3). */

/** A name such as `/Filter`, without the slash and with its escapes decoded. */
interface PdfName {
  readonly name: string;
}

/** A string, one character per byte. */
interface PdfString {
  readonly bytes: string;
}

/** A reference to an object by its number. */
interface PdfReference {
  readonly object: number;
}

export type PdfDictionary = ReadonlyMap<string, PdfValue>;
/** Undefined for operators and `null`. */
export type PdfValue =
  PdfName | PdfString | PdfReference | PdfDictionary | readonly PdfValue[] | number | boolean | undefined;

const SPACES = /[\0\t\n\f\r ]*/y;
const COMMENT = /%[^\r\n]*/y;
/** Characters of names, numbers and operators. */
const REGULAR = /[^\0\t\n\f\r ()<>[\]{}/%]*/y;
const NULL = /null(?=[\0\t\n\f\r ()<>[\]{}/%]|$)/y;
const DIGITS = /\d*/y;
const HEX_STRING = /<([^<>]*)>/y;
/** The rest of a string up to its next special character. */
const PLAIN = /[^()\\\r]*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
/** Deeper lists and dictionaries are not read: each level costs more than its characters. */
const MAX_DEPTH = 100;

/** A value is nested so deeply that it is not read here, although another reader could read it. */
export class NestedTooDeeply extends Error {
  override readonly name = 'NestedTooDeeply';
}

/** Reads values one after the other. */
export class PdfSyntax {
  /** Offset up to which the text was searched for the parts of a reference. */
  reached = 0;

  constructor(
    private readonly text: string,
    /** Offset of the next character. */
    public at: number,
  ) {}

  /** Skips white space and comments. */
  gap(): void {
    do this.run(SPACES);
    while (this.run(COMMENT) !== '');
  }

  /** @throws NestedTooDeeply; Error for a list or dictionary without an end */
  value(depth = 0): PdfValue {
    if (depth > MAX_DEPTH) throw new NestedTooDeeply();
    this.gap();
    const char = this.text.charAt(this.at);
    if (char === '/') return { name: this.name() };
    if (char === '(') return { bytes: this.literalString() };
    if (char === '[') return this.list(depth);
    if (this.text.startsWith('<<', this.at)) return this.dictionary(depth);
    if (char === '<') return { bytes: this.hexString() };
    return this.numberOrWord();
  }

  /** Consumes a word after optional white space and comments. @returns whether the word was next */
  take(word: string): boolean {
    this.gap();
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private run(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private name(): string {
    this.at++;
    return withoutNameEscapes(this.run(REGULAR));
  }

  private list(depth: number): PdfValue[] {
    this.at++;
    const items: PdfValue[] = [];
    while (!this.take(']')) {
      this.requireMore();
      items.push(this.value(depth + 1));
    }
    return items;
  }

  private dictionary(depth: number): PdfDictionary {
    this.at += 2;
    const entries = new Map<string, PdfValue>();
    while (!this.take('>>')) {
      this.requireMore();
      const key = this.value(depth + 1);
      if (typeof key !== 'object' || !('name' in key)) continue;
      if (this.take('>>')) break;
      // An entry with `null` is absent (section 7.3.7).
      if (this.run(NULL) !== '') entries.delete(key.name);
      else entries.set(key.name, this.value(depth + 1));
    }
    return entries;
  }

  private requireMore(): void {
    if (this.at >= this.text.length) throw new Error('ends too early');
  }

  private literalString(): string {
    let read = '';
    let from = ++this.at;
    for (let open = 1; ;) {
      this.run(PLAIN);
      this.requireMore();
      const char = this.text.charAt(this.at++);
      if (char === '(') open++;
      if (char === '(' || (char === ')' && --open > 0)) continue;
      read += this.text.slice(from, this.at - 1);
      if (char === ')') return read;
      if (char === '\\') read += this.escape();
      else if (this.text.charAt(this.at) !== '\n') read += '\n';
      from = this.at;
    }
  }

  /** The character of an escape, whose backslash has been read. */
  private escape(): string {
    const octal = /[0-7]{1,3}/y;
    octal.lastIndex = this.at;
    const code = octal.exec(this.text)?.[0];
    if (code !== undefined) {
      this.at += code.length;
      return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    }
    const char = this.text.charAt(this.at++);
    if (char === '\r' && this.text.charAt(this.at) === '\n') this.at++;
    return char === '\r' || char === '\n' ? '' : (ESCAPES[char] ?? char);
  }

  private hexString(): string {
    const written = this.run(HEX_STRING);
    if (written === '') {
      // The searched part counts as read.
      const next = this.text.indexOf('<', this.at + 1);
      this.at = next < 0 ? this.text.length : next;
      throw new Error('a string without an end');
    }
    const digits = written.replace(/[^0-9A-Fa-f]/g, '');
    return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex').toString('latin1');
  }

  /** Reads two numbers and an `R`; consumes nothing if they are not next. */
  private reference(): PdfReference | undefined {
    const start = this.at;
    const number = this.run(DIGITS);
    this.gap();
    const generation = number === '' ? '' : this.run(DIGITS);
    this.gap();
    if (generation !== '' && this.run(REGULAR) === 'R') return { object: Number(number) };
    this.reached = Math.max(this.reached, this.at);
    this.at = start;
    return undefined;
  }

  private numberOrWord(): PdfValue {
    const reference = this.reference();
    if (reference !== undefined) return reference;
    const word = this.run(REGULAR);
    // Skips a delimiter that does not begin a value.
    if (word === '') this.at++;
    if (word === 'true' || word === 'false') return word === 'true';
    const number = Number(word);
    return word === '' || Number.isNaN(number) ? undefined : number;
  }
}

/** A name with its escapes decoded (section 7.3.5). */
export function withoutNameEscapes(name: string): string {
  return name.replace(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

export function isPdfDictionary(value: PdfValue): value is PdfDictionary {
  return value instanceof Map;
}

export function isPdfList(value: PdfValue): value is readonly PdfValue[] {
  return Array.isArray(value);
}

/** The text of a name; undefined for other values. */
export function pdfNameOf(value: PdfValue): string | undefined {
  return typeof value === 'object' && 'name' in value ? value.name : undefined;
}

/** The bytes of a string; undefined for other values. */
export function pdfBytesOf(value: PdfValue): string | undefined {
  return typeof value === 'object' && 'bytes' in value ? value.bytes : undefined;
}

/** The number of the object to which a value refers; undefined for other values. */
export function pdfObjectOf(value: PdfValue): number | undefined {
  return typeof value === 'object' && 'object' in value ? value.object : undefined;
}

/** The text of a string (section 7.9.2.2): UTF-16 or UTF-8 with a mark, otherwise one character per byte. */
export function pdfTextOf(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1');
  if (bytes.startsWith('\xfe\xff')) return withoutLanguages(new TextDecoder('utf-16be').decode(buffer));
  if (bytes.startsWith('\xff\xfe')) return withoutLanguages(new TextDecoder('utf-16le').decode(buffer));
  if (bytes.startsWith('\xef\xbb\xbf')) return withoutLanguages(new TextDecoder().decode(buffer));
  return bytes;
}

/** The code of a language between two escape characters is not part of the text. */
function withoutLanguages(text: string): string {
  return text.replace(/\x1b[A-Za-z]{2,6}\x1b/g, '');
}
