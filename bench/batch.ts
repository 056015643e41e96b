import pg from 'pg';
import { TestPostgres } from '../test/support/postgres.js';
import { postgresBinaries } from './package-of-tests.js';
import { backendClock } from './backend-time.js';
import { table } from './detectors/markdown.js';
import { callsOf, type Load } from './load.js';
import { numberOption } from './options.js';
import { processTime } from './processor-time.js';
import { submittedRequests } from './usual-calls.js';
import { machineLoad, startWeir } from './weir-service.js';

/**
 * Compares the cost of an event in a batch with that of a single event, and with COPY of the same rows into a table
 * with the same indexes, without judging: rows per second, transactions that wrote, CPU time of the service's
 * main thread and of PostgreSQL. Each event has a different text.
 *
 * `npm run bench -- batch [--batches 6 --events 500]`
 */
const BATCHES = numberOption('batches', 6);
const EVENTS = numberOption('events', 500);
const CONNECTIONS = 8;

interface Spent {
  readonly rows: number;
  readonly seconds: number;
  readonly transactions: number;
  readonly mainUs: number;
  readonly databaseUs: number;
}

const binaries = await postgresBinaries();
if (binaries === undefined) throw new Error('there are no PostgreSQL binaries on this machine');
const postgres = await TestPostgres.start(binaries);
const databaseUrl = await postgres.newDatabase();
const databaseMs = await backendClock(databaseUrl);
const weir = await startWeir({ DATABASE_URL: databaseUrl });
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
/** The file of COPY, in the data directory of the database, where the server can write under any user. */
const COPY_FILE = 'events.copy';

async function transactions(): Promise<number> {
  const { rows } = await client.query<{ next: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next');
  return Number(rows[0]!.next);
}

async function spent(work: () => Promise<number>): Promise<Spent> {
  const before = { writes: await transactions(), main: processTime(weir.pid)?.main ?? 0, ms: databaseMs() };
  const startedMs = performance.now();
  const rows = await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    rows,
    seconds,
    databaseUs: (databaseMs() - before.ms) * 1_000,
    mainUs: (processTime(weir.pid)?.main ?? 0) - before.main,
    transactions: (await transactions()) - before.writes,
  };
}

const key = await weir.newKey('batch');
const headers = { authorization: `Bearer ${key}` };
const next = submittedRequests();
const load: Load = { url: `${weir.url}/v1/events`, headers, next };

async function sendBatch(): Promise<void> {
  const body = Array.from({ length: EVENTS }, () => next().body).join('\n');
  const response = await fetch(`${weir.url}/v1/events:batch`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body,
  });
  if (response.status !== 200) throw new Error(`the batch was answered ${response.status}`);
  const answers = JSON.stringify(await response.json());
  const recorded = answers.match(/"status":200/g)?.length;
  if (recorded !== EVENTS) throw new Error(`${recorded ?? 0} of ${EVENTS} events were recorded`);
}

async function inBatches(): Promise<number> {
  for (let batch = 0; batch < BATCHES; batch++) await sendBatch();
  return BATCHES * EVENTS;
}

async function alone(): Promise<number> {
  const wrong = await callsOf(load, CONNECTIONS, BATCHES * EVENTS);
  if (wrong > 0) throw new Error(`${wrong} answers were wrong`);
  return BATCHES * EVENTS;
}

async function copyFile(): Promise<string> {
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  return `${rows[0]!.data_directory}/${COPY_FILE}`;
}

/** Copies the file into an empty table with the indexes of the log. */
async function copied(): Promise<number> {
  const { rowCount } = await client.query(`COPY copied FROM '${await copyFile()}'`);
  return rowCount ?? 0;
}

try {
  await sendBatch();
  await callsOf(load, CONNECTIONS, EVENTS);
  const rows: [string, Spent][] = [
    ['POST /v1/events:batch', await spent(inBatches)],
    [`POST /v1/events, ${CONNECTIONS} at once`, await spent(alone)],
  ];
  await client.query('CREATE TABLE copied (LIKE events INCLUDING ALL)');
  await client.query(`COPY (SELECT * FROM events ORDER BY id DESC LIMIT ${BATCHES * EVENTS}) TO '${await copyFile()}'`);
  rows.push(['COPY of the same rows', await spent(copied)]);
  const line = ([name, { rows: count, seconds, transactions: writes, mainUs, databaseUs }]: [
    string,
    Spent,
  ]): string[] => [
    name,
    (count / seconds).toFixed(0),
    (writes > 0 ? count / writes : count).toFixed(1),
    (mainUs / count).toFixed(0),
    (databaseUs / count).toFixed(0),
  ];
  process.stdout.write(
    `${BATCHES} batches of ${EVENTS} events; ${machineLoad()}\n\n${table(
      ['', 'rows/s', 'rows per transaction', 'main thread, µs per row', 'PostgreSQL, µs per row'],
      rows.map(line),
    )}\n`,
  );
} finally {
  await client.end();
  await weir.stop();
  await postgres.stop();
}
