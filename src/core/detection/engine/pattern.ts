/** The information that a validator gets about a match. */
export interface MatchInfo {
  /** The text that was scanned (normalised where it had to be). Validators look at most 32 units around the match. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether a context word stands before the match, or the JSON key says what it is. */
  readonly inContext: boolean;
  /** The JSON key under which the whole text stands, if any. */
  readonly key?: string | undefined;
  /** The regular expression's groups. */
  readonly groups: readonly (string | undefined)[];
}

/** Words that make a match more (or less) likely; whole words, case ignored, `user_ssn` and `userSsn` count as words too. */
export interface ContextWords {
  /** A space inside a phrase also stands for `_`, `-` or nothing. A trailing `*` allows the word to go on (`phone*`). */
  readonly words: readonly string[];
  /** A word counts if the match starts at most this many units after the word's end. Default 50. */
  readonly windowUnits?: number;
}

/**
 * Where a pattern is tried. Everything else of a text costs nothing for that pattern.
 *
 * - `literals`: a literal occurs (case ignored), at most `before` units (default 0) after the match's start.
 * - `token`: a run of ASCII letters and digits starts here: `digit` (it begins with a digit), `mixed` (a digit among its
 *   first 24 units), `capital` (it begins with an ASCII or Latin-1 capital). `minDigits`: digits, single separators
 *   between them allowed, that must follow within 40 units.
 * - `sign`: as `token: 'digit'`, but a `+` or `(` in front belongs to the match.
 * - `context`: only after a context word, or under a JSON key that is one.
 * - `text`: anywhere. Slow; for patterns with neither literals nor digits.
 */
export type Trigger =
  | { readonly on: 'literals'; readonly literals: readonly string[]; readonly before?: number }
  | { readonly on: 'token'; readonly token: 'digit' | 'mixed' | 'capital'; readonly minDigits?: number }
  | { readonly on: 'sign'; readonly minDigits?: number }
  | { readonly on: 'context' }
  | { readonly on: 'text' };

interface Common<Code extends string> {
  readonly code: Code;
  /** Words that raise the score to `contextScore`. Read as JSON keys too. */
  readonly context?: ContextWords;
  /** Words that are context only as a JSON key (`name`, `number`). */
  readonly keys?: readonly string[];
  /** A match after one of these words is dropped. */
  readonly against?: ContextWords;
}

/**
 * One thing to look for. The regular expression is tried at every start position that its trigger names, so it must
 * look left of itself to see that it starts at a boundary; every quantifier must have an upper bound.
 */
export interface Pattern<Code extends string = string> extends Common<Code> {
  /** Flags `i`, `s`, `m`, `u`, `v` only. */
  readonly regex: RegExp;
  readonly trigger: Trigger;
  /** The capturing group that is the finding; default the whole match. */
  readonly group?: number;
  /**
   * For what nothing tells at its beginning: up to this many units of a match, where they are words (`wordHead`), are no
   * part of the finding. A stream need not hold every word that what looks random could begin with. Not with `group`.
   */
  readonly sparesWords?: number;
  /** Confidence of a match without context, 0 to 1. At 0 a pattern with context words is tried in context only. */
  readonly score: number;
  /** Confidence with context; default the larger of `score` and 0.9. */
  readonly contextScore?: number;
  /** Asked first, before anything around the match is looked at: a checksum. False drops the match. Must not throw, linear time. */
  readonly accepts?: (match: string) => boolean;
  /** True keeps the match, false drops it, a number replaces the score. Must not throw, and takes linear time. */
  readonly validate?: (match: string, info: MatchInfo) => boolean | number;
}

/**
 * One thing to look for that a regular expression cannot say: code that is asked at every start position its trigger
 * names. It reads at most `maxLength` units to the right of `start` and `behind` to the left, and may be asked often.
 */
export interface Finder<Code extends string = string> extends Common<Code> {
  readonly trigger: Extract<Trigger, { on: 'token' | 'sign' | 'literals' }>;
  readonly maxLength: number;
  readonly behind: number;
  /**
   * What stands, at least, where a token is asked about that a finding begins with: elsewhere the finder is not asked. Only
   * its first units count, as kinds; it is never run over a text.
   */
  readonly begins?: RegExp;
  /** Asked first, before words around the place are looked at: false when nothing can be found there. Looks as far as `find`. */
  readonly accepts?: (text: string, start: number) => boolean;
  readonly find: (text: string, start: number, info: FindInfo) => Found | undefined;
  /**
   * Where, in a text that goes on, the earliest finding begins that is not decided yet; `text.length` when all are.
   * Without it, every place that is nearer to the end than `maxLength` is undecided.
   */
  readonly undecided?: (text: string) => number;
}

/** What a finder is told about the place that it is asked about. */
export type FindInfo = Pick<MatchInfo, 'inContext' | 'key'>;

/** What a finder found at a place. */
export interface Found {
  /** Default: the position that was asked about. Not further left than the finder's `behind`. */
  readonly start?: number;
  readonly end: number;
  readonly score: number;
}

export const DEFAULT_CONTEXT_UNITS = 50;
