import { DatabaseClock, type Database } from '../database/index.js';
import { Metrics } from '../metrics/index.js';
import type { PolicyStore } from '../policy-store/index.js';
import { ENVIRONMENTS } from '../core/index.js';
import { Readiness } from './readiness.js';

const POLICIES = {
  status: () =>
    ENVIRONMENTS.map((environment) => ({ environment, policyId: 'p', digest: 'd', version: 'v', lastError: false })),
  deployedStatus: () => [],
} as unknown as PolicyStore;

/** The readiness of a server whose database's clock is this far ahead of its own. */
async function readinessAt(databaseAheadMs: number) {
  const query = (): Promise<object[]> => Promise.resolve([{ token: 't' }]);
  const clock = new DatabaseClock(() => Date.now() + databaseAheadMs);
  const transaction = (work: (inside: object) => Promise<unknown>): Promise<unknown> => work({ query });
  const figures = { tell: () => undefined, connections: () => ({ open: 0, idle: 0, waiting: 0, limit: 0 }) };
  const database = { clock, figures, callSql: { forDuty: () => ({ query, transaction }) } } as unknown as Database;
  const metrics = new Metrics();
  const { missing } = await new Readiness(database, POLICIES, metrics).check();
  const [, ahead] = /^weir_clock_ahead_seconds (.*)$/m.exec(await metrics.text()) ?? [];
  return { missing, ahead: Math.round(Number(ahead)) };
}

describe('Readiness', () => {
  it.each([
    [0, [], 0],
    [-30_000, [], 30],
    [30_000, [], -30],
    [-3_456_000_000, [{ path: 'clock', message: "is 3456000 s ahead of the database's" }], 3_456_000],
    [90_000, [{ path: 'clock', message: "is 90 s behind the database's" }], -90],
  ])('reports, for a database clock that is %i ms ahead, the problems %j', async (aheadMs, missing, told) => {
    expect(await readinessAt(aheadMs)).toEqual({ missing, ahead: told });
  });
});
