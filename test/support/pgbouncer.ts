/** A real PgBouncer in transaction mode for tests, in front of a test PostgreSQL. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ordinaryUser, untilItAnswers, type TestPostgres } from './postgres.js';
import { freePort } from './server-process.js';

/** The first version that supports prepared statements in transaction mode. */
const [MAJOR, MINOR] = [1, 21];

/** The path of `pgbouncer` 1.21 or newer: `WEIR_TEST_PGBOUNCER`, else from PATH or /usr/sbin. Undefined if there is none. */
export function findPgBouncer(): string | undefined {
  const named = process.env['WEIR_TEST_PGBOUNCER'];
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const candidates = [...(named === undefined ? [] : [named]), ...directories.map((path) => join(path, 'pgbouncer'))];
  return candidates.find(isNewEnough);
}

function isNewEnough(path: string): boolean {
  try {
    const said = execFileSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(said) ?? [];
    return Number(major) > MAJOR || (Number(major) === MAJOR && Number(minor) >= MINOR);
  } catch {
    return false;
  }
}

/** The settings that Weir needs, as in the guide. */
const SETTINGS = {
  pool_mode: 'transaction',
  max_prepared_statements: '200',
  ignore_startup_parameters: 'extra_float_digits, statement_timeout, lock_timeout, idle_in_transaction_session_timeout',
};

export class TestPgBouncer {
  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly server: ChildProcess,
  ) {
    process.on('exit', this.abandon);
  }

  /** A test run that ends without `stop` must not leave a server behind. */
  private readonly abandon = (): void => {
    this.server.kill('SIGKILL');
  };

  /**
   * Starts PgBouncer on a free port.
   *
   * @param connections number of connections to each database: fewer than clients, so that clients share them
   */
  static async start(binary: string, postgres: TestPostgres, connections = 3): Promise<TestPgBouncer> {
    const runAs = ordinaryUser();
    const directory = mkdtempSync(join(tmpdir(), 'weir-pgbouncer-'));
    if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(directory, runAs.uid, runAs.gid);
    const port = await freePort();
    const users = join(directory, 'users.txt');
    writeFileSync(users, '"postgres" ""\n');
    const settings = {
      ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'trust', auth_file: users },
      ...{ default_pool_size: connections, max_client_conn: 500 },
      ...SETTINGS,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const file = join(directory, 'pgbouncer.ini');
    const database = `* = host=127.0.0.1 port=${postgres.listensOn}`;
    writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
    const server = spawn(binary, [file], { ...runAs, cwd: directory, stdio: 'ignore' });
    const bouncer = new TestPgBouncer(directory, port, server);
    await untilItAnswers(server, 'PgBouncer', `postgresql://postgres@127.0.0.1:${port}/postgres`);
    return bouncer;
  }

  /** The URL of a database of that PostgreSQL through PgBouncer. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.port = String(this.port);
    return url.href;
  }

  async stop(): Promise<void> {
    process.off('exit', this.abandon);
    if (this.server.exitCode === null) {
      const ended = once(this.server, 'exit');
      this.server.kill('SIGKILL');
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
