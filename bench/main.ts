import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, round, sequentialMedianMs, type Load, type LoadResult } from './load.js';
import { describeMachine, memoryMib, type Machine } from './machine.js';
import { processTime, type ProcessTime } from './processor-time.js';
import { start, type Running } from './processes.js';
import { chatBody, eventBody } from './usual-calls.js';
import { numberOption } from './options.js';

/**
 * Requests per second and added latency of `/v1/events` and of the proxy, beside a bare Fastify route and a bare undici
 * pass-through, alternating in one run, with the shipped production rules and the log on.
 *
 * `npm run bench [-- --seconds 5 --rounds 5 --repeat 0 --json file]`, which sends a new text with every call unless told otherwise; with DATABASE_URL it measures that PostgreSQL instead of the embedded one.
 */
const SECONDS = numberOption('seconds', 4);
const ROUNDS = numberOption('rounds', 5);
const CONNECTIONS = numberOption('connections', 32);
const SEQUENTIAL_CALLS = numberOption('calls', 400);

/** Share of calls, in per cent, that send the text of an earlier one. */
const REPEATED = numberOption('repeat', 0);

interface Contest {
  readonly name: string;
  readonly floorName: string;
  readonly floor: Load;
  readonly weir: Load;
  /** Weir's process. */
  readonly pid: number;
}

interface Row {
  readonly name: string;
  readonly floorName: string;
  readonly floor: LoadResult;
  readonly weir: LoadResult;
  readonly ratio: number;
  readonly addedMs: number;
  /** Processor time of one call, of Weir's main thread and of all its threads; undefined where none can be had. */
  readonly micros: ProcessTime | undefined;
  /** What Weir's process holds at the end; undefined where the system does not tell. */
  readonly memoryMib: number | undefined;
}

async function contest({ name, floorName, floor, weir, pid }: Contest): Promise<Row> {
  const say = (text: string): boolean => process.stderr.write(`${name}: ${text}\n`);
  say('warming up');
  await round(floor, CONNECTIONS, 2);
  await round(weir, CONNECTIONS, 2);
  const pairs: { floor: LoadResult; weir: LoadResult; micros: ProcessTime | undefined }[] = [];
  for (let index = 1; index <= ROUNDS; index++) {
    const floorResult = await round(floor, CONNECTIONS, SECONDS);
    const before = processTime(pid);
    const result = await round(weir, CONNECTIONS, SECONDS);
    const after = processTime(pid);
    const perCall = (key: keyof ProcessTime): number => ((after?.[key] ?? 0) - (before?.[key] ?? 0)) / result.calls;
    const micros = after === undefined ? undefined : { main: perCall('main'), all: perCall('all') };
    pairs.push({ floor: floorResult, weir: result, micros });
    say(`round ${index} of ${ROUNDS}`);
  }
  const added: number[] = [];
  for (let index = 0; index < 3; index++) {
    const floorMs = await sequentialMedianMs(floor, SEQUENTIAL_CALLS);
    added.push((await sequentialMedianMs(weir, SEQUENTIAL_CALLS)) - floorMs);
  }
  const middle = (pick: (pair: (typeof pairs)[number]) => LoadResult): LoadResult => ({
    requestsPerSecond: median(pairs.map((pair) => pick(pair).requestsPerSecond)),
    p50Ms: median(pairs.map((pair) => pick(pair).p50Ms)),
    p99Ms: median(pairs.map((pair) => pick(pair).p99Ms)),
    p999Ms: median(pairs.map((pair) => pick(pair).p999Ms)),
    calls: pairs.reduce((sum, pair) => sum + pick(pair).calls, 0),
  });
  const times = pairs.flatMap(({ micros }) => micros ?? []);
  const medianOf = (key: keyof ProcessTime): number => median(times.map((time) => time[key]));
  return {
    name,
    floorName,
    floor: middle((pair) => pair.floor),
    weir: middle((pair) => pair.weir),
    ratio: median(pairs.map((pair) => pair.weir.requestsPerSecond / pair.floor.requestsPerSecond)),
    addedMs: median(added),
    micros: times.length === 0 ? undefined : { main: medianOf('main'), all: medianOf('all') },
    memoryMib: memoryMib(pid),
  };
}

