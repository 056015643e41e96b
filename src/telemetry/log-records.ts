import { ROOT_CONTEXT, SeverityNumber, trace, type AnyValue, type Logger, type SpanContext } from '@opentelemetry/api';

/** The severity names of pino's numeric levels. */
const SEVERITIES: Readonly<Record<number, { readonly severityNumber: SeverityNumber; readonly severityText: string }>> =
  {
    10: { severityNumber: SeverityNumber.TRACE, severityText: 'TRACE' },
    20: { severityNumber: SeverityNumber.DEBUG, severityText: 'DEBUG' },
    30: { severityNumber: SeverityNumber.INFO, severityText: 'INFO' },
    40: { severityNumber: SeverityNumber.WARN, severityText: 'WARN' },
    50: { severityNumber: SeverityNumber.ERROR, severityText: 'ERROR' },
    60: { severityNumber: SeverityNumber.FATAL, severityText: 'FATAL' },
  };

/** The beginning of a line of the level `warn` or above. */
const WARNING = /^\{"level":[4-6]0,/;

/** Whether a line of the log has the level `warn` or above; checked without parsing the line. */
export function isWarning(line: string): boolean {
  return WARNING.test(line);
}

/** Fields of a line that are fields of the record, or ids of its span. */
const NO_ATTRIBUTES: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'otel_trace_id', 'otel_span_id']);

/**
 * Sends a line of the log as it was written, so that a collector gets nothing that the log does not contain.
 *
 * @param within the span of the line, whose ids are not attributes
 */
export function emitLogLine(logger: Logger, line: string, within: SpanContext | undefined): void {
  const fields = JSON.parse(line) as Record<string, AnyValue>;
  const attributes: Record<string, AnyValue> = {};
  // Leaving fields out by destructuring takes several times as long.
  for (const name in fields) if (!NO_ATTRIBUTES.has(name)) attributes[name] = fields[name];
  logger.emit({
    context: within === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, within),
    timestamp: Date.parse(String(fields['time'])),
    body: String(fields['msg']),
    ...SEVERITIES[Number(fields['level'])],
    attributes,
  });
}
