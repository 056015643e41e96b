import { Unknown, type FactDefinition, type FactSet } from '../../core/model/fact.js';
import { readFact } from '../../core/facts/read-path.js';

/** A relation between facts that always holds; undefined when one of them is not there to be compared. */
export type Invariant = (facts: FactSet) => boolean | undefined;

const FORMS: readonly {
  readonly form: RegExp;
  readonly holds: (left: unknown, right: unknown) => boolean | undefined;
}[] = [
  {
    form: /^(\S+) is empty exactly when (\S+) is 0$/,
    holds: (left, right) =>
      Array.isArray(left) && typeof right === 'number' ? (left.length === 0) === (right === 0) : undefined,
  },
  {
    form: /^(\S+) <= (\S+)$/,
    holds: (left, right) => (typeof left === 'number' && typeof right === 'number' ? left <= right : undefined),
  },
];

/**
 * Reads one entry of a fact's `invariants`: `a <= b`, or `a is empty exactly when b is 0`. Undefined for a sentence of
 * another form, which nothing would check.
 */
export function parseInvariant(sentence: string): Invariant | undefined {
  for (const { form, holds } of FORMS) {
    const [, left, right] = form.exec(sentence) ?? [];
    if (left === undefined || right === undefined) continue;
    return (facts) => {
      const [a, b] = [readFact(facts, left), readFact(facts, right)];
      return a instanceof Unknown || b instanceof Unknown ? undefined : holds(a, b);
    };
  }
  return undefined;
}

/**
 * Whether facts that depend on each other agree: a combination that no call can have is no request. Those of detectors
 * are left out: they are computed from findings and cannot disagree.
 */
export function possible(definitions: readonly FactDefinition[]): (facts: FactSet) => boolean {
  const sentences = definitions.flatMap(({ detector, invariants: own = [] }) => (detector === undefined ? own : []));
  const invariants = [...new Set(sentences)].flatMap((sentence) => parseInvariant(sentence) ?? []);
  return (facts) => invariants.every((invariant) => invariant(facts) !== false);
}
