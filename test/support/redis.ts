/** A real Redis for tests, of its own, on a free port, keeping nothing. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './server-process.js';

/** The path of `redis-server`; `WEIR_TEST_REDIS_SERVER` names one, else it is looked for. Undefined where there is none. */
export function findRedis(): string | undefined {
  const named = process.env['WEIR_TEST_REDIS_SERVER'];
  const candidates = [
    ...(named === undefined ? [] : [named]),
    ...(process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'redis-server')),
  ];
  return candidates.find(isExecutable);
}

export class TestRedis {
  private constructor(
    readonly url: string,
    private readonly launch: () => ChildProcess,
    private server: ChildProcess,
  ) {
    process.on('exit', this.abandon);
  }

  /** A test run that ends without `stop` must not leave a server behind. */
  private readonly abandon = (): void => {
    this.server.kill('SIGKILL');
  };

  static async start(binary: string): Promise<TestRedis> {
    const port = await freePort();
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const launch = (): ChildProcess => spawn(binary, options, { cwd: tmpdir(), stdio: 'ignore' });
    const redis = new TestRedis(`redis://127.0.0.1:${port}`, launch, launch());
    await redis.untilReady();
    return redis;
  }

  /** It answers nobody any more, and keeps its connections. */
  freeze(): void {
    this.server.kill('SIGSTOP');
  }

  thaw(): void {
    this.server.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    const ended = once(this.server, 'exit');
    this.server.kill('SIGKILL');
    await ended;
  }

  /** After `kill`: the same address, with nothing in it. */
  async restart(): Promise<void> {
    this.server = this.launch();
    await this.untilReady();
  }

  async stop(): Promise<void> {
    process.off('exit', this.abandon);
    await this.kill();
  }

  private async untilReady(): Promise<void> {
    const { port } = new URL(this.url);
    const deadlineMs = Date.now() + 20_000;
    while (!(await accepts(Number(port)))) {
      if (this.server.exitCode !== null) throw new Error(`the test Redis ended with code ${this.server.exitCode}`);
      if (Date.now() > deadlineMs) throw new Error('the test Redis was not ready after 20 s');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
