/**
 * Where the time of a call goes, told to an OpenTelemetry collector; off, and not even loaded, unless
 * `OTEL_EXPORTER_OTLP_ENDPOINT` is set. It knows no feature, and carries no content.
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
