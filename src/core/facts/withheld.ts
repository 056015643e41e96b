import { Unknown } from '../model/fact.js';

/** The result of a condition on a fact: `undecided` means that the form of the fact cannot be compared. */
export type Truth = 'true' | 'false' | 'unknown' | 'undecided';

/**
 * A fact that was there when the call was judged and was not kept, because it is what somebody wrote. What the
 * conditions of that time said about it was kept instead: the same condition gets the same answer again, any other one
 * gets `otherwise`, so that a caller who tries both learns whether it matters.
 */
export class Withheld extends Unknown {
  constructor(
    /** Dotted name of the fact. */
    readonly name: string,
    /** By `answerKey`. */
    readonly answers: ReadonlyMap<string, Truth>,
    readonly otherwise: 'true' | 'false',
  ) {
    super('unavailable', name.split('.')[0]!);
  }

  /** What lies below it is withheld too. */
  below(path: readonly string[]): Withheld {
    return path.length === 0 ? this : new Withheld(`${this.name}.${path.join('.')}`, this.answers, this.otherwise);
  }
}
