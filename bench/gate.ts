import { loadavg } from 'node:os';
import { acceptedCost, compare, isDearer, LIMIT } from './gate-verdict.js';
import { builtIn, buildOf, messageOf, NotComparable, type OtherBuild } from './gate-build.js';
import { KINDS, lineOf, measured, percent, sameForm, startService, THREADS, type Service } from './paired-services.js';
import { start } from './processes.js';
import { root } from './shipped-policy.js';

/**
 * `npm run bench -- gate <commit | directory> [--pairs 20 --calls 120]`: compares the CPU time per call of this
 * build with that of another commit or of a built checkout, in alternating rounds. Exits 1 when a call costs over 10 %
 * more and the interval of the ratio lies entirely above 1, in three measurements, each with new processes. If a
 * measurement is not possible, this is reported and does not fail the gate; a commit whose message has a line `Costs
 * more: <why>` passes.
 */
/** Time limit of a measurement; on a machine too busy for all pairs, the verdict uses the pairs measured until then. */
const MEASURE_MS = 60_000;
/** Maximum number of measurements, each with new processes; the gate passes as soon as one does not confirm a higher cost. */
const MEASUREMENTS = 3;
/** Time limit of the build, two starts and the first measurement together. */
const ALL_MS = 170_000;
/** Part of that limit for the build of the other commit. */
const BUILD_MS = 100_000;

/**
 * One measurement with new processes. Two processes of the same build can differ by a fifth for their lifetime, depending on
 * compilation order and memory layout, so the order of their starts alternates between measurements.
 *
 * @returns the kinds of calls and threads that cost more
 */
async function dearerThan(
  other: OtherBuild,
  upstream: string,
  turn: number,
  endMs: number,
): Promise<readonly string[]> {
  const directories = { before: other.directory, after: root() };
  const script = sameForm(Object.values(directories));
  const services: Partial<Record<'before' | 'after', Service>> = {};
  try {
    for (const which of turn % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const))
      services[which] = await startService(directories[which], upstream, {}, script);
    const pairs = await measured(
      { before: services.before!, after: services.after! },
      Math.min(endMs, performance.now() + MEASURE_MS),
    );
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
      `CPU time per call against ${commit}; load average of the machine ${loadavg()[0]!.toFixed(1)}\n`,
    );
    let dearer: readonly string[] = [];
    for (let turn = 0; turn < MEASUREMENTS; turn += 1) {
      const found = await dearerThan(other, upstream.url, turn, endMs);
      dearer = turn === 0 ? found : dearer.filter((name) => found.includes(name));
      if (dearer.length === 0) return 0;
      process.stdout.write(`More expensive: ${dearer.join('; ')}.\n`);
      endMs = performance.now() + MEASURE_MS;
    }
    process.stdout.write(
      `A call costs over ${percent(LIMIT)} more CPU time than at ${commit}, in ${MEASUREMENTS} measurements.\n`,
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
