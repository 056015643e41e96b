import { HttpException } from '@nestjs/common';
import { JsonSyntaxError } from '../core/index.js';
import { DatabaseError, DatabaseUnavailable } from '../database/index.js';
import { invalidRequest, WeirError } from './weir-error.js';

/**
 * Converts any exception to the error for the client. Only errors that the client can act on keep their meaning; all others become
 * `internal_error` without a cause.
 */
export function toWeirError(thrown: unknown): WeirError {
  if (thrown instanceof WeirError) return thrown;
  if (thrown instanceof JsonSyntaxError) return malformedJson(thrown);
  if (isOutage(thrown))
    return new WeirError('unavailable', { retryAfterSeconds: thrown.retryAfterSeconds ?? 1, cause: thrown });
  if (isConflict(thrown)) return new WeirError('unavailable', { retryAfterSeconds: 1, cause: thrown });
  if (isAbortedUpload(thrown)) return invalidRequest([{ path: '', message: 'ended before its announced length' }]);
  if (isUnroutable(thrown)) return new WeirError('not_found');
  if (thrown instanceof HttpException) return fromStatus(thrown.getStatus(), thrown);
  if (isFastifyError(thrown)) return fromStatus(thrown.statusCode, thrown);
  return new WeirError('internal_error', { cause: thrown });
}

/** 422 for a body that is not JSON: with the position of the error, never with the content. */
export function malformedJson(error: JsonSyntaxError): WeirError {
  return invalidRequest([{ path: '', message: error.message }], 'The body is not valid JSON');
}

function fromStatus(status: number, cause: unknown): WeirError {
  if (status === 404 || status === 405) return new WeirError('not_found');
  if (status === 401) return new WeirError('authentication_error');
  if (status === 403) return new WeirError('forbidden');
  if (status === 413) return new WeirError('payload_too_large');
  if (status === 415) return invalidRequest([{ path: 'content-type', message: 'must be application/json' }]);
  if (status === 503) return new WeirError('unavailable', { retryAfterSeconds: 1, cause });
  if (status >= 400 && status < 500) return new WeirError('invalid_request', { cause });
  return new WeirError('internal_error', { cause });
}

/** Whether the database is unavailable, or a feature's error states its own retry time. */
function isOutage(thrown: unknown): thrown is Error & { readonly retryAfterSeconds?: number } {
  if (thrown instanceof DatabaseUnavailable) return true;
  return thrown instanceof Error && 'retryAfterSeconds' in thrown && typeof thrown.retryAfterSeconds === 'number';
}

/**
 * Whether a statement waited too long for another request's lock, or PostgreSQL ended it because two requests waited for each other. Its
 * transaction had no effect, so the same request may succeed a moment later.
 */
function isConflict(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && (thrown.isLockTimeout || thrown.isTransient);
}

/** https://fastify.dev/docs/latest/Reference/Errors/#fastify-error-codes */
function isFastifyError(thrown: unknown): thrown is { code: string; statusCode: number } {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown) || !('statusCode' in thrown)) return false;
  return typeof thrown.code === 'string' && thrown.code.startsWith('FST_') && typeof thrown.statusCode === 'number';
}

/**
 * Whether the client disconnected while sending the body: nobody reads the answer, and it is not logged as a failure of the service.
 * Fastify passes on Node's error with status 400; an error of an outgoing connection has no status.
 */
function isAbortedUpload(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown) || !('statusCode' in thrown)) return false;
  return thrown.code === 'ECONNRESET' && thrown.statusCode === 400;
}

/** Error codes for paths that cannot be parsed or that no file can have: answered like any unknown path. */
const OF_NOTHING: readonly string[] = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH', 'FST_STATIC_FORBIDDEN_PATH'];

function isUnroutable(thrown: unknown): boolean {
  return isFastifyError(thrown) && OF_NOTHING.includes(thrown.code);
}
