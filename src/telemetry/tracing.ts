/**
 * Spans for the features of the service. The process has one tracer or none; without one, the work simply runs. Names and values come from
 * closed sets, or are numbers, ids created by the service, or texts in their stored form; nothing else comes from a client.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly attributes?: SpanAttributes;
  /** `client`: somebody else's service is asked. */
  readonly kind?: 'internal' | 'client';
}

/** A request that came in, until it is answered. */
export interface CallSpan {
  /** Runs what serves the request; spans that begin within stand below this one. */
  run(work: () => void): void;
  /** @param route the route's pattern, which is known by then */
  end(outcome: { readonly status: number; readonly route: string }): void;
}

/** What tracing needs of OpenTelemetry. */
export interface Tracer {
  call(method: string, traceparent: string | undefined): CallSpan;
  spanned<T>(name: string, options: (() => SpanOptions) | undefined, work: () => Promise<T>): Promise<T>;
  note(attributes: () => SpanAttributes): void;
  headers(): readonly string[];
  ids(): { readonly otel_trace_id: string; readonly otel_span_id: string } | undefined;
  logged(line: string): void;
}

let tracer: Tracer | undefined;

/** Has this tracer told of all spans from now on; without one nothing is told. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/**
 * Runs the work as a step of its own within the current call. An error is told by its kind, never by its message.
 * @param options called only if the call's spans are sent
 */
export function spanned<T>(name: string, work: () => Promise<T>, options?: () => SpanOptions): Promise<T> {
  return tracer === undefined ? work() : tracer.spanned(name, options, work);
}

/** Adds attributes to the span of the current call. @param attributes called only if the span is sent */
export function noteOnCall(attributes: () => SpanAttributes): void {
  tracer?.note(attributes);
}

/** Headers, name and value in turn, that let whoever is asked continue the trace; none where there is no trace. */
export function traceHeaders(): readonly string[] {
  return tracer?.headers() ?? [];
}

/** What a log line says about the trace that it belongs to. */
export function traceIds(): { readonly otel_trace_id: string; readonly otel_span_id: string } | undefined {
  return tracer?.ids();
}

/** Tells a line of the log, one JSON object as it is written, as a part of the trace that runs. */
export function lineWritten(line: string): void {
  tracer?.logged(line);
}

/**
 * Runs what serves a request as a call.
 *
 * @returns what ends it; undefined where nothing is traced
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
