import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Contender } from './peers.js';
import type { Sample } from './samples.js';

/** Bytes per microsecond are MB (10^6 bytes) per second. */
export interface Speed {
  readonly mbPerSecond: number;
  /** Milliseconds per 2,048 bytes. */
  readonly ms2kB: number;
}

/** Processor time of this process so far, in milliseconds: what a text costs, however busy the machine is. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** The middle one, or the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1]!;
}

/** A service that has run for a second has read so much. V8 goes on making code faster for that long. */
const WARM_UP_BYTES = 5e6;

/** Has a tool read texts until it is as fast as it gets. */
export async function warmUp(contender: Contender, samples: readonly Sample[]): Promise<void> {
  await speedOf(contender, samples, Math.ceil(WARM_UP_BYTES / bytesOf(samples)));
}

const bytesOf = (samples: readonly Sample[]): number =>
  samples.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

/** Processor time of one tool over texts of the same kind, that of garbage collection included. A first round is not counted. */
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

/** The one in the middle by its speed. */
export function medianSpeed(speeds: readonly Speed[]): Speed {
  const middle = median(speeds.map(({ mbPerSecond }) => mbPerSecond));
  return speeds.find(({ mbPerSecond }) => mbPerSecond === middle)!;
}

export interface StartUp {
  /** Making every default detector out of a compiled policy and reading a first text; processor time, like the other. */
  readonly compileMs: number;
  /** That, and loading the modules and checking the options before it, in a fresh process. */
  readonly wholeMs: number;
}

/** Medians of several fresh processes. */
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
