import type { LintPage } from './page.js';

/** The pages of all lint rules, by code. */
export const LINT_PAGES: Readonly<Record<string, LintPage>> = {};
