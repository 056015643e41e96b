import type { FastifyReply, FastifyRequest } from 'fastify';
import { CSP_REPORTS_PATH } from './csp-reporting.js';
import { ERROR_STATUS } from './error-status.js';
import type { Logger } from './logger.js';
import { loggedIdOf } from './request-id.js';
import { subjectOf } from './request-subject.js';

/** The data about a request after its answer was sent. No query string, header or body. */
export interface FinishedRequest {
  readonly method: string;
  /** The route's pattern, such as `/v1/events/:id`; `unmatched` when there is none. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Called for every finished request. */
export type RequestObserver = (finished: FinishedRequest) => void;

/** Probes and scrapes come every few seconds, and reports at any rate, from anybody; they are logged at level debug only. */
const QUIET_ROUTES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics', CSP_REPORTS_PATH]);

/** Logs a finished request in one line and notifies the observer. */
export function finishRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
  observe: RequestObserver,
): void {
  const route = routeOf(request);
  const status = statusOf(reply);
  const durationMs = Math.round(reply.elapsedTime * 10) / 10;
  observe({ method: request.method, route, status, durationMs });
  const { accountId, appId, keyId, tokenId, personId, eventId, replayed, refused } = subjectOf(request);
  // Warnings are written at once, one by one; overload refusals are frequent exactly when there is no time for that.
  const isTurnedAway = refused === 'overloaded';
  const level =
    status >= ERROR_STATUS.internal_error && !isTurnedAway ? 'warn' : QUIET_ROUTES.has(route) ? 'debug' : 'info';
  logger[level](
    {
      method: request.method,
      route,
      status,
      ms: durationMs,
      trace_id: loggedIdOf(request),
      account_id: accountId,
      app_id: appId,
      key_id: keyId,
      token_id: tokenId,
      person_id: personId,
      event_id: eventId,
      replayed,
      refused: isTurnedAway ? refused : undefined,
    },
    'request',
  );
}

/** The route's pattern. In the router, a literal colon is written twice. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url?.replace('::', ':') ?? 'unmatched';
}

export function statusOf(reply: FastifyReply): number {
  return reply.raw.headersSent ? reply.statusCode : CLIENT_CLOSED_REQUEST;
}

/** Only in logs and metrics: the client disconnected before the answer began (nginx's convention). */
const CLIENT_CLOSED_REQUEST = 499;
