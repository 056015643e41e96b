/**
 * `npm run check:workflows`: runs actionlint, installed with Go, over `.github/workflows`. Without Go it fails, because
 * nothing was checked.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const VERSION = 'v1.7.7';
const folder = resolve('node_modules/.cache', `actionlint-${VERSION}`);
const actionlint = join(folder, process.platform === 'win32' ? 'actionlint.exe' : 'actionlint');
if (!existsSync(actionlint)) {
  const { error, status } = spawnSync('go', ['install', `github.com/rhysd/actionlint/cmd/actionlint@${VERSION}`], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, GOBIN: folder },
  });
  if (error?.code === 'ENOENT') fail('NOT CHECKED: Go is missing, which installs actionlint. See https://go.dev/dl/.');
  if (status !== 0) fail(`NOT CHECKED: Go could not install actionlint ${VERSION}.`);
}
const { status } = spawnSync(actionlint, ['-no-color'], { stdio: ['ignore', 1, 2] });
if (status === 0) console.log(`actionlint ${VERSION} finds nothing in .github/workflows`);
process.exitCode = status ?? 1;

function fail(message) {
  console.error(message);
  process.exit(1);
}
