import type { ErrorType } from '../core/index.js';
import { ERROR_STATUS, retryCannotHelp } from './error-status.js';

/** Statuses after which the same request may succeed later. */
const MAY_PASS: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);

/**
 * Whether the same request may succeed later, as documented for each error type. False also where no answer has `x-should-retry: false`
 * because clients do not repeat the status anyway: 403, 404 and 413.
 */
export function retryMayHelp(type: ErrorType): boolean {
  return MAY_PASS.has(ERROR_STATUS[type]) && !retryCannotHelp(type);
}
