import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backendClock } from './backend-time.js';
import { policiesWithBudget } from './budget-policies.js';
import { madeAhead, median, recurring, round, sequentialMedianMs, type Load, type LoadResult } from './load.js';
import { describeMachine, memoryMib } from './machine.js';
import { processTime, type ProcessTime } from './processor-time.js';
import { serviceTable, type ServiceRow, type ServiceRun } from './service-table.js';
import { root } from './shipped-policy.js';
import { start, type Running } from './processes.js';
import { describeTraffic, PROVIDER_KEY, proxiedCalls, SDK_HEADERS, submittedEvents } from './usual-calls.js';
import { numberOption, option } from './options.js';
import { onDatabases, startWeir, type WeirService } from './weir-service.js';

/**
 * Measures requests per second and added latency of `/v1/events` and of the proxy, compared with a bare Fastify route
 * and a bare undici pass-through, alternating in one run, with everything on: the shipped production rules, a budget, rate limits (both so
 * high that they refuse nothing) and the log. CPU time per call is that of Weir's threads, and of the processes of PostgreSQL.
 *
 * `npm run bench [-- service --seconds 5 --rounds 5 --repeat 0 --seed 16 --database both --json bench/results | --write]`. The calls are
 * those of `usual-calls.ts`: turns of chats, steps of agents and questions with documents, each with a new text (by default), ids and
 * answer; a fifth of them have e-mail addresses, which are masked; half of the events are answers. An answer other than the expected one
 * makes the run void. `--json` writes the figures to that folder, `--write` to `bench/results`, from which `npm run gen` makes the tables of
 * README.md.
 *
 * Figures of older versions are not comparable. Until 2026-12-01, calls to the proxy lacked the headers that SDKs send. Until 2026-11-30, all
 * calls had one short shape in which nothing was found, and one id, all answers were the same, the provider key was short, there was no budget
 * and no rate limit, and PostgreSQL's CPU time was left out.
 */
const SECONDS = numberOption('seconds', 4);
const ROUNDS = numberOption('rounds', 5);
const CONNECTIONS = numberOption('connections', 32);
const SEQUENTIAL_CALLS = numberOption('calls', 400);

/** Percentage of calls that send the text of an earlier call. */
const REPEATED = numberOption('repeat', 0);
/** Calls of a baseline, which recur. */
const FLOOR_CALLS = 1_000;
/** Calls that are created before the first round; later rounds need about as many as the one before them. */
const FIRST_CALLS = 2_000;
/** Limit of the memory for calls that wait: further ones are created when they are sent. */
const MOST_AHEAD = 20_000;
const WARM_UP_SECONDS = 2;
/** On a busy machine, calls wait longer, instead of being refused, which would make the run void. */
const WEIR_OVERLOAD_WAIT = '1m';

interface Contest {
  readonly name: string;
  readonly floorName: string;
  readonly floor: Load;
  readonly weir: Load;
  /** Process id of Weir. */
  readonly pid: number;
  /** CPU time of PostgreSQL so far, in milliseconds; undefined for the embedded database, or if it cannot be read. */
  readonly databaseMs: (() => number) | undefined;
}

/** CPU time per call in microseconds. */
interface Micros extends ProcessTime {
  readonly database: number | undefined;
}

