import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readCorpora } from './corpora.js';
import { piiSection } from './pii-section.js';
import { secretsSection } from './secrets-section.js';
import { toolsSection } from './tools-section.js';

/**
 * `npm run measure -- <folder> [--out docs/detectors.md]`: measures the shipped detectors on a folder of labelled
 * corpora (`*.jsonl`, as `weir eval` reads them) and writes the page of figures. No text of a corpus is written.
 */
const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('npm run measure -- <folder of labelled corpora> [--out docs/detectors.md]\n');
  process.exit(2);
}
const out = rest[0] === '--out' && rest[1] !== undefined ? rest[1] : 'docs/detectors.md';
const say = (words: string): boolean => process.stderr.write(`${words}\n`);

say(`reading ${folder}`);
const corpora = await readCorpora(resolve(folder));
const parts: string[] = [];
for (const [name, section] of [
  ['personal data', piiSection],
  ['credentials', secretsSection],
  ['tool calls', toolsSection],
] as const) {
  say(`measuring ${name}`);
  parts.push(...(await section(corpora)));
}
await writeFile(resolve(out), `${parts.join('\n\n')}\n`);
say(`wrote ${out}`);
