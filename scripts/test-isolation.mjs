/**
 * `npm run test:isolation [-- --quick]`: disables one of the two mechanisms that isolate accounts and runs every suite
 * of the service with the other; then disables both, so that the tests about other accounts must fail. `--quick` runs
 * only these tests.
 *
 * Every suite under `test/` runs except those listed here; a suite in which nothing was disabled fails the run, so
 * that no suite counts as proof of isolation without testing it. Jest's output goes to stderr, the summary to stdout.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const quick = process.argv.includes('--quick');
const PROJECTS = { integration: ['integration'], e2e: ['e2e', 'conformance', 'canary'] };
const ABOUT_OTHERS = 'test/integration/two-accounts.spec.ts';

const NO_DATABASE = 'has no database';
/** Suites that never query rows of accounts, and the reasons. */
const LEFT_OUT = {
  'test/integration/operator-detectors.spec.ts': NO_DATABASE,
  'test/integration/policy-in-editor.spec.ts': NO_DATABASE,
  'test/integration/remote-detectors.spec.ts': NO_DATABASE,
  'test/integration/third-party-plugin.spec.ts': NO_DATABASE,
  'test/integration/database.spec.ts': 'tests tables and transactions, without accounts',
  'test/e2e/cli-start-up.spec.ts': NO_DATABASE,
  'test/e2e/failed-start.spec.ts': 'ends before the first request',
};
/** Suites that test row-level security itself and cannot run without it. */
const ABOUT_ROLES = {
  'test/integration/tenant-isolation.spec.ts': 'is about row-level security itself',
  'test/integration/tenant-roles.spec.ts': 'is about row-level security itself',
};

/**
 * Statements and row-level security policies are the same on both databases: a suite for both runs only on PostgreSQL, the others on
 * their only database (`WEIR_TEST_DATABASE=` runs both, as `--quick` does). Tests that kill processes under load kill once.
 */
const SMALLER = { WEIR_TEST_DATABASE: 'postgres', WEIR_TEST_KILLS: '1' };

const suites = Object.values(PROJECTS)
  .flat()
  .flatMap((folder) => globSync(`test/${folder}/**/*.spec.ts`, { cwd: root }))
  .sort();

/** Jest's message for a suite whose process crashed before any of its tests had finished. */
const CRASHED = /A jest worker process .* was terminated by another process/;

/** Runs suites with only the mechanism `left` enabled. Suites whose process crashed prove nothing, so they run again. */
function run(left, chosen) {
  const first = runOnce(left, chosen);
  const crashed = first.red.filter(({ message }) => CRASHED.test(message)).map(({ suite }) => suite);
  if (crashed.length === 0) return first;
  process.stderr.write(`\nThe process of ${crashed.join(', ')} crashed; they run again.\n`);
  const again = runOnce(left, crashed);
  const counts = ['passed', 'failed', 'skipped', 'seconds'].map((name) => [name, first[name] + again[name]]);
  return {
    ...first,
    ...Object.fromEntries(counts),
    red: [...first.red.filter(({ suite }) => !crashed.includes(suite)), ...again.red],
    changed: new Set([...first.changed, ...again.changed]),
    crashed,
  };
}

function runOnce(left, chosen) {
  process.stderr.write(`\n== accounts are kept apart by ${left}: ${chosen.length} suites\n`);
  const directory = mkdtempSync(join(tmpdir(), 'weir-isolation-'));
  const [report, notes] = ['report.json', 'notes'].map((name) => join(directory, name));
  const startedAtMs = Date.now();
  try {
    const projects = Object.keys(PROJECTS).filter((name) =>
      chosen.some((suite) => PROJECTS[name].some((folder) => suite.startsWith(`test/${folder}/`))),
    );
    spawnSync(
      process.execPath,
      [
        join(root, 'scripts/test.mjs'),
        ...projects,
        '--json',
        `--outputFile=${report}`,
        '--maxWorkers=100%',
        '--runTestsByPath',
        ...chosen,
      ],
      {
        cwd: root,
        env: { ...(quick ? {} : SMALLER), ...process.env, WEIR_TEST_ISOLATION: left, WEIR_TEST_ISOLATION_NOTES: notes },
        // Without either mechanism tests are expected to fail, so only the summary is shown.
        stdio: ['ignore', 'ignore', left === 'nothing' ? 'ignore' : 'inherit'],
      },
    );
    // Jest itself may have ended early: then none of the suites ran.
    const said = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
    const { testResults = [], numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = said;
    const changed = existsSync(notes) ? readFileSync(notes, 'utf8').split('\n') : [];
    const inRoot = (path) => relative(root, resolve(root, path));
    return {
      left,
      ran: testResults.map(({ name }) => inRoot(name)),
      red: testResults
        .filter(({ status }) => status !== 'passed')
        .map(({ name, message }) => ({ suite: inRoot(name), message })),
      changed: new Set(changed.filter((path) => path !== '').map(inRoot)),
      passed: numPassedTests,
      failed: numFailedTests,
      skipped: numPendingTests,
      crashed: [],
      seconds: Math.round((Date.now() - startedAtMs) / 1000),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The problems of a run in which every test must pass. */
function problemsOf({ left, ran, red, changed, passed }, chosen) {
  return [
    ...red.map(({ suite }) => `${suite} fails by ${left} alone`),
    ...chosen.filter((suite) => !ran.includes(suite)).map((suite) => `${suite} did not run by ${left} alone`),
    ...ran
      .filter((suite) => !changed.has(suite))
      .map((suite) => `${suite} by ${left} alone had nothing to disable: list it as left out, with the reason`),
    ...(passed === 0 ? [`no test passed by ${left} alone`] : []),
  ];
}

const LEFT = [
  { left: 'database', name: 'row-level security alone', out: LEFT_OUT },
  { left: 'filters', name: 'conditions alone', out: { ...LEFT_OUT, ...ABOUT_ROLES } },
];
const problems = Object.keys({ ...LEFT_OUT, ...ABOUT_ROLES })
  .filter((suite) => !suites.includes(suite))
  .map((suite) => `${suite} is left out and does not exist`);
const lines = [];
for (const { left, name, out } of LEFT) {
  const chosen = quick ? [ABOUT_OTHERS] : suites.filter((suite) => !(suite in out));
  const result = run(left, chosen);
  problems.push(...problemsOf(result, chosen));
  lines.push(
    `By ${name}: ${result.passed} tests passed, ${result.failed} failed, ${result.skipped} skipped, ` +
      `in ${result.ran.length} of ${suites.length} suites (${result.seconds} s).`,
    ...result.crashed.map((suite) => `  ran twice, because its process crashed the first time: ${suite}`),
    ...(quick ? [] : Object.entries(out).map(([suite, why]) => `  left out: ${suite} ${why}`)),
  );
}
const nothing = run('nothing', [ABOUT_OTHERS]);
lines.push(
  `Without either: ${nothing.failed} tests about other accounts failed, as required; ${nothing.passed} passed.`,
);
if (nothing.passed > 0 || nothing.failed === 0) {
  problems.push(`${nothing.passed} tests about other accounts passed although nothing keeps accounts apart`);
}
process.stdout.write(`\n${[...lines, ...problems.map((problem) => `FAILED: ${problem}`)].join('\n')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
