import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CallEntrance } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { bearerOf, LOGGER, noteCaller, sendError, type Logger } from '../http/index.js';

/** Routes as they are declared: two colons are an escaped colon. */
const ROUTES: ReadonlySet<string> = new Set(['/v1/events', '/v1/events::batch']);

/**
 * Refuses events as `overloaded` before any other work on them: refusals must cost little under overload. The routes of the proxy and of
 * `/v1/calls` do the same.
 */
@Injectable()
export class EarlyRefusals implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CallEntrance) private readonly entrance: Pick<CallEntrance, 'isBusy' | 'turnAway'>,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onRequest', (request, reply, done) => {
      const { url = '' } = request.routeOptions;
      if (!this.entrance.isBusy || request.method !== 'POST' || !ROUTES.has(url)) return done();
      this.entrance
        .turnAway('rest', bearerOf(request), (caller) => noteCaller(request, caller))
        .then(
          () => done(),
          (error: unknown) => this.refuse(error, request, reply),
        );
    });
  }

  private refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    sendError(error, request, reply, { baseUrl: this.config.server.baseUrl, logger: this.logger });
  }
}
