import { findFact } from '../../core/facts/registry.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { operatorNamed } from '../../core/policy/operators.js';
import type { ReadLeaf } from './read-leaves.js';

/**
 * Splits each condition that compares two facts into conditions that compare one of the facts with a value, so that each fact can be below,
 * equal to or above the other. The values come from other conditions on the two facts, or are generated.
 *
 * @param all the conditions of every policy
 */
export function eachFactAlone(
  leaves: readonly ReadLeaf[],
  all: readonly ReadLeaf[],
  policies: readonly CompiledPolicy[],
): ReadLeaf[] {
  return leaves.flatMap((leaf) => {
    const { fact, compared, op } = leaf;
    if (compared === undefined) return [leaf];
    return pivotsOf(fact, compared, op, all, policies).flatMap((pivot): ReadLeaf[] => [
      { ...leaf, value: pivot, isSampled: true, truth: (known) => leaf.truth(known, pivot) },
      { ...leaf, fact: compared, value: pivot, isSampled: true, truth: (known) => leaf.truth(pivot, known) },
    ]);
  });
}

type Scalar = string | number | boolean;

const MADE_UP: Readonly<Record<string, readonly Scalar[]>> = {
  number: [100],
  time: ['2026-06-01T00:00:00Z'],
  scalar: ['one', 100, true],
};

function pivotsOf(
  fact: string,
  compared: string,
  op: string,
  all: readonly ReadLeaf[],
  policies: readonly CompiledPolicy[],
): readonly Scalar[] {
  const kind = operatorNamed(op)?.definition.value ?? 'scalar';
  const suits = (value: unknown): value is Scalar =>
    kind === 'number' ? typeof value === 'number' : kind === 'time' ? typeof value === 'string' : isScalar(value);
  const named = all
    .filter((leaf) => leaf.compared === undefined && (leaf.fact === fact || leaf.fact === compared))
    .flatMap(({ value }) => (Array.isArray(value) ? (value as readonly unknown[]) : [value]));
  const closed = policies.flatMap((policy) =>
    [fact, compared].flatMap((name) => findFact(policy.facts, name)?.values ?? []),
  );
  const found = [...new Set([...named, ...closed].filter(suits))];
  return found.length > 0 ? found : (MADE_UP[kind] ?? []);
}

function isScalar(value: unknown): value is Scalar {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
