import { parseOperatorName, runtimeOf, truthOf } from '../../core/decision/policy-runtime.js';
import { readFact } from '../../core/facts/read-path.js';
import type { FactSet, FactValue, Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { comparedFact, engineLeaves, LISTS_FACT } from '../../core/policy/engine-rules.js';
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
  /** The other fact, where two are compared. */
  readonly compared?: string;
  /** Its value is one of those that were chosen among others. */
  readonly isSampled?: true;
  /** @param other the value of the other fact, where two are compared */
  truth(fact: FactValue | undefined, other?: FactValue): ReturnType<typeof truthOf>;
  /** What it says of a whole call. */
  inCall(facts: FactSet): ReturnType<typeof truthOf>;
}

/** Every condition of one stage, those of exceptions included. */
export function readLeaves(policy: CompiledPolicy, stage: Stage): ReadLeaf[] {
  const { context } = runtimeOf(policy);
  const { asWritten, exceptions } = policy.stages[stage];
  return [...asWritten, ...exceptions].flatMap(({ conditions }) =>
    engineLeaves(conditions).map(({ name, fact: root, path, operator, value: written }): ReadLeaf => {
      const { op } = parseOperatorName(operator);
      const value = resolved(written, policy);
      const fact = path === undefined ? root : `${root}.${path}`;
      const compared = comparedFact({ value: written });
      const truth: ReadLeaf['truth'] = (known, other) =>
        truthOf(operator, known, compared === undefined ? value : other, context);
      return {
        name,
        owner: name.slice(0, name.lastIndexOf('#')),
        fact,
        op: positiveName(op),
        value,
        ...(compared !== undefined && { compared }),
        truth,
        inCall: (facts) => truth(readFact(facts, fact), compared === undefined ? undefined : readFact(facts, compared)),
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
