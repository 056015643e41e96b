import { Unknown, type FactDefinition, type FactSet } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { memoizeByObject } from '../../core/model/memoize.js';
import { factReader } from '../../core/facts/read-path.js';

/** A relation between facts that always holds; undefined if one of them is absent. */
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
 * Reads one entry of a fact's `invariants`: `a <= b`, or `a is empty exactly when b is 0`. Undefined for any other form, which could
 * not be checked.
 */
export function parseInvariant(sentence: string): Invariant | undefined {
  for (const { form, holds } of FORMS) {
    const [, left, right] = form.exec(sentence) ?? [];
    if (left === undefined || right === undefined) continue;
    const [leftOf, rightOf] = [factReader(left), factReader(right)];
    return (facts) => {
      const [a, b] = [leftOf(facts), rightOf(facts)];
      return a instanceof Unknown || b instanceof Unknown ? undefined : holds(a, b);
    };
  }
  return undefined;
}

/**
 * Returns a check of the invariants between facts, to exclude requests that no call can have. Detector facts are not checked: they are
 * computed from findings and always consistent.
 */
export function possible(...policies: readonly CompiledPolicy[]): (facts: FactSet) => boolean {
  const invariants = [...new Set(policies.map((policy) => policy.facts))].flatMap(invariantsOf);
  return (facts) => invariants.every((invariant) => invariant(facts) !== false);
}

/** Cached by the fact list, which versions of a policy share and which may have hundreds of entries. */
const invariantsOf = memoizeByObject((definitions: readonly FactDefinition[]): readonly Invariant[] => {
  const sentences = definitions.flatMap(({ detector, invariants: own = [] }) => (detector === undefined ? own : []));
  return [...new Set(sentences)].flatMap((sentence) => parseInvariant(sentence) ?? []);
});
