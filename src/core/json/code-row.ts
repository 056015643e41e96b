import type { JsonNode, JsonSource, TextNode } from './json-node.js';

/** Rows of numbers in JSON that are character codes, as in `{"type":"Buffer","data":[115,107,45]}` and `{"0":115,"1":107}`. */

/** Minimum number of codes in a row; shorter ones contain no finding with a high score. As for rows of numbers in a text. */
const LEAST_CODES = 8;
/** The number of codes whose text is put together at once. */
const CODES_AT_ONCE = 4_096;
const MOST_CODES = 0x7f;
/** The range of bytes with and without a sign. */
const [LEAST_BYTE, MOST_BYTE] = [-0x80, 0xff];
/** The kinds of characters. */
const [SIGN, PLAIN, CAPITAL, SMALL] = [1, 2, 3, 4];
/** The kind of each code; 0 if it is not the code of a printable character or of white space. Detectors decode no other codes. */
const KINDS = Uint8Array.from({ length: MOST_CODES }, (_, code) => kindOf(String.fromCharCode(code)));
/** The name of a member with which programs write lists as objects. */
const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;
/** Any search makes the JavaScript engine flatten a concatenated text. */
const FLATTENS = /$/;

/** Whether a number can be the code of a character. Fractions are no codes. */
export function isCode(value: number): boolean {
  return (KINDS[value] ?? 0) !== 0;
}

function kindOf(character: string): number {
  if (/[a-z]/.test(character)) return SMALL;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/[\w\s.,:/@+-]/.test(character)) return /[\v\f]/.test(character) ? 0 : PLAIN;
  return /[ -~]/.test(character) ? SIGN : 0;
}

/** Whether a value is the number of a byte. Programs also write bytes from 128 on as negative numbers. */
export function isByte(value: JsonNode): value is number {
  return typeof value === 'number' && value >= LEAST_BYTE && value <= MOST_BYTE && Number.isInteger(value);
}

/** Whether a name is that of an item where a list is written as an object. */
export function isIndex(name: string): boolean {
  return INDEX.test(name);
}

/** Numbers that directly follow one another in a list or an object, while they are read. */
export class CodeRow {
  end: number;
  private count = 0;
  private readonly kinds = [0, 0, 0, 0, 0];
  private readonly parts: string[] = [];
  private last = '';

  /**
   * @param position the position of the first number among the items or members
   * @param start offset of the first number
   */
  constructor(
    readonly position: number,
    readonly start: number,
  ) {
    this.end = start;
  }

  /**
   * Whether the row can be a text with a finding: an eighth of its characters are small letters and most others no rare signs, or half are
   * capitals without such signs. Measured values, such as ages, are codes of digits and signs, and would look like telephone numbers.
   */
  get isText(): boolean {
    const { count, kinds } = this;
    const [signs, capitals, small] = [kinds[SIGN] ?? 0, kinds[CAPITAL] ?? 0, kinds[SMALL] ?? 0];
    if (count < LEAST_CODES) return false;
    return (8 * small >= count && 4 * signs <= count) || (2 * (capitals + small) >= count && signs === 0);
  }

  /** The numbers, written in the same way however the row is written. */
  get text(): string {
    return [...this.parts, this.last].join('');
  }

  /** @param end the offset after the number */
  add(code: number, end: number): void {
    this.last += this.count === 0 ? String(code) : `, ${code}`;
    this.end = end;
    const kind = KINDS[code] ?? 0;
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
    // Flattening the whole text at its end would take as long as reading it.
    if (++this.count % CODES_AT_ONCE !== 0) return;
    FLATTENS.test(this.last);
    this.parts.push(this.last);
    this.last = '';
  }

  /** The row as a text with a position. It is a number, so an edited row becomes one string. */
  node(source: JsonSource, ref: number): TextNode {
    const { text, start, end } = this;
    return { kind: 'number', text, start, end, source, ref };
  }
}
