/**
 * Findings about policies that compile: doubtful conditions, missing owners, untested rules. `lintPolicies` checks a project, `fixFile`
 * repairs unambiguous findings.
 */
export type { LintFinding } from './finding.js';
export { fixFile } from './fix.js';
export { lintPolicies, type LintEnvironment, type LintInput, type LintReport } from './lint.js';
export { defaultLevel, LINT_CODES } from './lint-codes.js';
