import { ERROR_CATALOGUE, type CannedAnswer, type ErrorDetail, type ErrorType, type Violation } from '../core/index.js';

export interface WeirErrorOptions {
  /** Default: the title in the catalogue. It never contains submitted data. */
  readonly message?: string;
  readonly details?: readonly ErrorDetail[];
  /** Whole seconds for `Retry-After`. */
  readonly retryAfterSeconds?: number;
  readonly decision?: 'block';
  readonly violations?: readonly Violation[];
  readonly eventId?: string;
  /** What the client of a provider gets instead of the error: a rule's words in the form of an answer. */
  readonly canned?: CannedAnswer;
  /** What went wrong underneath; for the log's name, code and frames only, never for the answer. */
  readonly cause?: unknown;
}

/** An error that is answered as it is: its type decides the status. */
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

/**
 * An error without a stack. Of a call that is turned away nobody asks where: to write the stack down would be a large part of
 * what its refusal costs.
 */
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
 * The refusal of a request that was answered before, when that answer is no longer stored.
 * @param path where the id of the question stands
 */
export function forgottenAnswer(path: string): WeirError {
  return new WeirError('event_id_conflict', {
    message: 'This event_id was used before, and its answer is no longer stored',
    details: [{ path, message: 'was used before; its answer is no longer stored' }],
  });
}
