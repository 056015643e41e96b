import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Archive } from '../src/events/archive/archive.js';
import { archiveWeek } from '../src/events/archive/archive-week.js';
import { ArchivedEventReader } from '../src/events/archive/archived-reader.js';
import { ParquetQueries, type DuckDb } from '../src/events/archive/duckdb.js';
import { ensurePartitions, weekOf } from '../src/events/partitions.js';
import type { EventFilters } from '../src/events/reading/event-filters.js';
import { fillWithEvents } from '../test/support/many-events.js';
import { openBenchDatabase } from './bench-database.js';
import { table } from './detectors/markdown.js';
import { numberOption } from './options.js';
import { packageOfTests } from './package-of-tests.js';

/**
 * Measures time, CPU time and memory of moving a week of events from the database to an archive in a directory,
 * and of searches over that archive. PostgreSQL, durable, on this machine.
 *
 * `npm run bench -- archive [--rows 200000]`
 */
const ROWS = numberOption('rows', 200_000);
const DAY_MS = 86_400_000;
const MIB = 1_048_576;

const { postgres, database } = await openBenchDatabase();
const { sql } = database;
const [accountId, appId] = [randomUUID(), randomUUID()];
const folder = mkdtempSync(join(tmpdir(), 'weir-archive-bench-'));
const archive = new Archive({ afterMs: 0, place: { kind: 'directory', path: folder } });
const queries = new ParquetQueries(() => packageOfTests<DuckDb>('@duckdb/node-api'));
const { files } = archive;
if (files === undefined) throw new Error('there is no archive');

const startMs = Date.now() - 140 * DAY_MS;
await ensurePartitions(sql, new Date(startMs));
await fillWithEvents(database, { accountId, appId, events: ROWS, startMs });
const week = weekOf(startMs);
const [size] = await sql.query<{ bytes: number }>(
  `SELECT pg_total_relation_size('${week.table}')::double precision AS bytes`,
);

interface Measured {
  readonly wallMs: number;
  readonly processorMs: number;
  /** Resident memory of the whole process: before the work, and its maximum during it. */
  readonly rssMib: readonly [before: number, most: number];
}

async function measured(work: () => Promise<unknown>): Promise<Measured> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const [begunMs, begun] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(begun);
  clearInterval(timer);
  const rssMib = [before / MIB, most / MIB] as const;
  return { wallMs: performance.now() - begunMs, processorMs: (user + system) / 1_000, rssMib };
}

const row = (name: string, { wallMs, processorMs, rssMib }: Measured): string[] => [
  name,
  `${(wallMs / 1_000).toFixed(2)} s`,
  `${(processorMs / 1_000).toFixed(2)} s`,
  `${Math.round(rssMib[0])} → ${Math.round(rssMib[1])} MiB`,
];

const rows = [
  row(
    `archive ${ROWS} events`,
    await measured(async () => {
      const outcome = await archiveWeek({ sql, ...files }, week);
      if (outcome !== 'archived') throw new Error(`the week is ${outcome}`);
    }),
  ),
];
const objects = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'));
const bytes = objects.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const reader = new ArchivedEventReader(sql, { sql, archive, queries });
const search = async (expected: number, filters: Partial<EventFilters>): Promise<void> => {
  const page = await reader.list({ manager: { accountId }, archive: 'true', limit: 50, ...filters });
  if (page.data.length !== expected) throw new Error(`${page.data.length} events were found, not ${expected}`);
};
const searches: readonly (readonly [string, number, Partial<EventFilters>])[] = [
  ['a page of 50, DuckDB opened for it', 50, {}],
  ['a page of 50', 50, { from: new Date(startMs) }],
  ['a model that nobody used, in all of it', 0, { model: 'none' }],
  ['a text that nobody wrote, in all of it', 0, { text: 'nowhere' }],
];
for (const [name, expected, filters] of searches) rows.push(row(name, await measured(() => search(expected, filters))));

console.log(table(['what', 'took', 'CPU time of this process', 'memory of this process'], rows));
console.log(
  `\n${((size?.bytes ?? 0) / MIB).toFixed(0)} MiB of tables and indexes became ${objects.length} objects of ${(bytes / MIB).toFixed(1)} MiB together. Load of this machine: ${loadavg()[0]!.toFixed(1)}.`,
);
await queries.close();
await archive.close();
await database.close();
await postgres.stop();
rmSync(folder, { recursive: true });
