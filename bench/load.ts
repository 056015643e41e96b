import autocannon from 'autocannon';

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly calls: number;
}

export interface Load {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** Returns the body of the next call. */
  readonly body: () => string;
}

/** One round of load. @throws Error for any answer other than 200, which makes the round useless */
export async function round(load: Load, connections: number, seconds: number): Promise<LoadResult> {
  const result = await autocannon({
    ...optionsOf(load),
    connections,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${load.url}: ${result.non2xx} answers were not 200 (${JSON.stringify(result.statusCodeStats)}), ${result.errors} failed`,
    );
  }
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    p999Ms: result.latency.p99_9,
    calls: result.requests.total,
  };
}

/** Sends `amount` calls. @returns the number of wrong answers */
export async function callsOf(load: Load, connections: number, amount: number): Promise<number> {
  const result = await autocannon({
    ...optionsOf(load),
    connections,
    amount,
  });
  return result.non2xx + result.errors;
}

const optionsOf = ({ url, headers, body }: Load): autocannon.Options => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  // The body is created when the call is sent.
  requests: [{ setupRequest: (request: autocannon.Request) => ({ ...request, body: body() }) }],
});

/** Measures the median time of sequential calls without autocannon, which rounds latencies to whole milliseconds. */
export async function sequentialMedianMs(load: Load, calls: number): Promise<number> {
  const timesMs: number[] = [];
  for (let call = 0; call < calls; call++) {
    const startedMs = performance.now();
    const response = await fetch(load.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...load.headers },
      body: load.body(),
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${load.url}: answered ${response.status}`);
    timesMs.push(performance.now() - startedMs);
  }
  return median(timesMs);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
