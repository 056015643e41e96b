import { loadavg } from 'node:os';
import { compare } from './gate-verdict.js';
import {
  figureName,
  KINDS,
  lineOf,
  measured,
  startService,
  THREADS,
  type Pairs,
  type Service,
} from './paired-services.js';
import { start } from './processes.js';
import { root } from './shipped-policy.js';
import { numberOption, option } from './options.js';
import { keepPageSection } from './page-section.js';
import { missedGoal } from './telemetry-goal.js';

/**
 * `npm run bench -- telemetry [--pairs 16 --calls 48 --seconds 90 --services 4 --sampled 1 --write]`: measures the cost of OpenTelemetry.
 * It compares the CPU time per call of a service that sends spans, metrics and log lines to a collector with that
 * of the same service without a collector, in alternating rounds. Two processes of the same program can differ by more than
 * telemetry costs, for as long as they run: so `--services` new pairs of processes are measured, `--pairs` rounds and `--seconds`
 * each, and their rounds are judged together. Without `--sampled`, the service uses its default sampling of traces. Exits 1 when
 * a median of the ratios is above 1.03, or when there were too few rounds to compare. `--write` puts the lines into docs/reliability.md.
 */
const SAMPLED = option('sampled', '');
const MEASURE_MS = numberOption('seconds', 90) * 1_000;
const SERVICES = numberOption('services', 4);

const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
// This program accepts any request, so it can replace a collector.
const collector = await start('dist/bench/programs/upstream.js', {}, '/');
const WITH_COLLECTOR = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  ...(SAMPLED === '' ? {} : { OTEL_TRACES_SAMPLER_ARG: SAMPLED }),
};
const open = (env: Readonly<Record<string, string>>): Promise<Service> =>
  startService({ directory: root(), upstream: upstream.url, env });

/** Measures two new processes; `isReversed`: the one with a collector is started first. */
async function measuredAnew(isReversed: boolean): Promise<Pairs> {
  const first = await open(isReversed ? WITH_COLLECTOR : {});
  try {
    const second = await open(isReversed ? {} : WITH_COLLECTOR);
    try {
      const [before, after] = isReversed ? [second, first] : [first, second];
      return await measured({ before, after }, MEASURE_MS);
    } finally {
      await second.stop();
    }
  } finally {
    await first.stop();
  }
}

try {
  const title = `without → with a collector (traces: ${SAMPLED === '' ? 'the usual ones' : SAMPLED}), ${SERVICES} pairs of services; load average of the machine ${loadavg()[0]!.toFixed(1)}\n`;
  const lines = [title];
  process.stdout.write(title);
  const all: Pairs[] = [];
  for (let turn = 0; turn < SERVICES; turn += 1) all.push(await measuredAnew(turn % 2 === 1));
  for (const kind of KINDS) {
    for (const threads of THREADS) {
      const pairs = all.flatMap((each) => each[kind][threads]);
      const found = compare(pairs);
      const line = lineOf(figureName(kind, threads), pairs, found);
      process.stdout.write(line);
      lines.push(`- ${line.trimEnd()}`);
      const missed = missedGoal(found);
      if (missed === undefined) continue;
      process.stdout.write(`missed: ${figureName(kind, threads)}: ${missed}\n`);
      process.exitCode = 1;
    }
  }
  keepPageSection('docs/reliability.md', 'telemetry', lines);
} finally {
  for (const each of [upstream, collector]) await each.stop();
}
