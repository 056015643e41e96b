export interface TelemetryOptions {
  /** URL of the collector, without a trailing slash. */
  readonly endpoint: string;
  /**
   * The share, from 0 to 1, of the traces beginning in this process that are sent; absent: the first ones of each second and a small share
   * of the others.
   */
  readonly sampled?: number;
  readonly version: string;
  /** The metrics of the service, in Prometheus form. */
  readonly figures: () => Promise<readonly unknown[]>;
}
