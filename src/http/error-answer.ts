import type { ErrorType } from '../core/index.js';
import { ERROR_STATUS, retryCannotHelp } from './error-status.js';
import type { WeirError, WeirErrorOptions } from './weir-error.js';

/** An error in Weir's format, as it is sent. `body` is JSON text. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The link to the explanation of an error type, on the service's own page. */
export function docsLink(baseUrl: string, type: ErrorType): string {
  return `${baseUrl}/docs#error-${type}`;
}

/** The headers of an error of this type, regardless of the dialect of its body. */
export function errorHeaders(
  type: ErrorType,
  { retryAfterSeconds, retryHelps }: Pick<WeirErrorOptions, 'retryAfterSeconds' | 'retryHelps'> = {},
): Record<string, string> {
  const isFinal = retryHelps === false;
  const waitSeconds = isFinal ? undefined : retryAfterSeconds;
  return {
    // RFC 9110, section 15.5.2: a 401 names the accepted kind of credentials.
    ...(type === 'authentication_error' ? { 'www-authenticate': 'Bearer realm="weir"' } : {}),
    ...(waitSeconds === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(waitSeconds))) }),
    ...(isFinal || retryCannotHelp(type) ? { 'x-should-retry': 'false' } : {}),
  };
}

/** `{"error": {type, message, trace_id, …}}` with status and headers. */
export function errorAnswer(error: WeirError, traceId: string, baseUrl: string): ErrorAnswer {
  const { details, decision, violations, eventId } = error.options;
  const body = {
    error: {
      type: error.type,
      message: error.message,
      trace_id: traceId,
      ...(details === undefined ? {} : { details }),
      ...(decision === undefined ? {} : { decision }),
      ...(violations === undefined ? {} : { violations }),
      ...(eventId === undefined ? {} : { event_id: eventId }),
      docs: docsLink(baseUrl, error.type),
    },
  };
  return {
    status: ERROR_STATUS[error.type],
    headers: { ...error.options.headers, ...errorHeaders(error.type, error.options) },
    body: JSON.stringify(body),
  };
}
