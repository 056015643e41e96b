import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import { STAGES } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { engineLeaves, LISTS_FACT } from '../../core/policy/engine-rules.js';
import { operatorNamed } from '../../core/policy/operators.js';
import { together, type Effect } from '../policy-leaves/index.js';

/**
 * Determines the effect of added or removed list entries on the conditions that use the list. In compiled conditions only leaves are
 * negated, so a rule matches more calls if a leaf is true for more calls.
 */
export function listEffect(policy: CompiledPolicy, list: string, gained: boolean, lost: boolean): Effect {
  const effects = STAGES.flatMap((stage) => {
    const { asWritten, exceptions } = policy.stages[stage];
    return [...asWritten, ...exceptions].flatMap((rule) => {
      const action = policy.rules.find(({ id }) => id === rule.name)?.action;
      const restricts = action !== undefined && action !== 'allow';
      return engineLeaves(rule.conditions)
        .filter(({ value }) => namesList(value, list))
        .flatMap(({ operator }): Effect[] => {
          const named = operatorNamed(parseOperatorName(operator).op);
          const growsWithList = (named?.positive === 'all_of') === (named?.negated === true);
          const more: Effect = growsWithList === restricts ? 'stricter' : 'weaker';
          const less: Effect = more === 'stricter' ? 'weaker' : 'stricter';
          return [...(gained ? [more] : []), ...(lost ? [less] : [])];
        });
    });
  });
  return together(effects);
}

function namesList(value: unknown, list: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    ('fact' in value && value.fact === LISTS_FACT && 'path' in value && value.path === list) ||
    ('list' in value && value.list === list)
  );
}
