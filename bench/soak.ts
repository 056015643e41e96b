import { readdirSync } from 'node:fs';
import { median, round } from './load.js';
import { residentMib } from './machine.js';
import { numberOption } from './options.js';
import { keepPageSection } from './page-section.js';
import { percentile, probe, wrongInWords, type ProbeResult } from './probes.js';
import { machineLoad, onDatabases, smallCall, smallLoad, startWeir, type WeirService } from './weir-service.js';

/**
 * Checks that memory and open file descriptors of the service stay flat in a long run at a part of its capacity. It
 * first measures the capacity (answers per second to clients that wait for each answer), then sends three times that rate for
 * some seconds, and then proxied calls at a fixed rate, in windows. Exits 1 when resident memory grows faster than 1 MiB in ten
 * minutes after the warm-up, or when file descriptors grow. Its anonymous part, the heap of the main thread and how much of it is
 * used, the latency of each window and the load of the machine are printed beside it, since they may explain a change.
 *
 * The overload at the start opens as many calls at once as the service admits. V8 and malloc keep the memory of such a peak; without the
 * overload, each pause of the disk during the hour opens more calls than any before it, which looks like a leak.
 *
 * `npm run bench -- soak [--minutes 60 --warm-up 20 --overload 60 --part 0.7 --window 300 --database postgresql --write]`; `--write` puts the
 * table into docs/reliability.md
 */
const MINUTES = numberOption('minutes', 60);
const WARM_UP_MINUTES = numberOption('warm-up', 20);
const OVERLOAD_SECONDS = numberOption('overload', 60);
const OVERLOAD_TIMES = 3;
const PART = numberOption('part', 0.7);
const WINDOW_S = numberOption('window', 300);
/** Enough clients to reach the capacity: with 8, a service that waits for the disk answers a third less. */
const CONNECTIONS = 64;
const CAPACITY_ROUNDS = 3;
const CAPACITY_SECONDS = 10;
const MOST_MIB_IN_TEN_MINUTES = 1;
/** Medians of the p99 of the windows: the p99 of one window also shows other work of the machine. */
const MOST_SLOWER = 1.5;
/** Maximum growth of the median number of file descriptors from the first third of the windows to the last. */
const MOST_NEW_HANDLES = 8;
const SAMPLE_MS = 20_000;
const BYTES_PER_MIB = 1024 ** 2;
const MS_PER_S = 1_000;
const MS_PER_MINUTE = 60_000;

/** Idle connections to the clients and to the provider are closed within this time. */
const REST_MS = 12_000;

/** Minimum of each kind of memory in a window, and the file descriptors after it, when no call is open. */
interface Use {
  readonly memoryMib: number;
  readonly anonymousMib: number;
  readonly heapMib: number;
  readonly usedMib: number;
  readonly handles: number;
}

interface Window extends Use {
  readonly minute: number;
  readonly result: ProbeResult;
  readonly load: string;
}

/** The slope of the least-squares line through the points. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: 0 | 1): number => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const over = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
}

function rowOf({ minute, memoryMib, anonymousMib, heapMib, usedMib, handles, result, load }: Window): string {
  const { timesMs } = result;
  const latency = [0.5, 0.99, 0.999].map((part) => percentile(timesMs, part).toFixed(0));
  const memory = [memoryMib, anonymousMib, heapMib, usedMib].map((mib) => mib.toFixed(1));
  const cells = [minute.toFixed(0), timesMs.length, ...memory, handles, ...latency, wrongInWords([result]), load];
  return `| ${cells.join(' | ')} |\n`;
}

/** Heap of the service's main thread in MiB, as `/metrics` reports it: what the system gave to it, and what objects and buffers use. */
async function heapOf(weir: WeirService): Promise<Pick<Use, 'heapMib' | 'usedMib'>> {
  const text = await (await fetch(`${weir.url}/metrics`)).text();
  const mib = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]) / BYTES_PER_MIB;
  return {
    heapMib: mib('nodejs_heap_size_total_bytes'),
    usedMib: mib('nodejs_heap_size_used_bytes') + mib('nodejs_external_memory_bytes'),
  };
}

/**
 * Samples memory.
 *
 * @returns ends the sampling, and returns the minimum of each kind: garbage that is not collected yet varies, but a leak raises the minimum.
 * Open connections vary with the calls that are open at once, so file descriptors are counted when all of them are closed
 */
