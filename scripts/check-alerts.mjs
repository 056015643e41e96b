/**
 * `npm run check:alerts`: checks the alert rules with promtool, and tests that they fire when they should (`alerts.test.yaml`). The
 * queries of the dashboard for Grafana are checked as well, as recording rules, which is the form in which promtool reads queries. promtool
 * is found on the path, or extracted from Debian's package `prometheus` without installing it. If neither is available, nothing is checked:
 * the script reports this and exits with 3.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = 'deploy/prometheus';
const DASHBOARD = 'deploy/grafana/weir.json';
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
  ['check', 'rules', 'alerts.yaml', queriesOfDashboard()],
  ['test', 'rules', 'alerts.test.yaml'],
]) {
  const { status } = spawnSync(promtool, words, { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** Writes the queries of the dashboard to a file of recording rules, in JSON, which is also YAML. Returns its path. */
function queriesOfDashboard() {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8'));
  const rules = panels.flatMap(({ id, targets }) =>
    targets.map(({ refId, expr }) => ({ record: `dashboard:panel_${id}:${refId.toLowerCase()}`, expr })),
  );
  const file = join(cache, 'dashboard.rules.json');
  mkdirSync(cache, { recursive: true });
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  return file;
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
