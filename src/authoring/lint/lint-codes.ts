import { TEST_PROBLEMS } from '../policy-test/index.js';
import { PROBLEM_CODES, WARNING_CODES } from '../../core/policy/problem-codes.js';
import type { LintLevel } from '../project/index.js';

/**
 * Codes of the linter, in addition to the problems that prevent a policy from compiling. A code never changes its meaning. G13x
 * conditions, G14x expressions, G2xx tests, G3xx governance, G32x ignore comments.
 */
export const LINT_ONLY_CODES = {
  G130: 'A condition is always true or always false',
  G131: 'A condition never changes the result',
  G132: 'A rule never changes the decision',
  G133: 'Two rules have equal conditions and different actions',
  G134: 'A setting never applies',
  G142: 'A regular expression is misleading',
  G200: 'No test makes the rule fire',
  G201: 'No test covers the rule not matching',
  G202: 'A custom pattern has no test with a match, or no test without a match',
  G210: 'No test covers the blocking rule when its detector is unavailable',
  G211: 'No test shows that the exception expires',
  G301: 'The exception has expired',
  G302: 'The exception expires soon',
  G303: 'The exception lasts too long',
  G304: 'The review date of a monitored rule has passed',
  G306: 'The id of a rule changed without `formerly`',
  G308: 'The legal hold has ended',
  G311: 'Unreadable content reaches providers without an event',
  G312: 'A message to callers contains a credential',
  G313: 'Callers can turn off the rules of production',
  G320: 'An ignore comment suppresses nothing',
  G321: 'An ignore comment gives no reason',
  G322: 'An ignore comment has expired',
} as const satisfies Record<string, string>;

/** Every code that `weir lint` may report, with its title. */
export const LINT_CODES: Readonly<Record<string, string>> = {
  ...PROBLEM_CODES,
  ...LINT_ONLY_CODES,
  ...TEST_PROBLEMS,
};

const LINT_ERRORS: ReadonlySet<string> = new Set<keyof typeof LINT_ONLY_CODES>([
  'G301',
  'G303',
  'G304',
  'G306',
  'G312',
  'G321',
]);

/** The level of a code that the project file does not set. */
export function defaultLevel(code: string): LintLevel {
  // In the linter, G001 means that a whole stage passes unjudged, which is worse than in the compiler, where it is a remark about an
  // empty policy.
  if (code === 'G001') return 'error';
  if (Object.hasOwn(LINT_ONLY_CODES, code)) return LINT_ERRORS.has(code) ? 'error' : 'warning';
  return WARNING_CODES.has(code) ? 'warning' : 'error';
}

/** Whether the project file and ignore comments may change the level. Not for problems that prevent a policy from compiling. */
export function isAdjustable(code: string): boolean {
  return Object.hasOwn(LINT_ONLY_CODES, code) || WARNING_CODES.has(code);
}
