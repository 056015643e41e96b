import { ERROR_STATUS } from './error-status.js';
import { errorForLog, type Logger } from './logger.js';
import type { WeirError } from './weir-error.js';

/** An error as it is answered, and the original exception. */
export interface Failure {
  readonly error: WeirError;
  readonly thrown: unknown;
  readonly traceId: string;
}

/**
 * Writes down what went wrong on our side; errors of the client are told by the request line alone. So are calls that were
 * refused because there is too much to do: they come by the hundred a second just then, and nothing is broken.
 */
export function logFailure(logger: Logger, words: string, { error, thrown, traceId }: Failure): void {
  if (ERROR_STATUS[error.type] < ERROR_STATUS.internal_error || isTurnedAway(error)) return;
  logger.error({ trace_id: traceId, type: error.type, err: errorForLog(error.cause ?? thrown) }, words);
}

function isTurnedAway({ type, cause }: WeirError): boolean {
  return type === 'overloaded' && cause === undefined;
}
