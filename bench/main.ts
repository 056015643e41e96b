import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, round, sequentialMedianMs, type Load, type LoadResult } from './load.js';
import { describeMachine, memoryMib } from './machine.js';
import { processTime, type ProcessTime } from './processor-time.js';
import { serviceTable, type ServiceRow, type ServiceRun } from './service-table.js';
import { start, type Running } from './processes.js';
import { chatBody, eventBodies, PROVIDER_KEY } from './usual-calls.js';
import { numberOption, option } from './options.js';
import { onDatabases, startWeir, type WeirService } from './weir-service.js';

/**
 * Measures requests per second and added latency of `/v1/events` and of the proxy, compared with a bare Fastify route
 * and a bare undici pass-through, alternating in one run, with the shipped production rules and the log on.
 *
 * `npm run bench [-- service --seconds 5 --rounds 5 --repeat 0 --database both --json bench/results]`. Each call has a new
 * text (by default), id and answer; half of the events are answers. Until 2026-11-30, all events were requests with one id, all
 * answers were the same, and the provider key was short: figures from then are not comparable. `--json` writes the figures to
 * that folder.
 */
const SECONDS = numberOption('seconds', 4);
const ROUNDS = numberOption('rounds', 5);
const CONNECTIONS = numberOption('connections', 32);
const SEQUENTIAL_CALLS = numberOption('calls', 400);

/** Percentage of calls that send the text of an earlier call. */
const REPEATED = numberOption('repeat', 0);

interface Contest {
  readonly name: string;
  readonly floorName: string;
  readonly floor: Load;
  readonly weir: Load;
  /** Process id of Weir. */
  readonly pid: number;
}

async function contest({ name, floorName, floor, weir, pid }: Contest): Promise<ServiceRow> {
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

/** The folder given with `--json`; empty if the figures are not to be written. */
const JSON_FOLDER = option('json', '');

/**
 * Writes all figures with a description of the machine, so that they can be compared later and `npm run gen` can put them into
 * README.md.
 */
function keep(run: ServiceRun): void {
  if (JSON_FOLDER === '') return;
  writeFileSync(join(JSON_FOLDER, `service-${run.database}.json`), `${JSON.stringify(run, null, 2)}\n`);
}

async function contests(weir: WeirService, running: Running[]): Promise<ServiceRow[]> {
  const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
  running.push(upstream);
  const bareFastify = await start('dist/bench/programs/bare-fastify.js', {}, '/healthz');
  running.push(bareFastify);
  const passThrough = await start('dist/bench/programs/pass-through.js', { UPSTREAM: upstream.url }, '/healthz');
  running.push(passThrough);
  const key = await weir.newKey('bench');
  return [
    await contest({
      name: 'Weir, POST /v1/events',
      floorName: 'bare Fastify route',
      floor: { url: `${bareFastify.url}/v1/events`, headers: {}, body: eventBodies(REPEATED) },
      pid: weir.pid,
      weir: {
        url: `${weir.url}/v1/events`,
        headers: { authorization: `Bearer ${key}` },
        body: eventBodies(REPEATED),
      },
    }),
    await contest({
      name: 'Weir, proxy',
      floorName: 'bare undici pass-through',
      floor: { url: `${passThrough.url}/v1/chat/completions`, headers: {}, body: () => chatBody(REPEATED) },
      pid: weir.pid,
      weir: {
        url: `${weir.url}/proxy/openai/v1/chat/completions`,
        headers: { 'x-service-key': key, authorization: `Bearer ${PROVIDER_KEY}` },
        body: () => chatBody(REPEATED),
      },
    }),
  ];
}

await onDatabases(async (database, env) => {
  const weir = await startWeir(env, undefined, false);
  const running: Running[] = [];
  try {
    const run: ServiceRun = {
      at: new Date().toISOString(),
      rows: await contests(weir, running),
      machine: describeMachine(),
      settings: { connections: CONNECTIONS, rounds: ROUNDS, seconds: SECONDS, repeatedPercent: REPEATED },
      database,
    };
    process.stdout.write(`${serviceTable(run).join('\n')}\n\n`);
    keep(run);
  } finally {
    await Promise.all([weir, ...running].map((program) => program.stop()));
  }
});
