import type { TelemetryOptions } from './telemetry-options.js';
import { useTracer } from './tracing.js';

export interface Telemetry {
  /** Sends the current metrics. Some of them come from features, which must still be running. */
  flushFigures(): Promise<void>;
  /** Sends what has not been sent yet. Waits at most a few seconds for the collector. */
  close(): Promise<void>;
}

/** Starts the export to a collector. The SDK is loaded only here, so that it costs nothing when unused. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { exportTelemetry } = await import('./export-telemetry.js');
  const { tracer, flushFigures, close } = exportTelemetry(options);
  useTracer(tracer);
  return {
    flushFigures,
    close: async () => {
      useTracer(undefined);
      await close();
    },
  };
}
