import { DamageWatch } from './damage-watch.js';
import { toDatabaseError } from './database-error.js';
import type { SqlDriver, SqlStatement } from './scoped-sessions.js';

const APPEND: SqlStatement = { sql: 'INSERT', parameters: [], prepareAs: 'append' };
const LOOK_UP: SqlStatement = { sql: 'SELECT', parameters: [] };

/** A database on which some statements fail with a SQLSTATE. */
function someDatabase() {
  const faults = new Map<string, string>();
  const clock = { ms: 0 };
  const answer = async ({ sql }: SqlStatement): Promise<never[]> => {
    const code = faults.get(sql);
    if (code !== undefined) throw toDatabaseError(Object.assign(new Error(), { code }));
    return [];
  };
  const driver: SqlDriver = {
    run: answer,
    inTransaction: async (opening, work) => {
      const result = await work(answer);
      await answer(opening);
      return result;
    },
  };
  return { faults, clock, watch: new DamageWatch(driver, () => clock.ms) };
}

describe('DamageWatch', () => {
  it.each(['XX001', 'XX002', '58030'])('reports %s until the same statement succeeds again', async (code) => {
    const { faults, watch } = someDatabase();
    faults.set('INSERT', code);
    await expect(watch.run(APPEND)).rejects.toMatchObject({ code });
    await watch.run(LOOK_UP);
    expect(watch.code).toBe(code);
    faults.clear();
    await watch.run(APPEND);
    expect(watch.code).toBeUndefined();
  });

  it('forgets a failure after five seconds, because a server that is not ready gets no calls', async () => {
    const { faults, clock, watch } = someDatabase();
    faults.set('INSERT', 'XX001');
    await expect(watch.run(APPEND)).rejects.toThrow();
    clock.ms = 5_000;
    expect(watch.code).toBe('XX001');
    clock.ms = 5_001;
    expect(watch.code).toBeUndefined();
  });

  it('counts a failure twice as long each time that it is met again, up to a minute', async () => {
    const { faults, clock, watch } = someDatabase();
    faults.set('INSERT', 'XX001');
    const counted: number[] = [];
    for (let failure = 0; failure < 6; failure += 1) {
      await expect(watch.run(APPEND)).rejects.toThrow();
      const fromMs = clock.ms;
      while (watch.code !== undefined) clock.ms += 1_000;
      counted.push(clock.ms - 1_000 - fromMs);
    }
    expect(counted).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    faults.clear();
    await watch.run(APPEND);
    faults.set('INSERT', 'XX001');
    await expect(watch.run(APPEND)).rejects.toThrow();
    clock.ms += 5_001;
    expect(watch.code).toBeUndefined();
  });

  it('counts the failures of simultaneous calls once', async () => {
    const { faults, clock, watch } = someDatabase();
    faults.set('INSERT', 'XX001');
    for (let call = 0; call < 10; call += 1) await expect(watch.run(APPEND)).rejects.toThrow();
    clock.ms = 5_001;
    expect(watch.code).toBeUndefined();
  });

  it.each(['INSERT', 'BEGIN'])('reports damage that a transaction meets at its %s', async (failing) => {
    const { faults, watch } = someDatabase();
    faults.set(failing, 'XX001');
    const opening: SqlStatement = { sql: 'BEGIN', parameters: [] };
    await expect(watch.inTransaction(opening, (execute) => execute(APPEND))).rejects.toThrow();
    expect(watch.code).toBe('XX001');
  });

  it.each(['23505', '57014', '53100', 'NO_ANSWER', 'ECONNREFUSED'])('does not count %s as damage', async (code) => {
    const { faults, watch } = someDatabase();
    faults.set('INSERT', code);
    await expect(watch.run(APPEND)).rejects.toThrow();
    expect(watch.code).toBeUndefined();
  });
});
