import type { StyledError } from './provider.js';

/**
 * What OpenAI and Anthropic call an error of this HTTP status; but of the statuses 429 each keeps its own name, as clients
 * tell by it whether it is worth waiting (`rate_limit_exceeded`) or not (`trial_limit_reached`).
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
