import type { Compiled, CompiledFinder, CompiledPattern, Words } from './compiled-pattern.js';
import type { TextHint } from '../detector.js';
import type { Finding } from '../../model/finding.js';
import type { NormaliseOptions } from './normalise.js';
import { DEFAULT_CONTEXT_UNITS, type Finder, type MatchInfo, type Pattern, type Trigger } from './pattern.js';
import { leadOfGroup, regexExtent, type RegexExtent } from './regex-extent.js';
import { TokenTries } from './token-tries.js';
import type { SharedReading } from './shared-reading.js';
import { readTokens } from './tokens.js';
import { wordHead } from './word-head.js';
import { WordIndex, type JointWords, type WordEnds } from './word-index.js';

export interface CompileSettings<Code extends string> {
  /** The codes to find; patterns of other codes are left out. */
  readonly codes: ReadonlySet<Code>;
  /** Codes that are also searched for, so that they can win overlaps, but are not returned. */
  readonly assisting?: ReadonlySet<Code>;
  /** `false` scans the text without normalisation; default `{}`. */
  readonly normalise?: NormaliseOptions | false;
  /** The shared search for words of all detectors. */
  readonly words?: JointWords;
}

/** Maximum distance from its match at which a validator may read. */
export const VALIDATOR_CONTEXT = 32;
/** Maximum length of a context word, for computing a reach. */
export const LONGEST_WORD = 40;
const NO_ENDS: WordEnds = [];

/** A finding before overlaps are resolved. */
export interface Candidate<Code extends string = string> extends Finding<Code> {
  /** Offset at which its pattern was tried. */
  readonly at: number;
}

/** The scanned text with the data derived from it. */
export interface Reading {
  readonly text: string;
  /** Patterns are tried from this offset on. */
  readonly from: number;
  readonly key: string | undefined;
  readonly ends: WordEnds;
  readonly keyEnds: WordEnds;
  /** Starts of literals at or after `from`, by pattern. */
  readonly literals: ReadonlyMap<number, number[]>;
  /** The result of `readTokens` for the text. */
  tokens(): readonly number[];
}

/** Compiled patterns, shared by a scan and a streamed scan. */
export interface PatternSet<Code extends string> {
  readonly compiled: readonly Compiled<Code>[];
  /** Reads a normalised text, or uses the shared data about it. */
  read(text: string, hint: TextHint | undefined, from: number, shared?: SharedReading): Reading;
  /** Finds all candidates that are tried at `reading.from` or later. */
  collect(reading: Reading): Candidate<Code>[];
}

/** Compiles patterns. @throws RangeError for an unbounded or unreadable regular expression */
export function compileSet<Code extends string>(
  patterns: readonly (Pattern<Code> | Finder<Code>)[],
  settings: CompileSettings<Code>,
): PatternSet<Code> {
  const words = new WordIndex();
  const compiled = patterns
    .filter(({ code }) => settings.codes.has(code) || settings.assisting?.has(code) === true)
    .map((pattern, owner) => compileOne(pattern, owner, words));
  const joint = settings.words;
  const place = joint?.join(words);
  const tokens = new TokenTries(compiled);
  const others = compiled.filter(({ pattern: { trigger } }) => trigger.on === 'context' || trigger.on === 'text');
  const anywhere = compiled.filter(({ pattern: { trigger } }) => trigger.on === 'text');
  const furthestWord = compiled.reduce((most, each) => Math.max(most, each.contextUnits, each.againstUnits), 0);
  // Cached, because all pieces of a streamed text have the same key.
  let lastKey: { readonly key: string; readonly ends: WordEnds } | undefined;
  const endsInKey = (key: string): WordEnds => {
    if (lastKey?.key !== key) lastKey = { key, ends: words.read(key).ends };
    return lastKey.ends;
  };
  return {
    compiled,
    read(text, hint, from, shared) {
      const hitsIn =
        shared === undefined || joint === undefined || place === undefined
          ? undefined
          : (where: string) => shared.words(joint, where)[place]!;
      // Patterns tried from `from` on do not look further back for words.
      const { ends, literals } = hitsIn === undefined ? words.read(text, from - furthestWord, from) : hitsIn(text);
      const key = hint?.key;
      const keyEnds = key === undefined ? NO_ENDS : hitsIn === undefined ? endsInKey(key) : hitsIn(key).ends;
      const tokensOfText = (): readonly number[] =>
        shared === undefined || from > 0 ? readTokens(text, from) : shared.tokens(text);
      return { text, from, key, ends, keyEnds, literals, tokens: tokensOfText };
    },
    collect(reading) {
      const candidates: Candidate<Code>[] = [];
      for (const [owner, starts] of reading.literals) tryLiterals(compiled[owner]!, starts, reading, candidates);
      if (tokens.some)
        tokens.run(reading.text, reading.from, reading.tokens(), (one, regex, position) =>
          tryToken(one, regex, position, reading, candidates),
        );
      // Without context words, context patterns need not be tried.
      const isPlain = reading.ends.length === 0 && reading.keyEnds.length === 0;
      for (const one of isPlain ? anywhere : others) tryAnywhere(one, reading, candidates);
      return candidates;
    },
  };
}

