import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readCorpora } from './corpora.js';
import { injectionSection } from './injection-section.js';
import { piiSection } from './pii-section.js';
import { secretsSection } from './secrets-section.js';
import { speedSection } from './speed-section.js';
import { toolsSection } from './tools-section.js';

/**
 * `npm run measure -- <folder>`: measures the shipped detectors on a folder of labelled corpora (`*.jsonl`, as `weir
 * eval` reads them) and writes the figures into `docs/detectors.md`, between its two marks. No text of a corpus is
 * written.
 *
 * `--injection <file>` uses an existing report of `npm run train:injection` instead of training the models again.
 */
const BEGIN = '<!-- figures: made by `npm run measure`; do not edit -->';
const END = '<!-- end of figures -->';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'docs/detectors.md' }, injection: { type: 'string' } },
});
const [folder] = positionals;
if (folder === undefined) {
  process.stderr.write('npm run measure -- <folder of labelled corpora> [--injection <report.json>] [--out <page>]\n');
  process.exitCode = 2;
} else await measure(resolve(folder), resolve(values.out));

async function measure(from: string, page: string): Promise<void> {
  const say = (words: string): boolean => process.stderr.write(`${words}\n`);
  const [head, tail] = around(await readFile(page, 'utf8'));
  say('reading the corpora');
  const corpora = await readCorpora(from);
  const sections: readonly (readonly [string, () => Promise<string[]>])[] = [
    ['prompt injection', () => injectionSection(from, values.injection)],
    ['personal data', () => piiSection(corpora)],
    ['credentials', () => secretsSection(corpora)],
    ['tool calls', () => toolsSection(corpora)],
    ['speed', () => speedSection()],
  ];
  const parts: string[] = [];
  for (const [name, section] of sections) {
    say(`measuring ${name}`);
    parts.push(...(await section()));
  }
  await writeFile(page, `${head}${BEGIN}\n\n${parts.join('\n\n')}\n\n${END}${tail}`);
  say('wrote the page');
}

/** The hand-written text before and after the figures. */
function around(page: string): [string, string] {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('the page has no marks between which the figures belong');
  return [page.slice(0, begin), page.slice(end + END.length)];
}
