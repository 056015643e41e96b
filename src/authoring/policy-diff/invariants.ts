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
 * Reads one entry of a fact's `invariants`: `a <= b`, or `a is empty exactly when b is 0`. Undefined for a sentence of
 * another form, which nothing would check.
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
 * Whether facts that depend on each other agree: a combination that no call can have is no request. Those of detectors
 * are left out: they are computed from findings and cannot disagree.
 */
export function possible(...policies: readonly CompiledPolicy[]): (facts: FactSet) => boolean {
  const invariants = [...new Set(policies.map((policy) => policy.facts))].flatMap(invariantsOf);
  return (facts) => invariants.every((invariant) => invariant(facts) !== false);
}

/** Versions of one policy share their facts, of which a detector with many codes has hundreds. */
const invariantsOf = memoizeByObject((definitions: readonly FactDefinition[]): readonly Invariant[] => {
  const sentences = definitions.flatMap(({ detector, invariants: own = [] }) => (detector === undefined ? own : []));
  return [...new Set(sentences)].flatMap((sentence) => parseInvariant(sentence) ?? []);
});
