import type { Finder, Pattern } from './pattern.js';
import type { RegexExtent } from './regex-extent.js';
import type { TokenKind } from './token-starts.js';

export interface Words {
  /** The tokens at which the pattern is tried. */
  readonly tokens: TokenKind | undefined;
  readonly minDigits: number;
  readonly contextGroup: number;
  readonly contextUnits: number;
  readonly keyGroup: number;
  readonly againstGroup: number;
  readonly againstUnits: number;
}

export interface CompiledPattern<Code extends string> extends Words {
  readonly pattern: Pattern<Code>;
  readonly extent: RegexExtent;
  /** Global or sticky, depending on the trigger. */
  readonly regex: RegExp;
  /** Minimum distance from the start of a match to the start of its finding. */
  readonly lead: number;
  /** Whether the pattern is only tried in context, because its score is 0 without context. */
  readonly onlyInContext: boolean;
}

export interface CompiledFinder<Code extends string> extends Words {
  readonly pattern: Finder<Code>;
  readonly regex: undefined;
}

export type Compiled<Code extends string> = CompiledPattern<Code> | CompiledFinder<Code>;