/**
 * Maximum distance to the left at which one of these patterns can read from the position where it is tried, in units of normalised
 * text.
 */
export function behindOf(compiled: readonly Compiled<string>[]): number {
  return compiled.reduce((most, one) => {
    const behind = one.regex === undefined ? one.pattern.behind : one.extent.behind;
    return Math.max(most, behind, VALIDATOR_CONTEXT, one.contextUnits + LONGEST_WORD, one.againstUnits + LONGEST_WORD);
  }, 0);
}

export function extentOf(pattern: Pattern | Finder): RegexExtent {
  if ('find' in pattern)
    return { minLength: 1, maxLength: pattern.maxLength, minDigits: 0, behind: pattern.behind, beyond: 0 };
  try {
    return regexExtent(pattern.regex);
  } catch (error) {
    throw new RangeError(`${pattern.code}: ${error instanceof Error ? error.message : 'unreadable pattern'}`, {
      cause: error,
    });
  }
}

const TRIGGERS: ReadonlySet<unknown> = new Set([
  'literals',
  'token',
  'sign',
  'context',
  'text',
] satisfies Trigger['on'][]);
const TOKENS: ReadonlySet<unknown> = new Set(['digit', 'mixed', 'capital']);

/** Rejects an unknown trigger, which would never be tried, so that the detector would find nothing without an error. */
function refuseUnknown({ code, trigger }: Pattern | Finder): void {
  if (!TRIGGERS.has(trigger.on)) throw new RangeError(`${code}: trigger.on must be one of ${[...TRIGGERS].join(', ')}`);
  if (trigger.on === 'token' && !TOKENS.has(trigger.token))
    throw new RangeError(`${code}: trigger.token must be one of ${[...TOKENS].join(', ')}`);
}

function compileOne<Code extends string>(
  pattern: Pattern<Code> | Finder<Code>,
  owner: number,
  words: WordIndex,
): Compiled<Code> {
  const { trigger, context, against } = pattern;
  refuseUnknown(pattern);
  if (trigger.on === 'literals') words.addLiterals(trigger.literals, owner);
  const extent = extentOf(pattern);
  const asked = trigger.on === 'token' || trigger.on === 'sign' ? (trigger.minDigits ?? 0) : 0;
  const groups: Words = {
    tokens: trigger.on === 'token' ? trigger.token : trigger.on === 'sign' ? 'sign' : undefined,
    // Digits are counted within 40 units of one line, so a longer match, or one with a line end, may contain more.
    minDigits: extent.maxLength > 40 || goesOverLines(pattern) ? asked : Math.max(asked, extent.minDigits),
    contextGroup: context === undefined ? -1 : words.addGroup(context.words),
    contextUnits: context?.windowUnits ?? DEFAULT_CONTEXT_UNITS,
    keyGroup: pattern.keys === undefined ? -1 : words.addGroup(pattern.keys),
    againstGroup: against === undefined ? -1 : words.addGroup(against.words),
    againstUnits: against?.windowUnits ?? DEFAULT_CONTEXT_UNITS,
  };
  if ('find' in pattern) return { pattern, regex: undefined, ...groups };
  const sticky =
    trigger.on === 'token' || trigger.on === 'sign' || (trigger.on === 'literals' && (trigger.before ?? 0) === 0);
  const flags =
    pattern.regex.flags.replace(/[gyd]/g, '') + (sticky ? 'y' : 'g') + (pattern.group === undefined ? '' : 'd');
  const onlyInContext = pattern.score === 0 && pattern.context !== undefined;
  if (pattern.sparesWords !== undefined && (pattern.group !== undefined || pattern.sparesWords >= extent.minLength))
    throw new RangeError(`${pattern.code}: sparesWords cannot be used with a group, or for whole matches`);
  const lead = pattern.group === undefined ? 0 : leadOfGroup(pattern.regex, pattern.group);
  return { pattern, extent, regex: new RegExp(pattern.regex.source, flags), lead, onlyInContext, ...groups };
}

