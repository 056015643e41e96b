import type { CompiledPolicy } from '../model/compiled-policy.js';
import type { Decision } from '../model/decision.js';
import { STAGES, type Stage } from '../model/fact.js';
import { memoizeByObject } from '../model/memoize.js';
import { decide } from './decide.js';
import { runtimeOf } from './policy-runtime.js';
import { couldHold, leafOutcomes, type RuleTree } from './rule-tree.js';
import type { RuleOutcome } from './run-rules.js';

/**
 * The constant decision on a call without files for which all conditions of a stage are false, which is the case for most calls.
 * Undefined if the policy reports something even then.
 */
export function quietDecision(policy: CompiledPolicy, stage: Stage): Decision | undefined {
  return quietDecisions(policy)[stage]();
}

const quietDecisions = memoizeByObject((policy: CompiledPolicy) => {
  const onFirstUse = (stage: Stage): (() => Decision | undefined) => {
    let made: { readonly decision: Decision | undefined } | undefined;
    return () => (made ??= { decision: makeQuiet(policy, stage) }).decision;
  };
  return Object.fromEntries(STAGES.map((stage) => [stage, onFirstUse(stage)])) as Readonly<
    Record<Stage, () => Decision | undefined>
  >;
});

function makeQuiet(policy: CompiledPolicy, stage: Stage): Decision | undefined {
  const { trees, table } = runtimeOf(policy).stages[stage];
  const truths = table.questions.map(() => 'false' as const);
  if (policy.default === 'block' || trees.first.some(({ condition }) => couldHold(condition, truths))) return undefined;
  const outcome = (tree: RuleTree): RuleOutcome => ({
    ...{ id: tree.id, matched: false, couldMatch: false },
    leaves: leafOutcomes(tree, table, truths, []),
  });
  const asWritten = new Map(trees.first.map((tree) => [tree.id, outcome(tree)]));
  // If no rule matches, the decision does not depend on time, facts or `clientMonitor`.
  const call = { nowMs: 0, facts: {}, clientMonitor: false };
  const decision = decide({ policy, stage, ...call, asWritten, certain: asWritten });
  for (const part of Object.values(decision)) Object.freeze(part);
  return Object.freeze(decision);
}
