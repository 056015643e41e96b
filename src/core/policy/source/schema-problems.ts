import type { z } from 'zod';
import { isNameLike } from '../../call/json-path.js';
import type { ErrorDetail } from '../../errors.js';

const MAX_PROBLEMS = 20;

/**
 * The problems of a value that a schema rejects: one for each wrong field and each unknown key, at most 20. Neither values nor keys
 * that may be secrets are repeated.
 *
 * @param within the place of the value in a larger one, for the paths
 */
export function schemaProblems({ issues }: z.ZodError, within: readonly PropertyKey[] = []): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  for (const issue of issues) {
    if (problems.length >= MAX_PROBLEMS) break;
    if (issue.code !== 'unrecognized_keys')
      problems.push({ path: fieldPath([...within, ...issue.path]), message: issue.message });
    else
      for (const key of issue.keys.slice(0, MAX_PROBLEMS))
        problems.push({ path: fieldPath([...within, ...issue.path, key]), message: 'is unknown' });
  }
  return problems.slice(0, MAX_PROBLEMS);
}

/** The path of a field, such as `filters[2].name`. A key that does not look like a name is replaced by `(a key)`. */
function fieldPath(steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    const key = isNameLike(String(step)) ? String(step) : '(a key)';
    return path === '' ? key : `${path}.${key}`;
  }, '');
}
