import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { applySteps, openPeriod, reserveCalls } from '../src/budgets/ledger/ledger.js';
import type { PeriodState } from '../src/budgets/ledger/ledger-types.js';
import type { SqlSession } from '../src/database/index.js';
import { openBenchDatabase } from './bench-database.js';
import { median } from './load.js';
import { writePageSection } from './page-section.js';
import { numberOption } from './options.js';

/**
 * Measures how many calls per second the ledger can reserve and settle: on one hot budget and on a thousand, with one
 * and with fifty calls per statement, compared with a bare update of one row, alternating within each round. Also
 * measures whether a hot budget slows down, by comparing its last batches with its first. PostgreSQL, durable, on this
 * machine.
 *
 * `npm run bench -- budgets [--seconds 3 --rounds 5] [--write]`: into `docs/guides/budgets.md`.
 */
const SECONDS = numberOption('seconds', 3);
const ROUNDS = numberOption('rounds', 5);
const LANES = 8;
/**
 * Sequential batches on one budget, to see whether it slows down: BATCH_CALLS calls each; the first and the last GROUP batches are
 * compared.
 */
const BATCHES = 200;
const BATCH_CALLS = 50;
const GROUP = 40;
const ACCOUNT = randomUUID();

const { postgres, database } = await openBenchDatabase();
/** As in the service, statements run in the scope of the account, under row-level security. */
const sql = database.sql.forAccounts(ACCOUNT);

const nowMs = Date.now();
const open = (budget: string): Promise<PeriodState> =>
  openPeriod(sql, {
    ...{ accountId: ACCOUNT, environment: 'production', budget, unit: 'usd', per: 'total', timezone: 'UTC' },
    ...{ scope: budget, scopeLabel: {}, nowMs, startMs: 0, limit: 10n ** 18n, warnAt: [], onExceed: 'block' },
  });

/** Reserves and settles `count` calls, each on a random budget of the list. */
async function pairs(run: SqlSession, periods: readonly PeriodState[], count: number): Promise<void> {
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

/** Repeats work in all lanes; returns the units of work per second, summed over the lanes. */
async function perSecond(work: () => Promise<number>): Promise<number> {
  const startMs = performance.now();
  const endMs = startMs + SECONDS * 1000;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < endMs) done += await work();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return (done * 1000) / (performance.now() - startMs);
}

/** Runs the batches on a new budget; returns the median duration of the first and of the last GROUP batches, in milliseconds. */
async function firstAndLast(): Promise<readonly [number, number]> {
  const fresh = [await open(`fresh-${randomUUID()}`)];
  const tookMs: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const startMs = performance.now();
    await pairs(sql, fresh, BATCH_CALLS);
    tookMs.push(performance.now() - startMs);
  }
  return [median(tookMs.slice(0, GROUP)), median(tookMs.slice(-GROUP))];
}

const hot = [await open('hot')];
const thousand: PeriodState[] = [];
for (let index = 0; index < 1_000; index++) thousand.push(await open(`budget-${index}`));
const bareRow = await open('bare');
const bare = async (): Promise<number> => {
  await sql.query(
    'UPDATE budget_periods SET settled_n = settled_n + 0 WHERE account_id = $1::uuid AND id = $2::text::uuid',
    [ACCOUNT, bareRow.id],
    { prepareAs: 'bare' },
  );
  return 1;
};
const of = (periods: readonly PeriodState[], count: number) => async (): Promise<number> => {
  await pairs(sql, periods, count);
  return count;
};
const rows: readonly [string, () => Promise<number>][] = [
  ['bare update of one row', bare],
  ['one hot budget, one call per statement', of(hot, 1)],
  ['one hot budget, 50 calls per statement', of(hot, 50)],
  ['1,000 budgets, one call per statement', of(thousand, 1)],
  ['1,000 budgets, 50 calls per statement', of(thousand, 50)],
];
const [firstMs, lastMs] = await firstAndLast();
const rounds: number[][] = [];
for (let round = 0; round < ROUNDS; round++) {
  const rates: number[] = [];
  for (const [, work] of rows) rates.push(await perSecond(work));
  rounds.push(rates);
}
const lines = [
  `PostgreSQL with every commit flushed to disk, on a machine with ${availableParallelism()} processors that also carried the load; ${LANES} connections,`,
  `${ROUNDS} rounds of ${SECONDS} s in turn, medians. The ratios are more portable than the figures.`,
  '',
  '| reserve and settle | pairs/s | relative to the bare update |',
  '|---|---|---|',
  ...rows.map(([name], index) => {
    const rate = Math.round(median(rounds.map((rates) => rates[index]!)));
    const ratio = median(rounds.map((rates) => rates[index]! / rates[0]!)).toFixed(2);
    return `| ${name} | ${rate.toLocaleString('en')} | ${ratio} |`;
  }),
  '',
  `A new budget's batches of ${BATCH_CALLS} calls: the first ${GROUP} take ${firstMs.toFixed(1)} ms each, the last ${GROUP} of ${BATCHES} take ${lastMs.toFixed(1)} ms: ${(lastMs / firstMs).toFixed(2)} times as long.`,
];
writePageSection('docs/guides/budgets.md', 'ledger', lines);
await database.close();
await postgres.stop();
