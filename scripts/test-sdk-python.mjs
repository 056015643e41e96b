/**
 * `npm run test:sdk-python [-- pytest options]`: runs the tests of the Python SDK in virtual environments that it creates, one for
 * each file of `sdk/python/requirements`: the newest clients, frameworks that need other versions of them, and the
 * clients of a year ago. Given paths run in the environment that they belong to. Without Python or PyPI it fails,
 * because nothing was tested.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureBuilt } from './build-if-changed.mjs';
import { ensurePackages } from './packages-apart.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

const PACKAGE = 'sdk/python';
/** The Python interpreter; `WEIR_TEST_PYTHON` overrides `python3`. */
const PYTHON = process.env['WEIR_TEST_PYTHON'] ?? 'python3';
/** The folder of tests for each environment; a path belongs to the first folder that contains it. */
const SUITES = [
  { name: 'frameworks', folder: 'tests/frameworks' },
  { name: 'year-old', folder: 'tests/year_old' },
  { name: 'newest', folder: 'tests' },
];
/** Tests run in two processes; `-- -n 0` runs them in one. */
const WORKERS = ['-n', '2', '--dist', 'loadgroup'];

await requirePinnedNode();
if (process.argv[2] === '--interpreter') {
  // For other programs that run with the newest clients.
  console.log(environment('newest'));
} else {
  await ensurePackages('test');
  await ensureBuilt();
  process.exitCode = runSuites(process.argv.slice(2));
}

/** @returns the highest exit code of the suites */
function runSuites(given) {
  const paths = given.filter(isPath);
  const options = given.filter((argument) => !isPath(argument));
  const chosen = SUITES.map((suite) => ({ ...suite, paths: pathsOf(suite, paths) })).filter(
    (suite) => suite.paths.length > 0,
  );
  // The newest first, because its results say the most.
  return Math.max(0, ...chosen.reverse().map((suite) => run(suite, options)));
}

function isPath(argument) {
  return !argument.startsWith('-') && existsSync(join(PACKAGE, argument.split('::')[0]));
}

function suiteOf(path) {
  return SUITES.find(({ folder }) => path === folder || path.startsWith(`${folder}/`));
}

function pathsOf(suite, paths) {
  return paths.length === 0 ? [suite.folder] : paths.filter((path) => suiteOf(path)?.name === suite.name);
}

function run({ name, folder, paths: own }, options) {
  const ignored = SUITES.filter((each) => each.name !== name && each.folder.startsWith(`${folder}/`));
  const argv = [
    '-m',
    'pytest',
    ...WORKERS,
    ...ignored.map((each) => `--ignore=${each.folder}`),
    ...own,
    ...options.map(reportOf(name)),
  ];
  const { status } = spawnSync(environment(name), argv, {
    cwd: PACKAGE,
    stdio: 'inherit',
    env: { ...process.env, WEIR_TEST_NODE: process.execPath },
  });
  return status ?? 1;
}

/** Each suite writes its own report: `x.xml` becomes `x.year-old.xml`. */
function reportOf(name) {
  return (option) => option.replace(/^(--junitxml=.*)\.xml$/, `$1.${name}.xml`);
}

/** Returns the interpreter of an environment; creates the environment if it is missing, or if its pins or the Python version changed. */
function environment(suite) {
  const requirements = join(PACKAGE, 'requirements', `${suite}.txt`);
  const version = spawnSync(PYTHON, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const name = createHash('sha256')
    .update(readFileSync(requirements, 'utf8') + version)
    .digest('hex')
    .slice(0, 16);
  const folder = resolve('node_modules/.cache', `sdk-python-${suite}-${name}`);
  const python = join(folder, 'bin', 'python');
  const done = join(folder, '.done');
  if (existsSync(done)) return python;
  rmSync(folder, { recursive: true, force: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  need(PYTHON, ['-m', 'venv', folder]);
  // `--no-deps`, because the file pins every package: when pip resolves them, it refuses an extra (`google-auth[requests]`) as soon as
  // there is a newer release of its package.
  need(python, [...pip, '--no-deps', '--require-hashes', '--requirement', requirements]);
  need(python, ['-m', 'pip', 'check', '--disable-pip-version-check']);
  need(python, [...pip, '--no-deps', '--no-build-isolation', '--editable', PACKAGE]);
  writeFileSync(done, '');
  return python;
}

function need(command, argv) {
  const { error, status } = spawnSync(command, argv, { stdio: ['ignore', 2, 2] });
  if (error === undefined && status === 0) return;
  console.error(`NOT TESTED: the Python SDK's tests cannot run here, since ${command} ${argv.join(' ')} failed`);
  process.exit(1);
}
