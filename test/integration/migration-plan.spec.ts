import { migrate, openDatabase, type Database } from '../../src/database/index.js';
import { planStatements } from '../../src/database/migration-plan.js';
import { effectOf } from '../../src/database/statement-effect.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { postgresOptions } from '../support/each-database.js';
import { TestPostgres } from '../support/postgres.js';

/** The names of locks in `pg_locks`, the strictest first. */
const LOCKS = ['AccessExclusive', 'Exclusive', 'ShareRowExclusive', 'Share', 'ShareUpdateExclusive', 'RowExclusive'];

/** Typical statements of migrations, on a table that already exists. */
const STATEMENTS = [
  'ALTER TABLE apps ADD COLUMN note text',
  'ALTER TABLE apps ADD COLUMN n integer NOT NULL DEFAULT 0',
  'ALTER TABLE apps DROP COLUMN limits',
  'ALTER TABLE apps RENAME COLUMN limits TO bounds',
  'ALTER TABLE apps ALTER COLUMN limits TYPE jsonb USING limits::jsonb',
  'ALTER TABLE apps ALTER COLUMN limits SET NOT NULL',
  'ALTER TABLE apps ALTER COLUMN name DROP NOT NULL',
  `ALTER TABLE apps ADD CONSTRAINT named CHECK (name <> '') NOT VALID`,
  `ALTER TABLE apps ADD CONSTRAINT named CHECK (name <> '')`,
  'ALTER TABLE apps SET (fillfactor = 70)',
  'ALTER TABLE apps ENABLE ROW LEVEL SECURITY',
  'CREATE INDEX apps_created ON apps (account_id, created_at)',
  'CREATE UNIQUE INDEX apps_created ON apps (account_id, id, created_at)',
  'CREATE POLICY planned ON apps TO weir_app USING (true)',
  `UPDATE apps SET name = 'x'`,
  'DELETE FROM apps WHERE false',
  'DROP INDEX budget_periods_window /* of budget_periods */',
  'DROP TABLE call_refusals',
  'CREATE TRIGGER planned BEFORE UPDATE ON apps FOR EACH ROW EXECUTE FUNCTION admin_actions_only_grow()',
];

describeOnPostgres('The plan of a migration', (binaries) => {
  let postgres: TestPostgres;
  let database: Database;
  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    database = await openDatabase(postgresOptions(await postgres.newDatabase()));
    await migrate(database);
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await postgres.stop();
  });

  it.each(STATEMENTS)('names the lock that PostgreSQL takes: %s', async (statement) => {
    const { table, lock } = effectOf(statement);
    const taken: string[] = [];
    const undo = new Error('only tried');
    await database.sql
      .forMaintenance()
      .transaction(async (transaction) => {
        const [before] = await transaction.query<{ oid: string }>('SELECT to_regclass($1)::oid::text AS oid', [table!]);
        await transaction.query(statement);
        const rows = await transaction.query<{ mode: string }>(
          `SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = $1::oid`,
          [before!.oid],
        );
        taken.push(...rows.map(({ mode }) => mode.replace(/Lock$/, '')));
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    const strictest = LOCKS.find((each) => taken.includes(each));
    expect(strictest).toBe(
      lock!
        .toLowerCase()
        .split(' ')
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join(''),
    );
  });

  it('estimates, from the size of a table with its partitions, how long other statements wait', async () => {
    await database.sql.forMaintenance().query(
      `INSERT INTO call_refusals (account_id, app_id, minute, status, type, n, last_at)
       SELECT gen_random_uuid(), gen_random_uuid(), now(), 429, 'x', 1, now() FROM generate_series(1, 20000)`,
    );
    const [index, column, fresh, events] = await planStatements(database, [
      'CREATE INDEX call_refusals_last ON call_refusals (account_id, last_at)',
      'ALTER TABLE call_refusals ADD COLUMN note text',
      'CREATE TABLE notes (account_id uuid NOT NULL)',
      'CREATE INDEX events_model ON events (account_id, model)',
    ]);
    expect(index!.bytes).toBeGreaterThan(1_000_000);
    expect(index!.seconds).toBeGreaterThan(0);
    expect(column).toMatchObject({ bytes: index!.bytes, seconds: 0 });
    expect(fresh).toEqual({ does: 'creates the table notes', work: 'nothing', seconds: 0 });
    expect(events!.bytes).toBeGreaterThan(0);
  });
});
