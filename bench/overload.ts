import { median, round } from './load.js';
import { percentile, probe, wrongAnswers, type Probe, type ProbeResult } from './probes.js';
import { numberOption } from './options.js';
import { keepPageSection } from './page-section.js';
import { machineLoad, onDatabases, smallCall, smallLoad, startWeir } from './weir-service.js';

/**
 * Checks that a service under three times its maximum load still completes most of that maximum, and recovers within
 * five seconds. Each round first measures the maximum (answers per second to clients that wait for each answer), then
 * applies half of it, three times it, and half of it again. Refusals must be 503; any other answer makes the run void.
 * Exits 1 when the answers per second under overload are below 80 % of the maximum, when calls are still refused five
 * seconds later, or when the run is void.
 *
 * `npm run bench -- overload [--rounds 3 --seconds 60 --times 3 --database both --write]`; `--write` puts the tables into docs/reliability.md.
 */
const ROUNDS = numberOption('rounds', 3);
const SECONDS = numberOption('seconds', 60);
const TIMES = numberOption('times', 3);
/** Enough clients to reach the capacity: with 8, a service that waits for the disk answers a third less. */
const CONNECTIONS = 64;
/** Length of each phase before and after the overload, and the maximum time to recover. */
const CALM_SECONDS = 5;
const LEAST_SHARE = 0.8;
const MS_PER_S = 1_000;
const REFUSED = '503';

interface Round {
  readonly capacity: number;
  /** Answers with 200 per second during the overload. */
  readonly goodput: number;
  readonly refused: number;
  readonly p99Ms: Readonly<Record<'before' | 'during' | 'after', number>>;
  readonly refusedAfter: number;
  /** Answers in all phases that are neither 200 nor a refusal; before the overload, a refusal counts as well. */
  readonly wrong: number;
}

const refusedOf = ({ wrong }: ProbeResult): number => wrong[REFUSED] ?? 0;
const otherOf = (result: ProbeResult): number => wrongAnswers(result) - refusedOf(result);

async function measure(call: ReturnType<typeof smallCall>): Promise<Round> {
  const { requestsPerSecond: capacity } = await round(smallLoad(call), CONNECTIONS, CALM_SECONDS);
  const at = async (rate: number, seconds: number): Promise<ProbeResult> => {
    const asked: Probe = { name: 'calls', ...call, everyMs: MS_PER_S / rate };
    return (await probe([asked], seconds)).get('calls')!;
  };
  const before = await at(capacity / 2, CALM_SECONDS);
  const beganMs = performance.now();
  const during = await at(capacity * TIMES, SECONDS);
  const tookS = (performance.now() - beganMs) / MS_PER_S;
  const settling = await at(capacity / 2, CALM_SECONDS);
  const after = await at(capacity / 2, CALM_SECONDS);
  const p99 = ({ timesMs }: ProbeResult): number => percentile(timesMs, 0.99);
  return {
    capacity,
    goodput: (during.timesMs.length - wrongAnswers(during)) / tookS,
    refused: refusedOf(during),
    p99Ms: { before: p99(before), during: p99(during), after: p99(after) },
    refusedAfter: refusedOf(after),
    wrong: wrongAnswers(before) + [during, settling, after].reduce((sum, result) => sum + otherOf(result), 0),
  };
}

function verdictOf(rounds: readonly Round[]): string {
  if (rounds.some(({ wrong }) => wrong > 0)) return 'VOID: some answers were neither 200 nor refusals';
  const share = median(rounds.map(({ goodput, capacity }) => goodput / capacity));
  const isBack = rounds.every(({ refusedAfter }) => refusedAfter === 0);
  const figures = `median of ${rounds.length} rounds ${(share * 100).toFixed(0)} % of capacity, ${isBack ? 'nothing' : 'calls'} refused ${CALM_SECONDS} s after`;
  return `${figures}: ${share >= LEAST_SHARE && isBack ? 'ok' : 'MISSED'}`;
}

let isFine = true;
const tables: string[] = [];
await onDatabases(async (database, env) => {
  const weir = await startWeir(env);
  try {
    const call = smallCall(weir.url, await weir.newKey('overload'));
    await round(smallLoad(call), CONNECTIONS, CALM_SECONDS);
    const rounds: Round[] = [];
    for (let index = 0; index < ROUNDS; index++) rounds.push(await measure(call));
    const verdict = verdictOf(rounds);
    const rows = rounds.map(({ capacity, goodput, refused, p99Ms, refusedAfter, wrong }) => {
      const cells = [capacity.toFixed(0), goodput.toFixed(0), refused];
      return `| ${[...cells, ...Object.values(p99Ms).map((ms) => ms.toFixed(0)), refusedAfter, wrong].join(' | ')} |`;
    });
    const text = [
      `${TIMES} times its capacity, for ${SECONDS} s, ${database} database; ${machineLoad()}`,
      '',
      '| capacity calls/s | answered/s | refused | p99 ms before | during | after | refused after | wrong |',
      '|---|---|---|---|---|---|---|---|',
      ...rows,
      '',
      verdict,
      '',
    ];
    process.stdout.write(text.join('\n'));
    tables.push(...text);
    isFine &&= verdict.endsWith('ok');
  } finally {
    await weir.stop();
  }
});
keepPageSection('docs/reliability.md', 'overload', tables);
process.exitCode = isFine ? 0 : 1;
