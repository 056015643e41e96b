export interface TelemetryOptions {
  /** Of the collector, without a trailing slash. */
  readonly endpoint: string;
  readonly version: string;
  /** The figures of the service, as Prometheus has them. */
  readonly figures: () => Promise<readonly unknown[]>;
}
