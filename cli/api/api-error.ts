import { CliError, EXIT, usageError, type ExitCode } from '../exit-code.js';

/** One field that the server did not accept. */
export interface ApiErrorDetail {
  readonly path: string;
  readonly message: string;
}

/**
 * What the server answered instead of what was asked for, or that it did not answer at all. Its exit code follows the
 * contract: a stale plan is 6, a request that the server cannot read or whose subject it does not know is 2, anything
 * else (network, authentication, outage) is 4.
 */
export class ApiError extends CliError {
  override readonly name = 'ApiError';

  constructor(
    /** HTTP status; 0 when there was no answer. */
    readonly status: number,
    /** `error.type` of the answer; `unreachable`, `timeout` and `bad_answer` are the client's own. */
    readonly type: string,
    message: string,
    readonly details: readonly ApiErrorDetail[] = [],
    /** Names the call in the server's log. */
    readonly traceId?: string,
    /** Everything else of the answer's `error`. */
    readonly body: Readonly<Record<string, unknown>> = {},
  ) {
    super(exitCodeOf(status, type), message);
  }
}

/** For `catch`: what the server does not know was misnamed; any other error stays as it is. @throws CliError (exit 2) */
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
/** Statuses of proxies whose server is away. */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Reads an error answer, Weir's own or a proxy's in between. */
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

/** What an answer that is not Weir's may mean. */
function withoutReason(status: number, text: string, url: string): string {
  // Servers that speak TLS alone say so in these words, each in its own: nginx, Apache, Go.
  if (status === 400 && url.startsWith('http:') && /HTTPS|SSL|TLS/.test(text))
    return `the server at ${url} requires TLS: is it ${overTls(url)}?`;
  if (GATEWAY.has(status))
    return `something before the server answered ${status}: does the Weir server behind ${url} run?`;
  return `${url} answered ${status} without saying why: is it the URL of a Weir server?`;
}

/** The same URL for TLS. */
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

/** What a server says goes to a terminal: no control characters, no novels. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, MAX_SHOWN);
}
