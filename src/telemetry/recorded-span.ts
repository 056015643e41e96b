import { randomFillSync } from 'node:crypto';
import { SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { Attributes, HrTime, Link, SpanContext, SpanKind, SpanStatus } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanProcessor, TimedEvent } from '@opentelemetry/sdk-trace';
import type { TraceSampler } from './trace-sampler.js';
import type { SpanAttributes } from './tracing.js';

const MS_PER_S = 1_000;
const NS_PER_MS = 1_000_000;
const NO_LINKS: Link[] = [];
const NO_EVENTS: TimedEvent[] = [];
const UNSET: SpanStatus = { code: SpanStatusCode.UNSET };
const FAILED: SpanStatus = { code: SpanStatusCode.ERROR };
const SCOPE = { name: 'weir' };

/** The receiver of ended spans, and their resource. */
export interface SpanTarget {
  readonly processor: Pick<SpanProcessor, 'onEnd'>;
  readonly resource: Resource;
  /** Decides which of the traces that begin here are sent. */
  readonly sampled: TraceSampler;
}

/**
 * A span as the SDK's processors and exporters read it. The SDK's own span also checks, limits and copies arbitrary
 * input; here names and attributes come from closed sets, and each call has a dozen.
 */
export class RecordedSpan implements ReadableSpan {
  readonly links = NO_LINKS;
  readonly events = NO_EVENTS;
  readonly instrumentationScope = SCOPE;
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  readonly attributes: Attributes = {};
  status = UNSET;
  private readonly startMs = nowMs();
  private endMs: number | undefined;

  constructor(
    private readonly target: SpanTarget,
    public name: string,
    readonly kind: SpanKind,
    readonly context: SpanContext,
    readonly parentSpanContext?: SpanContext,
  ) {}

  /** Whether the trace is sent. */
  get isSent(): boolean {
    return (this.context.traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  get resource(): Resource {
    return this.target.resource;
  }

  get startTime(): HrTime {
    return hrTimeOf(this.startMs);
  }

  get endTime(): HrTime {
    return hrTimeOf(this.endMs ?? this.startMs);
  }

  get duration(): HrTime {
    return hrTimeOf((this.endMs ?? this.startMs) - this.startMs);
  }

  get ended(): boolean {
    return this.endMs !== undefined;
  }

  spanContext(): SpanContext {
    return this.context;
  }

  set(attributes: SpanAttributes): void {
    // The attributes would not be sent, or the span may already have been sent.
    if (!this.isSent || this.ended) return;
    for (const name in attributes) {
      const value = attributes[name];
      if (value !== undefined) this.attributes[name] = value;
    }
  }

  fail(): void {
    this.status = FAILED;
  }

  /** Ends the span, once, and forwards it if its trace is sent. */
  end(): void {
    if (this.ended) return;
    this.endMs = nowMs();
    if (this.isSent) this.target.processor.onEnd(this);
  }
}

/**
 * The ids of a new span. A child of `parent` is sent if `parent` is; without a parent, the span begins a new trace, for which `sampled`
 * decides.
 */
export function contextBelow(parent: SpanContext | undefined, sampled: TraceSampler): SpanContext {
  if (parent === undefined) {
    const traceFlags = sampled() ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return { traceId: randomHex(16), spanId: randomHex(8), traceFlags };
  }
  return { traceId: parent.traceId, spanId: randomHex(8), traceFlags: parent.traceFlags };
}

/** Random bytes are generated many at a time. */
const pool = Buffer.alloc(8_192);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

/** Since 1970, monotonic within the process: correcting the clock gives no span a negative length. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

function hrTimeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / MS_PER_S);
  return [seconds, Math.round((ms - seconds * MS_PER_S) * NS_PER_MS)];
}
