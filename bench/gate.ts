import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptedCost, compare, isDearer, LIMIT, type Comparison, type Pair } from './gate-verdict.js';
import { builtIn, buildOf, messageOf, NotComparable, type OtherBuild } from './gate-build.js';
import { callsOf, type Load } from './load.js';
import { processTime, type ProcessTime } from './processor-time.js';
import { start, type Running } from './processes.js';
import { root } from './shipped-policy.js';
import { chatBody, eventBody } from './usual-calls.js';
import { numberOption } from './options.js';

/**
 * `npm run bench -- gate <commit | directory> [--pairs 20 --calls 120]`: the processor time per call of this build against that of
 * another commit's, or of a built checkout, round after round in turn. Ends with 1 when a call costs over 10 % more and the interval of the ratio lies wholly
 * above 1, in three measurements with processes of their own. What cannot be measured is told, and is no fault of the change; a
 * commit whose message has a line `Costs more: <why>` is let pass.
 */
const PAIRS = numberOption('pairs', 20);
/** Calls of one round: with fewer the scheduler's turns show. */
const CALLS = numberOption('calls', 120);
const WARM_UP_CALLS = 600;
const CONNECTIONS = 8;
/** On a machine that is too busy for all pairs, those that were measured until then have to do. */
const MEASURE_MS = 60_000;
/** With new processes each; the first that does not find the same dearer ends the matter. */
const MEASUREMENTS = 3;
/** What the build, two starts and the first measurement may take together. */
const ALL_MS = 170_000;
/** Of that, the other commit's build. */
const BUILD_MS = 100_000;

const KINDS = ['POST /v1/events', 'proxy'] as const;
type Kind = (typeof KINDS)[number];
const THREADS = ['main', 'all'] as const;

interface Service extends Running {
  readonly loads: Readonly<Record<Kind, Load>>;
}

