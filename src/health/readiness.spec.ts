import { Logger } from '@nestjs/common';
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
  let token: unknown;
  const query = (sql: string, parameters: readonly unknown[] = []): Promise<object[]> => {
    if (sql.startsWith('INSERT INTO readiness_probes')) token = parameters[1];
    return Promise.resolve([{ token }]);
  };
  const clock = new DatabaseClock(() => Date.now() + databaseAheadMs);
  const transaction = (work: (inside: object) => Promise<unknown>): Promise<unknown> => work({ query });
  const figures = { setObserver: () => undefined, connections: () => ({ open: 0, idle: 0, waiting: 0, limit: 0 }) };
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
    [59_000, [], -59],
    [61_000, [{ path: 'clock', message: "is 61 s behind the database's" }], -61],
  ])('reports, for a database clock that is %i ms ahead, the problems %j', async (aheadMs, missing, aheadSeconds) => {
    expect(await readinessAt(aheadMs)).toEqual({ missing, ahead: aheadSeconds });
  });

  it.each([
    [4_000, 0],
    [-4_000, 0],
    [6_000, 1],
    [-6_000, 1],
  ])('logs once, for a database clock that is %i ms ahead, %i warnings', async (aheadMs, warnings) => {
    const warned: unknown[] = [];
    const quiet = { log: () => undefined, error: () => undefined };
    Logger.overrideLogger({ ...quiet, warn: (words: unknown) => warned.push(words) });
    await readinessAt(aheadMs);
    Logger.overrideLogger(false);
    expect(warned.filter((words) => String(words).startsWith('The clock of this server'))).toHaveLength(warnings);
  });
});
