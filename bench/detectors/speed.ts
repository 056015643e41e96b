import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Contender } from './peers.js';
import type { Sample } from './samples.js';

/** Speed of a tool; one MB is 10^6 bytes. */
export interface Speed {
  readonly mbPerSecond: number;
  /** Milliseconds per 2,048 bytes. */
  readonly ms2kB: number;
}

/** CPU time of this process so far, in milliseconds, which is independent of other load. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** The median; for an even number of values, the lower of the two middle ones. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1]!;
}

/** Bytes to read before measuring: V8 optimises code until about then. A service reads as much within a second. */
const WARM_UP_BYTES = 5e6;

/** Lets a tool read texts until V8 has optimised its code. */
export async function warmUp(contender: Contender, samples: readonly Sample[]): Promise<void> {
  await speedOf(contender, samples, Math.ceil(WARM_UP_BYTES / bytesOf(samples)));
}

const bytesOf = (samples: readonly Sample[]): number =>
  samples.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

/** Measures the speed of one tool on texts of one kind by CPU time, garbage collection included. The first round does not count. */
export async function speedOf({ ask }: Contender, samples: readonly Sample[], rounds: number): Promise<Speed> {
  const bytes = bytesOf(samples);
  let startedMs = 0;
  for (let round = 0; round <= rounds; round++) {
    if (round === 1) startedMs = cpuMs();
    for (const { text } of samples) {
      const answer = ask(text);
      if (answer instanceof Promise) await answer;
    }
  }
  const roundMs = (cpuMs() - startedMs) / rounds;
  return { mbPerSecond: bytes / 1e3 / roundMs, ms2kB: (roundMs * 2_048) / bytes };
}

/** The measurement whose MB per second are the median. */
export function medianSpeed(speeds: readonly Speed[]): Speed {
  const middle = median(speeds.map(({ mbPerSecond }) => mbPerSecond));
  return speeds.find(({ mbPerSecond }) => mbPerSecond === middle)!;
}

export interface StartUp {
  /** CPU time in milliseconds of creating all default detectors from a compiled policy and reading a first text. */
  readonly compileMs: number;
  /** The same, plus loading the modules and validating the options, in a new process. */
  readonly wholeMs: number;
}

/** Measures the start in several new processes; returns the medians. */
export async function startUp(processes: number): Promise<StartUp> {
  const script = new URL('start-up.js', import.meta.url).pathname;
  const runs: StartUp[] = [];
  for (let index = 0; index < processes; index++) {
    const { stdout } = await promisify(execFile)(process.execPath, [script]);
    runs.push(JSON.parse(stdout) as StartUp);
  }
  return {
    compileMs: median(runs.map(({ compileMs }) => compileMs)),
    wholeMs: median(runs.map(({ wholeMs }) => wholeMs)),
  };
}
