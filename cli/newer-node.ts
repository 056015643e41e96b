import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The oldest Node that supports the plugins' regular expressions. */
const OLDEST = 24;

/**
 * If this Node is too old, runs the same command line with the Node that `npm ci` installs, and returns its exit code. Undefined if
 * this Node is new enough.
 */
export async function runUnderNewerNode(): Promise<number | undefined> {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST) return undefined;
  const newer = pinnedNode();
  if (newer === undefined) {
    process.stderr.write(`exit 2: Node ${OLDEST} or newer is needed; in a checkout of Weir, \`npm ci\` installs it\n`);
    return 2;
  }
  const { spawn } = await import('node:child_process');
  const child = spawn(newer, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('error', () => resolve(2));
    child.on('exit', (code) => resolve(code ?? 130));
  });
}

function pinnedNode(): string | undefined {
  try {
    const home = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    return join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    return undefined;
  }
}
