import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { BudgetLedgerWriter } from '../src/budgets/ledger/ledger-writer.js';
import { EventLog } from '../src/events/event-log.js';
import { newEventId } from '../src/events/event-id.js';
import { ensurePartitions, partitionedWeeks } from '../src/events/partitions.js';
import { RetentionKeeper } from '../src/events/retention/retention-keeper.js';
import { appendRequest, newEvent } from '../test/support/events.js';
import { fillWithEvents } from '../test/support/many-events.js';
import { openBenchDatabase } from './bench-database.js';
import { table } from './detectors/markdown.js';
import { numberOption, option } from './options.js';
import { writePageSection } from './page-section.js';
import { missedGoals, type WorkBeside } from './retention-goal.js';
import { machineLoad } from './weir-service.js';

/**
 * Measures how the work of the retention affects events that are stored at the same time. There are three kinds of work:
 * deleting a whole week, deleting only the texts of a week, and finding out once which environments each week contains.
 * Each is compared with the time before and after it, in which events are only stored. PostgreSQL, durable, on this machine.
 * `--weeks` spreads the rows over several weeks, whose retention periods have all ended. Exits 1 when whole weeks are not gone from the log
 * in time (2 s for a month of four weeks), or when the 99th percentile of stored events is not between 0.8 and 1.2 times that without the
 * work; it prints which goal was missed.
 *
 * `npm run bench -- retention [--rows 200000 --weeks 1 --seconds 10 --only both|whole|texts --write]`;
 * `--write` puts the table into docs/reliability.md.
 */
const ROWS = numberOption('rows', 200_000);
const WEEKS = numberOption('weeks', 1);
const ONLY = option('only', 'both');
const SECONDS = numberOption('seconds', 10);
const WRITERS = 8;
const DAY_MS = 86_400_000;

const { postgres, databaseUrl, database } = await openBenchDatabase();
const { sql } = database;
const ledger = new BudgetLedgerWriter({ ledgerEvents: () => undefined, freed: () => undefined });
const log = new EventLog(database.callSql);
const fail = (message: string): never => {
  throw new Error(message);
};

/** Stores ROWS events of the account, an equal number in each of WEEKS weeks. The latest of these weeks was `weeksAgo` weeks ago. */
async function fillWeeks(accountId: string, weeksAgo: number): Promise<void> {
  const events = Math.ceil(ROWS / WEEKS);
  for (let week = 0; week < WEEKS; week += 1) {
    const day = new Date(Date.now() - (weeksAgo + week) * 7 * DAY_MS);
    await ensurePartitions(sql, day);
    await fillWithEvents(database, { accountId, appId: randomUUID(), events, startMs: day.getTime() });
  }
}

/** Minimum size of a file to be removed from the cache: smaller files belong to indexes and tables that calls use. */
const LARGE_BYTES = 64 * 1_048_576;

/**
 * Removes large files of a database from the page cache of the operating system: when the retention period of events ends, nobody has
 * read them for months. Without GNU dd, nothing is removed.
 */
function leaveCache(folder: string): void {
  for (const entry of readdirSync(join(folder, 'base'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || statSync(path).size < LARGE_BYTES) continue;
    spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
  }
}

/** Stores events in WRITERS lanes, sequentially in each, until `stop` is called. `stop` returns the durations of all events, sorted. */
function writing(): { stop(): Promise<readonly number[]> } {
  let isOver = false;
  const times: number[] = [];
  const accountId = randomUUID();
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const begunMs = performance.now();
      const receivedAt = new Date();
      await log.append(appendRequest(newEvent({ accountId, receivedAt, id: newEventId(receivedAt) })));
      times.push(performance.now() - begunMs);
    }
  };
  const lanes = Array.from({ length: WRITERS }, lane);
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(lanes);
      return times.toSorted((a, b) => a - b);
    },
  };
}

/** Waits until no event of the account is left in the log; returns how many milliseconds this took. */
async function allGone(accountId: string): Promise<number> {
  const begunMs = performance.now();
  for (;;) {
    const [one] = await sql
      .forMaintenance()
      .query('SELECT 1 AS one FROM events WHERE account_id = $1::uuid LIMIT 1', [accountId]);
    if (one === undefined) return performance.now() - begunMs;
    await passed(10);
  }
}
const nothingGone = (): Promise<undefined> => Promise.resolve(undefined);

interface Compared {
  /** Two rows of the table: beside the work, and without it. */
  readonly rows: string[][];
  readonly work: WorkBeside;
}

