import type { Segment } from '../model/call.js';
import { applyEdits, type Edit, type TextEdit } from '../text/edit.js';
import { JsonDepth, jsonUnit, type JsonUnit } from './json-depth.js';

/**
 * The kind of a text. `json` is JSON text itself, such as the streamed arguments of a tool call: tokens are recognised in any spelling,
 * and values are escaped for the string that contains them and for the enclosing strings. `answer` is text by a model: JSON text if it
 * begins like JSON, as structured output does, and `text` otherwise.
 */
export type RestoreContext = 'text' | 'json' | 'answer';

/** Matches the beginning of an object, or of a list of objects or strings, but not a token in brackets. */
const BEGINS_AS_JSON = /^\s*(?:\{\s*"|\[\s*[{"])/;
/** Matches the beginning of arguments, with a first value of any type. */
const ARE_JSON = /^\s*[{[]\s*(?:["{[\]}\-0-9tfn]|NaN|Infinity)/;
/** Matches a text that is too short to determine whether it is arguments in JSON. */
const MAY_BE_JSON = /^\s*(?:[{[]\s*(?:N|Na|I|In|Inf|Infi|Infin|Infini|Infinit)?)?$/;
/** Matches a text that is too short to determine whether it begins like JSON. */
const MAY_BEGIN_AS_JSON = /^\s*(?:[{[]\s*)?$/;

/** Replaces tokens by their values in a text that arrives in pieces. */
export interface Restorer {
  /** Returns the text that can be forwarded. Only an end that could be the beginning of a known token is held back. */
  push(text: string): string;
  /** Returns the text that was held back. */
  end(): string;
}

/** The tokens of a call with their values, and the beginnings of the tokens, which are collected once for all texts of the call. */
export class KnownTokens {
  private prefixes: ReadonlySet<string> | undefined;

  /** @param values from token to value. It contains redacted values, so it must not outlive the call */
  constructor(readonly values: ReadonlyMap<string, string>) {}

  static of(tokens: ReadonlyMap<string, string> | KnownTokens): KnownTokens {
    return tokens instanceof KnownTokens ? tokens : new KnownTokens(tokens);
  }

  get size(): number {
    return this.values.size;
  }

  /** All proper prefixes of the tokens. */
  get beginnings(): ReadonlySet<string> {
    this.prefixes ??= prefixesOf(this.values.keys());
    return this.prefixes;
  }
}

function prefixesOf(tokens: Iterable<string>): ReadonlySet<string> {
  const prefixes = new Set<string>();
  for (const token of tokens) {
    for (let length = 1; length < token.length; length++) prefixes.add(token.slice(0, length));
  }
  return prefixes;
}

/**
 * A token is restored as a whole or not at all: a token with one changed character stays. Restored values are not searched for tokens.
 * However the text is split, the concatenated output is the same as for the whole text.
 *
 * @param tokens from token to value. It contains redacted values, so it must not outlive the call
 */
export function createRestorer(
  tokens: ReadonlyMap<string, string> | KnownTokens,
  context: RestoreContext = 'text',
): Restorer {
  if (tokens.size === 0) return { push: (text) => text, end: () => '' };
  const scanner = new TokenScanner(KnownTokens.of(tokens), context);
  let held = '';
  return {
    push(text) {
      const whole = held + text;
      const { edits, end } = scanner.scan(whole, false);
      held = whole.slice(end);
      return applyEdits(whole.slice(0, end), edits);
    },
    end: () => applyEdits(held, scanner.scan(held, true).edits),
  };
}

/**
 * The restoring edits of a complete answer. Tokens that overlap an edit of a rule are not restored: masking an answer comes before
 * restoring.
 *
 * @param edits the edits of the rules, for the same segments
 * @returns the given and the restoring edits, ordered by segment and start
 */
export function withRestored(
  segments: readonly Segment[],
  tokens: ReadonlyMap<string, string> | KnownTokens,
  edits: readonly Edit[],
): Edit[] {
  if (tokens.size === 0) return [...edits];
  const known = KnownTokens.of(tokens);
  const bySegment = Map.groupBy(edits, ({ segment }) => segment);
  const restored = segments.flatMap(({ text, role, signed, fixed }, segment) => {
    if (signed === true || fixed === true) return [];
    // Truncated arguments are one text; values in it are still escaped as in JSON.
    const context = role === 'tool_call' ? contextOfCall(text, true) : 'answer';
    const own = bySegment.get(segment) ?? [];
    return new TokenScanner(known, context)
      .scan(text, true)
      .edits.filter(({ start, end }) => own.every((edit) => edit.end <= start || edit.start >= end))
      .map((edit) => ({ segment, ...edit }));
  });
  return [...edits, ...restored].sort((a, b) => a.segment - b.segment || a.start - b.start);
}

/** The context of a text of a tool call, whether it is complete or grows; undefined if more of its beginning is needed. */
export function contextOfCall(beginning: string, isLast: true): RestoreContext;
export function contextOfCall(beginning: string, isLast: boolean): RestoreContext | undefined;
export function contextOfCall(beginning: string, isLast: boolean): RestoreContext | undefined {
  if (ARE_JSON.test(beginning)) return 'json';
  return !isLast && MAY_BE_JSON.test(beginning) ? undefined : 'answer';
}

function escaped(value: string, depth: number): string {
  return depth === 0 ? value : escaped(JSON.stringify(value).slice(1, -1), depth - 1);
}

interface FoundToken {
  readonly token: string;
  readonly length: number;
  readonly units: readonly JsonUnit[];
}

/** Finds tokens in a text that arrives in pieces, and tracks the nested JSON strings around them. */
export class TokenScanner {
  private depth: JsonDepth | undefined;
  private readonly values: ReadonlyMap<string, string>;
  private readonly beginnings: ReadonlySet<string>;

  constructor(
    tokens: KnownTokens,
    private context: RestoreContext,
  ) {
    if (context === 'json') this.depth = new JsonDepth();
    this.values = tokens.values;
    this.beginnings = tokens.beginnings;
  }

  /**
   * @param text the text held back from the last piece, and the next piece
   * @param isLast true if nothing follows, so that nothing has to be held back
   * @returns `end`: the start of the part that must be held back
   */
  scan(text: string, isLast: boolean): { readonly edits: TextEdit[]; readonly end: number } {
    if (this.context === 'answer' && !this.decide(text, isLast)) return { edits: [], end: 0 };
    const edits: TextEdit[] = [];
    let at = 0;
    while (at < text.length) {
      const { found, isOpen } = this.tokenAt(text, at);
      if (isOpen && !isLast) break;
      if (found === undefined) {
        const unit = this.unit(text, at) ?? { char: text[at]!, length: 1 };
        this.depth?.take(unit);
        at += unit.length;
      } else {
        const replacement = escaped(this.values.get(found.token) ?? '', this.depth?.depth ?? 0);
        edits.push({ start: at, end: at + found.length, replacement });
        for (const unit of found.units) this.depth?.take(unit);
        at += found.length;
      }
    }
    return { edits, end: at };
  }

  /** Decides from its beginning whether an answer is JSON or text. @returns false if more of it is needed */
  private decide(beginning: string, isLast: boolean): boolean {
    if (!isLast && MAY_BEGIN_AS_JSON.test(beginning)) return false;
    this.context = BEGINS_AS_JSON.test(beginning) ? 'json' : 'text';
    if (this.context === 'json') this.depth = new JsonDepth();
    return true;
  }

  /** The longest token at this position, and whether the text ends before a longer one can be ruled out. */
  private tokenAt(text: string, start: number): { readonly found?: FoundToken; readonly isOpen: boolean } {
    const units: JsonUnit[] = [];
    let seen = '';
    let found: FoundToken | undefined;
    for (let at = start; ;) {
      const unit = at < text.length ? this.unit(text, at) : undefined;
      if (unit === undefined) return { ...(found && { found }), isOpen: true };
      seen += unit.char;
      at += unit.length;
      units.push(unit);
      if (this.values.has(seen)) found = { token: seen, length: at - start, units: [...units] };
      if (!this.beginnings.has(seen)) return { ...(found && { found }), isOpen: false };
    }
  }

  /** The character at this position; undefined for an incomplete escape sequence. */
  private unit(text: string, at: number): JsonUnit | undefined {
    return this.context === 'json' ? jsonUnit(text, at) : { char: text[at]!, length: 1 };
  }
}
