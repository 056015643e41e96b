import type { Database } from './database.js';
import { DatabaseUnusable } from './database-error.js';
import { migrate } from './migrate.js';

const LOCKED = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** A database with one pending migration, which fails with the given errors first. */
function someDatabase(kind: Database['kind'], failures: Error[]) {
  const state = {
    isUnhurried: false,
    settings: [] as string[],
    /** Statements of the transactions that create the roles and hold the lock. */
    locks: [] as string[],
    runs: [] as boolean[],
    pauses: 0,
  };
  const connection = {
    transactional: (work: (transaction: object) => Promise<unknown>) => work({}),
    execute: async (sql: string): Promise<void> => void state.settings.push(sql),
  };
  const migrator = {
    getPending: async () => [{ name: 'pending' }],
    up: async () => {
      state.runs.push(state.isUnhurried);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return [{ name: 'pending' }];
    },
  };
  const database = {
    kind,
    orm: { migrator, em: { getConnection: () => connection } },
    sql: {
      transaction: async (work: (transaction: object) => Promise<unknown>): Promise<unknown> =>
        // Creates the roles, and takes the lock of migrations.
        work({
          query: async (sql: string) => {
            state.locks.push(sql);
            return [];
          },
        }),
    },
    unhurried: async (work: () => Promise<unknown>): Promise<unknown> => {
      state.isUnhurried = true;
      return work().finally(() => void (state.isUnhurried = false));
    },
  } as unknown as Database;
  const pause = async (): Promise<void> => void (state.pauses += 1);
  return { state, database, pause };
}

describe('migrate', () => {
  it.each(['embedded', 'postgres'] as const)(
    'runs migrations of the %s database without a time limit',
    async (kind) => {
      const { state, database, pause } = someDatabase(kind, []);
      expect(await migrate(database, pause)).toEqual(['pending']);
      expect(state.runs).toEqual([true]);
      expect(state.settings).toEqual([expect.stringContaining(`'statement_timeout', '0'`)]);
    },
  );

  it('makes PostgreSQL notice within minutes that the machine with the lock of migrations is gone', async () => {
    const { state, database, pause } = someDatabase('postgres', []);
    await migrate(database, pause);
    const settings = state.locks.find((sql) => sql.includes("'idle_in_transaction_session_timeout', '0'")) ?? '';
    const [, idle, interval, count] = /_idle', '(\d+)'.*_interval', '(\d+)'.*_count', '(\d+)'/s.exec(settings) ?? [];
    expect(Number(idle) + Number(interval) * Number(count)).toBeLessThanOrEqual(120);
  });

  it('tries again while a table is locked, and waits longer in the last attempts', async () => {
    const { state, database, pause } = someDatabase(
      'postgres',
      Array.from({ length: 14 }, () => LOCKED),
    );
    expect(await migrate(database, pause)).toEqual(['pending']);
    expect(state.pauses).toBe(14);
    const waits = state.settings.map((sql) => Number(/'lock_timeout', '(\d+)ms'/.exec(sql)?.[1]));
    expect([waits[0], waits[9], waits[10], waits[14]]).toEqual([800, 800, 2_500, 2_500]);
  });

  it('reports a table that stays locked, and what to do', async () => {
    const { database, pause } = someDatabase(
      'postgres',
      Array.from({ length: 15 }, () => LOCKED),
    );
    const failure = await migrate(database, pause).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnusable);
    expect((failure as Error).message).toContain('run `weir server migrate` again');
  });

  it('does not repeat a migration that fails for another reason', async () => {
    const { state, database, pause } = someDatabase('postgres', [Object.assign(new Error('x'), { code: '42703' })]);
    await expect(migrate(database, pause)).rejects.toMatchObject({ code: '42703' });
    expect(state.runs).toHaveLength(1);
  });
});
