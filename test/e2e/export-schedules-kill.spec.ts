/** Export schedules with two servers on one database, which are killed in the middle of a file. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, POSTGRES_DEFAULTS, type Database } from '../../src/database/index.js';
import { dueUntil } from '../../src/exports/schedules/due-times.js';
import { isolationEnv } from '../support/isolation-notes.js';
import { fillWithEvents } from '../support/many-events.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

const EVENTS = Number(process.env['WEIR_TEST_EXPORT_EVENTS'] ?? 8_000);
const DAY_MS = 86_400_000;
const SCHEDULES = 4;
/** Half a day away: it is not due while the tests run. */
const DUE = { every: 'day', hour: (new Date().getUTCHours() + 12) % 24 } as const;
const binaries = findPostgresBinaries();
const title = 'Schedules of exports with two servers';
if (binaries === undefined) console.warn(`SKIPPED, no PostgreSQL binaries found: ${title}`);

interface Run {
  readonly id: string;
  readonly state: string;
  readonly rows: number;
  readonly sha256: string | null;
  readonly filters: Readonly<Record<string, string>>;
}

(binaries === undefined ? describe.skip : describe)(title, () => {
  let postgres: TestPostgres;
  let database: Database;
  let servers: ServerProcess[] = [];
  let token: string;
  let env: Record<string, string>;
  let accountId: string;
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-schedules-kill-'));

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries!);
    const databaseUrl = await postgres.newDatabase();
    env = { WEIR_DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    for (const command of ['migrate', 'bootstrap']) {
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
        stdio: 'pipe',
      });
    }
    const bootstrap = readBootstrap(dataDir);
    token = bootstrap.token;
    database = await openDatabase({ kind: 'postgres', postgres: { ...POSTGRES_DEFAULTS, databaseUrl } });
    const [row] = await database.sql.query<{ id: string }>('SELECT account_id::text AS id FROM apps LIMIT 1');
    accountId = row!.id;
    await fillWithEvents(database, { accountId, appId: bootstrap.app.id, events: EVENTS });
    servers = [await ServerProcess.start(env), await ServerProcess.start(env)];
  }, 240_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.close();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  const ask = async (server: ServerProcess, method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const create = async (name: string): Promise<string> => {
    const body = { name, due: DUE, format: 'jsonl' };
    const response = await ask(servers[0]!, 'POST', '/v1/export-schedules', body);
    return ((await response.json()) as { id: string }).id;
  };
  const runsOf = async (id: string): Promise<Run[]> =>
    ((await (await ask(servers[1]!, 'GET', `/v1/export-schedules/${id}/runs`)).json()) as { data: Run[] }).data;
  const until = async (id: string, isReached: (runs: Run[]) => boolean): Promise<Run[]> => {
    for (;;) {
      const runs = await runsOf(id);
      if (isReached(runs)) return runs;
      if (runs.some(({ state }) => state === 'failed')) throw new Error('a run failed');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  /** Makes schedules due: the first file covers the time between two past instants. */
  const isDue = (ids: readonly string[], from: number, to: number) =>
    database.sql
      .forAccounts(accountId)
      .query(
        `UPDATE export_schedules SET covered_to = $2::timestamptz, next_at = $3::timestamptz WHERE id = ANY ($1::text[]::uuid[])`,
        [ids, new Date(from).toISOString(), new Date(to).toISOString()],
      );
  const last = dueUntil(DUE, Date.now());

  it('create one export for each due time, including missed ones', async () => {
    const ids: string[] = [];
    for (let n = 0; n < SCHEDULES; n++) ids.push(await create(`missed ${n}`));
    // There was no export for three days.
    await isDue(ids, last - 3 * DAY_MS, last - 2 * DAY_MS);
    for (const id of ids) {
      const runs = await until(id, (all) => all.filter(({ state }) => state === 'done').length === 3);
      const windows = runs.map(({ filters }) => [filters['from'], filters['to']]).toReversed();
      const day = (n: number): string => new Date(last + n * DAY_MS).toISOString();
      expect(windows).toEqual([-3, -2, -1].map((n) => [day(n), day(n + 1)]));
    }
    for (const id of ids) expect((await ask(servers[0]!, 'DELETE', `/v1/export-schedules/${id}`)).status).toBe(204);
  }, 240_000);

  it('continue a run whose server is killed, and write exactly one complete file for its due time', async () => {
    const id = await create('killed');
    // The events of the log were received an hour ago.
    await isDue([id], Date.now() - DAY_MS, Date.now() - DAY_MS / 48);
    await until(id, ([run]) => run !== undefined && run.rows > 0);
    await Promise.all(servers.map((server) => server.kill()));
    // The test does not wait for the lease of the killed server to expire.
    await database.sql.forAccounts(accountId).query('UPDATE exports SET lease_until = NULL');
    servers = [await ServerProcess.start(env), await ServerProcess.start(env)];
    const [done, ...others] = await until(id, ([run]) => run?.state === 'done');
    expect([done!.rows, others]).toEqual([EVENTS, []]);
    const file = Buffer.from(await (await ask(servers[0]!, 'GET', `/v1/exports/${done!.id}/file`)).arrayBuffer());
    expect(createHash('sha256').update(file).digest('hex')).toBe(done!.sha256);
    expect(file.toString().split('\n')).toHaveLength(EVENTS + 1);
  }, 240_000);
});
