import { setMaxListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ATTACKS } from './hostile-load.js';
import { percentile, probe, type Probe, type ProbeResult } from './probes.js';
import type { Watched } from './programs/watch.js';
import { numberOption, option } from './options.js';
import { machineLoad, onDatabases, smallCall, startWeir, type WeirService } from './weir-service.js';

/**
 * Runs a hostile key and a normal key together for the given time: giant bodies, texts on which regular expressions are
 * slow, deep and wide JSON, policy uploads, connections kept open, bodies that never end. A quiet phase precedes each
 * attack; the table compares the latency of the normal key and of health checks in both phases. Exits 1 when the normal
 * key gets an answer other than 200 in a quiet phase, or no answer at all in a phase under attack.
 *
 * `npm run bench -- hostile-key [--minutes 60 --phase 20 --database embedded --only 'pump texts']`
 */
interface HostileData {
  readonly url: string;
  readonly token: string;
  readonly key: string;
  readonly attack: string;
  readonly seconds: number;
}

const SETTLING_MS = 500;
const MOST_SETTLING_MS = 60_000;

interface Phase {
  readonly polite: ProbeResult;
  readonly health: ProbeResult;
  readonly watched: Watched;
  readonly seconds: number;
}

async function attackInThread(data: HostileData): Promise<void> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: data });
  await new Promise<void>((resolve, reject) => {
    worker.on('message', () => resolve());
    worker.on('error', reject);
  });
  await worker.terminate();
}

/**
 * Runs an attack in its own thread, so that generating giant bodies does not delay the probes. Connections left open end with the
 * thread.
 */
async function beHostile({ url, token, key, attack, seconds }: HostileData): Promise<void> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const weir = { url, token } as WeirService;
  setTimeout(() => stop.abort(), seconds * 1_000);
  await ATTACKS.find(({ name }) => name === attack)!.run({ weir, key }, stop.signal);
  parentPort?.postMessage('attack over');
}

/** Waits until the service has finished the work of the last attack: until it is nearly idle for half a second. */
async function settled(weir: WeirService): Promise<void> {
  for (let waitedMs = 0; waitedMs < MOST_SETTLING_MS; waitedMs += SETTLING_MS) {
    await weir.watch();
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
    if ((await weir.watch()).processMs < SETTLING_MS / 10) return;
  }
  throw new Error('the service was still at work a minute after an attack');
}

function row(name: string, phases: readonly Phase[]): string {
  const times = (pick: (phase: Phase) => ProbeResult): number[] => phases.flatMap((phase) => [...pick(phase).timesMs]);
  const [polite, health] = [times(({ polite: one }) => one), times(({ health: one }) => one)];
  const wrong = new Map<string, number>();
  for (const [status, count] of phases.flatMap((phase) => Object.entries(phase.polite.wrong))) {
    wrong.set(status, (wrong.get(status) ?? 0) + count);
  }
  const errors = [...wrong].map(([status, count]) => `${count} × ${status}`).join(', ');
  const seconds = phases.reduce((sum, phase) => sum + phase.seconds, 0);
  const most = (pick: (watched: Watched) => number): string =>
    Math.max(...phases.map(({ watched }) => pick(watched))).toFixed(0);
  const busy = (phases.reduce((sum, { watched }) => sum + watched.processMs, 0) / 1_000 / seconds).toFixed(2);
  return (
    `| ${name} | ${polite.length} | ${percentile(polite, 0.5).toFixed(1)} | ${percentile(polite, 0.99).toFixed(1)} | ` +
    `${errors === '' ? 'none' : errors} | ${percentile(health, 0.99).toFixed(1)} | ${most(({ longestMs }) => longestMs)} | ` +
    `${busy} | ${most(({ residentMb }) => residentMb)} |`
  );
}

async function bench(database: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const minutes = numberOption('minutes', 60);
  const phaseSeconds = numberOption('phase', 20);
  const attacks = ATTACKS.filter(({ name }) => name.includes(option('only', '')));
  const weir = await startWeir(env);
  try {
    const [hostile, polite] = [await weir.newKey('hostile'), await weir.newKey('polite')];
    const probes: Probe[] = [
      { name: 'polite', ...smallCall(weir.url, polite), everyMs: 100 },
      { name: 'health', url: `${weir.url}/healthz`, headers: {}, everyMs: 50 },
    ];
    const phase = async (attack?: string): Promise<Phase> => {
      await weir.watch();
      const { url, token } = weir;
      const [results] = await Promise.all([
        probe(probes, phaseSeconds),
        attack === undefined ? undefined : attackInThread({ url, token, key: hostile, attack, seconds: phaseSeconds }),
      ]);
      return {
        polite: results.get('polite')!,
        health: results.get('health')!,
        watched: await weir.watch(),
        seconds: phaseSeconds,
      };
    };
    await phase();
    const calm: Phase[] = [];
    const hostilePhases = new Map<string, Phase[]>(attacks.map(({ name }) => [name, []]));
    const endMs = Date.now() + minutes * 60_000;
    for (let index = 0; Date.now() < endMs || index < attacks.length; index++) {
      const { name } = attacks[index % attacks.length]!;
      await settled(weir);
      calm.push(await phase());
      hostilePhases.get(name)!.push(await phase(name));
      process.stderr.write(`${name}: ${row(name, hostilePhases.get(name)!)}\n`);
    }
    const rows = [row('calm', calm), ...[...hostilePhases].map(([name, phases]) => row(name, phases))];
    process.stdout.write(
      [
        `A hostile key and a normal key for ${minutes} minutes, ${database} database, phases of ${phaseSeconds} s; ${machineLoad()}`,
        '',
        '| phase | polite calls | p50 ms | p99 ms | errors | /healthz p99 ms | longest piece ms | processors busy | memory MiB |',
        '|---|---|---|---|---|---|---|---|---|',
        ...rows,
        '',
      ].join('\n'),
    );
    const isCalmRight = calm.every(({ polite: one }) => Object.keys(one.wrong).length === 0);
    const isServed = [...hostilePhases.values()].flat().every(({ polite: { timesMs } }) => timesMs.length > 0);
    return isCalmRight && isServed;
  } finally {
    await weir.stop();
  }
}

if (isMainThread) {
  let isFine = true;
  await onDatabases(async (database, env) => {
    isFine = (await bench(database, env)) && isFine;
  });
  process.exitCode = isFine ? 0 : 1;
} else {
  await beHostile(workerData as HostileData);
}
