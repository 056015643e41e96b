import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import {
  bearerOf,
  LOGGER,
  noteCaller,
  noteSubject,
  readingJsonBody,
  sendError,
  settleRequestId,
  type Logger,
} from '../http/index.js';
import { runCooperatively } from '../judgement/index.js';
import { IngestService } from './ingest.service.js';

const EVENTS = '/v1/events';

/**
 * Answers `POST /v1/events` without Nest, whose guards, pipes and promises cost a noticeable part of an event's CPU time and do nothing
 * for this route: its limits are counted once the key is known. Nest still registers the route, so that the API document and the server's
 * hooks, limits and error handler are the same as for any other; only the handler is replaced.
 */
@Injectable()
export class IngestRoutes {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(IngestService) private readonly ingest: IngestService,
  ) {}

  /** To be called before Nest registers the routes of controllers. */
  replaceHandler(): void {
    this.host.httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', (route) => {
      if (route.url !== EVENTS || route.method !== 'POST') return;
      // Nothing waits until the answer has left, which costs a promise and several listeners.
      route.handler = (request, reply) => {
        this.answer(request, reply).catch((error: unknown) => void reply.send(error));
      };
    });
  }

  /** Answers in every case; rejects only if an answer cannot be sent. */
  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      const { answer, eventId, replayed } = await this.ingest.submit(
        {
          key: bearerOf(request),
          readBody: () => runCooperatively(readingJsonBody(request)),
          traceId: request.id,
          settleTraceId: (id) => settleRequestId(request, reply, id),
          client: reply.raw,
          setHeader: (name, value) => void reply.header(name, value),
        },
        (caller) => noteCaller(request, caller),
      );
      noteSubject(request, { ...(eventId === undefined ? {} : { eventId }), ...(replayed ? { replayed } : {}) });
      void reply.code(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
    } catch (error) {
      sendError(error, request, reply, { baseUrl: this.config.server.baseUrl, logger: this.logger });
    }
  }
}