/**
 * Stores events during `work` and for at least SECONDS, and also without `work`: for SECONDS before it, and after it for the rest of an
 * equally long time, at least SECONDS. Checkpoints make some seconds slower than others, and events cost more just after a checkpoint.
 */
async function beside(
  name: string,
  work: () => Promise<void>,
  untilGone: () => Promise<number | undefined> = nothingGone,
): Promise<Compared> {
  const leastMs = SECONDS * 1_000;
  const timesBefore = await timesAlone(leastMs);
  const writers = writing();
  const begunMs = performance.now();
  const [goneMs] = await Promise.all([untilGone(), work()]);
  const tookMs = performance.now() - begunMs;
  const lastedMs = Math.max(leastMs, tookMs);
  await passed(lastedMs - tookMs);
  const times = await writers.stop();
  const timesAfter = await timesAlone(Math.max(leastMs, lastedMs - leastMs));
  const alone = [...timesBefore, ...timesAfter].toSorted((a, b) => a - b);
  const gone = goneMs === undefined ? '' : inSeconds(goneMs);
  return {
    rows: [
      [name, gone, inSeconds(tookMs), ...distribution(times)],
      ['nothing, before and after it', '', '', ...distribution(alone)],
    ],
    work: { name, goneMs, p99Ms: { beside: quantile(times, 0.99), alone: quantile(alone, 0.99) } },
  };
}

/** Durations of events that are stored for this time without other work, sorted. */
async function timesAlone(ms: number): Promise<readonly number[]> {
  const writers = writing();
  await passed(ms);
  return writers.stop();
}

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

/** @param times sorted @returns undefined if there are none */
function quantile(times: readonly number[], share: number): number | undefined {
  return times[Math.floor(times.length * share)];
}

/** @param times sorted */
function distribution(times: readonly number[]): string[] {
  const at = (share: number): string => `${(quantile(times, share) ?? Number.NaN).toFixed(2)} ms`;
  return [String(times.length), at(0.5), at(0.99), at(0.9999)];
}

async function keep(accountId: string, retention: { contentDays?: number; recordsDays?: number }): Promise<void> {
  const read = async () => (id: string) => (id === accountId ? { holds: [], ...retention } : undefined);
  await new RetentionKeeper({ sql, inForce: { read }, ledger, report: fail, now: () => new Date() }).keep();
}

const period = WEEKS === 1 ? 'a week' : `${WEEKS} weeks`;
const deletions = [
  { only: 'whole', weeksAgo: 20, name: `${period} of ${ROWS} events, all of them`, retention: { recordsDays: 30 } },
  { only: 'texts', weeksAgo: 10, name: `${period} of ${ROWS} events, their texts`, retention: { contentDays: 30 } },
]
  .filter(({ only }) => ONLY === 'both' || ONLY === only)
  .map((deletion) => ({ ...deletion, accountId: randomUUID() }));
await ensurePartitions(sql, new Date());
for (const { accountId, weeksAgo } of deletions) await fillWeeks(accountId, weeksAgo);
// By the time the retention period of a week ends, its events have long been vacuumed and written to disk.
const client = new Client({ connectionString: databaseUrl });
await client.connect();
for (const week of await partitionedWeeks(sql)) await client.query(`VACUUM (ANALYZE) ${week.table}`);
await client.query('CHECKPOINT');
const [{ data_directory: dataDirectory }] = (await client.query<{ data_directory: string }>('SHOW data_directory'))
  .rows as [{ data_directory: string }];
await client.end();
await writing().stop();
// The service finds out which environments a week contains as soon as the week has ended, long before any of its events must be deleted.
const compared = [await beside('nothing, but environments read', () => keep(randomUUID(), {}))];
for (const { accountId, only, name, retention } of deletions) {
  leaveCache(dataDirectory);
  compared.push(
    await beside(name, () => keep(accountId, retention), only === 'whole' ? () => allGone(accountId) : nothingGone),
  );
}
writePageSection('docs/reliability.md', 'retention', [
  table(
    ['taken away', 'gone from the log', 'took, with the files', 'stored meanwhile', 'p50', 'p99', 'p99.99'],
    compared.flatMap(({ rows }) => rows),
  ),
  '',
  machineLoad(),
]);
const missed = missedGoals(
  compared.map(({ work }) => work),
  WEEKS,
);
for (const goal of missed) process.stdout.write(`missed: ${goal}\n`);
if (missed.length > 0) process.exitCode = 1;
await log.drain();
await database.close();
await postgres.stop();
