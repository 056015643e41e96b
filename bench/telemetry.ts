import { loadavg } from 'node:os';
import { compare } from './gate-verdict.js';
import { KINDS, lineOf, measured, startService, THREADS, type Service } from './paired-services.js';
import { start } from './processes.js';
import { root } from './shipped-policy.js';
import { numberOption, option } from './options.js';

/**
 * `npm run bench -- telemetry [--pairs 20 --calls 120 --sampled 0.1]`: what a collector costs, told of all calls or of a part. The processor time per call of a service that tells a
 * collector spans, figures and lines of the log, against that of the same service without one, round after round in turn. Ends
 * with 1 when a call surely costs more than the goal: when the interval of the ratio lies wholly above it.
 */
const GOAL = 1.03;
const SAMPLED = option('sampled', '1');
const MEASURE_MS = numberOption('seconds', 90) * 1_000;

const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
// Whatever is sent to it is taken.
const collector = await start('dist/bench/programs/upstream.js', {}, '/');
const services: Service[] = [];
try {
  const before = await startService(root(), upstream.url);
  services.push(before);
  const after = await startService(root(), upstream.url, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: SAMPLED,
  });
  services.push(after);
  process.stdout.write(
    `without → with a collector that is told of ${SAMPLED} of all calls; load average of the machine ${loadavg()[0]!.toFixed(1)}\n`,
  );
  const pairs = await measured({ before, after }, performance.now() + MEASURE_MS);
  for (const kind of KINDS) {
    for (const threads of THREADS) {
      const found = compare(pairs[kind][threads]);
      process.stdout.write(lineOf(kind, threads, pairs[kind][threads], found));
      if (found !== undefined && found.low > GOAL) process.exitCode = 1;
    }
  }
} finally {
  for (const each of [...services, upstream, collector]) await each.stop();
}
