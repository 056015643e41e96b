import type { Pool } from 'pg';
import type { ConnectionDeadlines, OpenStatement } from './connection-deadlines.js';
import { DeadConnections } from './dead-connections.js';

/** The reports and closed connections after a statement has waited for long, if the connection for the check fails with this code. */
async function afterFailedCheck(code: string) {
  const failure = Object.assign(new Error('the check failed'), { code });
  class Refused {
    on(): this {
      return this;
    }
    connect(): Promise<void> {
      return Promise.reject(failure);
    }
    end(): Promise<void> {
      return Promise.resolve();
    }
  }
  const ended = Promise.withResolvers<undefined>();
  const closed: OpenStatement[] = [];
  let reports = 0;
  const deadlines = {
    openStatements: () => [{ client: {}, processId: 7, sentMs: 0 }],
    close: (statements: readonly OpenStatement[]) => closed.push(...statements),
    report: () => (reports += 1),
    drop: () => ended.resolve(undefined),
  } as unknown as ConnectionDeadlines;
  new DeadConnections({ Client: Refused, options: {} } as unknown as Pool, deadlines, 1_500).check();
  await ended.promise;
  await new Promise((resolve) => setImmediate(resolve));
  return { reports, closed: closed.length };
}

describe('The search for dead connections', () => {
  it.each([
    ['all connections of the server are taken', '53300'],
    ['the pooler in front of it accepts no more clients', '08P01'],
    ['the password was changed', '28P01'],
    ['this process has used up its open files', 'EMFILE'],
  ])('leaves the open connections in use when %s', async (_why, code) => {
    expect(await afterFailedCheck(code)).toEqual({ reports: 0, closed: 0 });
  });

  it.each([
    ['cannot be reached', 'ECONNREFUSED'],
    ['drops all packets', 'NO_ANSWER'],
  ])('reports a server that %s', async (_what, code) => {
    expect(await afterFailedCheck(code)).toEqual({ reports: 1, closed: 0 });
  });
});
