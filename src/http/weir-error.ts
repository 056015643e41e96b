import { ERROR_CATALOGUE, type CannedAnswer, type ErrorDetail, type ErrorType, type Violation } from '../core/index.js';

export interface WeirErrorOptions {
  /** Default: the title in the catalogue. It never contains submitted data. */
  readonly message?: string;
  readonly details?: readonly ErrorDetail[];
  /** Whole seconds for `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** False if the same request would fail again, although its error type does not tell so. */
  readonly retryHelps?: false;
  /** Headers of the answer in addition to those of its type; errors in a provider's dialect do not have them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly decision?: 'block';
  readonly violations?: readonly Violation[];
  readonly eventId?: string;
  /** What the provider's client receives instead of the error: the rule's message in the form of an answer. */
  readonly canned?: CannedAnswer;
  /** The underlying error; only its name, code and frames are logged, and it is never part of the answer. */
  readonly cause?: unknown;
}

/** An error that is returned to the client unchanged: its type determines the status. */
export class WeirError extends Error {
  override readonly name = 'WeirError';

  constructor(
    readonly type: ErrorType,
    readonly options: WeirErrorOptions = {},
  ) {
    super(
      options.message ?? ERROR_CATALOGUE[type].title,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
  }
}

/** An error without a stack trace. A refused call needs none, and capturing it would be a large part of the cost of a refusal. */
export function withoutStack(type: ErrorType, options: WeirErrorOptions): WeirError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new WeirError(type, options);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** 422 with one entry per field. */
export function invalidRequest(details: readonly ErrorDetail[], message?: string): WeirError {
  return new WeirError('invalid_request', { details, ...(message === undefined ? {} : { message }) });
}

/**
 * The error for a retry if the first answer is no longer stored.
 * @param path the path of the event id in the request
 */
export function answerNoLongerStored(path: string): WeirError {
  return new WeirError('event_id_conflict', {
    message: 'This event_id was used before, and its answer is no longer stored',
    details: [{ path, message: 'was used before; its answer is no longer stored' }],
  });
}
