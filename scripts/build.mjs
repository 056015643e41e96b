/** `npm run build`: the server, the commands' few files, the dashboard and the API page beside them. Fails when one of them does. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDashboardBuild } from './build-dashboard.mjs';
import { copyApiPage } from './copy-api-page.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const compiler = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const dashboard = startDashboardBuild();
for (const step of [
  [compiler, 'build'],
  [join(root, 'scripts', 'bundle.mjs')],
  [join(root, 'scripts', 'bundle-server.mjs')],
]) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
copyApiPage();
if (!(await dashboard.putInPlace())) process.exitCode = 1;
