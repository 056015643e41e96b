import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { table } from './detectors/markdown.js';
import { median } from './load.js';
import { describeMachine, memoryMib } from './machine.js';
import { numberOption } from './options.js';
import { start } from './processes.js';
import { wholeTimeMs } from './processor-time.js';

/**
 * Measures the time of a start of the service until it is ready, and its memory when idle, with the embedded database:
 * first on an empty folder, then again on the same folder. Alternates between the bundled build, which users run, and
 * single modules, as in development.
 *
 * `npm run bench -- start [--rounds 5]`
 */
const ROUNDS = numberOption('rounds', 5);
/** Time after a start in which the service finishes its remaining work and becomes idle. */
const REST_MS = 3_000;

const FORMS = { 'few files': 'dist/server/main.js', 'single modules': 'dist/src/main.js' } as const;

interface Started {
  readonly wallMs: number;
  readonly processorMs: number;
  readonly memoryMib: number;
}

async function startOnce(script: string, dataDir: string): Promise<Started> {
  const beganMs = performance.now();
  const weir = await start(script, { WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'warn' }, '/readyz');
  const wallMs = performance.now() - beganMs;
  const processorMs = wholeTimeMs(weir.pid) ?? Number.NaN;
  await rest(REST_MS);
  const memory = memoryMib(weir.pid) ?? Number.NaN;
  await weir.stop();
  return { wallMs, processorMs, memoryMib: memory };
}

const folder = mkdtempSync(join(tmpdir(), 'weir-start-'));
const starts = new Map<string, Started[]>();
try {
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [form, script] of Object.entries(FORMS)) {
      const dataDir = mkdtempSync(join(folder, 'data-'));
      for (const which of ['first', 'next']) {
        const name = `${which} start, ${form}`;
        starts.set(name, [...(starts.get(name) ?? []), await startOnce(script, dataDir)]);
      }
    }
    process.stderr.write(`round ${round} of ${ROUNDS}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const rows = [...starts].map(([name, all]) => {
  const middle = (key: keyof Started): number => median(all.map((each) => each[key]));
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
  return [name, seconds(middle('processorMs')), seconds(middle('wallMs')), `${Math.round(middle('memoryMib'))} MiB`];
});
const { processors, processor, load, node } = describeMachine();
console.log(table(['start', 'CPU time', 'until ready', 'memory at rest'], rows));
console.log(`Medians of ${ROUNDS} rounds on ${processors} × ${processor}, Node.js ${node}, load ${load}.`);
