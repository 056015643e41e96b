/**
 * Writes the test cases for guarded clients of every language, and their policies: `node --import
 * ./test/support/register-typescript.mjs test/support/write-client-cases.ts <folder> [seed]`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clientCases } from '../matrix/client-cases.js';

const [folder, seed = '1'] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder to write into');
const made = await clientCases(Number(seed));
for (const [path, text] of Object.entries(made.policies)) {
  const file = join(folder, 'policies', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
writeFileSync(join(folder, 'cases.json'), JSON.stringify(made));
