import { createReadStream, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { createInflateRaw } from 'node:zlib';
import { randomBytes, randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { AdminAudit, actorWithoutRequest } from '../src/admin-audit/index.js';
import { EventReader, ParquetPacker } from '../src/events/index.js';
import { ExportJobs } from '../src/exports/export-jobs.js';
import { runExport } from '../src/exports/run-export.js';
import { fillWithEvents } from '../test/support/many-events.js';
import { openBenchDatabase } from './bench-database.js';
import { numberOption } from './options.js';
import { packageOfTests } from './package-of-tests.js';

/**
 * Measures memory and CPU time of an export of many events in each format, and checks that other readers
 * (csv-parse for CSV, DuckDB for Parquet) find the events of the log in the file.
 *
 * `npm run bench -- export [--events 100000]`
 */
const EVENTS = numberOption('events', 100_000);
const MIB = 1024 * 1024;
const SAMPLE_MS = 200;
const PSS = '/proc/self/smaps_rollup';
/** Limit on the memory growth of an export of any size. */
const MAY_GROW_MIB = 100;
const WARM_UP_EVENTS = 5_000;
/** Time of the log's first event; each millisecond has a thousand events. */
const START_MS = Date.now() - 3_600_000;
const WARM_UP_FROM = new Date(START_MS + Math.floor((EVENTS - WARM_UP_EVENTS) / 1_000)).toISOString();
const MOST_WARM_UPS = 60;
/** Warm-ups in a row without growth of V8's new space, after which it counts as stable. */
const STEADY_WARM_UPS = 12;
const ACCOUNT = randomUUID();
const APP = randomUUID();

const { postgres, database } = await openBenchDatabase();
const folder = mkdtempSync(join(tmpdir(), 'weir-bench-export-'));
const packer = new ParquetPacker();
const audit = new AdminAudit(database.sql);
const limits = { keepMs: 3_600_000, storageBytes: 1024 ** 4 };
const jobs = new ExportJobs(database.sql, audit, limits, () => Promise.resolve(randomBytes(32)));

/** Number of rows, and the sums of their cost and tokens. */
type Sums = readonly [rows: number, nanoUsd: string, tokens: number];

async function fill(): Promise<void> {
  await database.sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [
    ACCOUNT,
  ]);
  await database.sql.query(
    `INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, $2::uuid, 'bench', now())`,
    [ACCOUNT, APP],
  );
  await fillWithEvents(database, { accountId: ACCOUNT, appId: APP, events: EVENTS, startMs: START_MS });
  // Autovacuum would do this later; without it, PostgreSQL plans statements for an empty table.
  await database.sql.forMaintenance().query('ANALYZE events');
}

type Format = 'jsonl' | 'csv' | 'parquet';

/**
 * Memory of this process, with its proportional part of shared pages (PSS), which is roughly what the operating system would get back.
 * Without /proc it is the resident set, which is larger.
 */
function memoryBytes(): number {
  const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(existsSync(PSS) ? readFileSync(PSS, 'utf8') : '') ?? [];
  return kib === undefined ? process.memoryUsage.rss() : Number(kib) * 1024;
}

/** Size of V8's new space. It grows with any work of the process, up to a limit, and rarely shrinks. */
function newValuesBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}

/**
 * Runs small exports first: memory that the process allocates once, for its code, its first pages and V8's new space, does not grow
 * with the number of events.
 *
 * @returns the size of V8's new space after the warm-up
 */
async function warmUp(format: Format): Promise<number> {
  let [before, steady] = [0, 0];
  for (let times = 0; times < MOST_WARM_UPS && steady < STEADY_WARM_UPS; times++) {
    await exported(format, join(folder, 'warm-up'), { from: WARM_UP_FROM });
    steady = newValuesBytes() > before ? 0 : steady + 1;
    before = Math.max(before, newValuesBytes());
  }
  return before;
}

