import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GENEROUS_LIMITS, policiesWithBudget } from './budget-policies.js';
import type { Comparison, Pair } from './gate-verdict.js';
import { NotComparable } from './gate-build.js';
import { callsOf, type Load } from './load.js';
import { processTime, type ProcessTime } from './processor-time.js';
import { start, type Running } from './processes.js';
import { PROVIDER_KEY, proxiedCalls, SDK_HEADERS, submittedEvents } from './usual-calls.js';
import { numberOption } from './options.js';

/**
 * Compares the CPU time per call of two services in alternating rounds, with everything on: the shipped rules, a budget, rate limits and
 * the log.
 */
const PAIRS = numberOption('pairs', 16);
/** Calls of one round; with fewer, the granularity of the scheduler distorts the result. */
const CALLS = numberOption('calls', 48);
const WARM_UP_CALLS = numberOption('warm-up', 480);
const CONNECTIONS = 8;

export const KINDS = ['POST /v1/events', 'proxy'] as const;
export type Kind = (typeof KINDS)[number];
export const THREADS = ['main', 'all'] as const;

/** An empty database on a local PostgreSQL. */
export interface PostgresDatabase {
  readonly url: string;
  /** CPU time of all processes of the server so far, in milliseconds. */
  readonly usedMs: () => number;
}

/** A running service with the load for each kind of call. */
export interface Service extends Running {
  readonly loads: Readonly<Record<Kind, Load>>;
  /** Its database; undefined if it is the embedded one, whose CPU time is that of the service. */
  readonly postgres: PostgresDatabase | undefined;
}

/** The start script that all these directories have: the bundled one, or the one of single modules if a directory has no bundle. */
export function sameForm(directories: readonly string[]): string {
  const few = 'dist/server/main.js';
  return directories.every((directory) => existsSync(join(directory, few))) ? few : 'dist/src/main.js';
}

/** How a service is started. */
export interface ServiceStart {
  /** Checkout in which it is built. */
  readonly directory: string;
  /** URL of the provider. */
  readonly upstream: string;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
  readonly script?: string;
  /** By default, the service has an embedded database. */
  readonly postgres?: PostgresDatabase | undefined;
}

/** Starts a service on an empty database. @throws NotComparable */
export async function startService(given: ServiceStart): Promise<Service> {
  const { directory, upstream, postgres, script = sameForm([directory]) } = given;
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-gate-data-'));
  const policies = policiesWithBudget(directory);
  const remove = (): void => {
    policies.remove();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const env: Record<string, string> = {
    ...GENEROUS_LIMITS,
    ...policies.env,
    WEIR_DATA_DIR: dataDir,
    WEIR_OPENAI_BASE_URL: upstream,
    // On a busy machine, calls wait longer, instead of being refused.
    WEIR_OVERLOAD_WAIT: '1m',
    ...(postgres === undefined ? {} : { DATABASE_URL: postgres.url }),
    ...given.env,
  };
  try {
    if (postgres !== undefined) prepare(directory, env);
    const running = await start(join(directory, script), env, '/readyz', false, directory).catch((cause: unknown) => {
      throw new NotComparable(`${directory} does not start`, { cause });
    });
    const bootstrap = readFileSync(join(dataDir, 'bootstrap.json'), 'utf8');
    const { production: key } = (JSON.parse(bootstrap) as { keys: { production: string } }).keys;
    const stop = async (): Promise<void> => {
      await running.stop();
      remove();
    };
    return { ...running, postgres, loads: loadsOf(running.url, key), stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Both services get the same texts, so that a difference is not one of texts; those of both kinds differ, as caches would answer them. */
const APPLICATIONS = { events: -1, proxy: -2 } as const;

const loadsOf = (url: string, key: string): Service['loads'] => ({
  'POST /v1/events': {
    url: `${url}/v1/events`,
    headers: { authorization: `Bearer ${key}` },
    next: submittedEvents({ application: APPLICATIONS.events }),
  },
  proxy: {
    url: `${url}/proxy/openai/v1/chat/completions`,
    headers: { ...SDK_HEADERS, 'x-service-key': key, authorization: `Bearer ${PROVIDER_KEY}` },
    next: proxiedCalls({ application: APPLICATIONS.proxy }),
  },
});

/** Time limit of each command that prepares a database. */
const PREPARE_MS = 60_000;

/** Creates the tables and the first account on PostgreSQL with the commands of that build, which knows its own migrations. */
function prepare(directory: string, env: Readonly<Record<string, string>>): void {
  for (const command of ['migrate', 'bootstrap']) {
    const { status } = spawnSync(process.execPath, [join(directory, 'dist/cli/main.js'), 'server', command], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'ignore',
      timeout: PREPARE_MS,
    });
    if (status !== 0) throw new NotComparable(`weir server ${command} ended with ${String(status)} in ${directory}`);
  }
}

/**
 * Measures CPU time per call; that of all threads includes the processes of PostgreSQL.
 * @returns undefined after a wrong answer: errors on a busy machine say nothing about the build
 */
async function timePerCall({ pid, loads, postgres }: Service, kind: Kind): Promise<ProcessTime | undefined> {
  const before = processTime(pid);
  const beforeMs = postgres?.usedMs() ?? 0;
  const wrong = await callsOf(loads[kind], CONNECTIONS, CALLS);
  const after = processTime(pid);
  const databaseMicros = ((postgres?.usedMs() ?? 0) - beforeMs) * 1_000;
  if (before === undefined || after === undefined) throw new NotComparable('there is no scheduler to ask for CPU time');
  if (wrong > 0) {
    process.stdout.write(
      `${kind}: ${wrong} of ${CALLS} answers of process ${pid} were wrong, the round does not count\n`,
    );
    return undefined;
  }
  return { main: (after.main - before.main) / CALLS, all: (after.all - before.all + databaseMicros) / CALLS };
}

export type Pairs = Record<Kind, Record<(typeof THREADS)[number], Pair[]>>;

/** Measures alternating rounds of both services until there are PAIRS pairs, or `limitMs` have passed in addition to the warm-up. */
export async function measured(
  services: { readonly before: Service; readonly after: Service },
  limitMs: number,
): Promise<Pairs> {
  const pairs: Pairs = { 'POST /v1/events': { main: [], all: [] }, proxy: { main: [], all: [] } };
  for (const kind of KINDS) {
    for (let warmed = 0; warmed < WARM_UP_CALLS; warmed += CALLS) {
      for (const service of [services.before, services.after]) await callsOf(service.loads[kind], CONNECTIONS, CALLS);
    }
    const kindEndMs = performance.now() + limitMs / KINDS.length;
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

/** The name of a figure, such as `proxy, main thread`. */
export const figureName = (kind: Kind, threads: (typeof THREADS)[number], isPostgres = false): string =>
  `${kind}, ${threads === 'main' ? 'main thread' : `all threads${isPostgres ? ' and PostgreSQL' : ''}`}`;

/** The result for one figure in one line. */
export function lineOf(name: string, pairs: readonly Pair[], found: Comparison | undefined): string {
  if (found === undefined) return `${name}: too few rounds (${pairs.length}) to tell\n`;
  const medianOf = (which: keyof Pair): string => {
    const sorted = pairs.map((pair) => pair[which]).sort((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)]!.toFixed(0);
  };
  const { ratio, low, high } = found;
  return `${name}: ${medianOf('before')} → ${medianOf('after')} µs per call, ${percent(ratio)} (99 %: ${percent(low)} to ${percent(high)}, ${found.pairs} pairs)\n`;
}
