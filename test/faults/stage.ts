import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FreezingProxy } from '../support/freezing-proxy.js';
import { isolationEnv } from '../support/isolation-notes.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { findRedis, TestRedis } from '../support/redis.js';
import { freePort, readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';
import { FaultProvider } from './fault-provider.js';
import { MemoryGroup } from './memory-group.js';
import { SmallDisk } from './small-disk.js';

/** The environment that a fault needs. */
export interface Needs {
  readonly database: 'postgresql' | 'embedded';
  /** The number of replicas; the default is one. */
  readonly replicas?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Additional settings of the last replica only. */
  readonly lastEnv?: Readonly<Record<string, string>>;
  readonly redis?: true;
  /** The database's files are on a disk of this size. */
  readonly diskMebibytes?: number;
  /** Shell commands that are run before the service starts, such as `ulimit -n 128`. */
  readonly limits?: string;
  /** A process that exceeds this memory is killed. */
  readonly memoryMebibytes?: number;
}

/** Overrides the settings of tests: faults are measured with the default settings of a service. */
const AS_SHIPPED: Readonly<Record<Needs['database'], Record<string, string>>> = {
  postgresql: { WEIR_DATABASE_CALL_TIMEOUT: '1500ms', WEIR_OVERLOAD_WAIT: '2s' },
  embedded: { WEIR_DATABASE_CALL_TIMEOUT: '5s', WEIR_OVERLOAD_WAIT: '2s' },
};

/** The reason why a fault cannot be caused on this machine; undefined if it can. */
export function obstacle({ database, redis, diskMebibytes, memoryMebibytes }: Needs): string | undefined {
  if (database === 'postgresql' && findPostgresBinaries() === undefined) return 'no PostgreSQL on this machine';
  if (redis !== undefined && findRedis() === undefined) return 'no redis-server on this machine';
  if (diskMebibytes !== undefined && !SmallDisk.canBeMade) return 'only root can make a disk to fill up';
  if (memoryMebibytes !== undefined && !MemoryGroup.canBeMade) return 'only root on Linux can limit memory';
  return undefined;
}

/** The built service with its database, its provider and everything else that a fault needs, without mocks. */
export class Stage {
  private readonly endings: (() => unknown)[] = [];
  private env: Record<string, string> = {};
  private ports: number[] = [];
  /** These fields are only set for faults that need them. */
  postgres!: TestPostgres;
  /** The service's database, without the proxy in front of it. */
  databaseUrl!: string;
  network!: FreezingProxy;
  redis!: TestRedis;
  disk!: SmallDisk;
  memory: MemoryGroup | undefined;
  provider!: FaultProvider;
  bootstrap!: Bootstrap;
  replicas: ServerProcess[] = [];

  private constructor(private readonly needs: Needs) {}

  static async make(needs: Needs): Promise<Stage> {
    const stage = new Stage(needs);
    try {
      await stage.build();
      return stage;
    } catch (error) {
      await stage.end();
      throw error;
    }
  }

  get urls(): string[] {
    return this.replicas.map(({ url }) => url);
  }

  /** Starts a replica at its former address after its end. */
  async restart(index: number): Promise<void> {
    this.replicas[index] = await this.started(index);
  }

  async end(): Promise<void> {
    for (const end of this.endings.toReversed()) await end();
  }

  private async build(): Promise<void> {
    const { database, redis, diskMebibytes, memoryMebibytes, replicas = 1, env } = this.needs;
    if (memoryMebibytes !== undefined) {
      const memory = (this.memory = MemoryGroup.make(memoryMebibytes));
      this.endings.push(() => memory.remove());
    }
    if (diskMebibytes !== undefined) {
      this.disk = SmallDisk.make(diskMebibytes);
      this.endings.push(() => this.disk.remove());
    }
    const folder = mkdtempSync(join(database === 'embedded' ? this.diskFolder : tmpdir(), 'weir-faults-'));
    this.endings.push(() => rmSync(folder, { recursive: true, force: true }));
    this.provider = await FaultProvider.start();
    this.endings.push(() => this.provider.close());
    this.env = {
      ...{ WEIR_DATA_DIR: folder, WEIR_OPENAI_BASE_URL: this.provider.url, WEIR_LOG_LEVEL: 'error' },
      ...AS_SHIPPED[database],
      ...env,
    };
    if (redis !== undefined) await this.addRedis();
    if (database === 'postgresql') await this.addPostgres();
    for (let index = 0; index < replicas; index++) this.ports.push(await freePort());
    for (let index = 0; index < replicas; index++) await this.restart(index);
    this.endings.push(() => Promise.all(this.replicas.map((replica) => replica.kill())));
    this.bootstrap = readBootstrap(folder);
  }

  private get diskFolder(): string {
    return this.needs.diskMebibytes === undefined ? tmpdir() : this.disk.directory;
  }

  private async addRedis(): Promise<void> {
    this.redis = await TestRedis.start(findRedis()!);
    this.endings.push(() => this.redis.stop());
    this.env['REDIS_URL'] = this.redis.url;
  }

  private async addPostgres(): Promise<void> {
    this.postgres = await TestPostgres.start(findPostgresBinaries()!, [], this.diskFolder);
    this.endings.push(() => (this.postgres.resume(), this.postgres.stop()));
    const url = new URL(await this.postgres.newDatabase());
    this.databaseUrl = url.href;
    this.env['DATABASE_URL'] = url.href;
    for (const command of ['migrate', 'bootstrap'])
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...this.env },
        stdio: 'pipe',
      });
    this.network = await FreezingProxy.start(Number(url.port));
    this.endings.push(() => this.network.stop());
    url.port = String(this.network.port);
    this.env['DATABASE_URL'] = url.href;
  }

  private started(index: number): Promise<ServerProcess> {
    const isLast = index === this.ports.length - 1;
    const own = isLast ? this.needs.lastEnv : undefined;
    const probe = own === undefined ? '/readyz' : '/healthz';
    return ServerProcess.start(
      { ...this.env, ...own },
      this.ports[index],
      probe,
      this.memory?.joining ?? this.needs.limits,
    );
  }
}
