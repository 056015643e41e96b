/** The isolation of accounts by the database itself, whatever statements request. */
import { App, DatabaseError, openDatabase, type Database, type SqlSession } from '../../src/database/index.js';
import { addAccount, addApp, interleave } from '../support/interleaved-accounts.js';
import { eachDatabase, postgresOptions } from '../support/each-database.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { migrate } from '../../src/database/index.js';

const ROLES = [
  ...['weir_app', 'weir_authenticator', 'weir_eraser', 'weir_identity', 'weir_locator', 'weir_sweeper'],
  'weir_watcher',
];

/** Tables with rows of people, who belong to accounts, but without the account's id. */
const OF_PEOPLE = ['people', 'sessions', 'email_tokens', 'mail_outbox'];
/** Tables without data of any account or person. */
const OF_NOBODY = ['call_gap_sweeps', 'migrations', 'policy_replicas', 'readiness_probes'];

/**
 * Unique keys of account tables that do not begin with the account, with the reason. If tables are distributed over several
 * servers by account, as with Citus, the small tables with these keys must be copied to every server: see docs/guides/more-machines.md.
 */
const OTHER_KEYS: Readonly<Record<string, string>> = {
  api_keys_key_id: 'a caller names its key before it is known whose it is',
  management_tokens_token_id: 'a caller names its token before it is known whose it is',
  subscriptions_stripe_customer: 'Stripe names its customer, and one customer must not pay for two accounts',
};

/** References from rows of accounts to rows that belong to no account, with the reason. */
const OTHER_REFERENCES: Readonly<Record<string, string>> = {
  'memberships.person_id': 'a person may belong to several accounts',
  'policy_activations.replica_id': 'a process serves all accounts',
  'policy_deployments.person_id': 'a person may belong to several accounts',
};

