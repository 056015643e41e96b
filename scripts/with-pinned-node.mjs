/** `npm ci` installs the Node that Weir is built for; scripts that are started with an older Node continue with it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;

/** Resolves if the current Node is new enough; otherwise runs the same script with the pinned Node and exits with its status. */
export async function requirePinnedNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST) return;
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const pinned = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(pinned)) {
    process.stderr.write(`Node ${OLDEST} or newer is needed. Run \`npm ci\`, which installs it.\n`);
    process.exit(1);
  }
  const child = spawn(pinned, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const code = await new Promise((resolve) => child.on('exit', (status) => resolve(status ?? 1)));
  process.exit(code);
}
