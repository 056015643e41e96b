/** A database whose connections are in use, by other programs or by searches of this one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase, POSTGRES_DEFAULTS, type Database } from '../../src/database/index.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';

const CONNECTIONS = 3;

/** Expects a statement of calls to be answered before its deadline while this number of searches are waiting. */
async function answersDuringSearches(database: Database, count: number): Promise<void> {
  let isSearching = true;
  const searches = Promise.all(
    Array.from({ length: count }, () => database.sql.query('SELECT 1 AS one FROM pg_sleep(0.05)')),
  ).finally(() => {
    isSearching = false;
  });
  while (isSearching) expect(await database.callSql.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
  expect(await searches).toHaveLength(count);
}

(process.env['WEIR_TEST_DATABASE'] === 'postgres' ? describe.skip : describe)('An embedded database in use', () => {
  it('answers statements of calls before the searches that wait for it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-embedded-'));
    // All searches together take longer than the deadline of a call.
    const database = await openDatabase({ kind: 'embedded', dataDir, callTimeoutMs: 1_000 });
    try {
      await answersDuringSearches(database, 60);
    } finally {
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 60_000);
});

describeOnPostgres('A PostgreSQL whose connections are in use', (binaries) => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
  }, 60_000);
  afterAll(() => postgres.stop());

  it('answers statements of calls at once while hundreds of searches wait for a connection', async () => {
    const databaseUrl = await postgres.newDatabase();
    // Ten connections need three times as long for all searches.
    const postgresOptions = { ...POSTGRES_DEFAULTS, databaseUrl, callTimeoutMs: 500 };
    const database = await openDatabase({ kind: 'postgres', postgres: postgresOptions });
    try {
      await answersDuringSearches(database, 300);
      expect(database.figures.connections().waiting).toBe(0);
    } finally {
      await database.close();
    }
  }, 60_000);

  it('continues to answer calls on the open connections while the server accepts no further ones', async () => {
    const url = new URL(await postgres.newDatabase());
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    await admin.query(`CREATE ROLE limited LOGIN CONNECTION LIMIT ${CONNECTIONS}`);
    await admin.end();
    url.username = 'limited';
    // After the call timeout, a further connection is opened to find out whether that of the search is dead.
    const limits = { poolSize: CONNECTIONS, callTimeoutMs: 200 };
    const database = await openDatabase({
      kind: 'postgres',
      postgres: { ...POSTGRES_DEFAULTS, ...limits, databaseUrl: url.href },
    });
    const processes = async (seconds: number): Promise<number[]> => {
      const each = Array.from({ length: CONNECTIONS }, () =>
        database.sql.query<{ pid: number }>(`SELECT pg_backend_pid() AS pid FROM pg_sleep(${seconds})`),
      );
      return (await Promise.all(each)).flatMap((rows) => rows.map(({ pid }) => pid)).sort();
    };
    try {
      const open = await processes(0.1);
      let isSearching = true;
      const search = database.sql.query('SELECT 1 AS one FROM pg_sleep(1)').finally(() => {
        isSearching = false;
      });
      while (isSearching) expect(await database.sql.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
      expect(await search).toEqual([{ one: 1 }]);
      expect(await processes(0.1)).toEqual(open);
    } finally {
      await database.close();
    }
  }, 60_000);
});
