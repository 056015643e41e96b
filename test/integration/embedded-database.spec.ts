import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  type DatabaseError,
  DatabaseUnavailable,
  DatabaseUnusable,
  migrate,
  openDatabase,
  toDatabaseError,
  type Database,
} from '../../src/database/index.js';
import { EventLog } from '../../src/events/event-log.js';
import { newEmbeddedDataDir } from '../support/embedded-template.js';
import { appendRequest, newEvent } from '../support/events.js';

const HOOKS = new URL('../support/register-typescript.mjs', import.meta.url).href;
const CHILD = new URL('./fixtures/append-until-killed.ts', import.meta.url).pathname;
const KILLS = 5;

describe('the embedded database', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'weir-embedded-'));
    await newEmbeddedDataDir(dataDir);
  }, 60_000);
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));
  const open = (): Promise<Database> => openDatabase({ kind: 'embedded', dataDir });

  it('keeps its data when it is closed and opened again', async () => {
    const event = newEvent();
    const first = await open();
    await migrate(first);
    await new EventLog(first.sql).append(appendRequest(event));
    await first.close();
    await first.close();
    const second = await open();
    expect(await migrate(second)).toEqual([]);
    expect(await second.sql.query('SELECT id::text AS id FROM events')).toEqual([{ id: event.id }]);
    await second.close();
    await expect(second.sql.query('SELECT 1 AS one')).rejects.toThrow(DatabaseUnavailable);
  }, 60_000);

  it('flushes every commit to disk', async () => {
    const database = await open();
    const settings = await database.sql.query<{ name: string; setting: string }>(
      `SELECT name::text AS name, setting::text AS setting FROM pg_settings
       WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method') ORDER BY name`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      wal_sync_method: 'fsync',
    });
    await database.close();
  }, 60_000);

  it('has a small buffer of its own because the operating system caches its files', async () => {
    const database = await open();
    const [kept] = await database.sql.query<{ size: string }>(`SELECT current_setting('shared_buffers') AS size`);
    expect(kept).toEqual({ size: '16MB' });
    await database.close();
  }, 60_000);

  it('belongs to one process at a time: a second one fails with a clear error, the first one continues', async () => {
    const first = await open();
    const failure = await open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnusable);
    expect((failure as Error).message).toContain(`process ${process.pid}`);
    expect((failure as Error).message).toContain('WEIR_DATA_DIR');
    await first.ping();
    await first.close();
    await (await open()).close();
  }, 60_000);

  it('is created again only if its first start was interrupted', async () => {
    const cut = join(dataDir, 'cut');
    mkdirSync(join(cut, 'db', 'base'), { recursive: true });
    writeFileSync(join(cut, 'db', 'PG_VERSION'), '18\n');
    await expect(openDatabase({ kind: 'embedded', dataDir: cut })).rejects.toThrow(DatabaseUnusable);
    writeFileSync(join(cut, 'db.unfinished'), '');
    const database = await openDatabase({ kind: 'embedded', dataDir: cut });
    await database.ping();
    await database.close();
    expect(existsSync(join(cut, 'db.unfinished'))).toBe(false);
    const aside = readdirSync(cut).find((name) => name.startsWith('db.interrupted-'));
    expect(readFileSync(join(cut, aside ?? '', 'PG_VERSION'), 'utf8')).toBe('18\n');
  }, 60_000);

  it('is created if it is missing, and is readable only by its owner', async () => {
    const fresh = join(dataDir, 'not', 'there', 'yet');
    const database = await openDatabase({ kind: 'embedded', dataDir: fresh });
    await database.ping();
    expect(statSync(join(fresh, 'db')).mode & 0o077).toBe(0);
    await database.close();
  }, 60_000);

  it.each([
    ['global/pg_control', (path: string) => truncateSync(path, 100)],
    ['global/pg_control', (path: string) => rmSync(path)],
    ['pg_wal', (path: string) => rmSync(path, { recursive: true })],
    ['base', (path: string) => rmSync(path, { recursive: true })],
    ['PG_VERSION', (path: string) => truncateSync(path, 0)],
    ['pg_wal/000000010000000000000001', (path: string) => truncateSync(path, 4096)],
    ['pg_wal/000000010000000000000001', (path: string) => truncateSync(path, 0)],
  ])(
    'reports the damaged file and a remedy if %s is damaged',
    async (name, damage) => {
      const path = join(dataDir, 'db', name);
      damage(path);
      const failure = await open().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DatabaseUnusable);
      expect((failure as Error).message).toContain(path);
      expect((failure as Error).message).toContain('Restore the folder from a backup');
    },
    60_000,
  );

  it('names the version that created it and the required version, if they differ', async () => {
    const path = join(dataDir, 'db', 'PG_VERSION');
    writeFileSync(path, '17\n');
    const failure = await open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnusable);
    expect((failure as Error).message).toContain(`${path} names PostgreSQL 17, and this Weir contains PostgreSQL 18`);
  }, 60_000);

  it('reports an invalid lock file as unusable, not as held by another process', async () => {
    const path = join(dataDir, 'weir.lock');
    writeFileSync(path, 'of another program, with more than a few bytes of text in it');
    const failure = await open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnusable);
    expect((failure as Error).message).toContain(`${path} (file is not a database)`);
    expect((failure as Error).message).not.toContain('in use');
  }, 60_000);

  it('reports that the data directory is a file', async () => {
    const path = join(dataDir, 'a-file');
    writeFileSync(path, '');
    const failure = await openDatabase({ kind: 'embedded', dataDir: path }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnusable);
    expect((failure as Error).message).toContain(`${path} cannot be used`);
  }, 60_000);

  it('reports damaged data if the contents of a file were overwritten', async () => {
    const path = join(dataDir, 'db', 'global', 'pg_control');
    writeFileSync(path, Buffer.alloc(statSync(path).size, 7));
    const failure = await open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnusable);
    expect((failure as Error).message).toContain(dataDir);
    expect((failure as Error).message).toContain('Restore the folder from a backup');
    expect((failure as Error).message).not.toMatch(/assert/i);
  }, 60_000);

  it('fails a call that times out while the database is busy, and never runs the statements of that call later', async () => {
    const database = await openDatabase({ kind: 'embedded', dataDir, callTimeoutMs: 200 });
    await database.sql.query('CREATE TABLE given_up (n integer)');
    const busy = database.sql.query('SELECT count(*)::integer AS n FROM generate_series(1, 4000000)');
    const silence = expect.objectContaining({ isSilence: true });
    const started: string[] = [];
    await expect(
      database.callSql.transaction(async (transaction) => {
        started.push('a transaction');
        await transaction.query('INSERT INTO given_up VALUES (1)');
      }),
    ).rejects.toEqual(silence);
    await expect(database.callSql.query('SELECT 1 AS one')).rejects.toEqual(silence);
    await busy;
    let row: unknown;
    while (row === undefined) {
      [row] = await database.callSql.query('SELECT 1 AS one').catch(() => []);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await database.sql.query('SELECT n FROM given_up')).toEqual([]);
    expect(started).toEqual([]);
    await database.close();
  }, 60_000);

  it('fails all waiting statements when a long statement times out, except in a migration', async () => {
    const database = await openDatabase({ kind: 'embedded', dataDir, statementTimeoutMs: 200 });
    const long = 'SELECT count(*)::integer AS n FROM generate_series(1, 4000000)';
    expect(await database.unhurried(() => database.sql.query(long))).toEqual([{ n: 4_000_000 }]);
    const inTransaction = (): Promise<{ one: number }[]> =>
      database.orm.em
        .fork()
        .transactional((entities) =>
          entities.getConnection().execute('SELECT 1 AS one', [], 'all', entities.getTransactionContext()),
        );
    const busy = [
      database.sql.query(long),
      database.sql.query('SELECT 1 AS one'),
      database.sql.transaction((transaction) => transaction.query('SELECT 1 AS one')),
      database.orm.em.fork().getConnection().execute('SELECT 1 AS one'),
      inTransaction(),
    ];
    for (const result of await Promise.allSettled(busy)) {
      expect(result.status).toBe('rejected');
      expect(toDatabaseError((result as PromiseRejectedResult).reason)).toMatchObject({ isSilence: true });
    }
    let row: unknown;
    while (row === undefined) [row] = await inTransaction().catch(() => []);
    expect(row).toEqual({ one: 1 });
    await database.close();
  }, 60_000);

  it('continues after a transaction that fails in its first statements', async () => {
    const database = await open();
    // The roles do not exist before the first migration.
    const scoped = database.sql.forAccounts('00000000-0000-7000-8000-000000000000');
    const failed = scoped.transaction((transaction) => transaction.query('SELECT 1 AS one'));
    await expect(failed).rejects.toMatchObject({ name: 'DatabaseError' });
    expect(await database.sql.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await migrate(database)).toContain('0001-baseline');
    await database.close();
  }, 60_000);

  it('executes statements after thousands of errors, as after some hundreds', async () => {
    const database = await open();
    await database.sql.query('CREATE TABLE once AS SELECT 1 AS n');
    await database.sql.query('CREATE UNIQUE INDEX ON once (n)');
    const failing = ['SELECT 1 / 0', 'INSERT INTO once VALUES (1)', 'SELEKT 1', 'SELECT missing'];
    const codes = new Set<unknown>();
    for (let round = 0; round < 1_500; round++)
      for (const statement of failing)
        await database.sql.query(statement).catch((error: unknown) => codes.add((error as DatabaseError).code));
    expect([...codes].sort()).toEqual(['22012', '23505', '42601', '42703']);
    expect(await database.sql.query('SELECT n FROM once')).toEqual([{ n: 1 }]);
    await database.close();
  }, 60_000);

  it('reports that PostgreSQL has aborted, and recovers when it is opened again', async () => {
    const database = await open();
    await database.sql.query('CREATE TABLE kept AS SELECT 1 AS n');
    const log = join(dataDir, 'db', 'pg_wal');
    renameSync(log, `${log}.away`);
    // The next segment of the write-ahead log cannot be created.
    const switched = database.sql.query('SELECT pg_switch_wal()::text AS at').catch(() => undefined);
    const written = database.sql.query('CREATE TABLE lost AS SELECT 1 AS n');
    await expect(written).rejects.toThrow(DatabaseUnavailable);
    await switched;
    await database.lost;
    await database.close();
    rmSync(log, { recursive: true, force: true });
    renameSync(`${log}.away`, log);
    const again = await open();
    expect(await again.sql.query('SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await again.close();
  }, 60_000);

  it('stores pending events before it closes', async () => {
    const database = await open();
    await migrate(database);
    const log = new EventLog(database.sql);
    database.beforeClose(() => log.drain());
    const events = Array.from({ length: 50 }, () => newEvent());
    const taken = Promise.all(events.map((event) => log.append(appendRequest(event))));
    await database.close();
    expect((await taken).every(({ outcome }) => outcome === 'appended')).toBe(true);
  }, 60_000);

  it('closes all parts of the service, and can be opened again, even if one part fails to close', async () => {
    const database = await open();
    const closed: string[] = [];
    database.beforeClose(() => Promise.resolve(void closed.push('queue')));
    database.beforeClose(() => Promise.reject(new Error('the archive cannot be closed')));
    await expect(database.close()).rejects.toThrow('the archive cannot be closed');
    expect(closed).toEqual(['queue']);
    await (await open()).close();
  }, 60_000);

  it('runs statements without blocking the event loop', async () => {
    const database = await open();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await database.sql.query('SELECT count(*)::integer AS n FROM generate_series(1, 3000000)');
    delay.disable();
    const [row] = await database.sql.query<{ n: number }>('SELECT 7 AS n');
    expect(row?.n).toBe(7);
    expect(delay.count).toBeGreaterThan(0);
    await database.close();
  }, 60_000);

  it(`loses no acknowledged event if its process is killed ${KILLS} times under load`, async () => {
    const acknowledged: string[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const child = spawn(process.execPath, ['--import', HOOKS, CHILD, dataDir], { stdio: ['ignore', 'pipe', 'pipe'] });
      const printed: string[] = [];
      child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
      const exit = once(child, 'exit');
      const target = acknowledged.length + 50 + Math.floor(Math.random() * 400);
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith('evt_')) acknowledged.push(line);
        if (acknowledged.length === target) child.kill('SIGKILL');
      }
      expect({ signal: (await exit)[1] as unknown, printed: printed.join('') }).toEqual({
        signal: 'SIGKILL',
        printed: '',
      });
    }
    const database = await open();
    const rows = await database.sql.query<{ event_id: string; n: number; claims: number }>(
      `SELECT e.event_id, count(*)::integer AS n, count(i.event_row_id)::integer AS claims FROM events e
       LEFT JOIN event_ids i ON i.account_id = e.account_id AND i.event_row_id = e.id GROUP BY e.event_id`,
    );
    const stored = new Map(rows.map((row) => [row.event_id, row]));
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * 50);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(rows.filter((row) => row.n !== 1 || row.claims !== 1)).toEqual([]);
    await database.close();
  }, 180_000);
});