eachDatabase('row-level security', (current) => {
  const database = (): Database => current().database;
  const list = async (sql: string): Promise<string[]> =>
    (await database().sql.query<{ name: string }>(sql)).map(({ name }) => name);

  const [mine, theirs] = [crypto.randomUUID(), crypto.randomUUID()];
  beforeAll(async () => {
    for (const id of [mine, theirs]) await addAccount(database(), id);
  });

  describe('in the catalog', () => {
    const TENANT_TABLES = `SELECT c.oid, c.relname FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
        AND (c.relname IN ('accounts', ${OF_PEOPLE.map((name) => `'${name}'`).join(', ')}) OR EXISTS (
          SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped))`;
    const unguarded = (): Promise<string[]> =>
      list(`SELECT t.relname::text AS name FROM (${TENANT_TABLES}) t JOIN pg_class c ON c.oid = t.oid
        WHERE NOT (c.relrowsecurity AND c.relforcerowsecurity
          AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid)) ORDER BY 1`);

    it('is enabled, and forced for the owner, for every table with rows of accounts or people', async () => {
      expect(await list(`SELECT t.relname::text AS name FROM (${TENANT_TABLES}) t`)).toEqual(
        expect.arrayContaining(['accounts', 'events', 'events_default', 'budget_entries', 'people']),
      );
      expect(await unguarded()).toEqual([]);
      const others = await list(`SELECT c.relname::text AS name FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity
        ORDER BY 1`);
      expect(others).toEqual(OF_NOBODY);
      await database().sql.query('CREATE TABLE forgotten (account_id uuid PRIMARY KEY)');
      expect(await unguarded()).toEqual(['forgotten']);
      await database().sql.query('DROP TABLE forgotten');
    });

    it('shows no row to the role for accounts without a check of the account', async () => {
      const open = await list(`SELECT c.relname || '.' || p.polname AS name FROM pg_policy p
        JOIN pg_class c ON c.oid = p.polrelid
        WHERE 'weir_app'::regrole = ANY (p.polroles) OR p.polroles = '{0}'
        GROUP BY 1, p.polqual, p.polrelid
        HAVING pg_get_expr(p.polqual, p.polrelid) NOT LIKE '%weir.accounts%'
           AND pg_get_expr(p.polqual, p.polrelid) NOT LIKE '%memberships%' ORDER BY 1`);
      expect(open).toEqual([]);
    });

    it('applies to roles that own nothing, cannot log in and cannot bypass it', async () => {
      const roles = await list(`SELECT rolname::text AS name FROM pg_roles WHERE rolname LIKE 'weir\\_%'
        AND NOT (rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole OR rolcreatedb OR rolreplication) ORDER BY 1`);
      expect(roles).toEqual(ROLES);
      const owned = await list(`SELECT d.refobjid::regrole::text AS name FROM pg_shdepend d
        WHERE d.refclassid = 'pg_authid'::regclass AND d.deptype = 'o'
          AND d.refobjid IN (SELECT oid FROM pg_roles WHERE rolname LIKE 'weir\\_%')`);
      expect(owned).toEqual([]);
      const members = await list(`SELECT m.member::regrole::text AS name FROM pg_auth_members m
        WHERE m.member IN (SELECT oid FROM pg_roles WHERE rolname LIKE 'weir\\_%')`);
      expect(members).toEqual([]);
    });

    it('is bypassed by no function or view that runs with the rights of its owner', async () => {
      const around = await list(`SELECT proname::text AS name FROM pg_proc
          WHERE pronamespace = current_schema()::regnamespace AND prosecdef
        UNION SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
          AND (c.relkind = 'm' OR c.relkind = 'v' AND NOT 'security_invoker=true' = ANY (coalesce(c.reloptions, '{}')))`);
      expect(around).toEqual([]);
    });

    it('allows access to the partitions of the log only through the log', async () => {
      const reached = await list(`SELECT DISTINCT i.inhrelid::regclass::text AS name FROM pg_inherits i
        CROSS JOIN pg_roles r WHERE i.inhparent = 'events'::regclass AND r.rolname LIKE 'weir\\_%'
          AND has_table_privilege(r.oid, i.inhrelid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')`);
      expect(reached).toEqual([]);
      await expect(database().sql.forAccounts(mine).query('SELECT 1 AS one FROM events_default')).rejects.toMatchObject(
        { sqlState: '42501' },
      );
    });

    it('has keys that start with the account', async () => {
      const others = await list(`SELECT i.indexrelid::regclass::text AS name FROM pg_index i
        JOIN (${TENANT_TABLES}) t ON t.oid = i.indrelid
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indisunique AND a.attname IS DISTINCT FROM 'account_id'
          AND t.relname NOT IN ('accounts', ${OF_PEOPLE.map((name) => `'${name}'`).join(', ')}) ORDER BY 1`);
      expect(others).toEqual(Object.keys(OTHER_KEYS));
    });

    it('allows references only within the same account, so that accounts can be distributed over servers', async () => {
      const references = `SELECT DISTINCT t.relname || '.' || a.attname AS name FROM pg_constraint c
        JOIN (${TENANT_TABLES}) t ON t.oid = c.conrelid
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
        WHERE c.contype = 'f' AND a.attname <> 'account_id' AND t.relname NOT IN (${OF_PEOPLE.map((name) => `'${name}'`).join(', ')})
        ORDER BY 1`;
      expect(await list(references)).toEqual(Object.keys(OTHER_REFERENCES));
      await database().sql.query(
        'CREATE TABLE astray (account_id uuid PRIMARY KEY, person_id uuid REFERENCES people (id))',
      );
      expect(await list(references)).toContain('astray.person_id');
      await database().sql.query('DROP TABLE astray');
    });

    it('grants each duty only the rights that it needs', async () => {
      const writable =
        await list(`SELECT r.rolname || ': ' || string_agg(DISTINCT c.relname, ' ' ORDER BY c.relname) AS name
        FROM pg_roles r CROSS JOIN pg_class c
        WHERE r.rolname LIKE 'weir\\_%' AND r.rolname <> 'weir_app'
          AND c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
          AND (has_any_column_privilege(r.oid, c.oid, 'INSERT, UPDATE') OR has_table_privilege(r.oid, c.oid, 'DELETE'))
        GROUP BY r.rolname ORDER BY 1`);
      expect(writable).toEqual([
        'weir_authenticator: sessions',
        'weir_eraser: archive_parts budget_entries budget_periods budget_reservations erasures event_ids event_marks events export_parts export_schedules exports saved_views session_histories session_rollups',
        'weir_identity: accounts admin_actions api_keys email_tokens mail_outbox management_tokens memberships people sessions subscriptions',
        'weir_watcher: policy_replicas readiness_probes',
      ]);
      const { sql } = database();
      await expect(sql.forDuty('authenticate').query('SELECT password_hash FROM people')).rejects.toMatchObject({
        sqlState: '42501',
      });
      for (const secret of ['password_hash FROM people', 'token_sha256 FROM sessions']) {
        const read = sql.forAccounts(mine).query(`SELECT ${secret}`);
        await expect(read).rejects.toMatchObject({ sqlState: '42501' });
      }
      for (const duty of ['locate', 'watch', 'sweep'] as const) {
        await expect(sql.forDuty(duty, mine).query('SELECT payload FROM events')).rejects.toBeInstanceOf(DatabaseError);
      }
    });
  });

  const seen = async (session: Pick<SqlSession, 'query'>, prepareAs?: string): Promise<string[]> =>
    (
      await session.query<{ id: string }>(
        'SELECT account_id::text AS id FROM apps ORDER BY 1',
        [],
        prepareAs === undefined ? {} : { prepareAs },
      )
    ).map(({ id }) => id);

  it('limits a statement without conditions to the rows of its accounts', async () => {
    const { sql } = database();
    for (const name of [undefined, 'apps-seen', 'apps-seen']) {
      expect(await seen(sql.forAccounts(mine), name)).toEqual([mine]);
      expect(await seen(sql.forAccounts(theirs), name)).toEqual([theirs]);
      expect(await seen(sql.forAccounts(mine, theirs), name)).toEqual([mine, theirs].sort());
      expect(await seen(sql.forAccounts(), name)).toEqual([]);
    }
    expect((await database().entities(mine).findAll(App)).map(({ accountId }) => accountId)).toEqual([mine]);
  });

  it('applies throughout a transaction, even to accounts that the transaction enters', async () => {
    await database()
      .sql.forAccounts(mine)
      .transaction(async (transaction) => {
        expect(await seen(transaction)).toEqual([mine]);
        await transaction.enter({ accounts: [theirs] });
        expect(await seen(transaction)).toEqual([theirs]);
        await transaction.enter({ accounts: [] });
        expect(await seen(transaction)).toEqual([]);
      });
  });

  it('refuses a row for another account, and changes no row of another account', async () => {
    const session = database().sql.forAccounts(mine);
    const refused = addApp(session, theirs, 'smuggled');
    await expect(refused).rejects.toMatchObject({ name: 'DatabaseError', sqlState: '42501' });
    await expect(refused).rejects.not.toThrow(theirs);
    await expect(addApp(database().sql.forAccounts(), mine, 'nobody')).rejects.toMatchObject({ sqlState: '42501' });
    const changed = await session.query(`UPDATE apps SET name = 'changed' RETURNING account_id::text AS id`);
    expect(changed).toEqual([{ id: mine }]);
    await expect(session.query('DELETE FROM apps')).rejects.toMatchObject({ sqlState: '42501' });
  });

  it('supports every kind of parameter together with the scope', async () => {
    const session = database().sql.forAccounts(mine);
    const statement = `SELECT $1::text[]::text AS a, $2::bytea::text AS b, $3::integer AS c, $4::text AS d, $5::boolean AS e,
      array_length($6::text[], 1) IS NULL AS f`;
    const parameters = [['a"\\,{} ', null, '', 'NULL'], new Uint8Array([1, 255]), 7, null, true, []];
    for (const options of [{}, { prepareAs: 'all-kinds' }, { prepareAs: 'all-kinds' }]) {
      expect(await session.query(statement, parameters, options)).toEqual([
        { a: '{"a\\"\\\\,{} ",NULL,"","NULL"}', b: '\\x01ff', c: 7, d: null, e: true, f: true },
      ]);
    }
  });

  it('refuses a text that is not the id of an account', () => {
    for (const id of ['', `${mine},${theirs}`, "'; RESET ROLE; --", 'x'.repeat(36)]) {
      expect(() => database().sql.forAccounts(id)).toThrow(RangeError);
    }
  });
});

describe('two concurrent accounts', () => {
  const binaries = findPostgresBinaries();
  (binaries === undefined ? it.skip : it)('never see a row of each other on a pool of two connections', async () => {
    const postgres = await TestPostgres.start(binaries!);
    const options = postgresOptions(await postgres.newDatabase());
    if (options.kind !== 'postgres') throw new Error('this is about PostgreSQL');
    const database = await openDatabase({ ...options, postgres: { ...options.postgres, poolSize: 2 } });
    try {
      await migrate(database);
      await interleave(database);
    } finally {
      await database.close();
      await postgres.stop();
    }
  });
});
