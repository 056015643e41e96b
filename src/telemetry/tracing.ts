/**
 * Spans for the features of the service. The process has one tracer or none; without one, the work simply runs. Names and values come from
 * closed sets, or are numbers, ids created by the service, or texts in their stored form; nothing else comes from a client.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly attributes?: SpanAttributes;
  /** `client`: a request to another service. */
  readonly kind?: 'internal' | 'client';
}

/** A received request, until it is answered. */
export interface CallSpan {
  /** Runs the work that serves the request; spans begun within it are children of this one. */
  run(work: () => void): void;
  /** @param route the route's pattern, which is known by then */
  end(outcome: { readonly status: number; readonly route: string }): void;
}

/** The part of OpenTelemetry that tracing needs. */
export interface Tracer {
  call(method: string, traceparent: string | undefined): CallSpan;
  spanned<T>(name: string, options: (() => SpanOptions) | undefined, work: () => Promise<T>): Promise<T>;
  note(attributes: () => SpanAttributes): void;
  headers(): readonly string[];
  ids(): { readonly otel_trace_id: string; readonly otel_span_id: string } | undefined;
  logged(line: string): void;
}

let tracer: Tracer | undefined;

/** Sends all spans to this tracer from now on; without one, none are recorded. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/**
 * Runs the work as a step of its own within the current call. Of an error, only the kind is recorded, never the
 * message.
 * @param options called only if the call's spans are sent
 */
export function spanned<T>(name: string, work: () => Promise<T>, options?: () => SpanOptions): Promise<T> {
  return tracer === undefined ? work() : tracer.spanned(name, options, work);
}

/** Adds attributes to the span of the current call. @param attributes called only if the span is sent */
export function noteOnCall(attributes: () => SpanAttributes): void {
  tracer?.note(attributes);
}

/**
 * Headers, name and value in turn, with which the requested service can continue the trace; empty without a trace.
 */
export function traceHeaders(): readonly string[] {
  return tracer?.headers() ?? [];
}

/** The ids of the current trace, for a log line. */
export function traceIds(): { readonly otel_trace_id: string; readonly otel_span_id: string } | undefined {
  return tracer?.ids();
}

/** Exports a log line, one JSON object as written, as part of the current trace. */
export function lineWritten(line: string): void {
  tracer?.logged(line);
}

/**
 * Runs the work that serves a request as a call.
 *
 * @returns a function that ends the span; undefined if tracing is off
 */
export function withinCall(
  request: { readonly method: string; readonly traceparent: string | string[] | undefined },
  work: () => void,
): CallSpan['end'] | undefined {
  if (tracer === undefined) {
    work();
    return undefined;
  }
  const { method, traceparent } = request;
  const span = tracer.call(method, typeof traceparent === 'string' ? traceparent : undefined);
  span.run(work);
  return (outcome) => span.end(outcome);
}
