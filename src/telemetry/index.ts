/**
 * The timing of calls for an OpenTelemetry collector; off, and not even loaded, unless `OTEL_EXPORTER_OTLP_ENDPOINT` is set. It depends on
 * no feature, and carries no content.
 */
export {
  lineWritten,
  noteOnCall,
  spanned,
  traceHeaders,
  traceIds,
  withinCall,
  type SpanAttributes,
  type SpanOptions,
} from './tracing.js';
export { startTelemetry, type Telemetry } from './start-telemetry.js';
