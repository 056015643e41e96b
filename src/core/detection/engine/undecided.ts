import type { Reading } from './pattern-set.js';
import type { Compiled } from './compiled-pattern.js';
import { Earliest, UndecidedPart, type Undecided } from './undecided-part.js';

/** `ascii`: patterns that do not distinguish non-ASCII letters. */
export type PatternsOf = 'all' | 'ascii' | 'others';

/** Determines from which offset on the patterns of a set are undecided. Created once per set. */
export class UndecidedPlaces<Code extends string> {
  private readonly ascii: UndecidedPart<Code>;
  private readonly others: UndecidedPart<Code>;
  private readonly isOfAscii: readonly boolean[];

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
