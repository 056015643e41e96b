/**
 * Complaints about policies that compile: doubtful conditions, missing owners, rules that no test holds.
 * `lintPolicies` reads a project and finds them, `fixFile` repairs what is unambiguous.
 */
export type { LintFinding } from './finding.js';
export { fixFile } from './fix.js';
export { lintPolicies, type LintEnvironment, type LintInput, type LintReport } from './lint.js';
export { defaultLevel, LINT_CODES } from './lint-codes.js';
