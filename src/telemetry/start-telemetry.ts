import type { TelemetryOptions } from './telemetry-options.js';
import { useTracer } from './tracing.js';

export interface Telemetry {
  /** Sends the current metrics. Some of them come from features, which must still be running. */
  flushFigures(): Promise<void>;
  /** Sends what has not been sent yet. A collector that does not answer is waited for a few seconds. */
  close(): Promise<void>;
}

/** Starts to tell a collector. The SDK is loaded here and not before: who does not use it does not pay for it. */
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
