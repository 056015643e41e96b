import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CALLS_PREFIX } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { LOGGER, sendError, type Logger } from '../http/index.js';
import { CallDoor } from './call-door.service.js';

/**
 * The route for judging a call on request: it is a raw route, because its path is a provider's, and its errors have the provider's format.
 */
@Injectable()
export class CallDoorRoutes implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CallDoor) private readonly door: CallDoor,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.post(
      `${CALLS_PREFIX}*`,
      {
        errorHandler: (error, request, reply) => void this.refuse(error, request, reply),
        onRequest: (request, reply) => this.door.checkCaller(request, reply),
      },
      (request, reply) => this.door.handle(request, reply),
    );
  }

  private async refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = (request.raw.url ?? '').slice(CALLS_PREFIX.length).split('/', 1)[0];
    const provider = this.config.providers.find((each) => each.id === id);
    if (provider !== undefined) return this.door.refuse(request, reply, provider.style, error);
    sendError(error, request, reply, { baseUrl: this.config.server.baseUrl, logger: this.logger });
  }
}
