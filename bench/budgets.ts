import { randomUUID } from 'node:crypto';
import { applySteps, openPeriod, reserveCalls } from '../src/budgets/ledger/ledger.js';
import type { PeriodState } from '../src/budgets/ledger/ledger-types.js';
import { migrate, openDatabase, POSTGRES_DEFAULTS, type SqlRunner } from '../src/database/index.js';
import { findPostgresBinaries, TestPostgres } from '../test/support/postgres.js';
import { median } from './load.js';

/**
 * How many calls a second the ledger can take through reserve and settle: on one hot budget and on a thousand, one call
 * per statement and fifty, beside the bare update of one row. PostgreSQL, durable, on this machine.
 *
 * `npm run bench -- budgets [--seconds 3]`
 */
const at = process.argv.indexOf('--seconds');
const SECONDS = at === -1 ? 3 : Number(process.argv[at + 1]);
const LANES = 8;
const ROUNDS = 3;
const ACCOUNT = randomUUID();

const binaries = findPostgresBinaries();
if (binaries === undefined) throw new Error('there are no PostgreSQL binaries on this machine');
const postgres = await TestPostgres.start(binaries);
const database = await openDatabase({
  kind: 'postgres',
  postgres: { ...POSTGRES_DEFAULTS, databaseUrl: await postgres.newDatabase() },
});
await migrate(database);
const { sql } = database;

const nowMs = Date.now();
const open = (budget: string): Promise<PeriodState> =>
  openPeriod(sql, {
    ...{ accountId: ACCOUNT, environment: 'production', budget, unit: 'usd', per: 'total', timezone: 'UTC' },
    ...{ scope: budget, scopeLabel: {}, nowMs, startMs: 0, limit: 10n ** 18n, warnAt: [], onExceed: 'block' },
  });

/** Reserves and settles so many calls, each for its own budget of the list in turn. */
async function pairs(run: SqlRunner, periods: readonly PeriodState[], count: number): Promise<void> {
  const calls = Array.from({ length: count }, () => {
    const period = periods[Math.floor(Math.random() * periods.length)]!;
    const charges = [{ periodId: period.id, amount: 1000n, limit: period.limit, blocks: true }];
    return {
      ...({
        accountId: ACCOUNT,
        id: randomUUID(),
        environment: 'production',
        appId: ACCOUNT,
        source: 'proxy',
      } as const),
      ...{ leaseMs: 60_000, charges },
    };
  });
  await reserveCalls(run, calls);
  await run.transaction((transaction) =>
    applySteps(
      transaction,
      calls.map(({ id }) => ({
        ...({ do: 'settle', accountId: ACCOUNT, reservationId: id, eventId: randomUUID() } as const),
        usd: 900n,
      })),
    ),
  );
}

/** Work per second over all lanes: the median of some rounds. */
async function perSecond(work: () => Promise<number>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    const endMs = startMs + SECONDS * 1000;
    let done = 0;
    const lane = async (): Promise<void> => {
      while (performance.now() < endMs) done += await work();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    rounds.push((done * 1000) / (performance.now() - startMs));
  }
  return median(rounds);
}

const hot = [await open('hot')];
const thousand: PeriodState[] = [];
for (let index = 0; index < 1_000; index++) thousand.push(await open(`budget-${index}`));
const bare = async (): Promise<number> => {
  await sql.query(
    'UPDATE budget_periods SET settled_n = settled_n + 0 WHERE account_id = $1::uuid AND id = $2::text::uuid',
    [ACCOUNT, hot[0]!.id],
    { prepareAs: 'bare' },
  );
  return 1;
};
const of = (periods: readonly PeriodState[], count: number) => async (): Promise<number> => {
  await pairs(sql, periods, count);
  return count;
};
const rows: readonly [string, () => Promise<number>][] = [
  ['bare update of one row, updates', bare],
  ['one hot budget, one call per statement, pairs', of(hot, 1)],
  ['one hot budget, 50 calls per statement, pairs', of(hot, 50)],
  ['1,000 budgets, one call per statement, pairs', of(thousand, 1)],
  ['1,000 budgets, 50 calls per statement, pairs', of(thousand, 50)],
];
for (const [name, work] of rows) {
  const rate = await perSecond(work);
  console.log(`${name.padEnd(48)} ${Math.round(rate).toString().padStart(8)} /s`);
}
await database.close();
await postgres.stop();
