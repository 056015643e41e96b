import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { runFarAway } from './far-away.js';

/** Something that is asked again and again. */
export interface Probe {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `{fresh}` is another text each time; without a body it is a GET. */
  readonly body?: string;
  readonly everyMs: number;
}

export interface ProberData {
  readonly probes: readonly Probe[];
  readonly seconds: number;
}

export interface ProbeResult {
  readonly name: string;
  /** Of all answers, wrong ones too. */
  readonly timesMs: readonly number[];
  /** How often something else than 200 came, by status or error. */
  readonly wrong: Readonly<Record<string, number>>;
}

/** Asks for so many seconds, in a thread of its own. */
export async function probe(probes: readonly Probe[], seconds: number): Promise<ReadonlyMap<string, ProbeResult>> {
  const data: ProberData = { probes, seconds };
  const worker = new Worker(new URL('./programs/prober.js', import.meta.url), { workerData: data });
  const [results] = (await once(worker, 'message')) as [readonly ProbeResult[]];
  await worker.terminate();
  return new Map(results.map((result) => [result.name, result]));
}

/** The same by a client that does not take processor time from what is measured, and whose own times say nothing. */
export async function probeFarAway(
  probes: readonly Probe[],
  seconds: number,
): Promise<ReadonlyMap<string, ProbeResult>> {
  const input: ProberData = { probes, seconds };
  const results = await runFarAway<ProberData, readonly ProbeResult[]>('dist/bench/programs/far-prober.js', input);
  return new Map(results.map((result) => [result.name, result]));
}

/** The value that so large a part of all is not above. */
export function percentile(values: readonly number[], part: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.ceil(ordered.length * part) - 1)] ?? Number.NaN;
}

/** What came instead of 200, such as `2 × 503`; `0` for nothing. */
export function wrongInWords(results: readonly ProbeResult[]): string {
  const all = new Map<string, number>();
  for (const [what, count] of results.flatMap(({ wrong }) => Object.entries(wrong)))
    all.set(what, (all.get(what) ?? 0) + count);
  return all.size === 0 ? '0' : [...all].map(([what, count]) => `${count} × ${what}`).join(', ');
}

export function wrongAnswers({ wrong }: ProbeResult): number {
  return Object.values(wrong).reduce((sum, count) => sum + count, 0);
}
