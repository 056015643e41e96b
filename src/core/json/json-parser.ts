/** No JSON library is used: redaction needs the position of every string (ADR 0004), and a long body must be read in steps. */
import type { Steps } from '../steps/steps.js';
import type { CodeRow } from './code-row.js';
import type { JsonNode, JsonSource, TextNode } from './json-node.js';
import { LONG_INTEGER, longNumberOf } from './long-number.js';
import {
  addMember,
  continueRow,
  endRow,
  noteBytes,
  openList,
  openObject,
  type OpenContainer,
} from './open-container.js';

/** Limits that keep the cost of a small hostile body low: nesting depth, and total number of text nodes and containers. */
export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxNodes: number;
  /** Also accepts `NaN`, `Infinity` and `-Infinity`, which are not JSON, but which Python writes and reads. */
  readonly nonFinite: boolean;
}

export const DEFAULT_JSON_LIMITS: JsonLimits = { maxDepth: 64, maxNodes: 1_000_000, nonFinite: false };

/** The message names the problem and its position, and never quotes the text. Lines and columns count from 1, `offset` from 0. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly line: number;
  readonly column: number;

  constructor(
    problem: string,
    text: string,
    readonly offset: number,
    /** True if the text exceeds a limit; it may be valid otherwise. */
    readonly overLimit = false,
  ) {
    const line = lineOf(text, offset);
    const column = offset === 0 ? 1 : offset - text.lastIndexOf('\n', offset - 1);
    super(`${problem} at line ${line}, column ${column}`);
    this.line = line;
    this.column = column;
  }
}

/** Counts without splitting the text into lines, of which there may be millions. */
function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = 0; at < offset; at++) if (text.charCodeAt(at) === FEED) line++;
  return line;
}

const FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
/** One-letter escapes of RFC 8259, section 7, by the code of the letter. */
export const JSON_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x5c, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
]);
const NON_FINITE = /^(?:NaN|-?Infinity)/;
/** A run of characters that need no decoding in a string. */
const PLAIN = /[^"\\\0-\x1f]*/y;
/** Longer white space is skipped by a regular expression, which is faster for megabytes of it. */
const SHORT_SPACE = 32;
const SPACE = /[ \n\r\t]*/y;
export const HEX4 = /^[0-9a-fA-F]{4}$/;

/** The number of values that are parsed in less than a millisecond. */
const VALUES_BETWEEN_STOPS = 1_024;
const ESCAPES_BETWEEN_STOPS = 4_096;
/** A string of at least this length is followed by a stop. */
const UNITS_BETWEEN_STOPS = 131_072;

/** A partly read string that has more escapes than are decoded in one step. */
class BegunString {
  readonly parts: string[] = [];

  /** @param at offset at which reading continues */
  constructor(
    readonly start: number,
    public at: number,
  ) {}
}

/**
 * A strict RFC 8259 parser that keeps the position of every string and long number. Within the limits it accepts exactly the texts
 * that JSON.parse accepts and, with `nonFinite`, also `NaN` and infinities.
 */
export class JsonParser {
  private position = 0;
  private depth = 0;
  private containers = 0;
  private sinceStop = 0;
  /** The offset of the last number. */
  private numberAt = 0;
  private readonly text: string;

  /** New text nodes are appended to `table`, and their index there is their `ref`. */
  constructor(
    private readonly source: JsonSource,
    private readonly limits: JsonLimits,
    private readonly table: TextNode[],
  ) {
    this.text = source.text;
  }

  /** Parses one value, in steps. @throws JsonSyntaxError */
  *parsing(): Steps<JsonNode> {
    this.skipSpace();
    const node = yield* this.value();
    this.skipSpace();
    if (this.position < this.text.length) throw this.error('Unexpected text after the value');
    return node;
  }

  /** Parses values on separate lines or after record separators (RFC 7464) into a list. @throws JsonSyntaxError */
  *parsingLines(): Steps<JsonNode> {
    const list = openList();
    const { items } = list;
    for (this.skipSeparators(); this.position < this.text.length; this.skipSeparators()) {
      if (items.length > 0 && !/[\n\r\x1e]/.test(this.text[this.position - 1]!))
        throw this.error('Expected a new line');
      const value = yield* this.value();
      items.push(value);
      this.addRow(list, continueRow(list, value, this.numberAt, this.position));
      this.skipBlanks();
    }
    this.addRow(list, endRow(list));
    return list.node;
  }

  private skipSeparators(): void {
    while (/[\s\x1e]/.test(this.text.charAt(this.position))) this.position++;
  }

  private skipBlanks(): void {
    while (/[ \t]/.test(this.text.charAt(this.position))) this.position++;
  }

  /** Parses a value and its contents without recursion, so that it can pause anywhere. */
  private *value(): Steps<JsonNode> {
    const around: OpenContainer[] = [];
    for (;;) {
      if (++this.sinceStop % VALUES_BETWEEN_STOPS === 0) yield;
      const from = this.position;
      let node = this.begin(around);
      while (node instanceof BegunString) {
        yield;
        node = this.string(node);
      }
      if (this.position - from >= UNITS_BETWEEN_STOPS) yield;
      while (node !== undefined) {
        const container = around.at(-1);
        if (container === undefined) return node;
        node = this.addTo(container, node, around);
      }
    }
  }

  /** @returns a scalar, an empty container or a partly read string; undefined if the first value of a container comes next */
  private begin(around: OpenContainer[]): JsonNode | BegunString | undefined {
    const code = this.text.charCodeAt(this.position);
    if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return this.scalar(code);
    this.open();
    this.skipSpace();
    if (code === OPEN_BRACE) {
      if (this.take(CLOSE_BRACE)) return this.close({ kind: 'object', members: [] });
      const key = this.key();
      around.push(openObject(key, this.position));
    } else {
      if (this.take(CLOSE_BRACKET)) return this.close({ kind: 'array', items: [] });
      around.push(openList());
    }
    return undefined;
  }

  /** @returns the container if this was its last value */
  private addTo(container: OpenContainer, value: JsonNode, around: OpenContainer[]): JsonNode | undefined {
    const end = this.position;
    if ('items' in container) container.items.push(value);
    else addMember(container, { key: container.key, value, start: container.start, end });
    if (typeof value === 'number' || container.row !== undefined)
      this.addRow(container, continueRow(container, value, this.numberAt, end));
    this.skipSpace();
    const isList = 'items' in container;
    if (this.take(isList ? CLOSE_BRACKET : CLOSE_BRACE)) {
      around.pop();
      this.addRow(container, endRow(container));
      if (isList) noteBytes(container, this.source, end);
      return this.close(container.node);
    }
    if (!this.take(COMMA)) throw this.error(isList ? 'Expected "," or "]"' : 'Expected "," or "}"');
    this.skipSpace();
    if (!isList) {
      container.key = this.key();
      container.start = this.position;
    }
    return undefined;
  }

  /** Reads a key, the colon and the white space before the value. */
  private key(): TextNode {
    if (this.text.charCodeAt(this.position) !== QUOTE) throw this.error('Expected a key in double quotes');
    let key = this.string();
    while (key instanceof BegunString) key = this.string(key);
    this.skipSpace();
    if (!this.take(COLON)) throw this.error('Expected ":" after a key');
    this.skipSpace();
    return key;
  }

  private scalar(code: number): JsonNode | BegunString {
    switch (code) {
      case QUOTE:
        return this.string();
      case 0x74:
        return this.literal('true', true);
      case 0x66:
        return this.literal('false', false);
      case 0x6e:
        return this.literal('null', null);
      default:
        if (this.limits.nonFinite && NON_FINITE.test(this.text.slice(this.position, this.position + 9))) {
          return this.nonFinite();
        }
        if (code === MINUS || (code >= ZERO && code <= NINE)) return this.number();
        throw this.error(this.position < this.text.length ? 'Expected a value' : 'Unexpected end of the text');
    }
  }

  private open(): void {
    if (++this.depth > this.limits.maxDepth)
      throw this.error(`Nested deeper than ${this.limits.maxDepth} levels`, true);
    this.containers++;
    this.checkCount();
    this.position++;
  }

  private close(node: JsonNode): JsonNode {
    this.depth--;
    return node;
  }

  /** @param begun the part of the string that has been read */
  private string(begun?: BegunString): TextNode | BegunString {
    const { text } = this;
    const start = begun?.start ?? this.position;
    let index = begun?.at ?? start + 1;
    let decoded = '';
    let from = index;
    for (let escapes = 0; ;) {
      // Several times as fast as a loop, which matters for texts of megabytes.
      PLAIN.lastIndex = index;
      PLAIN.test(text);
      index = PLAIN.lastIndex;
      const code = text.charCodeAt(index);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        decoded += text.slice(from, index) + this.escape(index);
        index += text.charCodeAt(index + 1) === 0x75 ? 6 : 2;
        from = index;
        if (++escapes === ESCAPES_BETWEEN_STOPS)
          return this.laterString(begun ?? new BegunString(start, index), decoded, index);
      } else if (code >= 0x20) {
        index++;
      } else {
        this.position = index;
        throw this.error(index < text.length ? 'Control character in a string' : 'String without an end');
      }
    }
    this.position = index + 1;
    const tail = text.slice(from, index);
    const rest = decoded === '' ? tail : decoded + tail;
    return this.textNode('string', begun === undefined ? rest : [...begun.parts, rest].join(''), start);
  }

  private laterString(begun: BegunString, decoded: string, at: number): BegunString {
    // The call of `test` makes the JavaScript engine flatten the concatenated text. Flattening all parts at the end would take as long
    // as reading them.
    PLAIN.lastIndex = 0;
    PLAIN.test(decoded);
    begun.parts.push(decoded);
    begun.at = at;
    return begun;
  }

  /** The character that the escape at `index` encodes. */
  private escape(index: number): string {
    const letter = this.text.charCodeAt(index + 1);
    const simple = JSON_ESCAPES.get(letter);
    if (simple !== undefined) return simple;
    const hex = letter === 0x75 ? this.text.slice(index + 2, index + 6) : '';
    if (HEX4.test(hex)) return String.fromCharCode(Number.parseInt(hex, 16));
    this.position = index;
    throw this.error('Unknown escape in a string');
  }

  private number(): JsonNode {
    const start = this.position;
    this.numberAt = start;
    this.take(MINUS);
    if (!this.take(ZERO)) this.digits();
    const wholeEnd = this.position;
    let isLong = wholeEnd - start >= LONG_INTEGER;
    if (this.take(0x2e)) this.digits();
    if (this.take(0x65) || this.take(0x45)) {
      if (this.take(0x2b) || !this.take(MINUS)) isLong = true;
      this.digits();
    }
    const literal = this.text.slice(start, this.position);
    // Lists of thousands of short fractions are common, so most numbers are not examined again.
    const text = isLong && wholeEnd < this.position ? longNumberOf(literal) : isLong ? literal : undefined;
    return text === undefined ? Number(literal) : this.textNode('number', text, start);
  }

  private nonFinite(): number {
    const [literal] = NON_FINITE.exec(this.text.slice(this.position, this.position + 9))!;
    this.position += literal.length;
    return Number(literal);
  }

  private digits(): void {
    const start = this.position;
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (!(code >= ZERO && code <= NINE)) break;
      this.position++;
    }
    if (this.position === start) throw this.error('Expected a digit');
  }

  private literal<Value extends true | false | null>(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.position)) throw this.error('Expected a value');
    this.position += word.length;
    return value;
  }

  private textNode(kind: TextNode['kind'], text: string, start: number): TextNode {
    const node = { kind, text, start, end: this.position, source: this.source, ref: this.table.length };
    this.table.push(node);
    this.checkCount();
    return node;
  }

  /** Adds a row of character codes to the list or object that contains it. */
  private addRow({ node }: OpenContainer, row: CodeRow | undefined): void {
    if (row === undefined) return;
    const codes = row.node(this.source, this.table.length);
    this.table.push(codes);
    this.checkCount();
    (node.codes ??= []).push({ position: row.position, node: codes });
  }

  private checkCount(): void {
    if (this.containers + this.table.length > this.limits.maxNodes) {
      throw this.error(`More than ${this.limits.maxNodes} strings, lists and objects`, true);
    }
  }

  private take(code: number): boolean {
    if (this.text.charCodeAt(this.position) !== code) return false;
    this.position++;
    return true;
  }

  private skipSpace(): void {
    for (let seen = 0; seen < SHORT_SPACE; seen++) {
      const code = this.text.charCodeAt(this.position);
      if (code !== 0x20 && code !== FEED && code !== 0x0d && code !== 0x09) return;
      this.position++;
    }
    SPACE.lastIndex = this.position;
    SPACE.test(this.text);
    this.position = SPACE.lastIndex;
  }

  private error(problem: string, overLimit = false): JsonSyntaxError {
    return new JsonSyntaxError(problem, this.text, this.position, overLimit);
  }
}
