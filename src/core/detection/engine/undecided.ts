import type { Reading } from './pattern-set.js';
import type { Compiled } from './compiled-pattern.js';
import { Earliest, UndecidedPart, type Undecided } from './undecided-part.js';

/** `ascii`: patterns that do not distinguish non-ASCII letters; `others`: the rest; `long`: patterns of either kind with long matches. */
export type PatternsOf = 'all' | 'ascii' | 'others' | 'long';

/** Minimum length of a long match, in units of normalised text: longer than the context that is read with a hidden letter. */
const LONG_UNITS = 1_024;

/** The maximum length of a match of long patterns, with the text that they read behind it; 0 if there are no long patterns. */
export function longestMatch(compiled: readonly Compiled<string>[]): number {
  const longest = compiled.reduce((most, one) => Math.max(most, lengthOf(one)), 0);
  return longest > LONG_UNITS ? longest : 0;
}

function lengthOf(one: Compiled<string>): number {
  return one.regex === undefined ? one.pattern.maxLength : one.extent.maxLength + one.extent.beyond;
}

/** Determines from which offset on the patterns of a set are undecided. Created once per set. */
export class UndecidedPlaces<Code extends string> {
  private readonly ascii: UndecidedPart<Code>;
  private readonly others: UndecidedPart<Code>;
  private readonly isOfAscii: readonly boolean[];
  /** Created when it is first needed, which is rare. */
  private long: UndecidedPart<Code> | undefined;

  constructor(private readonly compiled: readonly Compiled<Code>[]) {
    this.isOfAscii = compiled.map(isOfAscii);
    this.ascii = new UndecidedPart(compiled, (owner) => this.isOfAscii[owner] === true);
    this.others = new UndecidedPart(compiled, (owner) => this.isOfAscii[owner] !== true);
  }

  /** Whether all patterns of these codes treat all non-ASCII letters alike. */
  areOfAscii(codes: ReadonlySet<Code>): boolean {
    return this.compiled.every(({ pattern }, owner) => this.isOfAscii[owner] === true || !codes.has(pattern.code));
  }

  /** The undecided parts for patterns of all codes, and only for those of `codes`. */
  in(
    reading: Reading,
    codes: ReadonlySet<Code>,
    of: PatternsOf = 'all',
  ): { readonly any: Undecided; readonly ofCodes: Undecided } {
    const earliest = new Earliest<Code>(reading.text.length, codes);
    if (of === 'long') {
      this.long ??= new UndecidedPart(this.compiled, (owner) => lengthOf(this.compiled[owner]!) > LONG_UNITS);
      this.long.look(reading, earliest);
      return earliest;
    }
    if (of !== 'others') this.ascii.look(reading, earliest);
    if (of !== 'ascii') this.others.look(reading, earliest);
    return earliest;
  }
}

/** Whether a pattern treats all non-ASCII letters alike: its classes and literals list none, so they match all or none of them. */
function isOfAscii<Code extends string>({ regex, pattern: { trigger } }: Compiled<Code>): boolean {
  if (regex === undefined || /[uv]/.test(regex.flags)) return false;
  const literals = trigger.on === 'literals' ? trigger.literals.join('') : '';
  return /^[\x00-\x7f]*$/.test(regex.source + literals) && !/\\(?:[pPu]|x[89a-f])/i.test(regex.source);
}
