import { Unknown } from '../model/fact.js';

/** The result of a condition on a fact: `undecided` means that a value of this type cannot be compared. */
export type Truth = 'true' | 'false' | 'unknown' | 'undecided';

/**
 * A fact that was known when the call was judged but was not stored, because its value is user-written. The results of the conditions at
 * that time were stored instead: the same condition has the same result again, any other condition has the result `otherwise`. Evaluating
 * with both values of `otherwise` shows whether the withheld value matters.
 */
export class Withheld extends Unknown {
  constructor(
    /** Dotted name of the fact. */
    readonly name: string,
    /** Recorded results, by `answerKey`. */
    readonly answers: ReadonlyMap<string, Truth>,
    readonly otherwise: 'true' | 'false',
  ) {
    super('unavailable', name.split('.')[0]!);
  }

  /** The fact at a path below this one, which is withheld as well. */
  below(path: readonly string[]): Withheld {
    return path.length === 0 ? this : new Withheld(`${this.name}.${path.join('.')}`, this.answers, this.otherwise);
  }
}
