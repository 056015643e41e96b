import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askForBackup } from '../../src/database/embedded/backup-socket.js';
import { openDatabase, restoreVerified, verifyBackup } from '../../src/database/index.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';
import { BACKUP_POLICIES, backupEvent } from '../support/backup-contents.js';
import { newMigratedDataDir } from '../support/embedded-template.js';
import { restClient } from '../support/rest-client.js';
import { runWeir, type WeirRun } from '../support/run-weir.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('Backups of the embedded database', () => {
  let folder: string;
  let app: TestApp;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-backups-'));
    app = await startTestApp({ policies: BACKUP_POLICIES });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const { submit } = restClient(() => app);
  const weir = (argv: readonly string[], dataDir = app.dataDir): Promise<WeirRun> =>
    runWeir(['server', ...argv], { env: { WEIR_DATA_DIR: dataDir } });

  it('contain every event acknowledged before they began, even if other events are stored meanwhile', async () => {
    const before = new Map<string, string>();
    for (let index = 0; index < 5; index++) {
      const { status, text } = await submit(backupEvent(`b${index}`));
      expect(status).toBe(200);
      before.set(`b${index}`, text);
    }
    let isOver = false;
    let made = 0;
    const others = (async (): Promise<void> => {
      while (!isOver) expect((await submit(backupEvent(`during${made++}`))).status).toBe(200);
    })();
    const to = join(folder, 'while-used');
    const { exit, stdout, stderr } = await weir(['backup', to]);
    isOver = true;
    await others;
    expect({ exit, stdout, stderr }).toEqual({
      exit: 0,
      stdout: `${to}\n`,
      stderr: expect.stringContaining('was opened and verified'),
    });
    expect(made).toBeGreaterThan(0);
    const dataDir = join(folder, 'restored');
    expect((await weir(['restore', to], dataDir)).exit).toBe(0);
    const restored = await startTestApp({ replicaOf: app, policies: BACKUP_POLICIES, env: { WEIR_DATA_DIR: dataDir } });
    try {
      const client = restClient(() => restored);
      // The same keys are valid, and a retry has the same answer.
      for (const [id, text] of before) expect((await client.submit(backupEvent(id))).text).toBe(text);
      expect((await client.read('/v1/events?request_id=b3')).json.data).toHaveLength(1);
    } finally {
      await restored.close();
    }
  }, 120_000);

  it('have the same tables as the database if nothing is stored meanwhile', async () => {
    const quiet = await startTestApp({ policies: BACKUP_POLICIES });
    const { bootstrap } = quiet;
    const { submit: store } = restClient(() => quiet);
    for (let index = 0; index < 5; index++) await store(backupEvent(`q${index}`));
    const to = join(folder, 'quiet');
    const running = await weir(['backup', to, '--json'], quiet.dataDir);
    expect(running.exit).toBe(0);
    const report = JSON.parse(running.stdout) as { tables: { table: string; rows: number }[] };
    expect(report.tables.find(({ table }) => table === 'events')?.rows).toBe(5);
    expect(report.tables.filter(({ rows }) => rows > 0).map(({ table }) => table)).toEqual(
      expect.arrayContaining(['accounts', 'api_keys', 'budget_entries', 'event_ids', 'event_rollups']),
    );
    expect(running.stdout).not.toContain(bootstrap.token);
    const dataDir = join(folder, 'quiet-restored');
    const restored = await weir(['restore', to, '--json'], dataDir);
    expect((JSON.parse(restored.stdout) as typeof report).tables).toEqual(report.tables);
    await quiet.close();
  }, 120_000);

  it('are readable by their owner only, and contain no lock, PID or socket files', () => {
    const to = join(folder, 'quiet');
    expect(statSync(to).mode & 0o077).toBe(0);
    const found = readdirSync(join(to, 'data'));
    expect(found).toEqual(expect.arrayContaining(['bootstrap.json', 'db', 'journal']));
    expect(found.filter((name) => /lock|pid|sock/.test(name))).toEqual([]);
  });

  it('are not restored if they are damaged, and the error names the damaged file', async () => {
    const to = join(folder, 'quiet');
    const file = join(to, 'data/db/global/pg_control');
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole);
    damaged[100]! ^= 1;
    writeFileSync(file, damaged);
    const dataDir = join(folder, 'not-there');
    const changed = await weir(['restore', to], dataDir);
    rmSync(file);
    const missing = await weir(['restore', to], dataDir);
    writeFileSync(file, whole);
    for (const { exit, stderr } of [changed, missing]) {
      expect(exit).toBe(4);
      expect(stderr).toContain(file);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  it('are neither written nor restored to a folder that is not empty', async () => {
    const full = mkdtempSync(join(folder, 'full-'));
    writeFileSync(join(full, 'mine.txt'), 'mine');
    expect((await weir(['backup', full])).stderr).toContain('is not empty');
    expect((await weir(['restore', join(folder, 'quiet')], full)).stderr).toContain('is not empty');
    expect(readdirSync(full)).toEqual(['mine.txt']);
  });

  it('are verified and restored even if reading a table takes longer than a statement may take', async () => {
    const [dataDir, to] = [join(folder, 'large'), join(folder, 'large-backup')];
    await newMigratedDataDir(dataDir);
    const database = await openDatabase({ kind: 'embedded', dataDir });
    await database.sql.query('CREATE TABLE large AS SELECT n FROM generate_series(1, 400000) AS n');
    await database.backup?.(to, '0.1.0');
    await database.close();
    const limits = { statementTimeoutMs: 200 };
    const { sums } = await verifyBackup(to, limits);
    expect(sums).toContainEqual(expect.objectContaining({ table: 'large', rows: 400_000 }));
    expect((await restoreVerified(to, join(folder, 'large-restored'), limits)).sums).toEqual(sums);
  }, 120_000);

  it('fail without an embedded database in the data directory, and create nothing', async () => {
    const dataDir = join(folder, 'mistyped');
    const env = { WEIR_DATA_DIR: dataDir };
    const url = 'postgres://weir@127.0.0.1:1/weir';
    for (const { exit, stderr } of [
      await weir(['backup', join(folder, 'of-nothing')], dataDir),
      await runWeir(['server', 'move'], { env: { ...env, DATABASE_URL: url } }),
    ]) {
      expect({ exit, stderr }).toEqual({
        exit: 4,
        stderr: expect.stringContaining('There is no embedded database in'),
      });
    }
    expect([existsSync(dataDir), existsSync(join(folder, 'of-nothing'))]).toEqual([false, false]);
  });

  it('are requested through a socket in the data directory, with an absolute path', async () => {
    if (process.platform !== 'win32') expect(statSync(join(app.dataDir, 'weir.sock')).isSocket()).toBe(true);
    await expect(askForBackup(app.dataDir, 'relative')).rejects.toThrow('absolute path');
  });
});