function goesOverLines(pattern: Pattern | Finder): boolean {
  return 'regex' in pattern && /\\[nr]/.test(pattern.regex.source);
}

export function underKey(one: Words, reading: Reading): boolean {
  return (
    (one.contextGroup >= 0 && reading.keyEnds[one.contextGroup] !== undefined) ||
    (one.keyGroup >= 0 && reading.keyEnds[one.keyGroup] !== undefined)
  );
}

function tryLiterals<Code extends string>(
  one: Compiled<Code>,
  starts: number[],
  reading: Reading,
  into: Candidate<Code>[],
): void {
  const { trigger } = one.pattern;
  const before = trigger.on === 'literals' ? (trigger.before ?? 0) : 0;
  // Literals are found in the order of their ends, so starts are already sorted if all have the same length.
  if (starts.some((start, index) => index > 0 && start < starts[index - 1]!)) starts.sort((a, b) => a - b);
  if (before > 0 && one.regex !== undefined) {
    tryWindows(one, starts, (start) => [start - before, start], reading, into);
    return;
  }
  let last = -1;
  for (const start of starts) {
    if (start !== last) tryAt(one, start, reading, into);
    last = start;
  }
}

function tryAnywhere<Code extends string>(one: Compiled<Code>, reading: Reading, into: Candidate<Code>[]): void {
  if (one.regex === undefined) return;
  if (one.pattern.trigger.on === 'text' || underKey(one, reading)) {
    tryRange(one, 0, reading.text.length, reading, into);
    return;
  }
  const ends = reading.ends[one.contextGroup];
  if (ends !== undefined) tryWindows(one, ends, (end) => [end, end + one.contextUnits], reading, into);
}

function tryToken<Code extends string>(
  one: Compiled<Code>,
  regex: RegExp | undefined,
  start: number,
  reading: Reading,
  into: Candidate<Code>[],
): void {
  if (one.regex === undefined || regex === undefined) {
    if (one.regex === undefined) askFinder(one, start, reading, into);
    return;
  }
  if (one.onlyInContext && !inContextAt(one, start, reading)) return;
  const { accepts, group } = one.pattern;
  regex.lastIndex = start;
  if (accepts !== undefined && group === undefined) {
    // Most matches fail the checksum, so only the matched text is created for it.
    if (!regex.test(reading.text) || !accepts(reading.text.slice(start, regex.lastIndex))) return;
    regex.lastIndex = start;
  }
  const match = regex.exec(reading.text);
  if (match !== null) consider(one, match, 0, reading, into);
}

function tryAt<Code extends string>(
  one: Compiled<Code>,
  start: number,
  reading: Reading,
  into: Candidate<Code>[],
): void {
  if (start < reading.from) return;
  if (one.regex === undefined) {
    askFinder(one, start, reading, into);
    return;
  }
  one.regex.lastIndex = start;
  const match = one.regex.exec(reading.text);
  if (match !== null) consider(one, match, 0, reading, into);
}

