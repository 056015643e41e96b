import { defaultLevel, LINT_CODES } from '../../src/authoring/index.js';
import { exampleText, type LintPage } from '../lint-pages/page.js';

/** The page of a lint rule, for people and for programs; undefined for an unknown code. */
export async function lintPage(code: string): Promise<{ readonly text: string; readonly json: object } | undefined> {
  const { LINT_PAGES } = await import('../lint-pages/index.js');
  const title = Object.hasOwn(LINT_CODES, code) ? LINT_CODES[code] : undefined;
  const page = Object.hasOwn(LINT_PAGES, code) ? LINT_PAGES[code] : undefined;
  if (title === undefined || page === undefined) return undefined;
  const level = defaultLevel(code);
  const examples = { avoid: exampleText(page.avoid), prefer: exampleText(page.prefer) };
  return { text: text(code, title, page), json: { code, title, level, why: page.why, ...examples } };
}

function text(code: string, title: string, { why, avoid, prefer }: LintPage): string {
  const indented = (lines: string): string => lines.replace(/^(?=.)/gm, '    ');
  return [
    `${code} (${defaultLevel(code)}): ${title}`,
    why,
    `Avoid\n\n${indented(exampleText(avoid))}`,
    `Prefer\n\n${indented(exampleText(prefer))}\n`,
  ].join('\n\n');
}
