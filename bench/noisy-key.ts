import { median } from './load.js';
import {
  percentile,
  probe,
  probeAtLowPriority,
  wrongAnswers,
  wrongInWords,
  type Probe,
  type ProbeResult,
} from './probes.js';
import { numberOption } from './options.js';
import { machineLoad, onDatabases, smallCall, startWeir, type WeirService } from './weir-service.js';

/**
 * Checks that a key that calls a hundred times as often as the others at most doubles their p99, in alternating rounds
 * with and without it. The noisy key may be refused (503 `overloaded`), the others may not: a wrong answer to them
 * makes the run void. Exits 1 when the limit is missed or the run is void.
 *
 * `npm run bench -- noisy-key [--rounds 5 --seconds 20 --keys 4 --rate 5 --times 100 --database both]`; `--rounds 1
 * --seconds 5 --database embedded` takes half a minute.
 */
const ROUNDS = numberOption('rounds', 5);
const SECONDS = numberOption('seconds', 20);
const KEYS = numberOption('keys', 4);
/** Calls per second of each polite key. */
const RATE = numberOption('rate', 5);
const TIMES = numberOption('times', 100);
const MOST_RATIO = 2;

interface Side {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly wrong: number;
  readonly wrongAre: string;
  readonly noisy: string;
}

function sideOf(polite: readonly ProbeResult[], noisy: ProbeResult | undefined): Side {
  const timesMs = polite.flatMap((result) => [...result.timesMs]);
  const refused =
    noisy === undefined ? '' : Object.entries(noisy.wrong).map(([status, count]) => `, ${count} × ${status}`);
  return {
    p50Ms: percentile(timesMs, 0.5),
    p99Ms: percentile(timesMs, 0.99),
    wrong: polite.reduce((sum, result) => sum + wrongAnswers(result), 0),
    wrongAre: wrongInWords(polite),
    noisy: noisy === undefined ? '' : `${noisy.timesMs.length} calls${[...refused].join('')}`,
  };
}

async function side(weir: WeirService, polite: readonly Probe[], noisy: Probe | undefined): Promise<Side> {
  const [calm, loud] = await Promise.all([
    probe(polite, SECONDS),
    noisy === undefined ? undefined : probeAtLowPriority([noisy], SECONDS),
  ]);
  return sideOf([...calm.values()], loud?.get('noisy'));
}

let isFine = true;
await onDatabases(async (database, env) => {
  const weir = await startWeir(env);
  try {
    const polite: Probe[] = [];
    for (let index = 0; index < KEYS; index++) {
      const call = smallCall(weir.url, await weir.newKey(`polite ${index}`));
      polite.push({ name: `polite ${index}`, ...call, everyMs: 1_000 / RATE });
    }
    const noisy: Probe = {
      name: 'noisy',
      ...smallCall(weir.url, await weir.newKey('noisy')),
      everyMs: 1_000 / (RATE * TIMES),
    };
    await side(weir, polite, noisy);
    const lines = [
      '| round | noisy key | polite p50 ms | polite p99 ms | wrong | noisy |',
      '|---|---|---|---|---|---|',
    ];
    const ratios: number[] = [];
    let wrong = 0;
    for (let index = 1; index <= ROUNDS; index++) {
      const without = await side(weir, polite, undefined);
      const beside = await side(weir, polite, noisy);
      ratios.push(beside.p99Ms / without.p99Ms);
      wrong += without.wrong + beside.wrong;
      for (const [name, one] of [
        ['without', without],
        ['with', beside],
      ] as const) {
        lines.push(
          `| ${index} | ${name} | ${one.p50Ms.toFixed(1)} | ${one.p99Ms.toFixed(1)} | ${one.wrongAre} | ${one.noisy} |`,
        );
      }
    }
    const ratio = median(ratios);
    const verdict = wrong > 0 ? 'VOID: polite keys had wrong answers' : ratio > MOST_RATIO ? 'MISSED' : 'ok';
    process.stdout.write(
      `${KEYS} keys at ${RATE} calls a second and one at ${RATE * TIMES}, ${database} database; ${machineLoad()}\n\n` +
        `${lines.join('\n')}\n\nmedian p99 ${ratio.toFixed(2)} times that without (at most ${MOST_RATIO}): ${verdict}\n\n`,
    );
    isFine &&= verdict === 'ok';
  } finally {
    await weir.stop();
  }
});
process.exitCode = isFine ? 0 : 1;
