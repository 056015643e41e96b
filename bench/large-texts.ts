import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLowPriority } from './low-priority.js';
import { GIANT_POLICIES, policiesFolder } from './giant-policies.js';
import { median } from './load.js';
import { percentile, probe, wrongAnswers, wrongInWords, type Probe, type ProbeResult } from './probes.js';
import type { LongCalls } from './programs/long-calls.js';
import type { Watched } from './programs/watch.js';
import { numberOption, option } from './options.js';
import { machineLoad, onDatabases, smallCall, startWeir, type WeirService } from './weir-service.js';

/**
 * Measures whether one call of ten megabytes per second on one key delays health checks and the small calls of another
 * key: in alternating rounds, their p99 may be at most 50 ms higher with the large calls than without. Then measures
 * the same for health checks during usual calls under policies close to the size limit of an upload. A machine too slow
 * for one such call per second may refuse some of them (503 `overloaded`), but not all: any other answer than 200 to
 * them, and any wrong answer to the probes, makes a run void. Exits 1 when a limit is missed or a run is void.
 *
 * `npm run bench -- large-texts [--rounds 5 --seconds 20 --megabytes 10 --database both --only texts]`; `--rounds 1
 * --seconds 5 --database embedded --only texts` takes a minute, and longer on a busy machine.
 */
const ROUNDS = numberOption('rounds', 5);
const SECONDS = numberOption('seconds', 20);
const UNITS = numberOption('megabytes', 10) * 1_000_000;
const ONLY = option('only', '');
const MOST_ADDED_MS = 50;

interface Round {
  readonly results: ReadonlyMap<string, ProbeResult>;
  readonly watched: Watched;
  /** Number of answers to the load by status or error code. */
  readonly others: Readonly<Record<string, number>>;
}

/** Accepted answers to the load. */
const RIGHT: readonly string[] = ['200', 'overloaded'];

let longTexts = 0;

/** Sends one call per second without waiting for earlier answers. */
function longCalls(weir: WeirService, key: string, seconds: number): Promise<Readonly<Record<string, number>>> {
  const { url, headers } = smallCall(weir.url, key);
  const input: LongCalls = { url, headers, seconds, units: UNITS, first: longTexts };
  longTexts += seconds;
  return runLowPriority('dist/bench/programs/long-calls.js', input);
}

async function round(
  weir: WeirService,
  probes: readonly Probe[],
  load: () => Promise<Readonly<Record<string, number>>>,
) {
  await weir.watch();
  const [results, others] = await Promise.all([probe(probes, SECONDS), load()]);
  return { results, others, watched: await weir.watch() } satisfies Round;
}

/** @returns whether the limit holds for every probe */
function report(title: string, probes: readonly Probe[], pairs: readonly (readonly [Round, Round])[]): boolean {
  const lines = [
    `${title}; ${ROUNDS} rounds of ${SECONDS} s each way, ${machineLoad()}`,
    '',
    '| round | load | ' +
      probes.map(({ name }) => `${name} p50 ms | p99 ms`).join(' | ') +
      ' | longest piece ms | processor s | answers to the load | wrong |',
    `|---|---|${'---|---|'.repeat(probes.length)}---|---|---|---|`,
  ];
  let isVoid = false;
  for (const [index, pair] of pairs.entries()) {
    for (const [side, { results, watched, others }] of pair.entries()) {
      const cells = probes.map(({ name }) => {
        const result = results.get(name)!;
        isVoid ||= wrongAnswers(result) > 0;
        return `${percentile(result.timesMs, 0.5).toFixed(1)} | ${percentile(result.timesMs, 0.99).toFixed(1)}`;
      });
      const answers = Object.entries(others).map(([status, count]) => `${count} × ${status}`);
      lines.push(
        `| ${index + 1} | ${side === 0 ? 'without' : 'with'} | ${cells.join(' | ')} | ${watched.longestMs.toFixed(0)} | ` +
          `${(watched.processMs / 1_000).toFixed(1)} | ${answers.join(', ')} | ${wrongInWords([...results.values()])} |`,
      );
      isVoid ||=
        Object.keys(others).some((answer) => !RIGHT.includes(answer)) || (side === 1 && others[200] === undefined);
    }
  }
  const added = probes.map(({ name }) => {
    const p99 = (side: 0 | 1): number =>
      median(pairs.map((pair) => percentile(pair[side].results.get(name)!.timesMs, 0.99)));
    return { name, ms: p99(1) - p99(0) };
  });
  const isMissed = added.some(({ ms }) => !(ms <= MOST_ADDED_MS));
  lines.push(
    '',
    ...added.map(
      ({ name, ms }) => `${name}: median p99 ${ms.toFixed(1)} ms above that without (at most ${MOST_ADDED_MS})`,
    ),
    isVoid ? 'VOID: there were wrong answers' : isMissed ? 'MISSED' : 'ok',
    '',
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return !isVoid && !isMissed;
}

async function rounds(
  title: string,
  weir: WeirService,
  probes: readonly Probe[],
  load: () => Promise<Readonly<Record<string, number>>>,
): Promise<boolean> {
  const none = (): Promise<Record<string, number>> => Promise.resolve({});
  // Warm-up: V8 compiles code while it runs, and threads start on demand.
  await round(weir, probes, load);
  const pairs: [Round, Round][] = [];
  for (let index = 0; index < ROUNDS; index++) {
    pairs.push([await round(weir, probes, none), await round(weir, probes, load)]);
  }
  return report(title, probes, pairs);
}

let isFine = true;
await onDatabases(async (database, env) => {
  if ('texts'.includes(ONLY)) {
    const weir = await startWeir(env);
    try {
      const [large, small] = [await weir.newKey('large'), await weir.newKey('small')];
      const probes: Probe[] = [
        { name: '/healthz', url: `${weir.url}/healthz`, headers: {}, everyMs: 20 },
        { name: 'small call', ...smallCall(weir.url, small), everyMs: 50 },
      ];
      const title = `One call of ${UNITS} characters a second, ${database} database`;
      isFine = (await rounds(title, weir, probes, () => longCalls(weir, large, SECONDS))) && isFine;
    } finally {
      await weir.stop();
    }
  }
  if (database !== 'embedded') return;
  for (const [name, policy] of Object.entries(GIANT_POLICIES).filter(([one]) => `policy ${one}`.includes(ONLY))) {
    const folder = mkdtempSync(join(tmpdir(), 'weir-giant-'));
    const weir = await startWeir({ WEIR_POLICIES_DIR: policiesFolder(folder, policy) });
    try {
      const call: Probe = { name: 'call', ...smallCall(weir.url, await weir.newKey('giant')), everyMs: 1_000 };
      const probes: Probe[] = [{ name: '/healthz', url: `${weir.url}/healthz`, headers: {}, everyMs: 20 }];
      const load = async (): Promise<Record<string, number>> => {
        const { timesMs, wrong } = (await probe([call], SECONDS)).get('call')!;
        const right = timesMs.length - Object.values(wrong).reduce((sum, count) => sum + count, 0);
        return { ...wrong, ...(right > 0 ? { 200: right } : {}) };
      };
      isFine = (await rounds(`One usual call a second under a policy of ${name}`, weir, probes, load)) && isFine;
    } finally {
      await weir.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
});
process.exitCode = isFine ? 0 : 1;
