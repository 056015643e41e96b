import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { runLowPriority } from './low-priority.js';

/** A request that is repeated at a fixed interval. */
export interface Probe {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `{fresh}` is replaced by a new text in each request; without a body the request is a GET. */
  readonly body?: string;
  readonly everyMs: number;
}

export interface ProberData {
  readonly probes: readonly Probe[];
  readonly seconds: number;
}

export interface ProbeResult {
  readonly name: string;
  /** Times of all answers, including wrong ones. */
  readonly timesMs: readonly number[];
  /** Number of answers other than 200 and of failed requests, by status or error name. */
  readonly wrong: Readonly<Record<string, number>>;
}

/** Sends the probes for the given seconds from a separate thread. */
export async function probe(probes: readonly Probe[], seconds: number): Promise<ReadonlyMap<string, ProbeResult>> {
  const data: ProberData = { probes, seconds };
  const worker = new Worker(new URL('./programs/prober.js', import.meta.url), { workerData: data });
  const [results] = (await once(worker, 'message')) as [readonly ProbeResult[]];
  await worker.terminate();
  return new Map(results.map((result) => [result.name, result]));
}

/**
 * Like `probe`, from a process with low priority, so that the measured programs get the processors first. The times that this process
 * measures are therefore meaningless.
 */
export async function probeAtLowPriority(
  probes: readonly Probe[],
  seconds: number,
): Promise<ReadonlyMap<string, ProbeResult>> {
  const input: ProberData = { probes, seconds };
  const results = await runLowPriority<ProberData, readonly ProbeResult[]>(
    'dist/bench/programs/low-priority-prober.js',
    input,
  );
  return new Map(results.map((result) => [result.name, result]));
}

/** The value at or below which the given share of all values lies. */
export function percentile(values: readonly number[], part: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.ceil(ordered.length * part) - 1)] ?? Number.NaN;
}

/** Answers other than 200, such as `2 × 503`; `0` if there are none. */
export function wrongInWords(results: readonly ProbeResult[]): string {
  const all = new Map<string, number>();
  for (const [what, count] of results.flatMap(({ wrong }) => Object.entries(wrong)))
    all.set(what, (all.get(what) ?? 0) + count);
  return all.size === 0 ? '0' : [...all].map(([what, count]) => `${count} × ${what}`).join(', ');
}

export function wrongAnswers({ wrong }: ProbeResult): number {
  return Object.values(wrong).reduce((sum, count) => sum + count, 0);
}
