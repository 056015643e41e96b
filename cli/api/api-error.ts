import { CliError, EXIT, usageError, type ExitCode } from '../exit-code.js';

/** One field that the server rejected. */
export interface ApiErrorDetail {
  readonly path: string;
  readonly message: string;
}

/**
 * An error response of the server, or a missing response. The exit code follows the contract: 6 for a stale plan, 2 for an invalid
 * request or an unknown resource, 4 for anything else (network, authentication, outage).
 */
export class ApiError extends CliError {
  override readonly name = 'ApiError';

  constructor(
    /** HTTP status; 0 without a usable response. */
    readonly status: number,
    /** `error.type` of the response; the client itself sets `unreachable`, `timeout` and `bad_answer`. */
    readonly type: string,
    message: string,
    readonly details: readonly ApiErrorDetail[] = [],
    /** Identifies the request in the server's log. */
    readonly traceId?: string,
    /** The complete `error` object of the response. */
    readonly body: Readonly<Record<string, unknown>> = {},
  ) {
    super(exitCodeOf(status, type), message);
  }
}

/** Whether the same request may succeed later: the server did not answer, or is broken. */
export function isPassing(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/** For `catch`: turns 404 into a usage error; other errors are rethrown unchanged. @throws CliError (exit 2) */
export function whereUnknown(words: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof ApiError && error.status === 404 ? usageError(words) : error;
  };
}

function exitCodeOf(status: number, type: string): ExitCode {
  if (type === 'stale_plan') return EXIT.stale;
  if (status === 404 || status === 413 || status === 422) return EXIT.usage;
  return EXIT.unavailable;
}

const MAX_SHOWN = 500;
/** Statuses of gateways whose server does not respond. */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Parses an error response of Weir or of a proxy in between. */
export function apiErrorOf(status: number, text: string, url: string): ApiError {
  const error = errorObject(text);
  if (error === undefined) {
    return new ApiError(status, 'bad_answer', withoutReason(status, text, url));
  }
  const details = detailsOf(error['details']);
  const said = typeof error['message'] === 'string' ? printable(error['message']) : `the server answered ${status}`;
  const fields = details.map(({ path, message }) => `${path} ${message}`).join('; ');
  const traceId = typeof error['trace_id'] === 'string' ? printable(error['trace_id']) : undefined;
  const type = typeof error['type'] === 'string' ? error['type'] : 'bad_answer';
  const words = `${said}${fields === '' ? '' : ` (${fields})`}${status >= 500 && traceId !== undefined ? `, trace ${traceId}` : ''}`;
  return new ApiError(status, type, words, details, traceId, error);
}

/** Returns a probable explanation for an error response that does not come from Weir. */
function withoutReason(status: number, text: string, url: string): string {
  // TLS-only servers (nginx, Apache, Go) answer plain HTTP with different messages, which all contain one of these words.
  if (status === 400 && url.startsWith('http:') && /HTTPS|SSL|TLS/.test(text))
    return `the server at ${url} requires TLS: did you mean ${overTls(url)}?`;
  if (GATEWAY.has(status))
    return `a gateway in front of the server answered ${status}: is the Weir server behind ${url} running?`;
  return `${url} answered ${status} without a Weir error message: is it the URL of a Weir server?`;
}

/** The same URL with https. */
export function overTls(url: string): string {
  return url.replace(/^http:/, 'https:');
}

function errorObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed = JSON.parse(text) as unknown;
    if (typeof parsed !== 'object' || parsed === null || !('error' in parsed)) return undefined;
    const { error } = parsed;
    return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function detailsOf(value: unknown): ApiErrorDetail[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((detail: unknown) => {
    if (typeof detail !== 'object' || detail === null || !('path' in detail) || !('message' in detail)) return [];
    return typeof detail.path === 'string' && typeof detail.message === 'string'
      ? [{ path: printable(detail.path), message: printable(detail.message) }]
      : [];
  });
}

/** Makes a server's text safe for a terminal: no control characters, limited length. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, MAX_SHOWN);
}
