import { ENTITIES } from '../../src/database/entities/index.js';
import { DatabaseError, migrate, pendingMigrations, POSTGRES_DEFAULTS } from '../../src/database/index.js';
import { eachDatabase } from '../support/each-database.js';

/** Tables whose rows belong to the whole service or to a person, with the first column of their keys. */
const OF_NO_ACCOUNT: ReadonlyMap<string, string> = new Map([
  ['accounts', 'id'],
  ['call_gap_sweeps', 'one'],
  ['email_tokens', 'person_id'],
  ['mail_outbox', 'id'],
  ['people', 'id'],
  ['policy_replicas', 'id'],
  ['readiness_probes', 'slot'],
  ['sessions', 'person_id'],
]);

eachDatabase('the tables', (current) => {
  it('are complete after one run of the migrations, and a second run changes nothing', async () => {
    expect(await pendingMigrations(current().database)).toEqual([]);
    expect(await migrate(current().database)).toEqual([]);
  });

  it('have exactly the columns that the entities describe', async () => {
    const { sql, orm } = current().database;
    for (const entity of ENTITIES) {
      const meta = orm.getMetadata().getByClassName(entity.name);
      const columns = await sql.query<{ name: string; nullable: boolean }>(
        `SELECT column_name::text AS name, is_nullable = 'YES' AS nullable FROM information_schema.columns
         WHERE table_name = $1`,
        [meta.tableName],
      );
      const described = meta.props.map((property) => ({
        name: property.fieldNames[0],
        nullable: property.nullable === true,
      }));
      const byName = (left: { name?: string }, right: { name?: string }) =>
        (left.name ?? '').localeCompare(right.name ?? '');
      expect(columns.toSorted(byName)).toEqual(described.toSorted(byName));
    }
  });

  it('have the account as the first column of every primary key, except for tables that belong to no account', async () => {
    const rows = await current().database.sql.query<{ name: string; column: string }>(
      `SELECT c.relname::text AS name, a.attname::text AS column
       FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
       WHERE i.indisprimary AND n.nspname = 'public' AND c.relname <> 'migrations'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(6);
    for (const { name, column } of rows) {
      expect(`${name}.${column}`).toBe(`${name}.${OF_NO_ACCOUNT.get(name) ?? 'account_id'}`);
    }
  });
});

eachDatabase('the SQL runner', (current) => {
  it('rolls a transaction back if its function throws, and rethrows the same error', async () => {
    const { sql } = current().database;
    await sql.query('CREATE TABLE notes (text text NOT NULL)');
    const reason = new Error('changed my mind');
    await expect(
      sql.transaction(async (transaction) => {
        await transaction.query('INSERT INTO notes VALUES ($1)', ['gone']);
        throw reason;
      }),
    ).rejects.toBe(reason);
    await sql.transaction((transaction) => transaction.query('INSERT INTO notes VALUES ($1)', ['kept']));
    expect(await sql.query('SELECT text FROM notes')).toEqual([{ text: 'kept' }]);
  });

  it('makes PostgreSQL cancel a statement after its time limit, but not the next statement', async () => {
    const { database, kind } = current();
    if (kind === 'embedded') return;
    const session = database.sql.forAccounts();
    const outcomes: string[] = [];
    database.figures.setObserver({ waited: () => undefined, ran: (_ms, outcome) => void outcomes.push(outcome) });
    const [before] = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    for (let times = 0; times < 2; times++) {
      const ended = session.query('SELECT pg_sleep(600)', [], { endAfterMs: 1 });
      await expect(ended).rejects.toMatchObject({ name: 'DatabaseUnavailable', isEnded: true });
    }
    const [after] = await session.query<{ pid: number; ms: string }>(
      `SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS ms FROM pg_sleep(0.01)`,
    );
    expect(outcomes).toEqual(['done', 'ended', 'ended', 'done']);
    expect(after).toEqual({ pid: before?.pid, ms: `${POSTGRES_DEFAULTS.statementTimeoutMs / 1_000}s` });
  });

  it('stores the rows of a statement and of those before it together or not at all, and remains usable after a failure', async () => {
    const { sql } = current().database;
    const session = sql.forAccounts();
    const store = (first: string, then: string): Promise<unknown> =>
      session.query('INSERT INTO steps VALUES ($1::text::integer) RETURNING n', [then], {
        prepareAs: 'steps-then',
        after: [
          {
            sql: 'INSERT INTO steps SELECT v::integer FROM unnest(ARRAY[$1, $2]::text[]) v RETURNING n',
            parameters: [first, '0'],
            prepareAs: 'steps-first',
          },
        ],
      });
    await expect(store('1', '2')).rejects.toMatchObject({ sqlState: '42P01' });
    await sql.query('CREATE TABLE steps (n integer NOT NULL)');
    await sql.query('GRANT ALL ON steps TO weir_app');
    const isNoNumber = { sqlState: '22P02', isDataError: true };
    await expect(store('one', '2')).rejects.toMatchObject(isNoNumber);
    expect(await store('1', '2')).toEqual([{ n: 2 }]);
    await expect(store('3', 'four')).rejects.toMatchObject(isNoNumber);
    await expect(store('five', '6')).rejects.toMatchObject(isNoNumber);
    expect(await store('7', '8')).toEqual([{ n: 8 }]);
    expect(await session.query('SELECT n FROM steps ORDER BY n')).toEqual([0, 0, 1, 2, 7, 8].map((n) => ({ n })));
  });

  it('runs statements of other callers outside an open transaction', async () => {
    const { sql } = current().database;
    await sql.query('CREATE TABLE counts (n integer NOT NULL)');
    let outside: Promise<unknown> | undefined;
    await sql
      .transaction(async (transaction) => {
        await transaction.query('INSERT INTO counts VALUES (1)');
        outside = sql.query('INSERT INTO counts VALUES (2)');
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await outside;
    expect(await sql.query('SELECT n FROM counts')).toEqual([{ n: 2 }]);
  });

  it('reports the kind of a failure, but never a value of the statement', async () => {
    const { sql } = current().database;
    const secret = 'not-a-' + 'uuid';
    const failure = await sql.query('SELECT $1::text::uuid', [secret]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseError);
    expect(failure).toMatchObject({ sqlState: '22P02', isDataError: true });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(secret);
  });

  it('passes arrays with quotes, backslashes, commas, line breaks and nulls to the database unchanged', async () => {
    const values = ['plain', 'a"b', 'a\\b', '{a,b}', '', 'NULL', ' x\n\ty ', null, 'ü🙂'];
    const rows = await current().database.sql.query<{ value: string | null }>(
      'SELECT value FROM unnest($1::text[]) WITH ORDINALITY AS t (value, n) ORDER BY n',
      [values],
    );
    expect(rows.map(({ value }) => value)).toEqual(values);
  });

  it('passes bytes to the database unchanged', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const [row] = await current().database.sql.query<{ hex: string }>(`SELECT encode($1::bytea, 'hex') AS hex`, [
      bytes,
    ]);
    expect(row?.hex).toBe(Buffer.from(bytes).toString('hex'));
  });
});
