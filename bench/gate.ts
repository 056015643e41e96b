import { loadavg } from 'node:os';
import { TestPostgres } from '../test/support/postgres.js';
import { backendClock } from './backend-time.js';
import { compare, isDearer, LIMIT, statedCost } from './gate-verdict.js';
import { builtIn, buildOf, messageOf, NotComparable, type OtherBuild } from './gate-build.js';
import {
  figureName,
  KINDS,
  lineOf,
  measured,
  percent,
  sameForm,
  startService,
  THREADS,
  type PostgresDatabase,
  type Service,
} from './paired-services.js';
import { postgresBinaries } from './package-of-tests.js';
import { start } from './processes.js';
import { root } from './shipped-policy.js';

/**
 * `npm run bench -- gate <commit | directory> [--pairs 16 --calls 48]`: compares the CPU time per call of this
 * build with that of another commit or of a built checkout, in alternating rounds, on the embedded database and on PostgreSQL, whose
 * processes are counted as well. Exits 1 when a call costs over 10 % more and the interval of the ratio lies entirely above 1, in three
 * measurements, each with new processes. A line `Costs more: 15 %, <why>` in the message of the commit raises this limit to the stated
 * percentage; without a percentage it changes nothing.
 *
 * If a measurement is not possible, or has too few rounds for a verdict, the last line says `NOT COMPARED` and why, and the exit code is 3.
 * A commit that needs other packages is compared with its own ones, and the differences are printed.
 */
/** Time limit of a measurement after its warm-up; on a machine too busy for all pairs, the verdict uses the pairs measured until then. */
const MEASURE_MS = 60_000;
/** Maximum number of measurements, each with new processes; the gate passes as soon as one does not confirm a higher cost. */
const MEASUREMENTS = 3;
/** Time limit for the build of the other commit. */
const BUILD_MS = 100_000;
const NOT_COMPARED = 3;

/** A kind of database on which both builds are measured. */
interface Place {
  readonly name: string;
  readonly isPostgres: boolean;
  /** Creates the empty database of one service; undefined for the embedded one. */
  readonly newDatabase: () => Promise<PostgresDatabase | undefined>;
}

interface Found {
  /** The figures that are more expensive. */
  readonly dearer: readonly string[];
  /** The figures with too few rounds for a verdict. */
  readonly unclear: readonly string[];
}

/**
 * One measurement with new processes. Two processes of the same build can differ by a fifth for their lifetime, depending on
 * compilation order and memory layout, so the order of their starts alternates between measurements.
 */
async function measuredOnce(
  other: OtherBuild,
  upstream: string,
  turn: number,
  place: Place,
  limit: number,
): Promise<Found> {
  const directories = { before: other.directory, after: root() };
  const script = sameForm(Object.values(directories));
  const services: Partial<Record<'before' | 'after', Service>> = {};
  try {
    for (const which of turn % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)) {
      const postgres = await place.newDatabase();
      services[which] = await startService({ directory: directories[which], upstream, script, postgres });
    }
    const pairs = await measured({ before: services.before!, after: services.after! }, MEASURE_MS);
    const found: { dearer: string[]; unclear: string[] } = { dearer: [], unclear: [] };
    for (const kind of KINDS) {
      for (const threads of THREADS) {
        const name = `${place.name}: ${figureName(kind, threads, place.isPostgres)}`;
        const comparison = compare(pairs[kind][threads]);
        process.stdout.write(lineOf(name, pairs[kind][threads], comparison));
        if (comparison === undefined) found.unclear.push(name);
        if (isDearer(comparison, limit)) found.dearer.push(name);
      }
    }
    return found;
  } finally {
    for (const service of Object.values(services)) await service.stop();
  }
}

/** Measures until one measurement does not confirm that a figure is more expensive. */
async function verdictOn(place: Place, other: OtherBuild, upstream: string, limit: number): Promise<Found> {
  let verdict: Found = { dearer: [], unclear: [] };
  for (let turn = 0; turn < MEASUREMENTS; turn += 1) {
    const { dearer, unclear } = await measuredOnce(other, upstream, turn, place, limit);
    verdict = {
      dearer: turn === 0 ? dearer : verdict.dearer.filter((name) => dearer.includes(name)),
      unclear: turn === 0 ? unclear : verdict.unclear,
    };
    if (verdict.dearer.length === 0) return verdict;
    process.stdout.write(`More expensive: ${verdict.dearer.join('; ')}.\n`);
  }
  return verdict;
}

/** @returns undefined if this machine has no PostgreSQL */
async function startedPostgres(): Promise<TestPostgres | undefined> {
  const binaries = await postgresBinaries();
  return binaries === undefined ? undefined : TestPostgres.start(binaries);
}

function placesOf(postgres: TestPostgres | undefined): Place[] {
  const embedded = { name: 'embedded database', isPostgres: false, newDatabase: () => Promise.resolve(undefined) };
  if (postgres === undefined) return [embedded];
  const newDatabase = async (): Promise<PostgresDatabase> => {
    const url = await postgres.newDatabase();
    return { url, usedMs: await backendClock(url) };
  };
  return [embedded, { name: 'PostgreSQL', isPostgres: true, newDatabase }];
}

/** The maximum ratio, as far as the message of the commit raises it. */
function limitOf(message: string): number {
  const stated = statedCost(message);
  if (stated === undefined) return LIMIT;
  const effect =
    stated.limit === undefined
      ? `states no percentage, so ${percent(LIMIT)} remains the limit`
      : `raises the limit to ${percent(stated.limit)}`;
  process.stdout.write(`The line "Costs more: ${stated.text}" of the commit ${effect}.\n`);
  return stated.limit ?? LIMIT;
}

/** Tells what was not compared in the last line. @returns the exit code */
function ended(commit: string, reasons: readonly string[]): number {
  if (reasons.length === 0) return 0;
  process.stdout.write(`NOT COMPARED with ${commit}: ${reasons.join('; ')}\n`);
  return NOT_COMPARED;
}

async function gate(commit: string): Promise<number> {
  const limit = limitOf(messageOf('HEAD'));
  const other = builtIn(commit) ?? buildOf(commit, BUILD_MS);
  const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
  let postgres: TestPostgres | undefined;
  try {
    postgres = await startedPostgres();
    process.stdout.write(
      `CPU time per call against ${commit}; load average of the machine ${loadavg()[0]!.toFixed(1)}\n`,
    );
    const missing: string[] = postgres === undefined ? ['there is no PostgreSQL on this machine'] : [];
    const dearer: string[] = [];
    for (const place of placesOf(postgres)) {
      const verdict = await verdictOn(place, other, upstream.url, limit).catch((error: unknown) => {
        if (!(error instanceof NotComparable)) throw error;
        missing.push(`${place.name}: ${error.message}`);
        return undefined;
      });
      dearer.push(...(verdict?.dearer ?? []));
      missing.push(...(verdict?.unclear ?? []).map((name) => `${name}: too few rounds`));
    }
    if (dearer.length === 0) return ended(commit, missing);
    process.stdout.write(
      `A call costs over ${percent(limit)} more CPU time than at ${commit}, in ${MEASUREMENTS} measurements: ${dearer.join('; ')}.\n`,
    );
    return 1;
  } finally {
    await upstream.stop();
    await postgres?.stop();
    other.remove();
  }
}

const commit = process.argv[3];
if (commit === undefined || commit.startsWith('--'))
  throw new Error('usage: npm run bench -- gate <commit | directory of a built checkout>');
process.exitCode = await gate(commit).catch((error: unknown) => {
  if (!(error instanceof NotComparable)) throw error;
  return ended(commit, [error.message]);
});
