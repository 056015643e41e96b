import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isolationEnv } from '../support/isolation-notes.js';

const MAIN = resolve('dist/cli/main.js');

interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `weir` in a separate process. */
function weir(
  argv: readonly string[],
  options: {
    readonly cwd: string;
    readonly stdin?: string;
    readonly env?: Record<string, string>;
    /** Called with the output on stdout so far, and a function that sends a signal. */
    readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
  },
): Promise<Ended> {
  return new Promise((ended, failed) => {
    const child = spawn(process.execPath, [MAIN, ...argv], {
      cwd: options.cwd,
      env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...options.env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      options.onOutput?.(stdout, (signal) => child.kill(signal));
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', failed);
    child.on('close', (exit) => ended({ exit, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    if (options.onOutput === undefined) child.stdin.end(options.stdin ?? '');
    else child.stdin.write(options.stdin ?? '');
  });
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;

describe('weir as a process', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'weir-cli-'))));
  afterEach(() => rm(folder, { recursive: true }));
  const text = `${JSON.stringify({ id: 'a', text: 'mail jane.doe@example.com' })}\n`;

  it('is the program that the package names, and is executable', async () => {
    const { bin } = JSON.parse(await readFile('package.json', 'utf8')) as { bin: { weir: string } };
    const { stdout } = await promisify(execFile)(resolve(bin.weir), ['--version'], { cwd: folder });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('prints findings on stdout and a summary on stderr, and exits 0', async () => {
    const { exit, stdout, stderr } = await weir(['scan', '--detectors', 'pii,secrets'], { cwd: folder, stdin: text });
    expect(stdout).toBe('{"id":"a","findings":[{"detector":"pii","code":"EMAIL","start":5,"end":25,"score":0.95}]}\n');
    expect(stderr).toBe('exit 0: 1 text scanned, 1 finding\n');
    expect(exit).toBe(0);
  });

  it('exits 1 for findings if --fail-on-findings is set', async () => {
    const { exit } = await weir(['scan', '--detectors', 'pii', '--fail-on-findings'], { cwd: folder, stdin: text });
    expect(exit).toBe(1);
  });

  it('exits 2 for a flag that does not exist', async () => {
    const { exit, stdout, stderr } = await weir(['scan', '--detector', 'pii'], { cwd: folder });
    expect([exit, stdout]).toEqual([2, '']);
    expect(lastLine(stderr)).toBe('exit 2: Unknown argument: --detector; did you mean --detectors?');
  });

  it('exits 3 for a policy that does not compile', async () => {
    await writeFile(join(folder, 'policy.yaml'), 'apiVersion: weir/v1\nkind: Policy\n');
    const { exit, stderr } = await weir(['scan', '--config', 'policy.yaml'], { cwd: folder });
    expect(exit).toBe(3);
    expect(stderr).toContain('policy.yaml:');
  });

  it('exits 4 for a database that cannot be reached', async () => {
    const env = { DATABASE_URL: 'postgres://weir:none@127.0.0.1:1/weir' };
    const { exit, stderr } = await weir(['server', 'migrate'], { cwd: folder, env });
    expect(exit).toBe(4);
    expect(lastLine(stderr)).toMatch(/^exit 4: /);
    expect(stderr).not.toContain('none@');
  });

  it('exits 7 if there is nothing to measure', async () => {
    await writeFile(join(folder, 'empty.jsonl'), '');
    expect((await weir(['eval', 'empty.jsonl', '--detectors', 'pii'], { cwd: folder })).exit).toBe(7);
  });

  it('exits 130 after an orderly interruption', async () => {
    const { exit, stderr } = await weir(['scan', '--detectors', 'pii'], {
      cwd: folder,
      stdin: text,
      onOutput: (_stdout, kill) => kill('SIGINT'),
    });
    expect(exit).toBe(130);
    expect(lastLine(stderr)).toBe('exit 130: interrupted');
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  /** Runs a line of a shell, in which `weir` is the built command. */
  const shell = (script: string) =>
    promisify(execFile)('sh', ['-c', script.replaceAll('weir', `"${process.execPath}" "${MAIN}"`)], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', NODE_DISABLE_COMPILE_CACHE: '1' },
    }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    );

  onLinux('does not succeed if the disk is full', async () => {
    expect(await shell('exec weir --help > /dev/full')).toEqual({
      code: 2,
      stderr: 'exit 2: cannot write the output: the disk is full\n',
    });
  });

  onLinux('does not succeed if only a part of its output fits into a file', async () => {
    // The limit is in blocks of 512 or 1,024 bytes. Without the trap, the signal would end the process.
    expect(await shell("trap '' XFSZ; ulimit -f 1; exec weir --help > help.txt")).toEqual({
      code: 2,
      stderr: 'exit 2: cannot write the output: the file would be too large\n',
    });
    expect((await stat(join(folder, 'help.txt'))).size).toBeGreaterThan(0);
  });

  onLinux('says so if the current folder is gone, and does not exit with the code for findings', async () => {
    expect(await shell('mkdir gone && cd gone && rmdir ../gone && exec weir lint')).toEqual({
      code: 2,
      stderr: 'exit 2: the current folder does not exist any more\n',
    });
  });

  it('exits 70 for an error that no code expected, and prints only its place', async () => {
    const fail =
      "(name) => name === 'SIGINT' && setImmediate(() => Promise.reject(new TypeError('of\\n   at a prompt')))";
    await writeFile(join(folder, 'fail.cjs'), `process.on('newListener', ${fail});`);
    const env = { NODE_OPTIONS: `--require ${join(folder, 'fail.cjs')}` };
    const { exit, stdout, stderr } = await weir(['scan'], { cwd: folder, env, onOutput: () => undefined });
    expect([exit, stdout]).toEqual([70, '']);
    expect(lastLine(stderr)).toBe('exit 70: internal error: uncaught TypeError; please report the lines above');
    expect(stderr).not.toContain('a prompt');
  });

  onLinux('says that its outcome is unknown if the reader of its output ends first', async () => {
    const { stderr } = await shell('{ weir --help; echo "code $?" >&2; } | true');
    expect(stderr).toBe('exit 141: the reader closed the output before its end\ncode 141\n');
  });

  it('sets up an embedded database: pending, migrated, bootstrapped once', async () => {
    const env = { WEIR_DATA_DIR: join(folder, 'data') };
    const pending = await weir(['server', 'migrate', '--dry-run', '--json'], { cwd: folder, env });
    expect(pending.exit).toBe(5);
    const { migrations } = JSON.parse(pending.stdout) as { migrations: string[] };
    expect(migrations.length).toBeGreaterThan(0);
    const migrated = await weir(['server', 'migrate'], { cwd: folder, env });
    expect([migrated.exit, migrated.stdout]).toEqual([0, migrations.map((name) => `${name}\n`).join('')]);
    const first = await weir(['server', 'bootstrap'], { cwd: folder, env });
    const file = join(folder, 'data', 'bootstrap.json');
    expect([first.exit, first.stdout]).toEqual([0, `${file}\n`]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { keys } = JSON.parse(await readFile(file, 'utf8')) as { keys: Record<string, string> };
    for (const key of Object.values(keys)) expect(first.stdout + first.stderr).not.toContain(key);
    const second = await weir(['server', 'bootstrap'], { cwd: folder, env });
    expect(second.stderr).toBe('exit 0: the database has accounts already: nothing was changed\n');
  }, 180_000);

  it('starts the service, and shuts it down gracefully', async () => {
    const env = {
      WEIR_DATA_DIR: join(folder, 'data'),
      WEIR_POLICIES_DIR: resolve('policies'),
      PORT: String(await freePort()),
      WEIR_LOG_LEVEL: 'silent',
    };
    const { exit, stdout, stderr } = await weir(['server', 'start'], {
      cwd: folder,
      env,
      onOutput: (output, kill) => {
        if (output.includes('Weir is ready')) kill('SIGTERM');
      },
    });
    expect(stdout).toContain('Weir is ready at');
    expect([exit, lastLine(stderr)]).toEqual([0, 'exit 0: stopped']);
  }, 180_000);

  it('reports all invalid settings of the service together', async () => {
    const env = { PORT: 'many', WEIR_RATE_EVENTS: 'fast' };
    const { exit, stderr } = await weir(['server', 'start'], { cwd: folder, env });
    expect(exit).toBe(2);
    expect(stderr).toContain('PORT');
    expect(stderr).toContain('WEIR_RATE_EVENTS');
    expect(lastLine(stderr)).toBe('exit 2: 2 settings are invalid');
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
