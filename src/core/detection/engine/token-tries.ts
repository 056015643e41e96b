import { PrefixIndex } from './prefix-index.js';
import type { Compiled } from './compiled-pattern.js';
import { splitGuard } from './shared-guard.js';
import { shapeAt, type TokenShape } from './token-shape.js';
import { groupedDigits, nearbyDigits, signStart, type TokenKind } from './token-starts.js';
import { kindOf, shapeOf, tokenKinds } from './tokens.js';

/** Receives the patterns to try at a position of a text. `regex` is sticky and begins after the part that was already checked. */
export type CandidateVisitor<Code extends string> = (
  one: Compiled<Code>,
  regex: RegExp | undefined,
  position: number,
) => void;

interface Try<Code extends string> {
  readonly one: Compiled<Code>;
  /** The pattern's expression without its guard; undefined for a finder. */
  readonly regex: RegExp | undefined;
  readonly guard: string;
  readonly beginning: RegExp | undefined;
}

/** Patterns and finders that share a guard for the text to the left. */
interface Guarded<Code extends string> {
  readonly guard: RegExp | undefined;
  readonly tries: readonly Try<Code>[];
}

type Lists<Code extends string> = PrefixIndex<Try<Code>, readonly Guarded<Code>[]>;

/** Tries the patterns and finders with token triggers at the tokens of a text. */
export class TokenTries<Code extends string> {
  private readonly guards = new Map<string, RegExp>();
  private readonly lists: Readonly<Record<TokenKind, Lists<Code> | undefined>>;
  /** Whether there are any patterns or finders to try. */
  readonly some: boolean;

  constructor(compiled: readonly Compiled<Code>[]) {
    const listOf = (kind: TokenKind): Lists<Code> | undefined => {
      const tries = compiled.filter(({ tokens }) => tokens === kind).map((one) => this.prepare(one));
      return tries.length === 0 ? undefined : new PrefixIndex(tries, (list) => this.byGuard(list));
    };
    this.lists = { digit: listOf('digit'), mixed: listOf('mixed'), capital: listOf('capital'), sign: listOf('sign') };
    this.some = compiled.some(({ tokens }) => tokens !== undefined);
  }

  /**
   * Calls `tryAt` for every pattern at every position where a token of its kind and shape begins.
   *
   * @param from the first offset at which patterns are tried
   * @param tokens the result of `readTokens` from that offset on
   */
  run(text: string, from: number, tokens: readonly number[], tryAt: CandidateVisitor<Code>): void {
    const { digit, mixed, capital, sign } = this.lists;
    for (let index = 0; index < tokens.length; index += 2) {
      const position = tokens[index]!;
      const token = tokens[index + 1]!;
      const shape = shapeOf(token);
      switch (kindOf(token)) {
        case tokenKinds.CAPITAL:
          if (capital !== undefined) this.visit(capital, shape, text, position, nearbyDigits, position, tryAt);
          break;
        case tokenKinds.MIXED:
          if (mixed !== undefined) this.visit(mixed, shape, text, position, nearbyDigits, position, tryAt);
          break;
        default: {
          if (digit !== undefined) this.visit(digit, shape, text, position, groupedDigits, position, tryAt);
          if (mixed !== undefined) this.visit(mixed, shape, text, position, nearbyDigits, position, tryAt);
          const start = sign === undefined ? position : signStart(text, position);
          if (sign !== undefined && start >= from) {
            const signShape = start === position ? shape : shapeAt(text, start);
            this.visit(sign, signShape, text, start, groupedDigits, position, tryAt);
          }
        }
      }
    }
  }

  /** @param count counts the digits from `token`, the start of the token itself; called only if a pattern requires digits */
  private visit(
    list: Lists<Code>,
    shape: TokenShape,
    text: string,
    position: number,
    count: (text: string, index: number) => number,
    token: number,
    tryAt: CandidateVisitor<Code>,
  ): void {
    const groups = list.atShape(shape, text.charCodeAt(position));
    let digits = -1;
    for (const { guard, tries } of groups) {
      let open = guard === undefined;
      for (const { one, regex } of tries) {
        if (one.minDigits > 0 && (digits < 0 ? (digits = count(text, token)) : digits) < one.minDigits) continue;
        if (guard !== undefined && !open) {
          guard.lastIndex = position;
          if (!guard.test(text)) break;
          open = true;
        }
        tryAt(one, regex, position);
      }
    }
  }

  private prepare(one: Compiled<Code>): Try<Code> {
    if (one.regex === undefined) return { one, regex: undefined, guard: '', beginning: one.pattern.begins };
    const { source, flags } = one.regex;
    const { guard, rest } = splitGuard(source);
    const name = guard === '' ? '' : `${flags.replace('d', '')}/${guard}`;
    if (guard !== '' && !this.guards.has(name)) this.guards.set(name, new RegExp(guard, flags.replace('d', '')));
    return {
      one,
      regex: guard === '' ? one.regex : new RegExp(rest, flags),
      guard: name,
      beginning: one.pattern.regex,
    };
  }

  private byGuard(list: readonly Try<Code>[]): readonly Guarded<Code>[] {
    const names = [...new Set(list.map(({ guard }) => guard))];
    return names.map((name) => ({
      guard: name === '' ? undefined : this.guards.get(name),
      tries: list.filter(({ guard }) => guard === name),
    }));
  }
}
