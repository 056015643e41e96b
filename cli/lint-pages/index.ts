/**
 * The page of each lint code: what it means, an example, what to do. `weir lint --explain` and docs/reference/lint.md
 * show them.
 */
import { FILE_PAGES } from './files.js';
import { GOVERNANCE_PAGES } from './governance.js';
import { MEANING_PAGES } from './meaning.js';
import type { LintPage } from './page.js';
import { TEST_PAGES } from './tests.js';

/** The pages of all lint rules, by code. */
export const LINT_PAGES: Readonly<Record<string, LintPage>> = {
  ...FILE_PAGES,
  ...MEANING_PAGES,
  ...TEST_PAGES,
  ...GOVERNANCE_PAGES,
};