/** The file behind `--json`. */
const JSON_FILE = process.argv.includes('--json') ? process.argv[process.argv.indexOf('--json') + 1] : undefined;

/** All figures with what they were measured on, so that they can be compared later. */
function keep(rows: readonly Row[], machine: Machine): void {
  if (JSON_FILE === undefined) return;
  const run = {
    ...{ connections: CONNECTIONS, rounds: ROUNDS, seconds: SECONDS, repeatedPercent: REPEATED },
    database: process.env['DATABASE_URL'] === undefined ? 'embedded' : 'postgresql',
  };
  writeFileSync(JSON_FILE, `${JSON.stringify({ at: new Date().toISOString(), machine, run, rows }, null, 2)}\n`);
}

function print(rows: readonly Row[], machine: Machine): void {
  const lines = rows.flatMap((row) => [
    `| ${row.floorName} | ${row.floor.requestsPerSecond.toFixed(0)} | 1.00 | ${row.floor.p50Ms} | ${row.floor.p99Ms} | ${row.floor.p999Ms} | | | |`,
    `| ${row.name} | ${row.weir.requestsPerSecond.toFixed(0)} | ${row.ratio.toFixed(2)} | ${row.weir.p50Ms} | ${row.weir.p99Ms} | ${row.weir.p999Ms} | ${row.addedMs.toFixed(2)} | ${row.micros?.main.toFixed(0) ?? ''} | ${row.micros?.all.toFixed(0) ?? ''} |`,
  ]);
  process.stdout.write(
    [
      `${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s in turn, medians; added latency: one connection, median`,
      `${REPEATED} % of the texts were sent before; load average of the machine ${machine.load}; µs of processor time, without a database of its own process`,
      `the disk takes ${machine.flushMs.p50} ms (p99 ${machine.flushMs.p99}) to flush 4 kB; Weir's process holds ${rows.at(-1)?.memoryMib ?? '?'} MiB`,
      '',
      '| | requests/s | ratio | p50 ms | p99 ms | p99.9 ms | added ms | µs per call, main thread | all threads |',
      '|---|---|---|---|---|---|---|---|---|',
      ...lines,
      '',
    ].join('\n'),
  );
}

const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
const running: Running[] = [];
try {
  const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
  running.push(upstream);
  const bareFastify = await start('dist/bench/programs/bare-fastify.js', {}, '/healthz');
  running.push(bareFastify);
  const passThrough = await start('dist/bench/programs/pass-through.js', { UPSTREAM: upstream.url }, '/healthz');
  running.push(passThrough);
  const databaseUrl = process.env['DATABASE_URL'];
  const weir = await start(
    'dist/src/main.js',
    {
      WEIR_DATA_DIR: dataDir,
      WEIR_OPENAI_BASE_URL: upstream.url,
      WEIR_RATE_EVENTS: 'off',
      WEIR_RATE_PROXY: 'off',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    '/readyz',
  );
  running.push(weir);
  const bootstrap = JSON.parse(readFileSync(join(dataDir, 'bootstrap.json'), 'utf8')) as {
    keys: { production: string };
  };
  const key = bootstrap.keys.production;
  const rows = [
    await contest({
      name: 'Weir, POST /v1/events',
      floorName: 'bare Fastify route',
      floor: { url: `${bareFastify.url}/v1/events`, headers: {}, body: () => eventBody(REPEATED) },
      pid: weir.pid,
      weir: {
        url: `${weir.url}/v1/events`,
        headers: { authorization: `Bearer ${key}` },
        body: () => eventBody(REPEATED),
      },
    }),
    await contest({
      name: 'Weir, proxy',
      floorName: 'bare undici pass-through',
      floor: { url: `${passThrough.url}/v1/chat/completions`, headers: {}, body: () => chatBody(REPEATED) },
      pid: weir.pid,
      weir: {
        url: `${weir.url}/proxy/openai/v1/chat/completions`,
        headers: { 'x-service-key': key, authorization: 'Bearer upstream' },
        body: () => chatBody(REPEATED),
      },
    }),
  ];
  const machine = describeMachine();
  print(rows, machine);
  keep(rows, machine);
} finally {
  await Promise.all(running.reverse().map((program) => program.stop()));
  rmSync(dataDir, { recursive: true, force: true });
}
