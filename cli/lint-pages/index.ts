/**
 * The pages of lint codes, each with an example to avoid and one to prefer. The examples are tested, and docs/reference/lint.md is
 * generated from the pages.
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