async function contest({ name, floorName, floor, weir: given, pid, databaseMs }: Contest): Promise<ServiceRow> {
  const say = (text: string): boolean => process.stderr.write(`${name}: ${text}\n`);
  const calls = madeAhead(given.next);
  const weir: Load = { ...given, next: calls.next };
  say('warming up');
  calls.make(FIRST_CALLS);
  await round(floor, CONNECTIONS, WARM_UP_SECONDS);
  let wanted = (await round(weir, CONNECTIONS, WARM_UP_SECONDS)).calls * (SECONDS / WARM_UP_SECONDS);
  const pairs: { floor: LoadResult; weir: LoadResult; micros: Micros | undefined }[] = [];
  for (let index = 1; index <= ROUNDS; index++) {
    const floorResult = await round(floor, CONNECTIONS, SECONDS);
    calls.make(Math.min(wanted, MOST_AHEAD));
    const before = { weir: processTime(pid), ms: databaseMs?.() };
    const result = await round(weir, CONNECTIONS, SECONDS);
    const after = { weir: processTime(pid), ms: databaseMs?.() };
    wanted = Math.max(wanted, result.calls);
    const perCall = (key: keyof ProcessTime): number =>
      ((after.weir?.[key] ?? 0) - (before.weir?.[key] ?? 0)) / result.calls;
    const database =
      after.ms === undefined || before.ms === undefined ? undefined : ((after.ms - before.ms) * 1_000) / result.calls;
    const micros = after.weir === undefined ? undefined : { main: perCall('main'), all: perCall('all'), database };
    pairs.push({ floor: floorResult, weir: result, micros });
    say(`round ${index} of ${ROUNDS}`);
  }
  const added: number[] = [];
  for (let index = 0; index < 3; index++) {
    const floorMs = await sequentialMedianMs(floor, SEQUENTIAL_CALLS);
    calls.make(SEQUENTIAL_CALLS);
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
  const ofDatabase = times.flatMap(({ database }) => database ?? []);
  return {
    name,
    floorName,
    floor: middle((pair) => pair.floor),
    weir: middle((pair) => pair.weir),
    ratio: median(pairs.map((pair) => pair.weir.requestsPerSecond / pair.floor.requestsPerSecond)),
    addedMs: median(added),
    micros: times.length === 0 ? undefined : { main: medianOf('main'), all: medianOf('all') },
    databaseMicros: ofDatabase.length === 0 ? undefined : median(ofDatabase),
    memoryMib: memoryMib(pid),
  };
}

/** The folder given with `--json`, or the one that `--write` stands for; empty if the figures are not to be written. */
const JSON_FOLDER = option('json', process.argv.includes('--write') ? join(root(), 'bench', 'results') : '');

/**
 * Writes all figures with a description of the machine, so that they can be compared later and `npm run gen` can put them into
 * README.md.
 */
function keep(run: ServiceRun): void {
  if (JSON_FOLDER === '') return;
  writeFileSync(join(JSON_FOLDER, `service-${run.database}.json`), `${JSON.stringify(run, null, 2)}\n`);
}

/** What the bare Fastify route answers to each event. */
const BARE_ANSWER = JSON.stringify({ event_id: 'none', received: 'object' });

async function contests(
  weir: WeirService,
  databaseMs: (() => number) | undefined,
  running: Running[],
): Promise<ServiceRow[]> {
  const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
  running.push(upstream);
  const bareFastify = await start('dist/bench/programs/bare-fastify.js', {}, '/healthz');
  running.push(bareFastify);
  const passThrough = await start('dist/bench/programs/pass-through.js', { UPSTREAM: upstream.url }, '/healthz');
  running.push(passThrough);
  const key = await weir.newKey('bench');
  const bareEvents = submittedEvents({ repeated: REPEATED });
  const bareEvent = () => ({ body: bareEvents().body, isRight: (answer: string) => answer === BARE_ANSWER });
  return [
    await contest({
      name: 'Weir, POST /v1/events',
      floorName: 'bare Fastify route',
      floor: { url: `${bareFastify.url}/v1/events`, headers: {}, next: recurring(bareEvent, FLOOR_CALLS) },
      pid: weir.pid,
      databaseMs,
      weir: {
        url: `${weir.url}/v1/events`,
        headers: { authorization: `Bearer ${key}` },
        next: submittedEvents({ repeated: REPEATED }),
      },
    }),
    await contest({
      name: 'Weir, proxy',
      floorName: 'bare undici pass-through',
      floor: {
        url: `${passThrough.url}/v1/chat/completions`,
        headers: SDK_HEADERS,
        next: recurring(proxiedCalls({ repeated: REPEATED, isGoverned: false }), FLOOR_CALLS),
      },
      pid: weir.pid,
      databaseMs,
      weir: {
        url: `${weir.url}/proxy/openai/v1/chat/completions`,
        headers: { ...SDK_HEADERS, 'x-service-key': key, authorization: `Bearer ${PROVIDER_KEY}` },
        next: proxiedCalls({ repeated: REPEATED }),
      },
    }),
  ];
}

/** The clock of the database; undefined if it is on another machine, or if the system has no `/proc`. */
async function clockOfDatabase(url: string | undefined): Promise<(() => number) | undefined> {
  if (url === undefined) return undefined;
  try {
    const clock = await backendClock(url);
    clock();
    return clock;
  } catch {
    return undefined;
  }
}

await onDatabases(async (database, env) => {
  const policies = policiesWithBudget();
  const running: Running[] = [];
  try {
    const weir = await startWeir({ ...policies.env, ...env, WEIR_OVERLOAD_WAIT }, undefined, false);
    running.push(weir);
    const run: ServiceRun = {
      at: new Date().toISOString(),
      rows: await contests(weir, await clockOfDatabase(env['DATABASE_URL']), running),
      machine: describeMachine(),
      settings: {
        connections: CONNECTIONS,
        rounds: ROUNDS,
        seconds: SECONDS,
        repeatedPercent: REPEATED,
        traffic: describeTraffic(),
      },
      database,
    };
    process.stdout.write(`${serviceTable(run).join('\n')}\n\n`);
    keep(run);
  } finally {
    await Promise.all(running.map((program) => program.stop()));
    policies.remove();
  }
});
