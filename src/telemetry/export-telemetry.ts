/** The OpenTelemetry SDK: spans, metrics and log lines over OTLP (HTTP, JSON). Only `startTelemetry` loads it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { isSpanContextValid, SpanKind, type Logger, type SpanContext } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { NAMES } from '../resilience/index.js';
import { isWarning, emitLogLine } from './log-records.js';
import { PrometheusProducer } from './prometheus-producer.js';
import { contextBelow, RecordedSpan, type SpanTarget } from './recorded-span.js';
import type { TelemetryOptions } from './telemetry-options.js';
import { sampleReservoir, sampleShare } from './trace-sampler.js';
import type { CallSpan, SpanAttributes, SpanOptions, Tracer } from './tracing.js';

const METRICS_EVERY_MS = 15_000;
const SEND_WITHIN_MS = 10_000;
/** Limit for a flush at shutdown, during which the service still accepts calls. */
const FLUSH_WITHIN_MS = 2_000;
/** Limit for the rest at the very end: the service, or its supervisor, is waited for no longer than the files in `deploy` allow. */
const CLOSE_WITHIN_MS = 3_000;
const CONNECTIONS = { keepAlive: true, lookup: NAMES.services.lookup(SEND_WITHIN_MS) };
/**
 * W3C Trace Context, level 1. `tracestate` is free text of others: it is neither stored nor forwarded.
 */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The spans of the running code: its own, and that of the whole call. */
interface Running {
  readonly span: RecordedSpan;
  readonly call: RecordedSpan | undefined;
}

/** Sets up the export of spans, metrics and log lines. Callers decide which of their own traces are kept (the flag in `traceparent`). */
export function exportTelemetry({ endpoint, sampled, version, figures }: TelemetryOptions): {
  readonly tracer: Tracer;
  flushFigures(): Promise<void>;
  close(): Promise<void>;
} {
  const resource = resourceFromAttributes({
    'service.name': 'weir',
    'service.version': version,
    // Each replica and worker counts separately: without this id a collector would take them for
    // one.
    'service.instance.id': randomUUID(),
  });
  const exporterOf = (signal: string) => ({ url: `${endpoint}/v1/${signal}`, httpAgentOptions: CONNECTIONS });
  const spans = new BatchSpanProcessor({ exporter: new OTLPTraceExporter(exporterOf('traces')) });
  const metrics = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(exporterOf('metrics')),
        exportIntervalMillis: METRICS_EVERY_MS,
        exportTimeoutMillis: SEND_WITHIN_MS,
        metricProducers: [new PrometheusProducer(figures, resource)],
      }),
    ],
  });
  const logs = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(exporterOf('logs')) })],
  });
  const sampler = sampled === undefined ? sampleReservoir() : sampleShare(sampled);
  return {
    tracer: new OtelTracer({ processor: spans, resource, sampled: sampler }, logs.getLogger('weir')),
    flushFigures: () => inTime(metrics.forceFlush(), FLUSH_WITHIN_MS),
    close: async () => {
      await inTime(Promise.allSettled([spans.shutdown(), metrics.shutdown(), logs.shutdown()]), CLOSE_WITHIN_MS);
    },
  };
}

/** Ignores failures and stops waiting at the limit: nothing depends on the collector. */
async function inTime(sent: Promise<unknown>, limitMs: number): Promise<void> {
  const limit = new Promise((resolve) => setTimeout(resolve, limitMs).unref());
  await Promise.race([Promise.allSettled([sent]), limit]);
}

class OtelTracer implements Tracer {
  private readonly running = new AsyncLocalStorage<Running>();

  constructor(
    private readonly target: SpanTarget,
    private readonly logger: Logger,
  ) {}

  call(method: string, traceparent: string | undefined): CallSpan {
    const caller = callerOf(traceparent);
    const span = new RecordedSpan(
      this.target,
      method,
      SpanKind.SERVER,
      contextBelow(caller, this.target.sampled),
      caller,
    );
    return {
      run: (work) => this.running.run({ span, call: span }, work),
      end: ({ status, route }) => {
        span.name = `${method} ${route}`;
        span.set({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status });
        if (status >= 500) span.fail();
        span.end();
      },
    };
  }

  spanned<T>(name: string, options: (() => SpanOptions) | undefined, work: () => Promise<T>): Promise<T> {
    const above = this.running.getStore();
    // The steps of a trace that is not sent have no spans, and no promises in between.
    return above?.span.isSent === false ? work() : this.recorded(above, name, options?.() ?? {}, work);
  }

  private async recorded<T>(
    above: Running | undefined,
    name: string,
    { attributes, kind }: SpanOptions,
    work: () => Promise<T>,
  ): Promise<T> {
    const parent = above?.span.context;
    const as = kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = new RecordedSpan(this.target, name, as, contextBelow(parent, this.target.sampled), parent);
    if (attributes !== undefined) span.set(attributes);
    try {
      return await this.running.run({ span, call: above?.call }, work);
    } catch (error) {
      span.fail();
      span.set({ 'error.type': kindOf(error) });
      throw error;
    } finally {
      span.end();
    }
  }

  note(attributes: () => SpanAttributes): void {
    const call = this.running.getStore()?.call;
    if (call?.isSent === true) call.set(attributes());
  }

  headers(): readonly string[] {
    const ids = this.running.getStore()?.span.context;
    if (ids === undefined) return [];
    return ['traceparent', `00-${ids.traceId}-${ids.spanId}-${ids.traceFlags.toString(16).padStart(2, '0')}`];
  }

  ids(): ReturnType<Tracer['ids']> {
    const ids = this.running.getStore()?.span.context;
    return ids === undefined ? undefined : { otel_trace_id: ids.traceId, otel_span_id: ids.spanId };
  }

  logged(line: string): void {
    const span = this.running.getStore()?.span;
    if (span?.isSent === false && !isWarning(line)) return;
    emitLogLine(this.logger, line, span?.context);
  }
}

/** The caller's span, if the header names one. */
function callerOf(traceparent = ''): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(caller) ? caller : undefined;
}

/** The kind of an error of the service, or its class; its message may quote content. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const type: unknown = Reflect.get(error, 'type');
  return typeof type === 'string' && /^[a-z_]{1,40}$/.test(type) ? type : error.name;
}
