import type { PolicyProblem } from '../../core/model/compiled-policy.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';
import type { LINT_ONLY_CODES } from './lint-codes.js';

/** One finding about a policy, at a position. It has no level yet, because levels depend on the project file. */
export interface Remark extends SourcePlace {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export function remark(
  code: keyof typeof LINT_ONLY_CODES | 'G001' | 'G307',
  at: SourcePlace,
  message: string,
  hint?: string,
): Remark {
  const { file, line, column, length } = at;
  return { code, file, line, column, length, message, ...(hint !== undefined && { hint }) };
}

/** One finding of the linter. */
export interface LintFinding extends PolicyProblem {
  /** The reason of the ignore comment that suppresses it. Suppressed findings are counted, and shown to machines. */
  readonly ignored?: string;
  /** Whether `weir lint --fix` can repair it. */
  readonly fixable: boolean;
}