async function exported(format: Format, to: string, filters: Readonly<Record<string, string>> = {}) {
  const order = { format, filters, bom: false, destination: { kind: 'download' as const } };
  const { id } = await jobs.create({ accountId: ACCOUNT }, order, actorWithoutRequest('operator'));
  const job = await jobs.claim(ACCOUNT);
  if (job === null) throw new Error('there was nothing to be claimed');
  (globalThis as { gc?: () => void }).gc?.();
  const before = memoryBytes();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, memoryBytes())), SAMPLE_MS);
  const cpu = process.cpuUsage();
  await runExport(job, { jobs, reader: new EventReader(database.sql), packer }, new AbortController().signal);
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(timer);
  const done = await jobs.find({ accountId: ACCOUNT }, id);
  const parts = async function* () {
    for await (const part of jobs.contents(ACCOUNT, id)) {
      yield* Readable.from([part]).pipe(createInflateRaw());
    }
  };
  await pipeline(Readable.from(parts()), createWriteStream(to));
  await jobs.remove({ accountId: ACCOUNT }, id, actorWithoutRequest('operator'));
  return {
    bytes: done?.bytes ?? 0,
    rows: done?.rows ?? 0,
    grownMib: (peak - before) / MIB,
    cpuS: (user + system) / 1e6,
  };
}

/** The part of `@duckdb/node-api` that this bench uses. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{ runAndReadAll(query: string): Promise<{ getRowsJS(): unknown[][] }> }>;
    }>;
  };
}

async function sumsOf(format: Format, path: string): Promise<Sums> {
  let [rows, nano, tokens] = [0, 0n, 0];
  if (format === 'parquet') {
    const { DuckDBInstance } = await packageOfTests<DuckDb>('@duckdb/node-api');
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    const query = `SELECT count(*)::double, sum(cost_nano_usd)::text, sum(prompt_tokens)::double FROM read_parquet('${path}')`;
    const [row] = (await duck.runAndReadAll(query)).getRowsJS();
    return row as unknown as Sums;
  }
  if (format === 'csv') {
    for await (const row of createReadStream(path).pipe(parse({ columns: true })) as AsyncIterable<
      Record<string, string>
    >) {
      rows++;
      nano += BigInt(row['cost_nano_usd'] ?? '0');
      tokens += Number(row['prompt_tokens']);
    }
  } else {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const event = JSON.parse(line) as { cost_nano_usd: string; usage: { prompt_tokens: number } };
      rows++;
      nano += BigInt(event.cost_nano_usd);
      tokens += event.usage.prompt_tokens;
    }
  }
  return [rows, String(nano), tokens];
}

try {
  await fill();
  console.log(`${EVENTS} events in PostgreSQL`);
  const expected = JSON.stringify([
    EVENTS,
    String((BigInt(EVENTS) * BigInt(EVENTS - 1) * 1000n) / 2n),
    Array.from({ length: EVENTS }, (_, n) => n % 1000).reduce((sum, each) => sum + each, 0),
  ]);
  for (const format of ['jsonl', 'csv', 'parquet'] as const) {
    const path = join(folder, `events.${format}`);
    const newValues = await warmUp(format);
    const { bytes, rows, grownMib, cpuS } = await exported(format, path);
    const isEqual = JSON.stringify(await sumsOf(format, path)) === expected;
    console.log(
      `${format.padEnd(8)} ${rows} rows, ${(bytes / MIB).toFixed(1)} MiB, memory grew by ${grownMib.toFixed(1)} MiB at most ` +
        `(${(newValues / MIB).toFixed(0)} MiB for new values before)` +
        `${grownMib > MAY_GROW_MIB ? `, MORE than ${MAY_GROW_MIB} MiB` : ''}, ` +
        `${cpuS.toFixed(1)} s of CPU time, sums ${isEqual ? 'are those of the log' : 'DIFFER FROM THE LOG'}`,
    );
    if (!isEqual || rows !== EVENTS || grownMib > MAY_GROW_MIB) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
  await packer.close();
  await database.close();
  await postgres.stop();
}