describeOnPostgres('Moving to PostgreSQL', (binaries) => {
  let postgres: TestPostgres;
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-moved-'));
    postgres = await TestPostgres.start(binaries);
    app = await startTestApp({ policies: BACKUP_POLICIES });
    const { submit } = restClient(() => app);
    for (let index = 0; index < 12; index++) await submit(backupEvent(`m${index}`));
  }, 120_000);
  afterAll(async () => {
    await app.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const move = (url: string, dataDir: string): Promise<WeirRun> =>
    runWeir(['server', 'move', '--json'], { env: { WEIR_DATA_DIR: dataDir, DATABASE_URL: url } });

  it('copies events, keys, budgets and the stored answers for retries unchanged', async () => {
    const backup = join(folder, 'backup');
    expect((await runWeir(['server', 'backup', backup], { env: { WEIR_DATA_DIR: app.dataDir } })).exit).toBe(0);
    const dataDir = join(folder, 'source');
    await runWeir(['server', 'restore', backup], { env: { WEIR_DATA_DIR: dataDir } });
    const url = await postgres.newDatabase();
    const moved = await move(url, dataDir);
    expect(moved).toMatchObject({ exit: 0 });
    const { tables } = JSON.parse(moved.stdout) as { tables: { table: string; rows: number }[] };
    expect(tables.find(({ table }) => table === 'events')?.rows).toBe(12);
    const database = new URL(url).pathname.slice(1);
    const strays = await postgres.ask('SELECT 1 AS one FROM events_default', database);
    expect(strays).toEqual([]);
    const here = restClient(() => app);
    const there = await startTestApp({ replicaOf: app, policies: BACKUP_POLICIES, databaseUrl: url });
    try {
      const client = restClient(() => there);
      for (const path of ['/v1/events?limit=200', '/v1/budgets', '/v1/apps']) {
        expect({ path, text: (await client.read(path)).text }).toEqual({ path, text: (await here.read(path)).text });
      }
      expect((await client.submit(backupEvent('m3'))).text).toBe((await here.submit(backupEvent('m3'))).text);
    } finally {
      await there.close();
    }
    const again = await move(url, dataDir);
    expect(again).toMatchObject({ exit: 4, stderr: expect.stringContaining('already contains accounts') });
  }, 120_000);

  it('is refused at once if a server uses the data directory', async () => {
    const refused = await move(await postgres.newDatabase(), app.dataDir);
    expect(refused).toMatchObject({ exit: 4, stderr: expect.stringContaining('in use by another Weir server') });
  });
});
