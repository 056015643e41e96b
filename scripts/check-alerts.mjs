/**
 * `npm run check:alerts`: promtool over the alert rules, and whether they fire when they should (`alerts.test.yaml`).
 * It is taken from the path, or out of Debian's package `prometheus`, of which nothing else is installed. If neither
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
    'NOT CHECKED: promtool is neither on the path nor to be had from Debian. Install Prometheus and run npm run check:alerts.',
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
