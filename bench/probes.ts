import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

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

/** The value that so large a part of all is not above. */
export function percentile(values: readonly number[], part: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.ceil(ordered.length * part) - 1)] ?? Number.NaN;
}

export function wrongAnswers({ wrong }: ProbeResult): number {
  return Object.values(wrong).reduce((sum, count) => sum + count, 0);
}
