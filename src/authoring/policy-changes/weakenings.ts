import type { PolicyComparison } from '../policy-diff/index.js';
import type { PolicyChange } from './policy-changes.js';

/**
 * Changes that are, or may be, weaker and cannot be shown with requests: a gate must count them in addition to the requests that are
 * judged less strictly. A changed rule, exception or list is one of them if only some of the requests that its rules distinguish were
 * tried, and none of these is judged less strictly.
 */
export function unshownWeakenings(
  changes: readonly PolicyChange[],
  { changes: shown, searched, texts, dependents }: Omit<PolicyComparison, 'changedDetectors'>,
): PolicyChange[] {
  const partly = new Set(searched.flatMap(({ sampled, openRules }) => [...sampled, ...openRules]));
  const weakened = new Set(shown.flatMap(({ direction, rules }) => (direction === 'weaker' ? rules : [])));
  return changes.filter(({ what, id, weaker, effect, evidence }) => {
    const isWeaker = weaker || effect === 'weaker' || effect === 'incomparable';
    switch (evidence) {
      case 'values':
        return isWeaker;
      case 'texts': {
        const tried = texts.get(id);
        return isWeaker && (tried === undefined || tried.shorter.length > 0);
      }
      case 'requests': {
        const rules = what === 'rule' ? [id] : [...(dependents.get(`${what} ${id}`) ?? [])];
        return isWeaker && rules.some((rule) => partly.has(rule) && !weakened.has(rule));
      }
    }
  });
}
