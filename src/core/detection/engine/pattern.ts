/** The information that a validator gets about a match. */
export interface MatchInfo {
  /** The scanned text, normalised if necessary. Validators may read at most 32 units around the match. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether a context word is before the match, or the JSON key is a context word. */
  readonly inContext: boolean;
  /** The JSON key of the whole text, if any. */
  readonly key?: string | undefined;
  /** The regular expression's groups. */
  readonly groups: readonly (string | undefined)[];
}

/** Words that make a match more (or less) likely. Only whole words count, but `ssn` is one in `user_ssn` and `userSsn`. Case is ignored. */
export interface ContextWords {
  /** A space in a phrase also matches `_`, `-` or nothing. A trailing `*` allows the word to continue (`phone*`). */
  readonly words: readonly string[];
  /** A word counts if the match starts at most this many units after the word's end. Default 50. */
  readonly windowUnits?: number;
}

/**
 * Where a pattern is tried. Other positions of a text cost nothing for that pattern.
 *
 * - `literals`: a literal occurs (case ignored), at most `before` units (default 0) after the match's start.
 * - `token`: a run of ASCII letters and digits starts here: `digit` (it begins with a digit), `mixed` (a digit among
 * its first 24 units), `capital` (it begins with an ASCII or Latin-1 capital). `minDigits`: digits, single separators
 * between them allowed, that must follow within 40 units.
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
  /** Words that raise the score to `contextScore`. Also compared with JSON keys. */
  readonly context?: ContextWords;
  /** Words that are context only as a JSON key (`name`, `number`). */
  readonly keys?: readonly string[];
  /** Words after which a match is dropped. */
  readonly against?: ContextWords;
}

/**
 * A pattern to search for. The regular expression is tried at every start position of its trigger, so it must begin with a lookbehind to
 * check that it starts at a boundary. Every quantifier must have an upper bound.
 */
export interface Pattern<Code extends string = string> extends Common<Code> {
  /** Flags `i`, `s`, `m`, `u`, `v` only. */
  readonly regex: RegExp;
  readonly trigger: Trigger;
  /** The capturing group to report as the finding; the whole match by default. */
  readonly group?: number;
  /**
   * For patterns without a distinctive beginning: up to this many units of words (`wordHead`) at the start of a match are not part of
   * the finding, so that a stream need not hold back every word with which a random value could begin. Cannot be combined with `group`.
   */
  readonly sparesWords?: number;
  /** Confidence of a match without context, 0 to 1. With 0, a pattern with context words is only tried in context. */
  readonly score: number;
  /** Confidence with context; default the larger of `score` and 0.9. */
  readonly contextScore?: number;
  /**
   * Checks the match alone, for example a checksum; called first, before the surrounding text is read. False drops the match. Must not
   * throw, and must take linear time.
   */
  readonly accepts?: (match: string) => boolean;
  /** True keeps the match, false drops it, a number replaces the score. Must not throw, and must take linear time. */
  readonly validate?: (match: string, info: MatchInfo) => boolean | number;
}

/**
 * A pattern that a regular expression cannot express: code that is called at every start position of its trigger. It reads at most
 * `maxLength` units to the right of `start` and `behind` to the left, and may be called often.
 */
export interface Finder<Code extends string = string> extends Common<Code> {
  readonly trigger: Extract<Trigger, { on: 'token' | 'sign' | 'literals' }>;
  readonly maxLength: number;
  readonly behind: number;
  /**
   * For token triggers: an expression for the beginning of a finding. The finder is not called at tokens that begin differently. Only the
   * kinds of the expression's first units are used; it is never run on a text.
   */
  readonly begins?: RegExp;
  /** Called first, before context words are checked: false if nothing can be found at `start`. Reads as far as `find`. */
  readonly accepts?: (text: string, start: number) => boolean;
  readonly find: (text: string, start: number, info: FindInfo) => Found | undefined;
  /**
   * The start of the earliest undecided finding in a growing text; `text.length` if all are decided. Without it, every position within
   * `maxLength` of the end is undecided.
   */
  readonly undecided?: (text: string) => number;
}

/** Information for a finder about the position. */
export type FindInfo = Pick<MatchInfo, 'inContext' | 'key'>;

/** A finder's result at a position. */
export interface Found {
  /** The start of the finding; by default the position passed to `find`. At most `behind` units to the left of it. */
  readonly start?: number;
  readonly end: number;
  readonly score: number;
}

export const DEFAULT_CONTEXT_UNITS = 50;
