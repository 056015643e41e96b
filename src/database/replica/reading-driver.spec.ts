import { DatabaseError, DatabaseUnavailable, noAnswer } from '../database-error.js';
import type { SqlDriver } from '../scoped-sessions.js';
import type { SqlRow } from '../sql-runner.js';
import { ReadingDriver } from './reading-driver.js';

const STATEMENT = { sql: 'SELECT 1', parameters: [] };

/** A server that answers, or fails with an error. */
function server(name: string, error?: Error) {
  const asked: string[] = [];
  const run = (): Promise<SqlRow[]> => {
    asked.push(name);
    return error === undefined ? Promise.resolve([{ name }]) : Promise.reject(error);
  };
  const driver: SqlDriver = { run, inTransaction: (_opening, work) => work(run) };
  return { driver, asked };
}

/** The result of a read, and the servers that it was sent to. */
async function read(options: { isUsable?: boolean; replicaFails?: Error; within?: 'statement' | 'transaction' }) {
  const { isUsable = true, replicaFails, within = 'statement' } = options;
  const replica = server('replica', replicaFails);
  const primary = server('primary');
  const counted: string[] = [];
  const failures: unknown[] = [];
  const reading = new ReadingDriver(replica.driver, primary.driver, {
    isUsable,
    asked: (who) => counted.push(who),
    failed: (error) => failures.push(error),
  });
  const answer =
    within === 'statement'
      ? reading.run(STATEMENT)
      : reading.inTransaction({ sql: 'BEGIN', parameters: [] }, (execute) => execute(STATEMENT));
  const rows = await answer.catch((error: unknown) => error);
  return { rows, asked: [...replica.asked, ...primary.asked], counted, failures };
}

describe('ReadingDriver', () => {
  it('sends reads to the replica while it is usable, otherwise to the primary', async () => {
    expect(await read({})).toMatchObject({ rows: [{ name: 'replica' }], asked: ['replica'], counted: ['replica'] });
    expect(await read({ isUsable: false })).toMatchObject({
      ...{ rows: [{ name: 'primary' }], asked: ['primary'], counted: ['primary'] },
    });
  });

  it.each([
    ['does not answer', noAnswer()],
    ['cannot be reached', new DatabaseUnavailable('the database cannot be reached', 'ECONNREFUSED')],
    [
      'removes rows that are being read',
      new DatabaseError('40001', 'canceling statement due to conflict with recovery'),
    ],
    ['lacks a table that was just created', new DatabaseError('42P01', 'relation "new" does not exist')],
  ])('repeats reads on the primary if the replica %s', async (_what, replicaFails) => {
    for (const within of ['statement', 'transaction'] as const) {
      expect(await read({ replicaFails, within })).toMatchObject({
        rows: [{ name: 'primary' }],
        asked: ['replica', 'primary'],
        counted: ['primary'],
        failures: [replicaFails],
      });
    }
  });

  it('does not repeat on the primary a write that the replica has refused', async () => {
    const refused = new DatabaseUnavailable('the database cannot answer (SQLSTATE 25006)', '25006');
    for (const within of ['statement', 'transaction'] as const) {
      expect(await read({ replicaFails: refused, within })).toMatchObject({ rows: refused, asked: ['replica'] });
    }
  });

  it('does not repeat on the primary a read that has reached the time limit of a statement', async () => {
    const tooLong = new DatabaseUnavailable('the database cannot answer (SQLSTATE 57014)', '57014');
    for (const within of ['statement', 'transaction'] as const) {
      const expected = { rows: tooLong, asked: ['replica'], failures: [] };
      expect(await read({ replicaFails: tooLong, within })).toMatchObject(expected);
    }
  });

  it('sends all reads of a group to the primary if the replica could not answer the second read', async () => {
    const [replica, primary] = [server('replica'), server('primary')];
    const failing: SqlDriver = {
      ...replica.driver,
      run: () => (replica.asked.length > 0 ? Promise.reject(noAnswer()) : replica.driver.run(STATEMENT)),
    };
    const reads = { isUsable: true, asked: () => undefined, failed: () => undefined };
    const both = new ReadingDriver(failing, primary.driver, reads).atOnce(async (driver) => {
      const first = await driver.run(STATEMENT);
      // Callers replace errors with their own.
      const second = await driver.run(STATEMENT).catch(() => Promise.reject(new Error('the log cannot be reached')));
      return [...first, ...second];
    });
    expect(await both).toEqual([{ name: 'primary' }, { name: 'primary' }]);
  });

  it('repeats reads on the primary if the replica fails after cancelling a statement as requested', async () => {
    const [replica, primary] = [server('replica'), server('primary')];
    const ended = new DatabaseUnavailable('the database cannot answer (SQLSTATE 57014)', '57014');
    const failing: SqlDriver = {
      ...replica.driver,
      run: ({ endAfterMs }) => Promise.reject(endAfterMs === undefined ? noAnswer() : ended),
    };
    const reads = { isUsable: true, asked: () => undefined, failed: () => undefined };
    const rows = await new ReadingDriver(failing, primary.driver, reads).atOnce(async (driver) => {
      await driver.run({ ...STATEMENT, endAfterMs: 5 }).catch(() => undefined);
      return driver.run(STATEMENT);
    });
    expect(rows).toEqual([{ name: 'primary' }]);
  });

  it('passes on errors that the work itself throws', async () => {
    const mine = new Error('a fault of the caller');
    expect(await read({ replicaFails: mine, within: 'transaction' })).toMatchObject({ rows: mine, asked: ['replica'] });
  });
});
