import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { errorAnswer } from './error-answer.js';
import { logFailure } from './log-failure.js';
import { LOGGER, type Logger } from './logger.js';
import { loggedIdOf } from './request-id.js';
import { noteRefused } from './note-refused.js';
import { sendErrorPage, wantsPage } from './pages/error-page.js';
import { toWeirError } from './to-weir-error.js';

/** Converts every exception, from any layer, to an answer in Weir's error format. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), {
      baseUrl: this.config.server.baseUrl,
      logger: this.logger,
    });
  }
}

/** The same for routes outside Nest. Logs errors of the service; for errors of the client, the log line of the request is enough. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { baseUrl, logger }: { baseUrl: string; logger: Logger },
): void {
  const error = toWeirError(thrown);
  noteRefused(request, error);
  logFailure(logger, 'request failed', { error, thrown, traceId: loggedIdOf(request) });
  if (reply.sent || reply.raw.headersSent) return;
  // Headers that the route set for its own body do not apply to this one.
  for (const name of ['content-length', 'content-encoding', 'etag', 'last-modified']) reply.removeHeader(name);
  if (wantsPage(request)) return sendErrorPage(error, request, reply);
  const answer = errorAnswer(error, request.id, baseUrl);
  void reply.code(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
}