function watchUse(weir: WeirService): () => Promise<Use> {
  const samples: Promise<Omit<Use, 'handles'>>[] = [];
  const sample = async (): Promise<Omit<Use, 'handles'>> => {
    const { all, anonymous } = residentMib(weir.pid);
    return { memoryMib: all, anonymousMib: anonymous, ...(await heapOf(weir)) };
  };
  const timer = setInterval(() => samples.push(sample()), SAMPLE_MS);
  return async () => {
    clearInterval(timer);
    const all = await Promise.all([...samples, sample()]);
    const minimum = (of: keyof Omit<Use, 'handles'>): number => Math.min(...all.map((use) => use[of]));
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    return {
      memoryMib: minimum('memoryMib'),
      anonymousMib: minimum('anonymousMib'),
      heapMib: minimum('heapMib'),
      usedMib: minimum('usedMib'),
      handles: readdirSync(`/proc/${weir.pid}/fd`).length,
    };
  };
}

function verdictOf(windows: readonly Window[]): string {
  const settled = windows.filter(({ minute }) => minute > WARM_UP_MINUTES);
  if (settled.length < 3) return 'too few windows after the warm-up: no verdict';
  const tenMinutes = slopeOf(settled.map(({ minute, memoryMib: mib }) => [minute, mib])) * 10;
  const third = Math.ceil(settled.length / 3);
  const handlesOf = (some: readonly Window[]): number => median(some.map(({ handles }) => handles));
  const more = handlesOf(settled.slice(-third)) - handlesOf(settled.slice(0, third));
  const p99Of = (some: readonly Window[]): number => median(some.map(({ result }) => percentile(result.timesMs, 0.99)));
  const slower = p99Of(settled.slice(-third)) / p99Of(settled.slice(0, third));
  const isFlat = tenMinutes < MOST_MIB_IN_TEN_MINUTES && more <= MOST_NEW_HANDLES && slower <= MOST_SLOWER;
  const latency = `p99 of the last third ${slower.toFixed(2)} times that of the first`;
  return `memory ${tenMinutes.toFixed(2)} MiB in ten minutes, ${more} more file descriptors, ${latency}: ${isFlat ? 'ok' : 'MISSED'}`;
}

const HEAD =
  '| minute | calls | RSS MiB | anonymous | heap | used | file descriptors | p50 ms | p99 | p99.9 | not 200 | load |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n';

let isFine = true;
await onDatabases(async (database, env) => {
  const weir = await startWeir(env, undefined, false);
  try {
    const call = smallCall(weir.url, await weir.newKey('soak'));
    const load = smallLoad(call);
    const capacities: number[] = [];
    for (let index = 0; index <= CAPACITY_ROUNDS; index++)
      capacities.push((await round(load, CONNECTIONS, CAPACITY_SECONDS)).requestsPerSecond);
    // The first round warms the service up.
    const capacity = median(capacities.slice(1));
    const rate = capacity * PART;
    const title = `${MINUTES} minutes of ${rate.toFixed(0)} calls a second, ${(PART * 100).toFixed(0)} % of the capacity of ${capacity.toFixed(0)}, ${database} database; ${machineLoad()}`;
    process.stdout.write(`${title}\n\n${HEAD}`);
    if (OVERLOAD_SECONDS > 0)
      await probe([{ name: 'overload', ...call, everyMs: MS_PER_S / (capacity * OVERLOAD_TIMES) }], OVERLOAD_SECONDS);
    const windows: Window[] = [];
    const beganMs = performance.now();
    while (performance.now() - beganMs < MINUTES * MS_PER_MINUTE) {
      const used = watchUse(weir);
      const result = (await probe([{ name: 'calls', ...call, everyMs: MS_PER_S / rate }], WINDOW_S)).get('calls')!;
      const window = {
        minute: (performance.now() - beganMs) / MS_PER_MINUTE,
        ...(await used()),
        result,
        load: machineLoad(),
      };
      windows.push(window);
      process.stdout.write(rowOf(window));
    }
    const verdict = verdictOf(windows);
    process.stdout.write(`\n${verdict}\n`);
    keepPageSection('docs/reliability.md', 'soak', [title, '', `${HEAD}${windows.map(rowOf).join('')}`, verdict]);
    isFine &&= verdict.endsWith('ok');
  } finally {
    await weir.stop();
  }
});
process.exitCode = isFine ? 0 : 1;
