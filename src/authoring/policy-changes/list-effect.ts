import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import { STAGES } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { engineLeaves } from '../../core/policy/engine-rules.js';
import { listNamed } from '../../core/policy/list-operands.js';
import { operatorNamed, type FlowStep, type Predicate } from '../../core/policy/operators.js';
import { together, type Effect } from '../policy-leaves/index.js';

/**
 * Determines the effect of added or removed list entries on the conditions that use the list, also inside `some`, `none` and `flow`. In
 * compiled conditions only leaves are negated, so a rule matches more calls if a leaf is true for more calls.
 */
export function listEffect(policy: CompiledPolicy, list: string, gained: boolean, lost: boolean): Effect {
  const effects = STAGES.flatMap((stage) => {
    const { asWritten, exceptions } = policy.stages[stage];
    return [...asWritten, ...exceptions].flatMap((rule) => {
      const action = policy.rules.find(({ id }) => id === rule.name)?.action;
      const restricts = action !== undefined && action !== 'allow';
      return engineLeaves(rule.conditions)
        .flatMap(({ operator, value }) => usesOf(list, parseOperatorName(operator).op, value))
        .flatMap((growsWithList): Effect[] => {
          const more: Effect = growsWithList === restricts ? 'stricter' : 'weaker';
          const less: Effect = more === 'stricter' ? 'weaker' : 'stricter';
          return [...(gained ? [more] : []), ...(lost ? [less] : [])];
        });
    });
  });
  return together(effects);
}

/** For each use of the list in a condition, whether the condition is true for more values if the list has more entries. */
function usesOf(list: string, op: string, operand: unknown): boolean[] {
  const named = operatorNamed(op);
  const uses =
    listNamed(operand) === list
      ? [named?.positive !== 'all_of']
      : predicatesOf(op, operand).flatMap((predicate) => usesInside(list, predicate));
  return named?.negated === true ? uses.map((grows) => !grows) : uses;
}

function predicatesOf(op: string, operand: unknown): Predicate[] {
  const kind = operatorNamed(op)?.definition.value;
  if (kind === 'predicate') return [operand as Predicate];
  if (kind !== 'flow') return [];
  const { from, to } = operand as { readonly from: FlowStep; readonly to: FlowStep };
  return [from.where, to.where];
}

function usesInside(list: string, predicate: Predicate): boolean[] {
  if ('all' in predicate) return predicate.all.flatMap((part) => usesInside(list, part));
  if ('any' in predicate) return predicate.any.flatMap((part) => usesInside(list, part));
  if ('not' in predicate) return usesInside(list, predicate.not).map((grows) => !grows);
  return usesOf(list, predicate.op, predicate.value);
}
