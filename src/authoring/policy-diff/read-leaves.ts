import { parseOperatorName, runtimeOf, truthOf } from '../../core/decision/policy-runtime.js';
import { factReader } from '../../core/facts/read-path.js';
import type { FactSet, FactValue, Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { comparedFact, engineLeaves, type EngineLeaf } from '../../core/policy/engine-rules.js';
import { withEntries } from '../../core/policy/list-operands.js';
import { operatorNamed, type OperatorContext } from '../../core/policy/operators.js';

/** One condition of one policy, which can be evaluated for a value. */
export interface ReadLeaf {
  /** `<rule id>#<n>`, or `exception:<id>#<n>`. */
  readonly name: string;
  /** The rule id, or `exception:<id>`. */
  readonly owner: string;
  readonly fact: string;
  /** The operator by its name in policies; for a negated operator its positive form. */
  readonly op: string;
  /** The operand, with the entries of lists in place of their names, also inside `some`, `none` and `flow`. */
  readonly value: unknown;
  /** Further input of the operators. */
  readonly context: OperatorContext;
  /** The name of the other fact, if two facts are compared. */
  readonly compared?: string;
  /** The condition in the compiled policy. Versions of a policy share the objects of unchanged conditions. */
  readonly source: EngineLeaf;
  /** Set if the operand is only one of several possible values. */
  readonly isSampled?: true;
  /** @param other the value of the other fact, if two facts are compared */
  truth(fact: FactValue | undefined, other?: FactValue): ReturnType<typeof truthOf>;
  /** The truth for all facts of a call. */
  inCall(facts: FactSet): ReturnType<typeof truthOf>;
}

/** Collects every condition of one stage, including the conditions of exceptions. */
export function readLeaves(policy: CompiledPolicy, stage: Stage): ReadLeaf[] {
  const { context } = runtimeOf(policy);
  const { asWritten, exceptions } = policy.stages[stage];
  return [...asWritten, ...exceptions].flatMap(({ conditions }) =>
    engineLeaves(conditions).map((source): ReadLeaf => {
      const { name, fact: root, path, operator, value: written } = source;
      const { op } = parseOperatorName(operator);
      const value = withEntries(written, context);
      const fact = path === undefined ? root : `${root}.${path}`;
      const compared = comparedFact({ value: written });
      const truth: ReadLeaf['truth'] = (known, other) =>
        truthOf(operator, known, compared === undefined ? value : other, context);
      const valueIn = factReader(fact);
      const otherIn = compared === undefined ? undefined : factReader(compared);
      return {
        name,
        source,
        owner: name.slice(0, name.lastIndexOf('#')),
        fact,
        op: positiveName(op),
        value,
        context,
        ...(compared !== undefined && { compared }),
        truth,
        inCall: (facts) => truth(valueIn(facts), otherIn?.(facts)),
      };
    }),
  );
}

/** The positive form of an operator, which has the same boundary values. */
export function positiveName(op: string): string {
  const named = operatorNamed(op);
  return named?.negated === true ? named.positive : op;
}
