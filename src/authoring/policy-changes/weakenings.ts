import type { PolicyComparison } from '../policy-diff/index.js';
import type { PolicyChange } from './policy-changes.js';

/**
 * Changes that let more pass, or of which it cannot be said that they do not, and that requests do not show: a gate has to
 * count them beside the requests that are judged less strictly.
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
