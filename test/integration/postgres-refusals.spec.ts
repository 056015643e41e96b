import pg from 'pg';
import {
  Account,
  DatabaseUnavailable,
  DatabaseUnusable,
  migrate,
  openDatabase,
  prepareTables,
  type SqlExecutor,
} from '../../src/database/index.js';
import { MIGRATIONS } from '../../src/database/migrations/index.js';
import { EventLog } from '../../src/events/event-log.js';
import { postgresOptions } from '../support/each-database.js';
import { ACCOUNT_ID, appendRequest, freshEventId, newEvent } from '../support/events.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code);

const binaries = findPostgresBinaries();
const onPostgres = binaries === undefined ? describe.skip : describe;

onPostgres('a PostgreSQL server', () => {
  let postgres: TestPostgres;
  let url: string;
  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries ?? '');
  }, 60_000);
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    url = await postgres.newDatabase();
  });
  const admin = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const databaseName = (): string => new URL(url).pathname.slice(1);

  it('with synchronous_commit off is refused, wherever it is set, and the error explains the fix', async () => {
    await admin(`ALTER DATABASE ${databaseName()} SET synchronous_commit = off`);
    await expect(openDatabase(postgresOptions(url))).rejects.toThrow(/synchronous_commit is off.*set it to on/);
    await expect(openDatabase(postgresOptions(url))).rejects.toBeInstanceOf(DatabaseUnusable);
  });

  it.each(['on', 'local', 'remote_write', 'remote_apply'])('with synchronous_commit %s is accepted', async (value) => {
    await admin(`ALTER DATABASE ${databaseName()} SET synchronous_commit = ${value}`);
    const database = await openDatabase(postgresOptions(url));
    await database.ping();
    await database.close();
  });

  it('whose synchronous_commit is switched off later gets no new connection', async () => {
    const database = await openDatabase(postgresOptions(url));
    await admin(`ALTER DATABASE ${databaseName()} SET synchronous_commit = off`);
    // The pool's one connection is busy with the transaction, so the ping needs a new one.
    await database.sql.transaction(async () => {
      await expect(database.ping()).rejects.toThrow(DatabaseUnavailable);
    });
    await database.close();
  });

  it('with an encoding that cannot store every text is refused, and the error explains the fix', async () => {
    const name = `latin_${databaseName()}`;
    await admin(`CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0`);
    const latin = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    await expect(openDatabase(postgresOptions(latin))).rejects.toThrow(/encoding.*is LATIN1.*ENCODING 'UTF8'/);
    await expect(openDatabase(postgresOptions(latin))).rejects.toBeInstanceOf(DatabaseUnusable);
  });

  it('that is too old is refused for its version, not for the settings that it lacks', async () => {
    // Functions that answer as PostgreSQL 13 does.
    await admin(`CREATE SCHEMA older;
      CREATE FUNCTION older.current_setting(text) RETURNS text LANGUAGE sql AS $$
        SELECT CASE $1 WHEN 'server_version_num' THEN '130011' ELSE pg_catalog.current_setting($1) END $$;
      CREATE FUNCTION older.current_setting(text, boolean) RETURNS text LANGUAGE sql AS $$
        SELECT CASE $1 WHEN 'idle_session_timeout' THEN NULL ELSE pg_catalog.current_setting($1, $2) END $$;
      CREATE FUNCTION older.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$
        SELECT pg_catalog.set_config(CASE $1 WHEN 'idle_session_timeout' THEN 'no_such_setting' ELSE $1 END, $2, $3) $$;
      ALTER DATABASE ${databaseName()} SET search_path = older, pg_catalog, public`);
    await expect(openDatabase(postgresOptions(url))).rejects.toThrow(/version 13 is too old: 14 or newer is needed/);
    await expect(openDatabase(postgresOptions(url))).rejects.toBeInstanceOf(DatabaseUnusable);
  });

  it('is used with the formats and kinds of transactions that Weir needs, whatever its operator has set', async () => {
    for (const setting of [
      "DateStyle = 'SQL, DMY'",
      "TimeZone = 'America/St_Johns'",
      "bytea_output = 'escape'",
      'extra_float_digits = -10',
      "default_transaction_isolation = 'serializable'",
      'row_security = off',
    ])
      await admin(`ALTER DATABASE ${databaseName()} SET ${setting}`);
    const database = await openDatabase(postgresOptions(url));
    await migrate(database);
    expect(Math.abs(database.clock.nowMs() - Date.now())).toBeLessThan(60_000);
    const createdAt = new Date('2026-03-04T05:06:07Z');
    await database.sql
      .forMaintenance()
      .query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', $2::timestamptz)`, [
        ...[ACCOUNT_ID, createdAt.toISOString()],
      ]);
    expect(await database.entities(ACCOUNT_ID).findOne(Account, { id: ACCOUNT_ID })).toMatchObject({ createdAt });
    const [kind] = await database.sql.transaction((transaction) =>
      transaction.query(`SELECT current_setting('transaction_isolation') AS isolation, '\\x00ff'::bytea::text AS bytes,
        current_setting('transaction_timeout', true) AS "timeout"`),
    );
    expect(kind).toMatchObject({ isolation: 'read committed', bytes: '\\x00ff' });
    expect([null, '0']).toContain(kind?.['timeout']);
    await database.close();
  });

  it('whose sessions a pooler has reset is used on new connections', async () => {
    const options = postgresOptions(url);
    if (options.kind !== 'postgres') throw new Error('not a PostgreSQL');
    const database = await openDatabase({ ...options, postgres: { ...options.postgres, poolSize: 2 } });
    const one = (sql: SqlExecutor): Promise<unknown> => sql.query('SELECT 1 AS one', [], { prepareAs: 'one' });
    const scoped = database.sql.forAccounts();
    const alone = (): Promise<unknown> => one(scoped);
    const inTransaction = (): Promise<unknown> => scoped.transaction(one);
    await migrate(database);
    for (const use of [alone, inTransaction]) {
      await Promise.all([use(), use()]);
      await database.sql.transaction(async (other) => {
        await other.query('DEALLOCATE ALL');
        await database.sql.query('DEALLOCATE ALL');
      });
      const outcomes: string[] = [];
      for (let n = 0; n < 6; n += 1) outcomes.push(await use().then(() => 'answered', codeOf));
      expect(outcomes.filter((outcome) => outcome !== 'answered').length).toBeLessThanOrEqual(2);
      expect(outcomes.slice(-3)).toEqual(['answered', 'answered', 'answered']);
    }
    await database.close();
  });

  it('without migrated tables causes an error that names the migrations and the command', async () => {
    const database = await openDatabase(postgresOptions(url));
    await expect(prepareTables(database)).rejects.toThrow(/0001-baseline.*weir server migrate/);
    await migrate(database);
    await prepareTables(database);
    await database.close();
  });

  it('whose tables have another origin causes an error that explains this, and is not changed', async () => {
    const database = await openDatabase(postgresOptions(url));
    await database.sql.query('CREATE TABLE accounts (name text)');
    await expect(migrate(database)).rejects.toThrow(/tables that no migration of this version created.*empty database/);
    expect(await database.sql.query(`SELECT 1 AS one FROM pg_class WHERE relname = 'events'`)).toEqual([]);
    await database.close();
  });

  it('is migrated once if several servers migrate it concurrently', async () => {
    const databases = await Promise.all([1, 2, 3].map(() => openDatabase(postgresOptions(url))));
    const ran = await Promise.all(databases.map((database) => migrate(database)));
    expect(ran.flat()).toEqual(MIGRATIONS.map(({ name }) => name));
    await Promise.all(databases.map((database) => database.close()));
  });

  it('is migrated even with a pool of one connection', async () => {
    const options = postgresOptions(url);
    if (options.kind !== 'postgres') throw new Error('not a PostgreSQL');
    const database = await openDatabase({ ...options, postgres: { ...options.postgres, poolSize: 1 } });
    expect(await migrate(database)).toEqual(MIGRATIONS.map(({ name }) => name));
    await database.close();
  });

  it('is migrated without the time limit that its other statements have', async () => {
    const database = await openDatabase(postgresOptions(url));
    await admin(`CREATE TABLE limits (ms text);
      CREATE FUNCTION note_limit() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO limits VALUES (current_setting('statement_timeout')); END $$;
      CREATE EVENT TRIGGER note_limit ON ddl_command_end WHEN TAG IN ('CREATE INDEX', 'CREATE FUNCTION')
        EXECUTE FUNCTION note_limit()`);
    await migrate(database);
    expect(await database.sql.query('SELECT DISTINCT ms FROM limits')).toEqual([{ ms: '0' }]);
    expect(await database.sql.query(`SELECT current_setting('statement_timeout') AS ms`)).toEqual([{ ms: '30s' }]);
    await database.close();
  });

  it('that is unreachable causes an outage error without the password', async () => {
    const secret = 'pass' + 'word-4711';
    const failure = await openDatabase(postgresOptions(`postgresql://weir:${secret}@127.0.0.1:1/weir`)).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(secret);
  });

  it('that crashes under load loses no acknowledged event and stores none twice', async () => {
    const database = await openDatabase(postgresOptions(url));
    await migrate(database);
    const log = new EventLog(database.sql);
    const acknowledged: string[] = [];
    let failures = 0;
    let running = true;
    const client = async (): Promise<void> => {
      while (running) {
        const request = appendRequest(newEvent({ eventId: freshEventId() }));
        // Like a client, the loop retries the same event until it is acknowledged.
        for (let stored = false; !stored && running;) {
          try {
            await log.append(request);
            acknowledged.push(request.event.eventId);
            stored = true;
          } catch (error) {
            expect(error).toMatchObject({ name: 'EventLogUnavailable' });
            failures += 1;
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
        }
      }
    };
    const clients = Array.from({ length: 32 }, client);
    const reach = async (target: number): Promise<void> => {
      while (acknowledged.length < target) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    for (let crash = 1; crash <= 3; crash += 1) {
      await reach(crash * 300);
      await postgres.crashAndRestart();
    }
    await reach(1_200);
    running = false;
    await Promise.all(clients);
    expect(failures).toBeGreaterThan(0);
    const rows = await database.sql.query<{ event_id: string; n: number }>(
      'SELECT event_id, count(*)::integer AS n FROM events GROUP BY event_id',
    );
    const stored = new Map(rows.map((row) => [row.event_id, row.n]));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(rows.filter((row) => row.n !== 1)).toEqual([]);
    await database.close();
  }, 60_000);

  it('reports "in progress" only for an event id that another server locks for too long', async () => {
    const options = postgresOptions(url);
    if (options.kind !== 'postgres') throw new Error('not a PostgreSQL');
    const database = await openDatabase({ ...options, postgres: { ...options.postgres, lockTimeoutMs: 100 } });
    await migrate(database);
    const log = new EventLog(database.sql);
    const held = newEvent({ eventId: freshEventId() });
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(`INSERT INTO event_ids VALUES ($1, $2, $3, 'production', '', $4, 200, '', now())`, [
      held.accountId,
      held.eventId,
      held.appId,
      held.id,
    ]);
    const first = log.append(appendRequest(newEvent()));
    const results = await Promise.allSettled(
      [held, newEvent(), newEvent()].map((event) => log.append(appendRequest(event))),
    );
    await first;
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(results[0]).toMatchObject({ reason: { name: 'EventIdInProgress' } });
    await holder.query('ROLLBACK');
    await holder.end();
    expect(await log.append(appendRequest(held))).toEqual({ outcome: 'appended' });
    await database.close();
  });
});

(binaries === undefined ? describe.skip : describe)('a PostgreSQL server without fsync', () => {
  it('is refused', async () => {
    const postgres = await TestPostgres.start(binaries ?? '', ['fsync=off', 'full_page_writes=off']);
    const url = await postgres.newDatabase();
    await expect(openDatabase(postgresOptions(url))).rejects.toThrow(/fsync is off.*full_page_writes is off/);
    await postgres.stop();
  }, 60_000);
});
