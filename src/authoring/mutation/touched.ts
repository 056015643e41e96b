import type { PolicyChange } from '../policy-changes/index.js';
import type { Mutant } from './mutants.js';

/** Whether a mutant affects a changed part. */
export function isTouched({ owners, part }: Mutant, changes: readonly PolicyChange[]): boolean {
  const changed = new Set(changes.map(({ what, id }) => `${what} ${id}`));
  if (part !== undefined && changed.has(part)) return true;
  return owners.some((owner) =>
    changed.has(owner.replace(/^(?:exception:)?/, (prefix) => (prefix === '' ? 'rule ' : 'exception '))),
  );
}
