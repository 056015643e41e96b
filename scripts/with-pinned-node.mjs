/** The Node that Weir is built for comes with `npm ci`; scripts started under an older one go on under that. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;

/** Resolves under a Node that is new enough; otherwise runs the same script under the pinned one and ends as it ends. */
export async function requirePinnedNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST) return;
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const pinned = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(pinned)) {
    process.stderr.write(`Node ${OLDEST} or newer is needed. Run \`npm ci\`, which brings one along.\n`);
    process.exit(1);
  }
  const child = spawn(pinned, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  const code = await new Promise((resolve) => child.on('exit', (status) => resolve(status ?? 1)));
  process.exit(code);
}
