import { BudgetLedgerWriter } from '../../src/budgets/ledger/ledger-writer.js';
import { migrate, openDatabase, POSTGRES_DEFAULTS, type Database } from '../../src/database/index.js';
import { RetentionKeeper } from '../../src/events/retention/retention-keeper.js';
import { DatedLog, DAY_MS } from '../support/dated-log.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';

const LEDGER = new BudgetLedgerWriter({ ledgerEvents: () => undefined, freed: () => undefined });
/** Settings of one table: its autovacuum begins as soon as it changes, and then takes minutes for few pages. */
const SLOW_AUTOVACUUM = `autovacuum_vacuum_insert_threshold = 0, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1`;

describeOnPostgres('the retention of events during an autovacuum of PostgreSQL', (binaries) => {
  let postgres: TestPostgres;
  let databaseUrl: string;
  let database: Database;
  const log = new DatedLog(() => database.sql, '6fb');

  /** Applies a retention of 40 days. @returns the reported messages */
  const keepOn = async (day: number, startMs: number): Promise<string[]> => {
    const reports: string[] = [];
    await new RetentionKeeper({
      sql: database.sql,
      inForce: { read: async () => () => ({ holds: [], recordsDays: 40 }) },
      ledger: LEDGER,
      report: (message) => reports.push(message),
      now: () => new Date(startMs + day * DAY_MS),
    }).keep();
    return reports;
  };
  /** The table of the week whose Wednesday this is. */
  const weekOf = (wednesdayMs: number): string =>
    `events_w${new Date(wednesdayMs - 2 * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const tablesOf = async (name: string): Promise<number> =>
    (await database.sql.forMaintenance().query('SELECT 1 AS one FROM pg_class WHERE relname = $1', [name])).length;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries, ['autovacuum_naptime=1s']);
    databaseUrl = await postgres.newDatabase();
    database = await openDatabase({ kind: 'postgres', postgres: { ...POSTGRES_DEFAULTS, databaseUrl } });
    await migrate(database);
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await postgres.stop();
  });

  it('ends an autovacuum of the week that is removed', async () => {
    const { startMs } = await log.begin();
    const partition = weekOf(startMs);
    const owner = database.sql.forMaintenance();
    await owner.query(`ALTER TABLE ${partition} SET (${SLOW_AUTOVACUUM})`);
    /** Whether an autovacuum has locked the week: no statement of the service takes this lock. */
    const isVacuumed = async (): Promise<boolean> => {
      const locks = await owner.query(
        `SELECT 1 AS one FROM pg_locks WHERE relation = to_regclass($1) AND mode = 'ShareUpdateExclusiveLock'`,
        [partition],
      );
      return locks.length > 0;
    };
    // Many events, so that there are enough pages for a vacuum of minutes.
    for (let event = 0; event < 400; event++) await log.store(log.eventOn(0));
    while (!(await isVacuumed())) await log.store(log.eventOn(0));

    expect(await keepOn(60, startMs)).toEqual([]);
    expect(await tablesOf(partition)).toBe(0);
  }, 120_000);

  it('does not wait for an autovacuum of another week', async () => {
    const { startMs } = await log.begin();
    await log.store(log.eventOn(0));
    await log.store(log.eventOn(28));
    const other = await openDatabase({ kind: 'postgres', postgres: { ...POSTGRES_DEFAULTS, databaseUrl } });
    try {
      await other.sql.forMaintenance().transaction(async (vacuum) => {
        // The lock of a vacuum.
        await vacuum.query(`LOCK TABLE ${weekOf(startMs + 28 * DAY_MS)} IN SHARE UPDATE EXCLUSIVE MODE`);
        expect(await keepOn(60, startMs)).toEqual([]);
      });
    } finally {
      await other.close();
    }
    expect(await tablesOf(weekOf(startMs))).toBe(0);
    expect(await tablesOf(weekOf(startMs + 28 * DAY_MS))).toBe(1);
  }, 60_000);
});
