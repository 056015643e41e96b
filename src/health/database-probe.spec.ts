import { toDatabaseError, type Database } from '../database/index.js';
import { DatabaseProbe } from './database-probe.js';

/** The reported reason if statements fail with this code of the driver. */
function saidOf(code: string): Promise<string | undefined> {
  const query = (): Promise<never> => Promise.reject(toDatabaseError(Object.assign(new Error('as it says'), { code })));
  return new DatabaseProbe({ callSql: { forDuty: () => ({ query }) } } as unknown as Database).check();
}

describe('The probe of the database', () => {
  it.each([
    ['EMFILE', /the limit of open files of this server is too low.*ulimit -n/],
    ['ENFILE', /machine of this server has too many files open/],
    ['ECONNRESET', /^cannot be reached \(ECONNRESET\)$/],
    ['53000', /^has reached its limit of open files.*ulimit -n/],
    ['53100', /no space left/],
    ['25006', /read-only/],
    ['XX001', /damaged/],
    ['58030', /cannot read or write its files/],
  ])('names the cause for the operator when statements fail with %s', async (code, reason) => {
    expect(await saidOf(code)).toMatch(reason);
  });

  it('reports damage that calls have met, although its own statements succeed', async () => {
    const query = async (): Promise<object[]> => [{ token: 't' }];
    const transaction = (work: (inside: object) => Promise<unknown>): Promise<unknown> => work({ query });
    const database = { callSql: { forDuty: () => ({ query, transaction }) }, damage: undefined as string | undefined };
    const probe = new DatabaseProbe(database as unknown as Database);
    expect(await probe.check()).toBeUndefined();
    database.damage = 'XX002';
    expect(await probe.check()).toBe('is damaged: an index cannot be read');
  });
});