function askFinder<Code extends string>(
  one: CompiledFinder<Code>,
  start: number,
  reading: Reading,
  into: Candidate<Code>[],
): void {
  const { code, find, accepts } = one.pattern;
  if (accepts?.(reading.text, start) === false || isAgainst(one, start, reading)) return;
  const found = find(reading.text, start, { inContext: inContextAt(one, start, reading), key: reading.key });
  if (found !== undefined && found.score > 0)
    into.push({ code, start: found.start ?? start, end: found.end, score: found.score, at: start });
}

/** Tries the start positions in the union of windows; ascending input keeps the total work linear. */
function tryWindows<Code extends string>(
  one: CompiledPattern<Code>,
  places: readonly number[],
  windowOf: (place: number) => readonly [from: number, to: number],
  reading: Reading,
  into: Candidate<Code>[],
): void {
  let from = 0;
  let to = -1;
  for (const place of places) {
    const [nextFrom, nextTo] = windowOf(place);
    if (nextFrom > to + 1) {
      if (to >= 0) tryRange(one, from, to, reading, into);
      from = Math.max(nextFrom, 0);
    }
    to = Math.max(to, nextTo);
  }
  if (to >= 0) tryRange(one, from, to, reading, into);
}

/** Tries every start position in [from, to]. Works on a slice, so that a search without a match ends at the end of the window. */
function tryRange<Code extends string>(
  one: CompiledPattern<Code>,
  first: number,
  to: number,
  reading: Reading,
  into: Candidate<Code>[],
): void {
  const from = Math.max(first, reading.from);
  const sliceFrom = Math.max(0, from - one.extent.behind);
  const sliceTo = Math.min(reading.text.length, to + one.extent.maxLength + one.extent.beyond);
  const whole = sliceFrom === 0 && sliceTo === reading.text.length;
  const slice = whole ? reading.text : reading.text.slice(sliceFrom, sliceTo);
  one.regex.lastIndex = from - sliceFrom;
  for (let match = one.regex.exec(slice); match !== null; match = one.regex.exec(slice)) {
    if (match.index + sliceFrom > to) return;
    consider(one, match, sliceFrom, reading, into);
    one.regex.lastIndex = match.index + 1;
  }
}

function consider<Code extends string>(
  one: CompiledPattern<Code>,
  match: RegExpExecArray,
  offset: number,
  reading: Reading,
  into: Candidate<Code>[],
): void {
  const { pattern } = one;
  const matched = match[pattern.group ?? 0];
  if (matched === undefined || matched === '' || pattern.accepts?.(matched) === false) return;
  const start =
    offset + (pattern.group === undefined ? match.index : (match.indices?.[pattern.group]?.[0] ?? match.index));
  const end = start + matched.length;
  const at = offset + match.index;
  if (isAgainst(one, at, reading)) return;
  const inContext = inContextAt(one, at, reading);
  let score = inContext ? (pattern.contextScore ?? Math.max(pattern.score, 0.9)) : pattern.score;
  if (pattern.validate !== undefined) {
    const info: MatchInfo = { text: reading.text, start, end, inContext, key: reading.key, groups: match };
    const verdict = pattern.validate(matched, info);
    if (verdict === false) return;
    if (verdict !== true) score = verdict;
  }
  if (score <= 0) return;
  const spared = pattern.sparesWords === undefined ? 0 : wordHead(matched, 0, pattern.sparesWords);
  into.push({ code: pattern.code, start: start + spared, end, score, at });
}

/** Whether a context word is before `start`, or the key is one. */
export function inContextAt(one: Words, start: number, reading: Reading): boolean {
  if (underKey(one, reading)) return true;
  return one.contextGroup >= 0 && endsBefore(reading.ends[one.contextGroup], start, one.contextUnits);
}

/** Whether one of the pattern's `against` words is before `start`. */
function isAgainst(one: Words, start: number, reading: Reading): boolean {
  return one.againstGroup >= 0 && endsBefore(reading.ends[one.againstGroup], start, one.againstUnits);
}

/** Whether one of the ascending `ends` is in [start - units, start]. */
function endsBefore(ends: readonly number[] | undefined, start: number, units: number): boolean {
  if (ends === undefined) return false;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= start) low = middle + 1;
    else high = middle;
  }
  return low > 0 && ends[low - 1]! >= start - units;
}
