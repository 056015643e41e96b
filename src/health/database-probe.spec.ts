import { toDatabaseError, type Database } from '../database/index.js';
import { DatabaseProbe } from './database-probe.js';

/** The reported reason if statements fail with this code of the driver. */
function saidOf(code: string): Promise<string | undefined> {
  const query = (): Promise<never> => Promise.reject(toDatabaseError(Object.assign(new Error('as it says'), { code })));
  return new DatabaseProbe({ callSql: { forDuty: () => ({ query }) } } as unknown as Database).check();
}

type Answer = (sql: string, parameters?: readonly unknown[]) => object[];

/** A database that returns the token that was written last. */
function lastWritten(): Answer {
  let token: unknown;
  return (sql, parameters = []) => {
    if (sql.startsWith('INSERT INTO readiness_probes')) token = parameters[1];
    return [{ token }];
  };
}

function probeOf(answer: Answer) {
  const query = (sql: string, parameters?: readonly unknown[]): Promise<object[]> =>
    Promise.resolve(answer(sql, parameters));
  const transaction = (work: (inside: object) => Promise<unknown>): Promise<unknown> => work({ query });
  const database = { callSql: { forDuty: () => ({ query, transaction }) }, damage: undefined as string | undefined };
  return { database, probe: new DatabaseProbe(database as unknown as Database) };
}

describe('The probe of the database', () => {
  it.each([
    ['EMFILE', /the limit of open files of this server is too low.*ulimit -n/],
    ['ENFILE', /machine of this server has too many files open/],
    ['ECONNRESET', /^cannot be reached \(ECONNRESET\)$/],
    ['53000', /^has reached its limit of open files.*ulimit -n/],
    ['53100', /no space left/],
    ['25006', /read-only/],
    ['54000', /until it has been vacuumed: its transaction ids are used up/],
    ['XX001', /damaged/],
    ['58030', /cannot read or write its files/],
    ['NO_CONNECTION', /all connections of this server are in use/],
  ])('names the cause for the operator when statements fail with %s', async (code, reason) => {
    expect(await saidOf(code)).toMatch(reason);
  });

  it('reports damage that calls have met, although its own statements succeed', async () => {
    const { database, probe } = probeOf(lastWritten());
    expect(await probe.check()).toBeUndefined();
    database.damage = 'XX002';
    expect(await probe.check()).toBe('is damaged: an index cannot be read');
  });

  it.each([
    ['nothing', () => []],
    ['an older token', () => [{ token: 'older' }]],
  ])('reports a database that returns %s after a write', async (_what, read) => {
    expect(await probeOf(read).probe.check()).toBe('does not return data that was just written');
  });

  it('accepts that another replica writes the same row once in between', async () => {
    let reads = 0;
    const read = lastWritten();
    const { probe } = probeOf((sql, parameters) => {
      const rows = read(sql, parameters);
      return sql.startsWith('SELECT token') && reads++ === 0 ? [{ token: 'of another replica' }] : rows;
    });
    expect(await probe.check()).toBeUndefined();
  });
});
