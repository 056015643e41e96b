import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './shipped-policy.js';

/** Prints figures and, with `--write`, writes them to a page as {@link keepPageSection} does. */
export function writePageSection(page: string, name: string, lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
  keepPageSection(page, name, lines);
}

/**
 * With `--write`, writes figures that were printed earlier to a page, between the marks of the section.
 *
 * @param page path relative to the repository, such as `docs/streams.md`
 * @throws Error when the page has no such section
 */
export function keepPageSection(page: string, name: string, lines: readonly string[]): void {
  if (!process.argv.includes('--write')) return;
  const path = join(root(), page);
  const text = readFileSync(path, 'utf8');
  const [begin, end] = [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${page} has no section ${name}`);
  writeFileSync(path, `${text.slice(0, from + begin.length)}\n${lines.join('\n').trimEnd()}\n\n${text.slice(to)}`);
}
