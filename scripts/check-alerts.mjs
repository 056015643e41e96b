/**
 * `npm run check:alerts`: checks the alert rules with promtool, and tests that they fire when they should (`alerts.test.yaml`).
 * promtool is found on the path, or extracted from Debian's package `prometheus` without installing it. If neither
 * is available, nothing is checked: the script reports this and exits with 3.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = 'deploy/prometheus';
const NOT_CHECKED = 3;
const cache = resolve('node_modules/.cache/promtool');

const promtool = onPath() ?? fromDebian();
if (promtool === undefined) {
  console.error(
    'NOT CHECKED: promtool is neither on the path nor available from Debian. Install Prometheus and run npm run check:alerts.',
  );
  process.exit(NOT_CHECKED);
}
for (const words of [
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'alerts.test.yaml'],
]) {
  const { status } = spawnSync(promtool, words, { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

function onPath() {
  return spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0 ? 'promtool' : undefined;
}

function fromDebian() {
  const program = join(cache, 'usr', 'bin', 'promtool');
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const ran = (command, ...words) =>
    spawnSync(command, words, { cwd: cache, stdio: ['ignore', 'ignore', 'ignore'] }).status === 0;
  if (!ran('apt-get', 'download', 'prometheus')) return undefined;
  const file = readdirSync(cache).find((name) => name.endsWith('.deb'));
  return file !== undefined && ran('dpkg-deb', '-x', file, '.') && existsSync(program) ? program : undefined;
}
