import { CodeRow, isCode, isIndex } from './code-row.js';
import { EscapeOffsets } from './escape-offsets.js';
import { DEFAULT_JSON_LIMITS, HEX4, JSON_ESCAPES } from './json-parser.js';
import { longNumberOf } from './long-number.js';

/** A text in JSON that is still arriving: a string, an object key, a long number (see `longNumberOf`), or a row of character codes. */
export interface GrowingLeaf {
  readonly kind: 'string' | 'number';
  /** The nearest object key; absent for keys themselves. */
  readonly key?: string;
  /** The offsets of its characters in the JSON text. A number or a row of numbers is returned only when it is complete. */
  readonly offsets: EscapeOffsets;
  /** The length of a number or a row in the JSON text; 0 for strings, whose length follows from `offsets`. */
  readonly jsonLength: number;
  /** The decoded characters that the last piece of the JSON text added to the leaf. */
  fresh: string;
  isComplete: boolean;
}

interface Frame {
  readonly isObject: boolean;
  /** For an object, the last key read; for a list, the nearest enclosing key. */
  key: string | undefined;
  /** The row of character codes to which its last value belongs. */
  row: CodeRow | undefined;
}

type State = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'comma' | 'string' | 'scalar' | 'closed';

const SPACE = /[ \t\r\n]+/y;
const PLAIN = /[^"\\\u0000-\u001f]+/y;
const SCALAR = /[-+.0-9A-Za-z]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LITERAL = /^(?:true|false|null|NaN|-?Infinity)$/;

/**
 * Reads the strings of a JSON object or list that arrives in pieces, each as it grows. It accepts the same texts as `parseJson` with
 * `nonFinite`, with the same limits: a text that `parseJson` rejects has `isJson` false or no `closedAt` at its end.
 */
export class GrowingJson {
  /** False as soon as no continuation can make the text a JSON object or list. */
  isJson = true;
  /** Offset of the bracket that completes the text. */
  closedAt: number | undefined;
  /** Offset of the part that is still undecided: an incomplete escape, number or row of character codes. */
  pendingFrom = 0;
  private length = 0;
  private state: State = 'value';
  private readonly frames: Frame[] = [];
  private nodes = 0;
  private leaf: GrowingLeaf | undefined;
  private isKey = false;
  private keyText = '';
  /** Decoded length of the open string. */
  private decoded = 0;
  private escape = '';
  private scalar = '';
  private scalarAt = 0;

  /** Reads the next piece. @returns the leaves that have grown or ended, in text order */
  push(piece: string): GrowingLeaf[] {
    const leaves: GrowingLeaf[] = [];
    if (this.leaf !== undefined) {
      this.leaf.fresh = '';
      leaves.push(this.leaf);
    }
    let at = 0;
    while (this.isJson && at < piece.length) at = this.step(piece, at, leaves);
    this.length += piece.length;
    this.pendingFrom = this.undecidedFrom;
    return leaves;
  }

  private get undecidedFrom(): number {
    // Only the innermost list or object can have a row that may continue.
    const row = this.frames.at(-1)?.row;
    if (row !== undefined) return row.start;
    if (this.state === 'scalar' && !/^[tfnNI]/.test(this.scalar)) return this.scalarAt;
    return this.length - this.escape.length;
  }

  private step(piece: string, at: number, leaves: GrowingLeaf[]): number {
    if (this.state === 'string') return this.inString(piece, at);
    if (this.state === 'scalar') return this.inScalar(piece, at, leaves);
    const next = endOf(SPACE, piece, at);
    if (next === piece.length) return next;
    return this.structure(piece[next]!, this.length + next, leaves) ? next + 1 : next;
  }

  /**
   * @param offset the offset of the character in the whole text
   * @returns false for the first character of a number or literal, which is not consumed yet
   */
  private structure(char: string, offset: number, leaves: GrowingLeaf[]): boolean {
    const { state } = this;
    const frame = this.frames.at(-1);
    const isAfterValue = state === 'comma';
    const isValue = state === 'value' || state === 'first item';
    if (char === ':' && state === 'colon') this.state = 'value';
    else if (char === ',' && isAfterValue) this.state = frame?.isObject === true ? 'key' : 'value';
    else if (char === '}' && (state === 'first key' || (isAfterValue && frame?.isObject === true)))
      this.close(offset, leaves);
    else if (char === ']' && (state === 'first item' || (isAfterValue && frame?.isObject === false)))
      this.close(offset, leaves);
    else if (char === '"' && (state === 'key' || state === 'first key')) this.openString(true, offset, leaves);
    else if (char === '"' && isValue && frame !== undefined) this.openString(false, offset, leaves);
    else if ((char === '{' || char === '[') && isValue) this.open(char === '{', frame, leaves);
    else if (isValue && frame !== undefined && /[-0-9tfnNI]/.test(char)) return this.openScalar(offset);
    else this.isJson = false;
    return true;
  }

  private openScalar(offset: number): false {
    this.scalar = '';
    this.scalarAt = offset;
    this.state = 'scalar';
    return false;
  }

  private open(isObject: boolean, parent: Frame | undefined, leaves: GrowingLeaf[]): void {
    this.endRow(leaves);
    this.frames.push({ isObject, key: isObject ? undefined : parent?.key, row: undefined });
    if (this.frames.length > DEFAULT_JSON_LIMITS.maxDepth) this.isJson = false;
    this.count();
    this.state = isObject ? 'first key' : 'first item';
  }

  private close(offset: number, leaves: GrowingLeaf[]): void {
    this.endRow(leaves);
    this.frames.pop();
    this.state = this.frames.length === 0 ? 'closed' : 'comma';
    if (this.frames.length === 0) this.closedAt = offset;
  }

  private openString(isKey: boolean, offset: number, leaves: GrowingLeaf[]): void {
    if (!isKey) this.endRow(leaves);
    this.isKey = isKey;
    this.keyText = '';
    this.decoded = 0;
    const leaf = this.newLeaf('string', isKey ? undefined : this.frames.at(-1)!.key, offset + 1);
    this.leaf = leaf;
    leaves.push(leaf);
    this.state = 'string';
  }

  private inString(piece: string, at: number): number {
    if (this.escape !== '') return this.inEscape(piece, at);
    const next = endOf(PLAIN, piece, at);
    this.decode(piece.slice(at, next));
    if (next === piece.length) return next;
    if (piece[next] === '\\') this.escape = '\\';
    else if (piece[next] === '"') this.closeString();
    else this.isJson = false;
    return next + 1;
  }

  private inEscape(piece: string, at: number): number {
    this.escape += piece[at]!;
    const { escape } = this;
    if (escape[1] === 'u' && escape.length < 6) return at + 1;
    const isCode = escape[1] === 'u' && HEX4.test(escape.slice(2));
    const char = isCode
      ? String.fromCharCode(Number.parseInt(escape.slice(2), 16))
      : JSON_ESCAPES.get(escape.charCodeAt(1));
    this.escape = '';
    if (char === undefined) {
      this.isJson = false;
      return at + 1;
    }
    this.leaf?.offsets.add(this.decoded, escape.length);
    this.decode(char);
    return at + 1;
  }

  private decode(text: string): void {
    if (this.leaf !== undefined) this.leaf.fresh += text;
    this.decoded += text.length;
    if (this.isKey) this.keyText += text;
  }

  private closeString(): void {
    if (this.leaf !== undefined) this.leaf.isComplete = true;
    this.leaf = undefined;
    if (this.isKey) this.frames.at(-1)!.key = this.keyText;
    this.state = this.isKey ? 'colon' : 'comma';
  }

  private inScalar(piece: string, at: number, leaves: GrowingLeaf[]): number {
    const next = endOf(SCALAR, piece, at);
    this.scalar += piece.slice(at, next);
    if (next === piece.length) return next;
    const { scalar } = this;
    if (!NUMBER.test(scalar) && !LITERAL.test(scalar)) this.isJson = false;
    const number = this.isJson ? longNumberOf(scalar) : undefined;
    this.continueRow(number === undefined ? Number(scalar) : Number.NaN, scalar.length, leaves);
    if (number !== undefined)
      leaves.push(this.numberLeaf(number, this.scalarAt, scalar.length, this.frames.at(-1)!.key));
    this.state = 'comma';
    return next;
  }

  private numberLeaf(fresh: string, start: number, jsonLength: number, key: string | undefined): GrowingLeaf {
    return Object.assign(this.newLeaf('number', key, start), { fresh, jsonLength, isComplete: true });
  }

  /**
   * Adds a number to the row of character codes, as the parser does; any other value ends the row.
   * @param value NaN for a long number and for a value of another kind
   */
  private continueRow(value: number, length: number, leaves: GrowingLeaf[]): void {
    const frame = this.frames.at(-1)!;
    if (!isCode(value) || (frame.isObject && !isIndex(frame.key ?? ''))) {
      this.endRow(leaves);
      return;
    }
    frame.row ??= new CodeRow(0, this.scalarAt);
    frame.row.add(value, this.scalarAt + length);
  }

  /** Ends the row of the innermost list or object. */
  private endRow(leaves: GrowingLeaf[]): void {
    const frame = this.frames.at(-1);
    const row = frame?.row;
    if (frame === undefined || row === undefined) return;
    frame.row = undefined;
    // An index is no context, so a row in an object has the key of the object, as in the parsed text.
    const key = frame.isObject ? this.frames.at(-2)?.key : frame.key;
    if (row.isText) leaves.push(this.numberLeaf(row.text, row.start, row.end - row.start, key));
  }

  private newLeaf(kind: GrowingLeaf['kind'], key: string | undefined, start: number): GrowingLeaf {
    this.count();
    const offsets = new EscapeOffsets(start);
    return { kind, ...(key === undefined ? {} : { key }), offsets, jsonLength: 0, fresh: '', isComplete: false };
  }

  private count(): void {
    if (++this.nodes > DEFAULT_JSON_LIMITS.maxNodes) this.isJson = false;
  }
}

function endOf(run: RegExp, text: string, at: number): number {
  run.lastIndex = at;
  return run.test(text) ? run.lastIndex : at;
}
