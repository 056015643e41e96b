/** Maximum depth of JSON nested in strings, the same as for reading documents. */
const MAX_DEPTH = 3;
const BLANK = /[ \t\r\n]/;

/** The next decoded character of a JSON text, and the number of UTF-16 units that encode it. */
export interface JsonUnit {
  readonly char: string;
  readonly length: number;
}

/**
 * Decodes one character of a JSON text; an escape sequence becomes the character it encodes (RFC 8259, section 7).
 * @returns undefined when the text ends inside an escape sequence
 */
export function jsonUnit(text: string, at: number): JsonUnit | undefined {
  const first = text[at];
  if (first === undefined) return undefined;
  if (first !== '\\') return { char: first, length: 1 };
  const second = text[at + 1];
  if (second === undefined) return undefined;
  if (second !== 'u') return { char: ESCAPES[second] ?? second, length: 2 };
  const hex = text.slice(at + 2, at + 6);
  if (!/^[0-9A-Fa-f]{0,4}$/.test(hex)) return { char: first, length: 1 };
  return hex.length < 4 ? undefined : { char: String.fromCharCode(Number.parseInt(hex, 16)), length: 6 };
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Tracks, character by character, how many nested JSON strings enclose the current position. A string that begins like an object or a
 * list is assumed to contain JSON, for example tool arguments inside tool arguments.
 */
export class JsonDepth {
  private inString = false;
  private inner: JsonDepth | undefined;
  private state: 'start' | 'opened' | 'json' | 'text' = 'start';
  private opening = '';

  constructor(private readonly level = 1) {}

  /** 0 outside strings, or if the text turned out not to be JSON. */
  get depth(): number {
    return this.inString ? 1 + (this.inner?.depth ?? 0) : 0;
  }

  /** @param unit a result of `jsonUnit`: a `length` above 1 means that the character was escaped */
  take({ char, length }: JsonUnit): void {
    if (this.level > 1 && !this.looksLikeJson(char)) return;
    if (char === '"' && length === 1) {
      this.inString = !this.inString;
      this.inner = this.inString && this.level < MAX_DEPTH ? new JsonDepth(this.level + 1) : undefined;
    } else if (this.inString) {
      this.inner?.takeDecoded(char);
    }
  }

  private pending = '';

  /** A character of the decoded text, which may be part of an escape sequence of the JSON in it. */
  private takeDecoded(char: string): void {
    this.pending += char;
    const unit = jsonUnit(this.pending, 0);
    if (unit === undefined) return;
    // The characters after a broken escape sequence are read literally.
    const rest = this.pending.slice(unit.length);
    this.pending = '';
    this.take(unit);
    for (const each of rest) this.take({ char: each, length: 1 });
  }

  private looksLikeJson(char: string): boolean {
    if (this.state === 'json') return true;
    if (this.state === 'text' || BLANK.test(char)) return false;
    if (this.state === 'start') {
      this.opening = char;
      this.state = char === '{' || char === '[' ? 'opened' : 'text';
      return false;
    }
    const begins = this.opening === '{' ? /["}]/ : /["{[\]\-0-9tfn]/;
    this.state = begins.test(char) ? 'json' : 'text';
    return this.state === 'json';
  }
}
