/** A server is killed in the middle of an export, and another server on the same database continues the export. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, POSTGRES_DEFAULTS } from '../../src/database/index.js';
import { isolationEnv } from '../support/isolation-notes.js';
import { fillWithEvents } from '../support/many-events.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

const EVENTS = Number(process.env['WEIR_TEST_EXPORT_EVENTS'] ?? 8_000);
const binaries = findPostgresBinaries();
const title = 'An export whose server is killed';
if (binaries === undefined) console.warn(`SKIPPED, no PostgreSQL binaries found: ${title}`);

interface Job {
  readonly id: string;
  readonly state: string;
  readonly rows: number;
  readonly sha256: string | null;
}

(binaries === undefined ? describe.skip : describe)(title, () => {
  let postgres: TestPostgres;
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-export-kill-'));
  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries!);
  }, 60_000);
  afterAll(async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is continued by the next server, which writes the same file as an uninterrupted export', async () => {
    const databaseUrl = await postgres.newDatabase();
    const env = { WEIR_DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    for (const command of ['migrate', 'bootstrap']) {
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
        stdio: 'pipe',
      });
    }
    let server = await ServerProcess.start(env);
    const { token, app } = readBootstrap(dataDir);
    const database = await openDatabase({ kind: 'postgres', postgres: { ...POSTGRES_DEFAULTS, databaseUrl } });
    const [row] = await database.sql.query<{ id: string }>('SELECT account_id::text AS id FROM apps LIMIT 1');
    await fillWithEvents(database, { accountId: row!.id, appId: app.id, events: EVENTS });
    const ask = async (method: string, path: string, body?: object): Promise<Response> =>
      fetch(`${server.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
    const job = async (id: string): Promise<Job> => (await ask('GET', `/v1/exports/${id}`)).json() as Promise<Job>;
    const until = async (id: string, isReached: (job: Job) => boolean): Promise<Job> => {
      for (;;) {
        const now = await job(id);
        if (isReached(now)) return now;
        if (now.state === 'failed') throw new Error('the export failed');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const create = async (): Promise<string> => {
      const created = (await (await ask('POST', '/v1/exports', { format: 'jsonl' })).json()) as Job;
      return created.id;
    };

    const id = await create();
    const reached = await until(id, ({ rows }) => rows > 0);
    expect(reached.state).toBe('running');
    await server.kill();
    // The test does not wait for the lease of the killed server to expire.
    await database.sql.forAccounts(row!.id).query('UPDATE exports SET lease_until = NULL');
    server = await ServerProcess.start(env);
    const done = await until(id, ({ state }) => state === 'done');
    expect(done.rows).toBe(EVENTS);
    const file = Buffer.from(await (await ask('GET', `/v1/exports/${id}/file`)).arrayBuffer());
    expect(createHash('sha256').update(file).digest('hex')).toBe(done.sha256);
    const whole = await until(await create(), ({ state }) => state === 'done');
    expect(whole.sha256).toBe(done.sha256);
    await database.close();
    await server.stop();
  }, 240_000);
});
