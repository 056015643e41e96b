import type { PolicyComparison } from '../policy-diff/index.js';
import type { PolicyChange } from './policy-changes.js';

/**
 * Changes that are, or may be, weaker and cannot be shown with requests: a gate must count them in addition to the requests that are
 * judged less strictly.
 */
export function unshownWeakenings(
  changes: readonly PolicyChange[],
  { searched, texts }: Pick<PolicyComparison, 'searched' | 'texts'>,
): PolicyChange[] {
  const sampled = new Set(searched.flatMap((one) => one.sampled));
  return changes.filter(({ what, id, weaker, effect, told_by: toldBy }) => {
    const isWeaker = weaker || effect === 'weaker' || effect === 'incomparable';
    switch (toldBy) {
      case 'values':
        return isWeaker;
      case 'texts': {
        const tried = texts.get(id);
        return isWeaker && (tried === undefined || tried.shorter.length > 0);
      }
      case 'requests':
        return weaker && what === 'rule' && sampled.has(id);
    }
  });
}
