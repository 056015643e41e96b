import type { OwnErrorCode } from './errors.js';
import { OF_THE_BYTES } from './outgoing.js';

const STATUS: Readonly<Record<OwnErrorCode, number>> = {
  guardrail_unavailable: 503,
  unknown_route: 400,
  unreadable_body: 400,
};

/**
 * The canned answer of the refusing rule, in the provider's format, which the client receives instead of an error.
 * @param body the refusal's body
 */
export function cannedAnswer(
  refused: Response,
  body: unknown,
): { readonly response: Response; readonly bytes: Uint8Array<ArrayBuffer> } | undefined {
  const { answer } =
    (body as { error?: { weir?: { answer?: { content_type?: unknown; body?: unknown } } } }).error?.weir ?? {};
  if (typeof answer?.content_type !== 'string' || typeof answer.body !== 'string') return undefined;
  const headers = headersOf(refused);
  headers.delete('x-should-retry');
  headers.set('content-type', answer.content_type);
  const bytes = new TextEncoder().encode(answer.body);
  return { response: new Response(bytes, { status: 200, headers }), bytes };
}

/** An error in Weir's own format, converted to the provider's. */
export function inDialect(provider: string, answer: Response, code: string, message: string): Response {
  const { status } = answer;
  const headers = headersOf(answer);
  headers.set('content-type', 'application/json');
  return new Response(JSON.stringify(bodyOf(provider, code, status, `Weir: ${message}`)), { status, headers });
}

/** The headers of a response without those that describe its body, for use with another body. */
function headersOf(answer: Response): Headers {
  const headers = new Headers(answer.headers);
  for (const name of OF_THE_BYTES) headers.delete(name);
  return headers;
}

/** A refusal by this package itself, in the provider's format: the client raises its own exception and does not retry. */
export function refusal(provider: string | undefined, code: OwnErrorCode, message: string): Response {
  const status = STATUS[code];
  return new Response(JSON.stringify(bodyOf(provider, code, status, message)), {
    status,
    headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
  });
}

function bodyOf(provider: string | undefined, code: string, status: number, message: string): object {
  const type = errorType(status, code);
  const weir = { code };
  switch (provider) {
    case 'anthropic':
      return { type: 'error', error: { type, message, weir }, request_id: null };
    case 'gemini':
      return { error: { code: status, message, status: statusName(status), details: [{ '@type': 'weir', ...weir }] } };
    default:
      return { error: { message, type, param: null, code, weir } };
  }
}

/**
 * The name that OpenAI and Anthropic use for an error with this HTTP status. Errors with status 429 keep Weir's names, because these tell
 * whether waiting helps. The service names its refusals in the same way.
 */
function errorType(status: number, code: string): string {
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
      return code;
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}

/** Google's status name for this HTTP status: https://cloud.google.com/apis/design/errors#handling_errors */
function statusName(status: number): string {
  switch (status) {
    case 401:
      return 'UNAUTHENTICATED';
    case 402:
    case 403:
      return 'PERMISSION_DENIED';
    case 404:
      return 'NOT_FOUND';
    case 409:
      return 'ABORTED';
    case 429:
      return 'RESOURCE_EXHAUSTED';
    case 500:
      return 'INTERNAL';
    case 504:
      return 'DEADLINE_EXCEEDED';
    default:
      return status > 500 ? 'UNAVAILABLE' : 'INVALID_ARGUMENT';
  }
}
