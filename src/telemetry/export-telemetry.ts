/** The OpenTelemetry SDK: spans, figures and lines of the log over OTLP (HTTP, JSON). Loaded by `startTelemetry` alone. */
import { randomUUID } from 'node:crypto';
import {
  context,
  createContextKey,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Context, Logger, Span, Tracer as OtelApiTracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { tellLine } from './log-records.js';
import { PrometheusProducer } from './prometheus-producer.js';
import type { TelemetryOptions } from './telemetry-options.js';
import type { CallSpan, SpanAttributes, SpanOptions, Tracer } from './tracing.js';

const METRICS_EVERY_MS = 15_000;
const CLOSE_WITHIN_MS = 10_000;
/** Calls are taken meanwhile, by a service that is about to end. */
const FLUSH_WITHIN_MS = 2_000;
/** W3C Trace Context, level 1. `tracestate` is free text of others: it is neither kept nor passed on. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** The span of the whole call, in contexts below it. */
const CALL = createContextKey('weir.call');

/** Sets up what sends spans, figures and lines of the log. Callers decide what of their own traces is kept (the flag in `traceparent`). */
export function exportTelemetry({ endpoint, version, figures }: TelemetryOptions): {
  readonly tracer: Tracer;
  flushFigures(): Promise<void>;
  close(): Promise<void>;
} {
  const resource = resourceFromAttributes({
    'service.name': 'weir',
    'service.version': version,
    // Replicas and workers count each for itself: without it a collector would take them for one.
    'service.instance.id': randomUUID(),
  });
  const spans = new TracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) })],
  });
  const metrics = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics` }),
        exportIntervalMillis: METRICS_EVERY_MS,
        exportTimeoutMillis: CLOSE_WITHIN_MS,
        metricProducers: [new PrometheusProducer(figures, resource)],
      }),
    ],
  });
  const logs = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url: `${endpoint}/v1/logs` }) })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    tracer: new OtelTracer(spans, logs),
    flushFigures: () => inTime(metrics.forceFlush(), FLUSH_WITHIN_MS),
    close: async () => {
      await inTime(Promise.allSettled([spans.shutdown(), metrics.shutdown(), logs.shutdown()]), CLOSE_WITHIN_MS);
      context.disable();
    },
  };
}

/** What fails or takes too long is not waited for: nothing depends on what a collector hears. */
async function inTime(sent: Promise<unknown>, limitMs: number): Promise<void> {
  const limit = new Promise((resolve) => setTimeout(resolve, limitMs).unref());
  await Promise.race([Promise.allSettled([sent]), limit]);
}

class OtelTracer implements Tracer {
  private readonly tracer: OtelApiTracer;
  private readonly logger: Logger;

  constructor(spans: TracerProvider, logs: LoggerProvider) {
    this.tracer = spans.getTracer('weir');
    this.logger = logs.getLogger('weir');
  }

  call(method: string, traceparent: string | undefined): CallSpan {
    const span = this.tracer.startSpan(method, { kind: SpanKind.SERVER }, contextOf(traceparent));
    const within = trace.setSpan(ROOT_CONTEXT, span).setValue(CALL, span);
    return {
      run: (work) => context.with(within, work),
      end: ({ status, route }) => {
        span.updateName(`${method} ${route}`);
        span.setAttributes({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  spanned<T>(name: string, { attributes = {}, kind }: SpanOptions, work: () => Promise<T>): Promise<T> {
    const options = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: known(attributes) };
    return this.tracer.startActiveSpan(name, options, async (span) => {
      try {
        return await work();
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', kindOf(error));
        throw error;
      } finally {
        span.end();
      }
    });
  }

  note(attributes: SpanAttributes): void {
    const call = context.active().getValue(CALL) as Span | undefined;
    call?.setAttributes(known(attributes));
  }

  headers(): readonly string[] {
    const ids = trace.getSpanContext(context.active());
    if (ids === undefined || !isSpanContextValid(ids)) return [];
    return ['traceparent', `00-${ids.traceId}-${ids.spanId}-${ids.traceFlags.toString(16).padStart(2, '0')}`];
  }

  ids(): ReturnType<Tracer['ids']> {
    const ids = trace.getSpanContext(context.active());
    return ids === undefined ? undefined : { otel_trace_id: ids.traceId, otel_span_id: ids.spanId };
  }

  logged(line: string): void {
    tellLine(this.logger, line);
  }
}

/** Below the caller's span, where it names one. */
function contextOf(traceparent = ''): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(caller) ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT;
}

function known(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** The kind of an error of the service, or its class; its message may quote what somebody wrote. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const type: unknown = Reflect.get(error, 'type');
  return typeof type === 'string' && /^[a-z_]{1,40}$/.test(type) ? type : error.name;
}
