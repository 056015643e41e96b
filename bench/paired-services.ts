import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Comparison, Pair } from './gate-verdict.js';
import { NotComparable } from './gate-build.js';
import { callsOf, type Load } from './load.js';
import { processTime, type ProcessTime } from './processor-time.js';
import { start, type Running } from './processes.js';
import { chatBody, eventBodies, PROVIDER_KEY } from './usual-calls.js';
import { numberOption } from './options.js';

/** Compares the CPU time per call of two services in alternating rounds. */
const PAIRS = numberOption('pairs', 20);
/** Calls of one round; with fewer, the granularity of the scheduler distorts the result. */
const CALLS = numberOption('calls', 120);
const WARM_UP_CALLS = numberOption('warm-up', 600);
const CONNECTIONS = 8;

export const KINDS = ['POST /v1/events', 'proxy'] as const;
export type Kind = (typeof KINDS)[number];
export const THREADS = ['main', 'all'] as const;

/** A running service with the load for each kind of call. */
export interface Service extends Running {
  readonly loads: Readonly<Record<Kind, Load>>;
}

/** The start script that all these directories have: the bundled one, or the one of single modules if a directory has no bundle. */
export function sameForm(directories: readonly string[]): string {
  const few = 'dist/server/main.js';
  return directories.every((directory) => existsSync(join(directory, few))) ? few : 'dist/src/main.js';
}

/** Starts the service that is built in a directory, on an empty database. @throws NotComparable */
export async function startService(
  directory: string,
  upstream: string,
  more: Readonly<Record<string, string>> = {},
  script = sameForm([directory]),
): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-gate-data-'));
  const env = {
    WEIR_DATA_DIR: dataDir,
    WEIR_OPENAI_BASE_URL: upstream,
    WEIR_RATE_EVENTS: 'off',
    WEIR_RATE_PROXY: 'off',
    ...more,
  };
  const running = await start(join(directory, script), env, '/readyz', false, directory).catch((cause: unknown) => {
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
        body: eventBodies(),
      },
      proxy: {
        url: `${running.url}/proxy/openai/v1/chat/completions`,
        headers: { 'x-service-key': key, authorization: `Bearer ${PROVIDER_KEY}` },
        body: chatBody,
      },
    },
    stop: async () => {
      await running.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Measures CPU time per call. @returns undefined after a wrong answer: errors on a busy machine say nothing about the build */
async function timePerCall({ pid, loads }: Service, kind: Kind): Promise<ProcessTime | undefined> {
  const before = processTime(pid);
  const wrong = await callsOf(loads[kind], CONNECTIONS, CALLS);
  const after = processTime(pid);
  if (before === undefined || after === undefined) throw new NotComparable('there is no scheduler to ask for CPU time');
  if (wrong > 0) {
    process.stdout.write(
      `${kind}: ${wrong} of ${CALLS} answers of process ${pid} were wrong, the round does not count\n`,
    );
    return undefined;
  }
  return { main: (after.main - before.main) / CALLS, all: (after.all - before.all) / CALLS };
}

export type Pairs = Record<Kind, Record<(typeof THREADS)[number], Pair[]>>;

/** Measures alternating rounds of both services until there are PAIRS pairs or `endMs` is reached (monotonic milliseconds). */
export async function measured(
  services: { readonly before: Service; readonly after: Service },
  endMs: number,
): Promise<Pairs> {
  const pairs: Pairs = { 'POST /v1/events': { main: [], all: [] }, proxy: { main: [], all: [] } };
  for (const [index, kind] of KINDS.entries()) {
    const left = KINDS.length - index;
    const kindEndMs = performance.now() + (endMs - performance.now()) / left;
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

export const percent = (ratio: number): string => `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`;

/** The result for one kind of call in one line. */
export function lineOf(kind: Kind, threads: string, pairs: readonly Pair[], found: Comparison | undefined): string {
  const name = `${kind}, ${threads === 'main' ? 'main thread' : 'all threads'}`;
  if (found === undefined) return `${name}: too few rounds (${pairs.length}) to tell\n`;
  const medianOf = (which: keyof Pair): string => {
    const sorted = pairs.map((pair) => pair[which]).sort((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)]!.toFixed(0);
  };
  const { ratio, low, high } = found;
  return `${name}: ${medianOf('before')} → ${medianOf('after')} µs per call, ${percent(ratio)} (99 %: ${percent(low)} to ${percent(high)}, ${found.pairs} pairs)\n`;
}
