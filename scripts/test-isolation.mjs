/**
 * `npm run test:isolation [-- --quick]`: takes away one of the two things that keep accounts apart and runs the tests of the
 * service on what is left; then both, where the tests about other accounts have to fail. `--quick` runs only those.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const quick = process.argv.includes('--quick');
const ABOUT_OTHERS = 'test/integration/two-accounts';
/** They are about row-level security itself, so they are not for running without it. */
const ABOUT_ROLES = 'test/integration/tenant-';

/** Runs integration tests with `left` of the two, and answers what jest reports. */
function run(left, options) {
  process.stdout.write(`\n== accounts are kept apart by ${left}\n`);
  const directory = mkdtempSync(join(tmpdir(), 'weir-isolation-'));
  const report = join(directory, 'report.json');
  try {
    spawnSync(
      process.execPath,
      [join(root, 'scripts/test.mjs'), 'integration', ...options, '--json', `--outputFile=${report}`],
      {
        cwd: root,
        env: { ...process.env, WEIR_TEST_ISOLATION: left },
        // What fails without either is meant to: only the sum of it is shown.
        stdio: ['ignore', 'ignore', left === 'nothing' ? 'ignore' : 'inherit'],
      },
    );
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const selected = quick ? [`--testPathPatterns=${ABOUT_OTHERS}`] : [];
const withDatabase = run('database', selected);
const withFilters = run('filters', quick ? selected : [`--testPathIgnorePatterns=${ABOUT_ROLES}`]);
const withNothing = run('nothing', [`--testPathPatterns=${ABOUT_OTHERS}`]);

const problems = [
  ...[withDatabase, withFilters].map(({ success, numPassedTests }) =>
    success && numPassedTests > 0 ? '' : 'tests failed although one of the two was there',
  ),
  withNothing.numPassedTests === 0 && withNothing.numFailedTests > 0
    ? ''
    : `${withNothing.numPassedTests} tests about other accounts passed although nothing keeps accounts apart`,
].filter((problem) => problem !== '');
const counts = [withDatabase, withFilters].map(({ numPassedTests: n }) => n);
process.stdout.write(
  `\nBy row-level security alone: ${counts[0]} passed. By conditions alone: ${counts[1]} passed. ` +
    `Without either: ${withNothing.numFailedTests} failed, as they have to.\n${problems.map((problem) => `FAILED: ${problem}\n`).join('')}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
