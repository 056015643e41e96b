/**
 * `npm run scan:secrets`: searches every file that git tracks for credentials, with Weir's own detector. The output
 * contains positions, never values. Fails when a found credential is missing in `.ci/made-up-credentials.txt`, and when
 * that list contains one that was not found.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ensureBuilt } from './build-if-changed.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

const MADE_UP = '.ci/made-up-credentials.txt';
/** Tests contain many made-up passwords, so generic findings are ignored there; credentials of a known format are still reported. */
const IS_TEST = /\.spec\.ts$|^test\//;
/** Packed numbers: half a megabyte of base64 can match any pattern by chance, and each training produces different bytes. */
const PACKED = 'plugins/prompt-injection/weights.ts';

await requirePinnedNode();
await ensureBuilt();
const texts = new Map();
for (const path of execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean)) {
  if (path === PACKED) continue;
  const bytes = readFileSync(path);
  if (!bytes.includes(0)) texts.set(path, bytes.toString('utf8'));
}
const { status, stdout } = spawnSync(
  process.execPath,
  ['dist/cli/main.js', 'scan', '--detectors', 'secrets', '--quiet'],
  {
    input: [...texts].map(([id, text]) => `${JSON.stringify({ id, text })}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'inherit'],
  },
);
if (status !== 0) process.exit(status ?? 1);
const found = stdout
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line))
  .flatMap(({ id, findings }) => findings.map(({ code, start }) => ({ path: id, line: lineAt(id, start), code })))
  .filter(({ path, code }) => code !== 'generic_secret' || !IS_TEST.test(path));
const listed = readFileSync(MADE_UP, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const seen = new Set(found.map(({ path, code }) => `${path} ${code}`));
const unknown = found.filter(({ path, code }) => !listed.includes(`${path} ${code}`));
const unneeded = listed.filter((entry) => !seen.has(entry));
for (const { path, line, code } of unknown) console.error(`${path}:${line}: ${code}`);
for (const entry of unneeded) console.error(`${MADE_UP}: not needed: ${entry}`);
console.error(`${texts.size} files scanned, ${unknown.length} credentials found`);
process.exit(unknown.length + unneeded.length === 0 ? 0 : 1);

function lineAt(path, start) {
  return texts.get(path).slice(0, start).split('\n').length;
}
