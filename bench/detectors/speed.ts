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

/**
 * The best of several rounds of one tool over texts of the same kind: what the tool costs when nothing else runs.
 * A round is short, so that some rounds are left alone on a busy machine.
 */
export async function speedOf({ ask }: Contender, samples: readonly Sample[], rounds: number): Promise<Speed> {
  const bytes = samples.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  let bestMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    for (const { text } of samples) {
      const answer = ask(text);
      if (answer instanceof Promise) await answer;
    }
    bestMs = Math.min(bestMs, performance.now() - startedMs);
  }
  return { mbPerSecond: bytes / 1e3 / bestMs, ms2kB: (bestMs * 2_048) / bytes };
}

export interface StartUp {
  /** Making every default detector and reading a first text. */
  readonly compileMs: number;
  /** That, and loading the modules before it, in a fresh process. */
  readonly wholeMs: number;
}

/** The best of several fresh processes. */
export async function startUp(processes: number): Promise<StartUp> {
  const script = new URL('start-up.js', import.meta.url).pathname;
  const runs: StartUp[] = [];
  for (let index = 0; index < processes; index++) {
    const { stdout } = await promisify(execFile)(process.execPath, [script]);
    runs.push(JSON.parse(stdout) as StartUp);
  }
  return {
    compileMs: Math.min(...runs.map(({ compileMs }) => compileMs)),
    wholeMs: Math.min(...runs.map(({ wholeMs }) => wholeMs)),
  };
}
