import type { StyledError } from './provider.js';

/**
 * The name that OpenAI and Anthropic use for an error with this HTTP status. Weir's errors with status 429 keep their own names,
 * because these tell clients whether waiting helps (`rate_limit_exceeded`) or not (`trial_limit_reached`).
 */
export function errorTypeOf({ status, type }: Pick<StyledError, 'status' | 'type'>): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 413:
      return 'request_too_large';
    case 429:
      return type;
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}
