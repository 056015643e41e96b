import type { ErrorType } from '../core/index.js';

/** The only map from error type to HTTP status. A new type in core's catalogue does not compile without an entry. */
export const ERROR_STATUS = {
  content_policy_violation: 400,
  tool_use_blocked: 400,
  budget_exceeded: 400,
  authentication_error: 401,
  subscription_inactive: 402,
  subscription_lapsed: 402,
  email_not_verified: 403,
  reauthentication_required: 403,
  forbidden: 403,
  not_found: 404,
  in_progress: 409,
  stale_plan: 409,
  payload_too_large: 413,
  invalid_request: 422,
  event_id_conflict: 422,
  reserved_event_type: 422,
  rate_limit_exceeded: 429,
  trial_limit_reached: 429,
  budget_reserved: 429,
  internal_error: 500,
  upstream_unreachable: 502,
  guardrail_unavailable: 503,
  overloaded: 503,
  unavailable: 503,
  upstream_timeout: 504,
} as const satisfies Record<ErrorType, number>;

const RETRY_CANNOT_HELP: ReadonlySet<number> = new Set([400, 401, 402, 422]);

/**
 * Whether every answer of this type has `x-should-retry: false`, which the official provider SDKs respect. Errors of other types have it
 * with `retryHelps: false`.
 */
export function retryCannotHelp(type: ErrorType): boolean {
  return RETRY_CANNOT_HELP.has(ERROR_STATUS[type]) || type === 'trial_limit_reached';
}
