/** A real Redis server for tests, on a free port and without persistence. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { isExecutable } from './postgres.js';
import { freePort } from './server-process.js';

/** The path of `redis-server`: `WEIR_TEST_REDIS_SERVER`, else from PATH. Undefined if there is none. */
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

  /** @param primary server to replicate; the promise resolves when both are in sync */
  static async start(binary: string, primary?: TestRedis): Promise<TestRedis> {
    const port = await freePort();
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    if (primary !== undefined) options.push('--replicaof', '127.0.0.1', String(primary.port));
    const launch = (): ChildProcess => spawn(binary, options, { cwd: tmpdir(), stdio: 'ignore' });
    const redis = new TestRedis(`redis://127.0.0.1:${port}`, launch, launch());
    await redis.untilReady();
    if (primary !== undefined) await redis.untilInSync(primary);
    return redis;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Stops replication and accepts writes. */
  async promote(): Promise<void> {
    await this.ask((client) => client.replicaof('NO', 'ONE'));
  }

  /** Becomes a replica, which accepts no writes; connections to it stay open. */
  async follow(primary: TestRedis): Promise<void> {
    await this.ask((client) => client.replicaof('127.0.0.1', primary.port));
    await this.untilInSync(primary);
  }

  /** Resolves when it has all writes that the primary has received so far. */
  async untilInSync(primary: TestRedis): Promise<void> {
    const offset = await primary.replication('master_repl_offset');
    while ((await this.replication('master_link_status')) !== 'up');
    while (Number(await this.replication('slave_repl_offset')) < Number(offset));
  }

  private async replication(name: string): Promise<string | undefined> {
    const info = await this.ask((client) => client.info('replication'));
    return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  }

  private async ask<Answer>(command: (client: Redis) => Promise<Answer>): Promise<Answer> {
    const client = new Redis(this.url);
    try {
      return await command(client);
    } finally {
      client.disconnect();
    }
  }

  /** Suspends the server: it answers no request, and its connections stay open. */
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

  /** Starts the server again after `kill`, with the same address and no data. */
  async restart(): Promise<void> {
    this.server = this.launch();
    await this.untilReady();
  }

  async stop(): Promise<void> {
    process.off('exit', this.abandon);
    await this.kill();
  }

  private async untilReady(): Promise<void> {
    const deadlineMs = Date.now() + 20_000;
    while (!(await accepts(this.port))) {
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
