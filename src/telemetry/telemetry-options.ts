export interface TelemetryOptions {
  /** Of the collector, without a trailing slash. */
  readonly endpoint: string;
  /** Share of the traces that begin here which are sent, 0 to 1; without it, the first of each second and a small share of the others. */
  readonly sampled?: number;
  readonly version: string;
  /** The figures of the service, as Prometheus has them. */
  readonly figures: () => Promise<readonly unknown[]>;
}
