import { parseOperatorName, runtimeOf, truthOf } from '../../core/decision/policy-runtime.js';
import { engineLeaves } from '../../core/policy/engine-rules.js';
import type { FactValue, Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { LISTS_FACT } from '../../core/policy/engine-rules.js';
import { operatorNamed } from '../../core/policy/operators.js';

/** One condition of one policy, ready to be asked what it says about a value. */
export interface ReadLeaf {
  /** `<rule id>#<n>`, or `exception:<id>#<n>`. */
  readonly name: string;
  /** The rule id, or `exception:<id>`. */
  readonly owner: string;
  readonly fact: string;
  /** The operator as a policy writes it; an opposite is named by what it is the opposite of. */
  readonly op: string;
  /** With the policy's list in place of a reference to it. */
  readonly value: unknown;
  truth(fact: FactValue | undefined): ReturnType<typeof truthOf>;
}

/** Every condition of one stage, those of exceptions included. */
export function readLeaves(policy: CompiledPolicy, stage: Stage): ReadLeaf[] {
  const { context } = runtimeOf(policy);
  const { asWritten, exceptions } = policy.stages[stage];
  return [...asWritten, ...exceptions].flatMap(({ conditions }) =>
    engineLeaves(conditions).map(({ name, fact, path, operator, value: written }): ReadLeaf => {
      const { op } = parseOperatorName(operator);
      const value = resolved(written, policy);
      return {
        name,
        owner: name.slice(0, name.lastIndexOf('#')),
        fact: path === undefined ? fact : `${fact}.${path}`,
        op: positiveName(op),
        value,
        truth: (known) => truthOf(operator, known, value, context),
      };
    }),
  );
}

/** The operator without its negation: both have the same boundary. */
export function positiveName(op: string): string {
  const named = operatorNamed(op);
  return named?.negated === true ? named.positive : op;
}

function resolved(value: unknown, policy: CompiledPolicy): unknown {
  const isReference = typeof value === 'object' && value !== null && 'fact' in value && value.fact === LISTS_FACT;
  return isReference && 'path' in value ? (policy.lists[String(value.path)] ?? []) : value;
}
