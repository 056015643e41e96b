import { runtimeOf, truthOf } from '../../core/decision/policy-runtime.js';
import { readFact } from '../../core/facts/read-path.js';
import type { Decision } from '../../core/model/decision.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { JudgedStage } from '../../core/judge/index.js';
import { namedLeaves, operandIn } from '../../core/stored/fact-snapshot.js';

/**
 * The names of the conditions that were unknown in a judged call because a fact was missing. A decision has the same value, null, for
 * conditions that are undecided: their fact is known, but has a value that cannot be compared.
 */
export function unknownLeaves(
  policy: CompiledPolicy,
  { leaves }: Pick<Decision, 'leaves'>,
  stages: readonly Pick<JudgedStage, 'stage' | 'facts'>[],
): ReadonlySet<string> {
  const open = new Set(Object.keys(leaves).filter((name) => leaves[name] === null));
  if (open.size === 0) return open;
  const { context } = runtimeOf(policy);
  const unknown = stages.flatMap(({ stage, facts }) =>
    namedLeaves(policy, stage)
      .filter((leaf) => open.has(leaf.name))
      .filter(
        (leaf) => truthOf(leaf.operator, readFact(facts, leaf.fact), operandIn(facts, leaf), context) === 'unknown',
      )
      .map(({ name }) => name),
  );
  return new Set(unknown);
}