async function startService(directory: string, upstream: string): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-gate-data-'));
  const env = {
    WEIR_DATA_DIR: dataDir,
    WEIR_OPENAI_BASE_URL: upstream,
    WEIR_RATE_EVENTS: 'off',
    WEIR_RATE_PROXY: 'off',
  };
  const script = join(directory, 'dist/src/main.js');
  const running = await start(script, env, '/readyz', false, directory).catch((cause: unknown) => {
    throw new NotComparable(`${directory} does not start`, { cause });
  });
  const bootstrap = readFileSync(join(dataDir, 'bootstrap.json'), 'utf8');
  const { production: key } = (JSON.parse(bootstrap) as { keys: { production: string } }).keys;
  return {
    ...running,
    loads: {
      'POST /v1/events': {
        url: `${running.url}/v1/events`,
        headers: { authorization: `Bearer ${key}` },
        body: eventBody,
      },
      proxy: {
        url: `${running.url}/proxy/openai/v1/chat/completions`,
        headers: { 'x-service-key': key, authorization: 'Bearer upstream' },
        body: chatBody,
      },
    },
    stop: async () => {
      await running.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Undefined when an answer was wrong: a machine too busy to answer says nothing about the build. */
async function timePerCall({ pid, loads }: Service, kind: Kind): Promise<ProcessTime | undefined> {
  const before = processTime(pid);
  const wrong = await callsOf(loads[kind], CONNECTIONS, CALLS);
  const after = processTime(pid);
  if (before === undefined || after === undefined)
    throw new NotComparable('there is no scheduler to ask for processor time');
  if (wrong > 0) {
    process.stdout.write(
      `${kind}: ${wrong} of ${CALLS} answers of process ${pid} were wrong, the round does not count\n`,
    );
    return undefined;
  }
  return { main: (after.main - before.main) / CALLS, all: (after.all - before.all) / CALLS };
}

type Pairs = Record<Kind, Record<(typeof THREADS)[number], Pair[]>>;

async function measured(
  services: { readonly before: Service; readonly after: Service },
  endMs: number,
): Promise<Pairs> {
  const pairs: Pairs = { 'POST /v1/events': { main: [], all: [] }, proxy: { main: [], all: [] } };
  for (const [index, kind] of KINDS.entries()) {
    const left = KINDS.length - index;
    const kindEndMs = performance.now() + Math.min(MEASURE_MS, endMs - performance.now()) / left;
    for (let warmed = 0; warmed < WARM_UP_CALLS; warmed += CALLS) {
      for (const service of [services.before, services.after]) await callsOf(service.loads[kind], CONNECTIONS, CALLS);
    }
    for (let round = 0; round < PAIRS && performance.now() < kindEndMs; round += 1) {
      const order = round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const);
      const times: Partial<Record<'before' | 'after', ProcessTime | undefined>> = {};
      for (const which of order) times[which] = await timePerCall(services[which], kind);
      const { before, after } = times;
      if (before === undefined || after === undefined) continue;
      for (const threads of THREADS) pairs[kind][threads].push({ before: before[threads], after: after[threads] });
    }
  }
  return pairs;
}

const percent = (ratio: number): string => `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`;

function lineOf(kind: Kind, threads: string, pairs: readonly Pair[], found: Comparison | undefined): string {
  const name = `${kind}, ${threads === 'main' ? 'main thread' : 'all threads'}`;
  if (found === undefined) return `${name}: too few rounds (${pairs.length}) to tell\n`;
  const medianOf = (which: keyof Pair): string => {
    const sorted = pairs.map((pair) => pair[which]).sort((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)]!.toFixed(0);
  };
  const { ratio, low, high } = found;
  return `${name}: ${medianOf('before')} → ${medianOf('after')} µs per call, ${percent(ratio)} (99 %: ${percent(low)} to ${percent(high)}, ${found.pairs} pairs)\n`;
}

/**
 * One measurement with processes of its own. Two processes of one build can differ by a fifth for as long as they live (what was
 * compiled when, and where it lies in memory), so who starts first changes from one measurement to the next.
 *
 * @returns what is dearer
 */
async function dearerThan(
  other: OtherBuild,
  upstream: string,
  turn: number,
  endMs: number,
): Promise<readonly string[]> {
  const directories = { before: other.directory, after: root() };
  const services: Partial<Record<'before' | 'after', Service>> = {};
  try {
    for (const which of turn % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const))
      services[which] = await startService(directories[which], upstream);
    const pairs = await measured({ before: services.before!, after: services.after! }, endMs);
    const dearer: string[] = [];
    for (const kind of KINDS) {
      for (const threads of THREADS) {
        const found = compare(pairs[kind][threads]);
        process.stdout.write(lineOf(kind, threads, pairs[kind][threads], found));
        if (isDearer(found)) dearer.push(`${kind}, ${threads}`);
      }
    }
    return dearer;
  } finally {
    for (const service of Object.values(services)) await service.stop();
  }
}

async function gate(commit: string): Promise<number> {
  const accepted = acceptedCost(messageOf('HEAD'));
  if (accepted !== undefined) {
    process.stdout.write(`The commit says that calls cost more: ${accepted}\n`);
    return 0;
  }
  let endMs = performance.now() + ALL_MS;
  const other = builtIn(commit) ?? buildOf(commit, BUILD_MS);
  const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
  try {
    process.stdout.write(
      `processor time per call against ${commit}; load average of the machine ${loadavg()[0]!.toFixed(1)}\n`,
    );
    let dearer: readonly string[] = [];
    for (let turn = 0; turn < MEASUREMENTS; turn += 1) {
      const found = await dearerThan(other, upstream.url, turn, endMs);
      dearer = turn === 0 ? found : dearer.filter((name) => found.includes(name));
      if (dearer.length === 0) return 0;
      process.stdout.write(`Dearer: ${dearer.join('; ')}.\n`);
      endMs = performance.now() + MEASURE_MS;
    }
    process.stdout.write(
      `A call costs over ${percent(LIMIT)} more processor time than at ${commit}, in ${MEASUREMENTS} measurements.\n`,
    );
    return 1;
  } finally {
    await upstream.stop();
    other.remove();
  }
}

const commit = process.argv[3];
if (commit === undefined || commit.startsWith('--'))
  throw new Error('usage: npm run bench -- gate <commit | directory of a built checkout>');
process.exitCode = await gate(commit).catch((error: unknown) => {
  if (!(error instanceof NotComparable)) throw error;
  process.stdout.write(`NOT COMPARED with ${commit}: ${error.message}\n`);
  return 0;
});
