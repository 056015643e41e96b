export interface TelemetryOptions {
  /** URL of the collector, without a trailing slash. */
  readonly endpoint: string;
  /**
   * Share of the traces begun in this process that are sent, 0 to 1; without it, the first of each second and a small
   * share of the others.
   */
  readonly sampled?: number;
  readonly version: string;
  /** The metrics of the service, in Prometheus form. */
  readonly figures: () => Promise<readonly unknown[]>;
}
