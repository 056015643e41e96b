import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CALLS_PREFIX, clientStyleAt } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { LOGGER, sendError, type Logger } from '../http/index.js';
import { CallAdmission } from './call-admission.service.js';

/**
 * The route for judging a call on request: it is a raw route, because its path is a provider's, and its errors have the provider's format.
 */
@Injectable()
export class CallChecksRoutes implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CallAdmission) private readonly admission: CallAdmission,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.post(
      `${CALLS_PREFIX}*`,
      {
        errorHandler: (error, request, reply) => void this.refuse(error, request, reply),
        onRequest: (request, reply) => this.admission.checkCaller(request, reply),
      },
      (request, reply) => this.admission.handle(request, reply),
    );
  }

  private async refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const style = clientStyleAt(request.raw.url ?? '', {}, this.config.providers, CALLS_PREFIX);
    if (style !== undefined) return this.admission.refuse(request, reply, style, error);
    sendError(error, request, reply, { baseUrl: this.config.server.baseUrl, logger: this.logger });
  }
}
