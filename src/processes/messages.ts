/** A request that counts for a rate limit, in the form of the throttler's storage. */
export interface HitToCount {
  /** Name of the limit. */
  readonly name: string;
  readonly key: string;
  readonly windowMs: number;
  readonly limit: number;
  readonly hits: number;
}

/** The result, in the throttler's format. */
export interface CountedHit {
  readonly totalHits: number;
  readonly timeToExpire: number;
  readonly isBlocked: boolean;
  readonly timeToBlockExpire: number;
}

/** A metric with its values, as `prom-client` reports it. */
export interface Figure {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly FigureValue[];
}

export interface FigureValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** For a metric with several series: buckets, sum and count of a histogram. */
  readonly metricName?: string;
}

/** From a worker to its supervisor. Numbers match answers to questions. */
export type FromWorker =
  /** The worker accepts requests; `welcome` is the text for the terminal when all do. */
  | { readonly kind: 'ready'; readonly welcome: string }
  | { readonly kind: 'count'; readonly hits: readonly (readonly [number, HitToCount])[] }
  | { readonly kind: 'ask-figures'; readonly question: number }
  | { readonly kind: 'figures'; readonly question: number; readonly figures: readonly Figure[] }
  /** The answer to `ping`. */
  | { readonly kind: 'pong' };

/** From the supervisor to a worker. */
export type FromSupervisor =
  /** Asks whether the event loop of the worker still runs. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'counted'; readonly hits: readonly (readonly [number, CountedHit])[] }
  | { readonly kind: 'send-figures'; readonly question: number }
  | { readonly kind: 'figures-of-all'; readonly question: number; readonly all: readonly (readonly Figure[])[] };
