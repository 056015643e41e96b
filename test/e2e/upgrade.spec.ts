import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { eventOf, poster } from '../faults/callers.js';
import { FaultProvider } from '../faults/fault-provider.js';
import { catalogOf } from '../support/catalog.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

const binaries = findPostgresBinaries();
const base = readFileSync('test/upgrade/base', 'utf8').trim();
/** A clone without history, as in some pipelines, has no older version to compare with. */
const isKnown = ((): boolean => {
  try {
    execFileSync('git', ['cat-file', '-e', `${base}^{commit}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const onBoth = binaries === undefined || !isKnown ? describe.skip : describe;
const CALLERS = 4;
/** The number of calls that have to be answered in each state of the upgrade. */
const CALLS = 40;

/** Clients that call all servers in turn, and send each event and each proxied call once. */
class Load {
  readonly statuses = new Map<string, number>();
  urls: readonly string[] = [];
  private made = 0;
  private isOver = false;
  private readonly agent = new Agent();
  private readonly post = poster(this.agent);
  private readonly running: Promise<void>[] = [];

  constructor(private readonly key: string) {}

  start(): void {
    for (let index = 0; index < CALLERS; index++) this.running.push(this.run());
  }

  /** Waits until that many more calls have an answer, of whatever status. */
  async more(): Promise<void> {
    const until = this.answered + CALLS;
    while (this.answered < until) await new Promise(setImmediate);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
    await this.agent.destroy();
  }

  get answered(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const number = this.made++;
      const url = this.urls[number % this.urls.length]!;
      const status =
        number % 2 === 0
          ? await this.post(`${url}/v1/events`, eventOf(`e${number}`), { authorization: `Bearer ${this.key}` })
          : await this.post(
              `${url}/proxy/openai/v1/chat/completions`,
              JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: `hello ${number}` }] }),
              { 'x-service-key': this.key, 'x-request-id': `p${number}` },
            );
      const name = String(status);
      this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
    }
  }
}

onBoth(`An upgrade from the version in test/upgrade/base (${base.slice(0, 9)})`, () => {
  let folder: string;
  let older: string;
  let postgres: TestPostgres;
  let provider: FaultProvider;
  let env: Record<string, string>;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-upgrade-'));
    older = join(folder, 'older');
    execFileSync('git', ['worktree', 'add', '--detach', older, base], { stdio: 'ignore' });
    symlinkSync(join(process.cwd(), 'node_modules'), join(older, 'node_modules'));
    // The older version finds the packages of the tests here, one folder further up.
    symlinkSync(join(process.cwd(), 'test/node_modules'), join(folder, 'node_modules'));
    const nest = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
    execFileSync(process.execPath, [nest, 'build'], { cwd: older, stdio: 'pipe' });
    // The pages are irrelevant, and take a minute to build.
    if (existsSync('dist/dashboard')) cpSync('dist/dashboard', join(older, 'dist/dashboard'), { recursive: true });
    // Nest alone has built it as single modules, like versions before ADR 0092.
    mkdirSync(join(older, 'dist/server'));
    writeFileSync(join(older, 'dist/server/main.js'), "import '../src/main.js';\n");
    postgres = await TestPostgres.start(binaries!);
    provider = await FaultProvider.start();
    env = {
      ...{ DATABASE_URL: await postgres.newDatabase(), WEIR_DATA_DIR: join(folder, 'data') },
      ...{ WEIR_OPENAI_BASE_URL: provider.url, WEIR_LOG_LEVEL: 'error', WEIR_SHUTDOWN_NOTICE: '0s' },
    };
  }, 600_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await provider.close();
    await postgres.stop();
    execFileSync('git', ['worktree', 'remove', '--force', older], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (directory: string, ...words: string[]): string =>
    execFileSync(process.execPath, [join(directory, 'dist/cli/main.js'), 'server', ...words], {
      ...{ cwd: directory, encoding: 'utf8', stdio: 'pipe' },
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
  /** The exit code and the content of `weir server migrate --plan`. */
  const planOf = (): { status: number | null; names: string[]; breaking: string[] } => {
    const main = join(process.cwd(), 'dist/cli/main.js');
    const { status, stdout } = spawnSync(process.execPath, [main, 'server', 'migrate', '--plan', '--json'], {
      ...{ encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', ...env } },
    });
    const { plan } = JSON.parse(stdout) as {
      plan: { name: string; statements: { does: string; breaks?: string }[] }[];
    };
    const statements = plan.flatMap((migration) => migration.statements);
    return {
      ...{ status, names: plan.map(({ name }) => name) },
      breaking: statements.filter(({ breaks }) => breaks !== undefined).map(({ does }) => does),
    };
  };
  const migratedAnew = async (): Promise<string> => {
    const url = await postgres.newDatabase();
    execFileSync(process.execPath, [join(process.cwd(), 'dist/cli/main.js'), 'server', 'migrate'], {
      env: { PATH: process.env['PATH'] ?? '', ...env, DATABASE_URL: url },
      stdio: 'pipe',
    });
    return url;
  };
  const start = async (directory: string): Promise<ServerProcess> => {
    const server = await ServerProcess.start(env, undefined, '/readyz', `cd '${directory}'`);
    servers.push(server);
    return server;
  };

  it('has every call answered while tables are migrated, while both versions run, and while the older one is restored', async () => {
    run(older, 'migrate');
    run(older, 'bootstrap');
    const { keys, token } = readBootstrap(env['WEIR_DATA_DIR']!);
    const old = [await start(older), await start(older)];
    const load = new Load(keys.production);
    load.urls = old.map(({ url }) => url);
    load.start();
    await load.more();
    expect(planOf()).toMatchObject({
      status: 5,
      names: expect.arrayContaining(['0013-unused-index']) as unknown,
      breaking: [],
    });
    await expect(start(process.cwd())).rejects.toThrow(/not up to date.*weir server migrate/s);
    await load.more();
    run(process.cwd(), 'migrate');
    expect(planOf()).toEqual({ status: 0, names: [], breaking: [] });
    await load.more();
    const fresh = await start(process.cwd());
    load.urls = [...old, fresh].map(({ url }) => url);
    await load.more();
    load.urls = [fresh.url];
    await load.more();
    await Promise.all(old.map((server) => server.stop()));
    const back = await start(older);
    load.urls = [back.url, fresh.url];
    await load.more();
    await load.stop();
    expect([...load.statuses.keys()]).toEqual(['200']);
    const read = async ({ url }: ServerProcess): Promise<string[]> => {
      const answer = await fetch(`${url}/v1/events?limit=200`, { headers: { authorization: `Bearer ${token}` } });
      return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    expect(await read(back)).toEqual(await read(fresh));
    expect(run(older, 'migrate', '--dry-run')).toBe('');
  }, 600_000);

  it('leads to the same tables, functions and rights as a new database', async () => {
    expect(await catalogOf(postgres, env['DATABASE_URL']!)).toEqual(await catalogOf(postgres, await migratedAnew()));
  }, 60_000);
});
