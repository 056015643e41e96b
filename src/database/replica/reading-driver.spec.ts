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

/** What a read gets, and who was asked for it. */
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

describe('Reads that may be a little old', () => {
  it('go to the replica while it may be asked, else to the primary', async () => {
    expect(await read({})).toMatchObject({ rows: [{ name: 'replica' }], asked: ['replica'], counted: ['replica'] });
    expect(await read({ isUsable: false })).toMatchObject({
      ...{ rows: [{ name: 'primary' }], asked: ['primary'], counted: ['primary'] },
    });
  });

  it.each([
    ['says nothing', noAnswer()],
    ['cannot be reached', new DatabaseUnavailable('the database cannot be reached', 'ECONNREFUSED')],
    ['cleans up what is being read', new DatabaseError('40001', 'canceling statement due to conflict with recovery')],
    ['lacks a table that was just made', new DatabaseError('42P01', 'relation "new" does not exist')],
  ])('are asked of the primary again when the replica %s', async (_what, replicaFails) => {
    for (const within of ['statement', 'transaction'] as const) {
      expect(await read({ replicaFails, within })).toMatchObject({
        rows: [{ name: 'primary' }],
        asked: ['replica', 'primary'],
        counted: ['primary'],
        failures: [replicaFails],
      });
    }
  });

  it('are no writes: what the replica refuses to write is not written to the primary', async () => {
    const refused = new DatabaseUnavailable('the database cannot answer (SQLSTATE 25006)', '25006');
    for (const within of ['statement', 'transaction'] as const) {
      expect(await read({ replicaFails: refused, within })).toMatchObject({ rows: refused, asked: ['replica'] });
    }
  });

  it('fail with what their own work throws', async () => {
    const mine = new Error('a fault of the caller');
    expect(await read({ replicaFails: mine, within: 'transaction' })).toMatchObject({ rows: mine, asked: ['replica'] });
  });
});
