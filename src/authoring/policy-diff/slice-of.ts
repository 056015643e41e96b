import type { CompiledPolicy, StageRules } from '../../core/model/compiled-policy.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';

/** Returns a copy of a policy with only these of its rules and exceptions. */
export function sliceOf(policy: CompiledPolicy, names: ReadonlySet<string>): CompiledPolicy {
  const own = <T extends { readonly name?: string }>(rules: readonly T[]): T[] =>
    rules.filter(({ name }) => name !== undefined && names.has(name));
  const stages = Object.fromEntries(
    STAGES.map((stage): [Stage, StageRules] => {
      const { asWritten, certain, exceptions } = policy.stages[stage];
      return [stage, { asWritten: own(asWritten), certain: own(certain), exceptions: own(exceptions) }];
    }),
  ) as Record<Stage, StageRules>;
  return {
    ...policy,
    rules: policy.rules.filter(({ id }) => names.has(id)),
    exceptions: policy.exceptions.filter(({ id }) => names.has(exceptionRuleName(id))),
    stages,
  };
}
