import { ERROR_STATUS } from './error-status.js';
import { errorForLog, type Logger } from './logger.js';
import type { WeirError } from './weir-error.js';

/** The error of the response, and the original exception. */
export interface Failure {
  readonly error: WeirError;
  readonly thrown: unknown;
  readonly traceId: string;
}

/**
 * Logs failures of the service; for errors of the client, the log line of the request is enough. The same applies to calls refused as
 * `overloaded`: there may be hundreds per second, and nothing is broken.
 */
export function logFailure(logger: Logger, words: string, { error, thrown, traceId }: Failure): void {
  if (ERROR_STATUS[error.type] < ERROR_STATUS.internal_error || isTurnedAway(error)) return;
  logger.error({ trace_id: traceId, type: error.type, err: errorForLog(error.cause ?? thrown) }, words);
}

function isTurnedAway({ type, cause }: WeirError): boolean {
  return type === 'overloaded' && cause === undefined;
}
