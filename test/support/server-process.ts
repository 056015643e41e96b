import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isolationEnv } from './isolation-notes.js';
import { NO_LIMITS } from './no-limits.js';
import { portOf } from './ports.js';
import { variantEnv, workersEnv } from './variant.js';

export interface Bootstrap {
  readonly base_url: string;
  readonly account: { readonly email: string; readonly password: string };
  readonly app: { readonly id: string; readonly name: string };
  readonly keys: { readonly development: string; readonly staging: string; readonly production: string };
  readonly token: string;
}

/** The built server in a process of its own, as a user runs it. Everything it prints is kept. */
export class ServerProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly kept: string[],
  ) {}

  /**
   * Starts the built service and waits until the probe is answered with 200. Rejects with its output if it ends instead.
   *
   * @param probe `/healthz` for a server that is not to become ready
   * @param limits shell commands that set limits for the server, such as `ulimit -n 128`
   */
  static async start(
    env: Record<string, string>,
    port?: number,
    probe: '/readyz' | '/healthz' = '/readyz',
    limits = ':',
  ): Promise<ServerProcess> {
    port ??= await freePort();
    const kept: string[] = [];
    const child = spawn('/bin/sh', ['-c', `${limits}; exec "$0" ${builtService()}`, process.execPath], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        HOST: '127.0.0.1',
        ...NO_LIMITS,
        ...variantEnv(),
        ...workersEnv(env),
        ...isolationEnv(),
        ...env,
        PORT: String(port),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => kept.push(chunk.toString()));
    const server = new ServerProcess(`http://127.0.0.1:${port}`, child, kept);
    await server.untilAnswered(probe);
    return server;
  }

  /** All that the process wrote to stdout and stderr so far. */
  get output(): string {
    return this.kept.join('');
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Whether the process still runs. */
  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits until the process ends by itself. @returns its exit code */
  async ended(): Promise<number | null> {
    if (this.isRunning) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  /** SIGKILL: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** SIGTERM, as an orchestrator stops it. */
  async stop(): Promise<number | null> {
    await this.end('SIGTERM');
    return this.child.exitCode;
  }

  /** SIGSTOP: its connections stay open, and no request is answered. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  /** Continues the process after `pause`. */
  resume(): void {
    this.child.kill('SIGCONT');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  private async untilAnswered(probe: string): Promise<void> {
    const deadlineMs = Date.now() + 120_000;
    while (Date.now() < deadlineMs) {
      if (this.child.exitCode !== null) throw new Error(`the server ended at start:\n${this.output}`);
      const ready = await fetch(`${this.url}${probe}`).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await this.kill();
    throw new Error(`the server was not ready after 120 s:\n${this.output}`);
  }
}

/** The bundle that users run. Tests that remove a mechanism of isolation get the separate modules, in which it can be removed. */
export function builtService(): string {
  return process.env['WEIR_TEST_ISOLATION'] === undefined ? 'dist/server/main.js' : 'dist/src/main.js';
}

export function readBootstrap(dataDir: string): Bootstrap {
  return JSON.parse(readFileSync(join(dataDir, 'bootstrap.json'), 'utf8')) as Bootstrap;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
