import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './shipped-policy.js';

/** Prints figures and, with `--write`, puts them between their marks in `docs/streams.md`. */
export function writeSection(name: 'held' | 'late', lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
  if (!process.argv.includes('--write')) return;
  const page = join(root(), 'docs', 'streams.md');
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/streams.md has no section ${name}`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n${lines.join('\n').trimEnd()}\n\n${text.slice(to)}`);
}
