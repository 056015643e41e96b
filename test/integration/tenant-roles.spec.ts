/** Weir on a PostgreSQL with minimal rights: a login that owns its database and nothing else. */
import pg from 'pg';
import { DatabaseUnusable, migrate, openDatabase, prepareTables } from '../../src/database/index.js';
import { ensurePartitions } from '../../src/events/partitions.js';
import { EventLog } from '../../src/events/event-log.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { postgresOptions } from '../support/each-database.js';
import { ACCOUNT_ID, appendRequest, newEvent } from '../support/events.js';
import { TestPostgres } from '../support/postgres.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describeOnPostgres('a login without superuser rights', (binaries) => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    await admin(`CREATE ROLE owner LOGIN CREATEROLE`);
    await admin(`CREATE ROLE plain LOGIN`);
  }, 60_000);
  afterAll(() => postgres.stop());

  async function admin(statement: string, url = postgres.url('postgres')): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(statement)).rows as unknown[];
    } finally {
      await client.end();
    }
  }
  async function databaseOf(login: string): Promise<string> {
    const url = new URL(await postgres.newDatabase());
    await admin(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${login}`);
    await admin(`ALTER SCHEMA public OWNER TO ${login}`, url.href);
    url.username = login;
    return url.href;
  }

  /** The statements in the error for a login that may not create or use the roles. */
  async function toBeRun(url: string): Promise<string> {
    const database = await openDatabase(postgresOptions(url));
    try {
      const refusal: unknown = await migrate(database).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(DatabaseUnusable);
      expect(await database.sql.query(`SELECT 1 AS one FROM pg_class WHERE relname = 'accounts'`)).toEqual([]);
      const [, statements = ''] = /run once: (.*)$/.exec((refusal as Error).message) ?? [];
      return statements;
    } finally {
      await database.close();
    }
  }

  it('receives the statements for an administrator if it may not create roles, and nothing is changed', async () => {
    const statements = await toBeRun(await databaseOf('plain'));
    expect(statements).toContain('CREATE ROLE weir_app NOLOGIN NOSUPERUSER NOBYPASSRLS; GRANT weir_app TO plain;');
    expect(await admin(`SELECT rolname FROM pg_roles WHERE rolname LIKE 'weir\\_%'`)).toEqual([]);
  });

  it('sees no rows of the log, except during maintenance', async () => {
    const url = await databaseOf('owner');
    const database = await openDatabase(postgresOptions(url));
    try {
      const { sql } = database;
      await migrate(database);
      await sql
        .forMaintenance()
        .query(`INSERT INTO accounts (id, status, created_at) VALUES ('${ACCOUNT_ID}', 'active', now())`);
      const count = (table: string) => `SELECT count(*)::integer AS n FROM ${table}`;
      await new EventLog(sql).append(appendRequest(newEvent()));
      expect(await sql.forAccounts(ACCOUNT_ID).query(count('accounts'))).toEqual([{ n: 1 }]);
      expect(await sql.forAccounts(ACCOUNT_ID).query(count('events'))).toEqual([{ n: 1 }]);
      expect(await sql.forAccounts(crypto.randomUUID()).query(count('events'))).toEqual([{ n: 0 }]);
      expect(await sql.query(count('events_default'))).toEqual([{ n: 0 }]);
      expect(await sql.forMaintenance().query(count('events_default'))).toEqual([{ n: 1 }]);
      expect(await ensurePartitions(sql, new Date())).toHaveLength(5);
      expect(await sql.forMaintenance().query(count('events_default'))).toEqual([{ n: 0 }]);
      expect(await sql.forAccounts(ACCOUNT_ID).query(count('events'))).toEqual([{ n: 1 }]);
      expect(await sql.query('SELECT payload FROM events')).toEqual([]);
    } finally {
      await database.close();
    }
  });

  describe('runs the service', () => {
    let app: TestApp | undefined;
    let url: string;
    const client = restClient(() => app!);
    beforeAll(async () => {
      url = await databaseOf('owner');
      app = await startTestApp({ databaseUrl: url });
    }, 60_000);
    afterAll(() => app?.close());

    it('that stores, replays, reads and manages', async () => {
      const event = { type: 'ai.request', event_id: 'e-1', request_id: 'r', model: 'm', payload: { prompt: 'hello' } };
      const first = await client.submit(event);
      expect(first.status).toBe(200);
      expect((await client.submit(event)).text).toBe(first.text);
      expect((await client.read('/v1/events')).json.data).toHaveLength(1);
      for (const path of ['/v1/apps', '/v1/tokens', '/v1/audit', '/v1/subscription', '/v1/budgets']) {
        expect({ path, status: (await client.read(path)).status }).toEqual({ path, status: 200 });
      }
      const complaints = app!.logs.filter((line) => /"level":(50|60)/.test(line) || line.includes('partitions'));
      expect(complaints).toEqual([]);
    });

    it('that reports a statement refused by the database as an internal error without details', async () => {
      await admin('REVOKE INSERT ON events FROM weir_app', url);
      const refused = await client.submit({
        type: 'ai.request',
        event_id: 'e-2',
        request_id: 'r',
        model: 'm',
        payload: { prompt: 'hello' },
      });
      expect(refused.status).toBe(500);
      expect(refused.json.error).toMatchObject({ type: 'internal_error' });
      expect(refused.text).not.toMatch(/events|permission|policy|weir_app/);
      await admin('GRANT INSERT ON events TO weir_app', url);
      expect(
        (
          await client.submit({
            type: 'ai.request',
            event_id: 'e-2',
            request_id: 'r',
            model: 'm',
            payload: { prompt: 'hello' },
          })
        ).status,
      ).toBe(200);
    });
  });

  it('continues once an administrator has run the statements, and stops if a role has too many rights', async () => {
    const url = await databaseOf('plain');
    await admin(await toBeRun(url));
    const database = await openDatabase(postgresOptions(url));
    try {
      expect(await migrate(database)).toContain('0001-baseline');
      await prepareTables(database);
      await admin('REVOKE weir_sweeper FROM plain');
      await expect(prepareTables(database)).rejects.toThrow('run once: GRANT weir_sweeper TO plain;');
      await admin('ALTER ROLE weir_sweeper BYPASSRLS');
      await expect(prepareTables(database)).rejects.toThrow('ALTER ROLE weir_sweeper NOLOGIN');
    } finally {
      await database.close();
    }
  });
});
