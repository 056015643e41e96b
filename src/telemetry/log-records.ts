import { SeverityNumber, type AnyValue, type Logger } from '@opentelemetry/api';

/** Of pino, by the number that a line has. */
const SEVERITIES: Readonly<Record<number, { readonly severityNumber: SeverityNumber; readonly severityText: string }>> =
  {
    10: { severityNumber: SeverityNumber.TRACE, severityText: 'TRACE' },
    20: { severityNumber: SeverityNumber.DEBUG, severityText: 'DEBUG' },
    30: { severityNumber: SeverityNumber.INFO, severityText: 'INFO' },
    40: { severityNumber: SeverityNumber.WARN, severityText: 'WARN' },
    50: { severityNumber: SeverityNumber.ERROR, severityText: 'ERROR' },
    60: { severityNumber: SeverityNumber.FATAL, severityText: 'FATAL' },
  };

/**
 * Tells a line of the log as it was written, so that a collector gets nothing that the log does not say. The trace that it
 * belongs to is the one that runs; its ids are no attributes.
 */
export function tellLine(logger: Logger, line: string): void {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, AnyValue>;
  delete fields['otel_trace_id'];
  delete fields['otel_span_id'];
  logger.emit({
    timestamp: Date.parse(String(time)),
    body: String(msg),
    ...SEVERITIES[Number(level)],
    attributes: fields,
  });
}
