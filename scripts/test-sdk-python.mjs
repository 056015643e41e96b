/**
 * `npm run test:sdk-python [-- pytest options]`: runs the tests of the Python SDK in a virtual environment that it makes, with
 * what `sdk/python/requirements.txt` pins. Without Python or PyPI it fails: nothing was tested.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureBuilt } from './build-if-changed.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

const PACKAGE = 'sdk/python';
/** Another interpreter than `python3`. */
const PYTHON = process.env['WEIR_TEST_PYTHON'] ?? 'python3';

await requirePinnedNode();
await ensureBuilt();
/** Two at once; `-- -n 0` runs them in one process. */
const WORKERS = ['-n', '2', '--dist', 'loadgroup'];
const { status } = spawnSync(environment(), ['-m', 'pytest', ...WORKERS, ...process.argv.slice(2)], {
  cwd: PACKAGE,
  stdio: 'inherit',
  env: { ...process.env, WEIR_TEST_NODE: process.execPath },
});
process.exit(status ?? 1);

/** The interpreter of the environment; made anew when pins or interpreter are others. */
function environment() {
  const requirements = readFileSync(join(PACKAGE, 'requirements.txt'), 'utf8');
  const version = spawnSync(PYTHON, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const name = createHash('sha256')
    .update(requirements + version)
    .digest('hex')
    .slice(0, 16);
  const folder = resolve('node_modules/.cache', `sdk-python-${name}`);
  const python = join(folder, 'bin', 'python');
  const done = join(folder, '.done');
  if (existsSync(done)) return python;
  rmSync(folder, { recursive: true, force: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  run(PYTHON, ['-m', 'venv', folder]);
  run(python, [...pip, '--requirement', join(PACKAGE, 'requirements.txt')]);
  run(python, [...pip, '--no-deps', '--no-build-isolation', '--editable', PACKAGE]);
  writeFileSync(done, '');
  return python;
}

function run(command, argv) {
  const { error, status } = spawnSync(command, argv, { stdio: ['ignore', 2, 2] });
  if (error === undefined && status === 0) return;
  console.error(`NOT TESTED: the Python SDK's tests cannot run here, since ${command} ${argv.join(' ')} failed`);
  process.exit(1);
}
