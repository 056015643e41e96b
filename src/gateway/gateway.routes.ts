import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { LOGGER, sendError, type Logger } from '../http/index.js';
import { clientStyleAt, PROXIED_METHODS, PROXY_PREFIX } from '../calls/index.js';
import { GatewayService } from './gateway.service.js';
import { UpstreamClient } from './upstream-client.js';

/**
 * The proxy's routes. They are registered directly on Fastify, because the bytes of a body must not change. Errors have
 * Weir's format until the provider is known, and the format that the client reads from then on.
 */
@Injectable()
export class GatewayRoutes implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(GatewayService) private readonly gateway: GatewayService,
    @Inject(UpstreamClient) private readonly upstream: UpstreamClient,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.decorateRequest('presentedKey');
    server.route({
      url: `${PROXY_PREFIX}*`,
      method: [...PROXIED_METHODS],
      errorHandler: (error, request, reply) => void this.refuse(error, request, reply),
      onRequest: (request, reply) => this.gateway.checkCaller(request, reply),
      onSend: (request, reply, payload, done) => done(null, this.gateway.outgoing(request, reply, payload)),
      handler: (request, reply) => this.gateway.handle(request, reply),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.upstream.close();
  }

  private async refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const style = clientStyleAt(request.raw.url ?? '', request.headers, this.config.providers);
    if (style !== undefined) return this.gateway.refuse(request, reply, style, error);
    sendError(error, request, reply, { baseUrl: this.config.server.baseUrl, logger: this.logger });
  }
}
