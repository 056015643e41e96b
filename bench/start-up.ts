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
 * What a start of the service takes until it is ready, and the memory that it then has: on an empty folder, and again on the
 * same one, with the embedded database. In few files, as it is built; the same with V8's compiled code kept, as `npm start` and
 * `weir server start` do; and as single modules, which only development runs. The three take turns.
 *
 * `npm run bench -- start [--rounds 5]`
 */
const ROUNDS = numberOption('rounds', 5);
/** What a service does right after it is ready is over by then. */
const REST_MS = 3_000;

const FORMS = ['few files, compiled code kept', 'few files', 'single modules'] as const;
type Form = (typeof FORMS)[number];

interface Started {
  readonly wallMs: number;
  readonly processorMs: number;
  readonly memoryMib: number;
}

async function startOnce(form: Form, dataDir: string, cache: string): Promise<Started> {
  const script = form === 'single modules' ? 'dist/src/main.js' : 'dist/server/main.js';
  const kept: Record<string, string> = form === 'few files, compiled code kept' ? { NODE_COMPILE_CACHE: cache } : {};
  const beganMs = performance.now();
  const weir = await start(script, { WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'warn', ...kept }, '/readyz');
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
  const cache = join(folder, 'compiled');
  for (let round = 1; round <= ROUNDS; round++) {
    for (const form of FORMS) {
      const dataDir = mkdtempSync(join(folder, 'data-'));
      for (const which of ['first', 'next']) {
        const name = `${which} start, ${form}`;
        starts.set(name, [...(starts.get(name) ?? []), await startOnce(form, dataDir, cache)]);
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
console.log(table(['start', 'processor time', 'until ready', 'memory at rest'], rows));
console.log(`Medians of ${ROUNDS} rounds on ${processors} × ${processor}, Node.js ${node}, load ${load}.`);
