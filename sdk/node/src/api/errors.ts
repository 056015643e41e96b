import type { Violation } from '../errors.js';
import { branded } from '../shared.js';

interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** Weir refused a request to its API; the fields contain its response. */
export class WeirApiError extends Error {
  override readonly name = 'WeirApiError';
  readonly status: number;
  /** Such as `not_found`, `invalid_request`, `rate_limit_exceeded`. */
  readonly type: string;
  /** Identifies the request in Weir's own log. */
  readonly traceId?: string;
  /** The fields that were wrong, and the reasons. */
  readonly details: readonly ErrorDetail[];
  readonly eventId?: string;
  readonly decision?: string;
  readonly violations: readonly Violation[];
  /** The time after which a retry can succeed, in milliseconds. */
  readonly retryAfterMs?: number;

  static {
    branded(this, 'WeirApiError');
  }

  /** @internal */
  constructor(status: number, body: unknown, retryAfterMs: number | undefined) {
    const { error = {} } = (typeof body === 'object' && body !== null ? body : {}) as {
      error?: Readonly<Record<string, unknown>>;
    };
    const details = Array.isArray(error['details']) ? (error['details'] as ErrorDetail[]) : [];
    const message = typeof error['message'] === 'string' ? error['message'] : `Weir answered with status ${status}`;
    super([message, ...details.map((each) => `${each.path}: ${each.message}`)].join('; '));
    this.status = status;
    this.type = typeof error['type'] === 'string' ? error['type'] : 'unknown';
    this.details = details;
    this.violations = Array.isArray(error['violations']) ? (error['violations'] as Violation[]) : [];
    if (typeof error['trace_id'] === 'string') this.traceId = error['trace_id'];
    if (typeof error['event_id'] === 'string') this.eventId = error['event_id'];
    if (typeof error['decision'] === 'string') this.decision = error['decision'];
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** Weir could not be reached, did not answer in time, or sent an unreadable response. */
export class WeirConnectionError extends Error {
  override readonly name = 'WeirConnectionError';

  static {
    branded(this, 'WeirConnectionError');
  }
}
