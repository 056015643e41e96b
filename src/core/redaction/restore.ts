import type { Segment } from '../model/call.js';
import { applyEdits, type Edit, type TextEdit } from '../text/edit.js';
import { JsonDepth, jsonUnit, type JsonUnit } from './json-depth.js';

/**
 * The kind of a text. `json` is JSON text itself, such as the streamed arguments of a tool call: tokens are recognised in any spelling,
 * and values are escaped for the string that contains them and for the enclosing strings. `answer` is text by a model: JSON text if it
 * begins like JSON, as structured output does, and `text` otherwise.
 */
export type RestoreContext = 'text' | 'json' | 'answer';

/** How an object or a list of objects or texts begins. A token in brackets does not begin like this. */
const BEGINS_AS_JSON = /^\s*(?:\{\s*"|\[\s*[{"])/;
/** How arguments begin, whatever value comes first in them. */
const ARE_JSON = /^\s*[{[]\s*["{[\]}\-0-9tfn]/;
/** What may still begin so. */
const MAY_BEGIN_AS_JSON = /^\s*(?:[{[]\s*)?$/;

/** Puts values back in place of their tokens, in a text that comes in pieces. */
export interface Restorer {
  /** The text that can go on. Held back is only an end that could be the beginning of a known token. */
  push(text: string): string;
  /** What was held back, as it came. */
  end(): string;
}

/**
 * A token is restored as a whole or not at all: one that differs in a single character stays as it is. What is put back
 * is never looked at again. For any cut of a text the pieces add up to the same as the text at once.
 *
 * @param tokens from token to value. It holds what was redacted: it must not outlive the call
 */
export function createRestorer(tokens: ReadonlyMap<string, string>, context: RestoreContext = 'text'): Restorer {
  if (tokens.size === 0) return { push: (text) => text, end: () => '' };
  const scanner = new TokenScanner(tokens, context);
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
 * The same for a whole answer: edits that put the values back. A token that another edit touches stays what that edit
 * makes of it: what a rule masks in an answer is masked before anything is restored, and is not restored.
 *
 * @param edits of the rules, for the same segments
 * @returns those edits and the restoring ones, by segment and start
 */
export function withRestored(
  segments: readonly Segment[],
  tokens: ReadonlyMap<string, string>,
  edits: readonly Edit[],
): Edit[] {
  if (tokens.size === 0) return [...edits];
  const restored = segments.flatMap(({ text, role, signed, fixed }, segment) => {
    if (signed === true || fixed === true) return [];
    // Arguments that break off are one text: values in it are escaped for the JSON that it began as.
    const context = role === 'tool_call' && ARE_JSON.test(text) ? 'json' : 'answer';
    const own = edits.filter((edit) => edit.segment === segment);
    return new TokenScanner(tokens, context)
      .scan(text, true)
      .edits.filter(({ start, end }) => own.every((edit) => edit.end <= start || edit.start >= end))
      .map((edit) => ({ segment, ...edit }));
  });
  return [...edits, ...restored].sort((a, b) => a.segment - b.segment || a.start - b.start);
}

function escaped(value: string, depth: number): string {
  return depth === 0 ? value : escaped(JSON.stringify(value).slice(1, -1), depth - 1);
}

interface FoundToken {
  readonly token: string;
  readonly length: number;
  readonly units: readonly JsonUnit[];
}

/**
 * Finds tokens in a text that comes in pieces, and knows in which strings of a JSON text they stand.
 */
export class TokenScanner {
  /** How tokens begin, whole ones only where a longer one begins with them. */
  private readonly beginnings = new Set<string>();
  private depth: JsonDepth | undefined;

  constructor(
    private readonly tokens: ReadonlyMap<string, string>,
    private context: RestoreContext,
  ) {
    if (context === 'json') this.depth = new JsonDepth();
    for (const token of tokens.keys()) {
      for (let length = 1; length < token.length; length++) this.beginnings.add(token.slice(0, length));
    }
  }

  /**
   * @param text what is left of the last piece, and the next one
   * @param isLast nothing follows, so the end cannot become a token any more
   * @returns `end`: where the part begins that has to wait for more
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
        const replacement = escaped(this.tokens.get(found.token) ?? '', this.depth?.depth ?? 0);
        edits.push({ start: at, end: at + found.length, replacement });
        for (const unit of found.units) this.depth?.take(unit);
        at += found.length;
      }
    }
    return { edits, end: at };
  }

  /** What an answer is, from how it begins. @returns whether that is clear */
  private decide(beginning: string, isLast: boolean): boolean {
    if (!isLast && MAY_BEGIN_AS_JSON.test(beginning)) return false;
    this.context = BEGINS_AS_JSON.test(beginning) ? 'json' : 'text';
    if (this.context === 'json') this.depth = new JsonDepth();
    return true;
  }

  /** The longest token that begins at a place, and whether the text ends in what could become a longer one. */
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
      if (this.tokens.has(seen)) found = { token: seen, length: at - start, units: [...units] };
      if (!this.beginnings.has(seen)) return { ...(found && { found }), isOpen: false };
    }
  }

  /** The character at a place; undefined inside an escape sequence that is not whole. */
  private unit(text: string, at: number): JsonUnit | undefined {
    return this.context === 'json' ? jsonUnit(text, at) : { char: text[at]!, length: 1 };
  }
}
