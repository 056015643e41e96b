/** The defaults of src/config/network-defaults.ts in every kind of process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Prints the limit for an attempt to connect, and the number of threads for look-ups, when the process ends. */
const PROBE = `data:text/javascript,${encodeURIComponent(`
  import { readdirSync, readFileSync, stat } from 'node:fs';
  import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
  process.on('exit', () => {
    stat('.', () => undefined);
    const threads = readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim());
    const count = threads.filter((name) => name === 'libuv-worker').length;
    process.stderr.write('attempt ' + getDefaultAutoSelectFamilyAttemptTimeout() + ', threads ' + count + '\\n');
  });
`)}`;

/** What the probe prints in a process with these arguments that ends by itself. */
async function probed(words: readonly string[], env: Record<string, string> = {}): Promise<string | undefined> {
  const child = spawn(process.execPath, ['--import', PROBE, ...words], {
    // With this port, the service does not start.
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', PORT: 'none', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const output: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));
  await once(child, 'close');
  return /attempt \d+, threads \d+/.exec(Buffer.concat(output).toString())?.[0];
}

const SERVICE = 'dist/server/main.js';

(process.platform === 'linux' ? describe : describe.skip)('The defaults of Node.js for slow networks', () => {
  it.each([
    ['the service', [SERVICE]],
    ['a worker', [SERVICE, '--worker=1']],
    ['the command', ['bin/weir.mjs', '--version']],
  ])('are replaced in %s', async (_, words) => {
    expect(await probed(words)).toBe('attempt 2500, threads 16');
  });

  it('stay as the operator has set them, if that is enough', async () => {
    const env = { UV_THREADPOOL_SIZE: '6', NODE_OPTIONS: '--network-family-autoselection-attempt-timeout=4000' };
    expect(await probed([SERVICE], env)).toBe('attempt 4000, threads 6');
  });
});
