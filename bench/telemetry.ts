import { loadavg } from 'node:os';
import { compare } from './gate-verdict.js';
import { figureName, KINDS, lineOf, measured, startService, THREADS, type Service } from './paired-services.js';
import { start } from './processes.js';
import { root } from './shipped-policy.js';
import { numberOption, option } from './options.js';
import { keepPageSection } from './page-section.js';
import { missedGoal } from './telemetry-goal.js';

/**
 * `npm run bench -- telemetry [--pairs 16 --calls 48 --seconds 90 --sampled 1 --write]`: measures the cost of OpenTelemetry.
 * It compares the CPU time per call of a service that sends spans, metrics and log lines to a collector with that
 * of the same service without a collector, in alternating rounds. Without `--sampled`, the service uses its default
 * sampling of traces. Exits 1 when a median of the ratios is above 1.03, or when there were too few rounds to compare.
 * `--write` puts the lines into docs/reliability.md.
 */
const SAMPLED = option('sampled', '');
const MEASURE_MS = numberOption('seconds', 90) * 1_000;

const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
// This program accepts any request, so it can replace a collector.
const collector = await start('dist/bench/programs/upstream.js', {}, '/');
const services: Service[] = [];
try {
  const before = await startService({ directory: root(), upstream: upstream.url });
  services.push(before);
  const after = await startService({
    directory: root(),
    upstream: upstream.url,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...(SAMPLED === '' ? {} : { OTEL_TRACES_SAMPLER_ARG: SAMPLED }),
    },
  });
  services.push(after);
  const title = `without → with a collector (traces: ${SAMPLED === '' ? 'the usual ones' : SAMPLED}); load average of the machine ${loadavg()[0]!.toFixed(1)}\n`;
  const lines = [title];
  process.stdout.write(title);
  const pairs = await measured({ before, after }, MEASURE_MS);
  for (const kind of KINDS) {
    for (const threads of THREADS) {
      const found = compare(pairs[kind][threads]);
      const line = lineOf(figureName(kind, threads), pairs[kind][threads], found);
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
  for (const each of [...services, upstream, collector]) await each.stop();
}
