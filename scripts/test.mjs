/**
 * `npm test [-- jest options]`: runs jest with the flags that ES modules need. The first arguments `unit`, `integration`
 * and `e2e` select projects; without them all run. By default only fast files run; with the first argument `full`, the other files
 * run, and the long form of some (see test/sets.mjs). Given files or path patterns always run. All random values of the tests
 * derive from one seed, `WEIR_TEST_SEED`; if it is not set, every run has another seed. `--record=beside` runs every service of
 * the tests with `WEIR_RECORD=beside`, `--workers=2` every server process on PostgreSQL with two workers. Packages that only tests
 * use, such as the clients of providers, are installed if they are missing.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FULL, LEFT_OUT } from '../test/sets.mjs';
import { ensureBuilt } from './build-if-changed.mjs';
import { deleteMemoryFolder, makeMemoryFolder } from './memory-folder.mjs';
import { ensurePackages } from './packages-apart.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

const PROJECTS = ['unit', 'integration', 'e2e'];

await requirePinnedNode();
const isFull = process.argv[2] === 'full';
const words = process.argv.slice(isFull ? 3 : 2);
const other = words.findIndex((word) => !PROJECTS.includes(word));
const named = other === -1 ? words : words.slice(0, other);
const chosen = named.length === 0 ? PROJECTS : named;
const VARIANTS = { '--record=': 'WEIR_TEST_RECORD', '--workers=': 'WEIR_TEST_WORKERS' };
const variantOf = (word) => Object.keys(VARIANTS).find((start) => word.startsWith(start));
for (const word of words) {
  const start = variantOf(word);
  if (start !== undefined) process.env[VARIANTS[start]] = word.slice(start.length);
}
const options = words.slice(named.length).filter((word) => variantOf(word) === undefined);
// Unit tests need none of these packages.
if (chosen.some((name) => name !== 'unit')) await ensurePackages('test');
if (chosen.includes('e2e')) await ensureBuilt();
process.env.WEIR_TEST_SEED ??= String(Date.now() % 1_000_000);
console.error(`WEIR_TEST_SEED=${process.env.WEIR_TEST_SEED}`);
process.env.WEIR_TEST_SET ??= choosesFiles(options) ? 'all' : isFull ? 'full' : 'quick';
if (process.env.WEIR_TEST_SET === 'quick')
  console.error(`${FULL.length} files of tests that take long are left out. Run npm run test:full for them.`);
if (process.env.WEIR_TEST_SET === 'quick')
  for (const { file, needed } of LEFT_OUT) console.error(`Skipped here: ${file}. It needs ${needed}.`);
if (named.length === 0)
  console.error('Skipped here: the Python SDK, which needs PyPI. Run npm run test:sdk-python for it.');
const memory = process.env.WEIR_TEST_MEMORY === undefined ? makeMemoryFolder() : undefined;
if (memory !== undefined) process.env.WEIR_TEST_MEMORY = memory;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    // A heap limit that is also sufficient for a single worker between two checks of its memory.
    '--max-old-space-size=6144',
    // Processes that open and close many PGlites occasionally crash in V8's records of executable pages, with a SIGSEGV or a failed
    // check of `jit_page_`: https://github.com/nodejs/node/issues/64500. With these flags V8 protects fewer pages and frees no code.
    '--no-memory-protection-keys',
    '--no-wasm-code-gc',
    join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    ...options,
    // These must be last: jest would interpret a path after them as another project name, and so run every file.
    ...chosen.map((project) => `--selectProjects=${project}`),
  ],
  { cwd: root, stdio: 'inherit' },
);
if (memory !== undefined) deleteMemoryFolder(memory);
process.exit(status ?? 1);

/** Whether jest gets paths or path patterns: from an option, or from arguments that are not the value of an option. */
function choosesFiles(options) {
  const takesNone = ['--runInBand', '-i', '--verbose', '--silent', '--watch', '--watchAll', '--json', '--bail'];
  return options.some((word, index) => {
    if (/^--(testPathPatterns?|runTestsByPath|findRelatedTests)\b/.test(word)) return true;
    const before = options[index - 1];
    const isValue = before?.startsWith('-') && !before.includes('=') && !takesNone.includes(before);
    return !word.startsWith('-') && !isValue;
  });
}
