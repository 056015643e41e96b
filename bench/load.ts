import type autocannon from 'autocannon';
import { packageOfTests } from './package-of-tests.js';

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly calls: number;
}

/** A call before it is sent. */
export interface Sent {
  readonly body: string;
  /** Whether a text is the right answer to this call. It does not throw. */
  readonly isRight: (answer: string) => boolean;
}

export interface Load {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** Returns the next call. */
  readonly next: () => Sent;
}

/** Number of answers of 200 with another text than the right one, and why other answers were no answers of 200. */
interface Wrong {
  bodies: number;
  /** The error codes of the other answers; the rest of them is left out, since it may repeat the prompt. */
  readonly codes: Set<string>;
}

/** Its types come with the root's packages, so that the benches are built without those of the tests. */
type Autocannon = (options: autocannon.Options) => Promise<autocannon.Result>;

/** One round of load. @throws Error for any answer other than the right one, which makes the round useless */
export async function round(load: Load, connections: number, seconds: number): Promise<LoadResult> {
  const wrong: Wrong = { bodies: 0, codes: new Set() };
  const run = await packageOfTests<Autocannon>('autocannon');
  const result = await run({
    ...optionsOf(load, wrong),
    connections,
    duration: seconds,
  });
  if (result.non2xx + result.errors + wrong.bodies > 0) {
    throw new Error(
      `${load.url}: ${result.non2xx} answers were not 200 (${JSON.stringify(result.statusCodeStats)} ${[...wrong.codes].join(', ')}), ${result.errors} failed, ${wrong.bodies} had a wrong body`,
    );
  }
  if (result.requests.total === 0) throw new Error(`${load.url}: no call was answered in ${seconds} s`);
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    p999Ms: result.latency.p99_9,
    calls: result.requests.total,
  };
}

/** autocannon looks at this interval whether all calls are answered; by default only once a second. */
const END_MS = 100;

/** Sends `amount` calls. @returns the number of wrong answers */
export async function callsOf(load: Load, connections: number, amount: number): Promise<number> {
  const wrong: Wrong = { bodies: 0, codes: new Set() };
  const run = await packageOfTests<Autocannon>('autocannon');
  const result = await run({
    ...optionsOf(load, wrong),
    connections,
    amount,
    sampleInt: END_MS,
  });
  return result.non2xx + result.errors + wrong.bodies;
}

/** What autocannon keeps for each connection from a request to its answer. */
interface Connection {
  sent?: Sent;
}

const optionsOf = ({ url, headers, next }: Load, wrong: Wrong): autocannon.Options => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  requests: [
    {
      // The body is created when the call is sent.
      setupRequest: (request: autocannon.Request, connection: Connection) => {
        connection.sent = next();
        return { ...request, body: connection.sent.body };
      },
      onResponse: (status: number, body: string, { sent }: Connection) => {
        if (status !== 200) wrong.codes.add(/"(?:code|type)": ?"([a-z_]{1,40})"/.exec(body)?.[1] ?? 'no code');
        else if (sent?.isRight(body) !== true) wrong.bodies += 1;
      },
    },
  ],
});

/**
 * Measures the median time of sequential calls without autocannon, which rounds latencies to whole milliseconds.
 * @throws Error for any answer other than the right one
 */
export async function sequentialMedianMs(load: Load, calls: number): Promise<number> {
  const timesMs: number[] = [];
  for (let call = 0; call < calls; call++) {
    const { body, isRight } = load.next();
    const startedMs = performance.now();
    const response = await fetch(load.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...load.headers },
      body,
    });
    const answer = await response.text();
    timesMs.push(performance.now() - startedMs);
    if (response.status !== 200) throw new Error(`${load.url}: answered ${response.status}`);
    if (!isRight(answer)) throw new Error(`${load.url}: the answer is not the one to its call`);
  }
  return median(timesMs);
}

/** Calls that are created before they are needed, so that their creation does not compete with the measured program for processors. */
export interface MadeAhead {
  readonly next: () => Sent;
  /** Creates calls until so many are waiting. */
  readonly make: (count: number) => void;
}

export function madeAhead(create: () => Sent): MadeAhead {
  let waiting: Sent[] = [];
  let taken = 0;
  return {
    next: () => {
      const made = waiting[taken];
      if (made === undefined) return create();
      taken += 1;
      return made;
    },
    make: (count) => {
      waiting = waiting.slice(taken);
      taken = 0;
      while (waiting.length < count) waiting.push(create());
    },
  };
}

/** Returns the same calls again and again: for baselines, which have no caches and would otherwise wait for new calls. */
export function recurring(create: () => Sent, count: number): () => Sent {
  const calls = Array.from({ length: count }, create);
  let sent = 0;
  return () => {
    sent += 1;
    return calls[sent % calls.length] ?? create();
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
